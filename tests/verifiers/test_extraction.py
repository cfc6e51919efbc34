import json
import time
from pathlib import Path

import pytest
from completions import HOSTILE, anchored_text, committed, completions, pumped
from hypothesis import given

import rewardgate
from rewardgate.rollouts.messages import completion_text
from rewardgate.verifiers import Completion, Extracted, Extractor, Outcome, Prompt, extractors
from rewardgate.verifiers.extraction import answer_tag, auto, boxed, choice, code_block, last_number, phrase
from rewardgate.verifiers.extraction import hash as hash_mark
from rewardgate.verifiers.unicode_text import ZERO_WIDTH

CASES = [
    json.loads(line)
    for line in (Path(rewardgate.__file__).parent / "fixtures" / "extraction_cases.jsonl").open(encoding="utf-8")
]
NAMES = ("boxed", "answer_tag", "hash", "phrase", "last_number", "choice", "code_block", "auto")


BROKEN_OFF = [
    "the price of the bag will be $41.472+$8.2944 = $<<41.472+8.",
    "Dividing both sides by 2, we get 33 / 2 = 2x / 2\nSubtracting x from both",
    "In total, Cameron will pay 1411900+20170 = 1432070 pesos for an",
    " 12 inches/foot = 0." + "3" * 400,
    "What is 5 + 3?",
    "I need to find the answer.",
]


def test_the_last_committed_answer_is_found_and_what_surrounds_it_decides() -> None:
    for case in CASES:
        found = read(auto(), case["completion"])
        if "text" in case:
            assert (found.outcome, found.text) == (None, case["text"]), case
        else:
            assert (found.outcome, found.rule) == (Outcome(case["outcome"]), case["rule"]), case


@pytest.mark.parametrize("completion", BROKEN_OFF)
def test_a_text_that_breaks_off_commits_to_nothing(completion: str) -> None:
    assert auto().extract(completion) is None


def test_auto_without_last_number_leaves_prose_alone() -> None:
    assert auto(last_number=False).extract("So we end up with 42 apples.") is None
    assert read(last_number(), "So we end up with 42 apples").text == "42"


def test_each_extractor_sees_its_own_pattern_only() -> None:
    text = r"so \boxed{1}" "\n#### 2\nThe answer is 3.\n<answer>4</answer>\n5 more"
    found = [factory().extract(text) for factory in (boxed, hash_mark, phrase, answer_tag, last_number)]
    assert [one.text for one in found if one is not None] == ["1", "2", "3", "4", "5"]
    assert boxed().extract("The answer is 3.") is None


def test_an_echoed_prompt_is_no_answer() -> None:
    prompt = r"What is 2+2? Answer like \boxed{7}."
    assert read(auto(), prompt).text == "7"
    found = auto().extract(prompt, prompt=prompt)
    assert found is not None
    assert found.rule == "empty_completion"
    echoed = prompt + r" It is \boxed{4}."
    assert read(auto(), echoed, [{"role": "user", "content": prompt}]).text == "4"


def test_only_the_assistant_speaks() -> None:
    messages = [{"role": "assistant", "content": r"\boxed{4}"}, {"role": "tool", "content": r"\boxed{5}"}]
    assert read(auto(), messages).text == "4"
    assert read(auto(), [{"role": "user", "content": r"\boxed{5}"}]).rule == "empty_completion"


def test_alternatives_are_listed() -> None:
    assert read(boxed(), r"\boxed{1}, \boxed{2}").alternatives == ("1", "2")
    assert read(auto(), "The answer is 5 or 6.").alternatives == ("5", "6")


@pytest.mark.parametrize(
    ("completion", "letters"),
    [
        ("The answer is B. Not C.", "B"),
        ("B。 不是 A", "B"),
        ("A reasonable person would pick option D", "D"),
        ("A, B, C, D", "A, B, C, D"),
        (r"\boxed{E: A polygenic risk score}", "E"),
        ("Option Ａ is right. Answer: Ａ", "A"),
        ("Options B and C are wrong. So D.", "D"),
        ("(A) is incorrect. (B) is correct.", "B"),
        ("C) Paris", "C"),
    ],
)
def test_choice_letters_are_told_from_articles_and_rejected_options(completion: str, letters: str) -> None:
    found = choice().extract(completion)
    assert found is not None
    assert found.text == letters


def test_no_letter_is_no_choice() -> None:
    assert choice().extract("I think so.") is None
    assert choice().extract("We eliminate A, C and D.") is None


def test_the_last_code_block_counts_and_an_unclosed_one_is_none() -> None:
    text = "```python\nfirst\n```\nand\n~~~py\nsecond\n```\n~~~\n"
    assert read(code_block(), text).text == "second\n```"
    assert read(code_block(language="python"), text).text == "first"
    assert code_block().extract("```python\nprint(").rule == "unclosed_code_block"
    assert read(code_block(), "```\n\n```").rule == "empty_code_block"
    assert code_block().extract("print(4)") is None


@given(committed())
def test_an_answer_is_found_in_every_wrapper(pair: tuple[str, str]) -> None:
    completion, answer = pair
    found = auto().extract(completion)
    assert found is not None
    assert found.outcome is None
    assert found.text == answer
    assert found.span is not None
    assert answer in completion[slice(*found.span)]


@given(completions)
def test_no_extractor_ever_raises(completion: str | list[dict[str, str | None]]) -> None:
    text = completion_text(completion)
    for name in NAMES:
        found = extractors.create(name).extract(completion)
        if found is None:
            continue
        assert bool(found.rule) == (found.outcome is not None)
        if found.span is not None:
            start, end = found.span
            assert 0 <= start <= end <= len(text)


@given(anchored_text)
def test_a_span_holds_the_extracted_text(completion: str) -> None:
    for name in NAMES:
        found = extractors.create(name).extract(completion)
        if found is not None and found.span is not None and found.outcome is None:
            there = _core(completion[slice(*found.span)])
            assert _core(found.text) in there or any(mark in completion for mark in (r"\phantom", "~~", "<!--", "＼"))


@given(anchored_text)
def test_what_stands_before_a_thought_ends_never_matters(before: str) -> None:
    after = " So it is\n\n\\boxed{4}"
    closed = auto().extract(before.replace("<|im", "").replace("<", "[") + "</think>" + after)
    assert closed is not None
    assert closed.text == "4"


@pytest.mark.parametrize("flood", sorted(HOSTILE))
def test_hostile_text_costs_milliseconds(flood: str) -> None:
    for name in NAMES:
        extractor = extractors.create(name)
        seconds = []
        for _ in range(3):  # the best of three, of this thread's own time: other work on the machine is not ours
            start = time.thread_time()
            extractor.extract(HOSTILE[flood])
            seconds.append(time.thread_time() - start)
        assert min(seconds) < 0.05, name


@given(pumped)
def test_no_repetition_makes_an_extractor_slow(completion: str) -> None:
    for name in NAMES:
        extractor = extractors.create(name)
        seconds = []
        while min(seconds, default=1.0) >= 0.05 and len(seconds) < 4:
            start = time.perf_counter()
            extractor.extract(completion)
            seconds.append(time.perf_counter() - start)
        assert min(seconds) < 0.05


def test_huge_texts_still_give_their_answer() -> None:
    assert read(auto(), HOSTILE["prose"]).text == "42"
    assert read(auto(), HOSTILE["five megabytes"]).text == "42"
    assert read(auto(), HOSTILE["digits in a box"]).text == "7" * 200_000
    assert read(auto(), HOSTILE["open thought"]).rule == "unclosed_think"


def test_every_real_response_is_read(shared: Path) -> None:
    methods = {"boxed": 0, "other": 0}
    for line in (shared / "data" / "qwen_math_cot_100.jsonl").open(encoding="utf-8"):
        for response in json.loads(line)["code"]:
            found = auto().extract(response)
            assert found is not None
            methods["boxed" if found.method == "boxed" else "other"] += 1
    assert methods == {"boxed": 800, "other": 0}


def test_real_solutions_end_in_what_stands_after_their_last_mark(shared: Path) -> None:
    read = broken_off = 0
    for line in (shared / "data" / "gsm8k_example_model_solutions.jsonl").open(encoding="utf-8"):
        for solution in (value["solution"] for value in json.loads(line).values() if isinstance(value, dict)):
            last = solution.rstrip().rpartition("\n")[2]
            found = auto().extract(solution)
            if last.startswith("A: "):
                assert found is not None
                assert found.text == last[3:].strip()
                read += 1
            else:
                broken_off += found is None or found.method == "bare"
    assert (read, broken_off) == (5265, 11)


def read(extractor: Extractor, completion: Completion, prompt: Prompt | None = None) -> Extracted:
    found = extractor.extract(completion, prompt=prompt)
    assert found is not None
    return found


def _core(text: str) -> str:
    return "".join(mark for mark in text if mark.isalnum() and mark not in ZERO_WIDTH)
