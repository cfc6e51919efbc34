import json
import time
from pathlib import Path

import pytest
from completions import HOSTILE, anchored_text, committed, completions
from hypothesis import given

from rewardgate.rollouts.messages import completion_text
from rewardgate.verifiers import Outcome, extractors
from rewardgate.verifiers.extraction import answer_tag, auto, boxed, choice, code_block, last_number, phrase
from rewardgate.verifiers.extraction import hash as hash_mark
from rewardgate.verifiers.unicode_text import ZERO_WIDTH

NAMES = ("boxed", "answer_tag", "hash", "phrase", "last_number", "choice", "code_block", "auto")

COMMITTED = [
    # boxes
    (r"\boxed{\boxed{7}}", "7"), (r"\boxed{5}}", "5"), (r"$$\boxed{\;7\;}$$", "7"), (r"\fbox{7}", "7"), (r"\boxed 7", "7"),
    (r"\boxed \frac{1}{2}$", r"\frac{1}{2}"), ("boxed{7}", "7"), ("\x08oxed{7}", "7"), (r"\boxed{\{1,2\}}", r"\{1,2\}"),
    (r"\boxed{\text{The answer is } 7}", "7"), (r"\boxed{\mathbf{7}}", "7"), (r"\boxed{\color{red}{7}}", "7"), (r"\boxed{5!}", "5!"),
    (r"\boxed{5\%}", r"5\%"), (r"\boxed{\$5}", r"\$5"), (r"\boxed{45^\circ}", r"45^\circ"), (r"\boxed{[1,2)}", "[1,2)"),
    (r"\boxed{1} and \boxed{2}", "1, 2"), (r"\[ \boxed{2}, \boxed{3}, \boxed{5} \]", "2, 3, 5"), ("\\boxed{5}\n\\boxed{6}", "5, 6"),
    (r"It is either \boxed{7} or \boxed{8}.", "7 or 8"), (r"\boxed{7}. It could also be \boxed{8}", "7 or 8"),
    (r"x = \boxed{1}, y = \boxed{2}", "x = 1, y = 2"), (r"\boxed{1} was tried first; the corrected value is \boxed{2}", "2"),
    ("\\boxed{004} holds.\n\n**Final Answer**\n\\boxed{004}", "004"), ("\\boxed{2}\n\\boxed{2}", "2"),
    (r"\boxed{6}, not \boxed{5}", "6"), (r"I would say \boxed{6} rather than \boxed{5}.", "6"), ("\\boxed{5}\n\\boxed{}", "5"),
    ("＼boxed｛7｝", "7"), ("\\boxed{5\u200b}", "5"), (r"~~\boxed{5}~~ \boxed{6}", "6"),
    # tags
    ("<answer>5</answer> hmm, redo: <answer>6</answer>", "6"), ("<ANSWER type='x'>\n 5 \n</ANSWER>", "5"), ("5</answer>", "5"),
    (r"<answer>$\boxed{5}$</answer>", "5"), ("<answer>The answer is 5.</answer>", "5"), ("<answer>\n3 + 4 = 7.\nSo it is 7.\n</answer>", "7"),
    # hashes and announcements
    ("Sum it up.\n#### 1,234", "1,234"), ("####: 55", "55"), ("#### 42\nand the checks above confirm this very result.", "42"),
    ("#### Step 1: add\nIt follows.\n#### Step 2\n\nSo 3+4 = 7.", "7"), ("Final Answer: The largest $n$ is 34. I hope it is correct.", "34"),
    (r"so \boxed{1}. Final Answer: The final answer is $\frac{1}{2}$. I hope it is correct.", r"\frac{1}{2}"),
    ("**Answer:** 5", "5"), ("Answer: **5**", "5"), ("## Answer\n\n42", "42"), ("### Final Answer\n\n$$42$$", "42"), ("A: 18", "18"),
    ("The answer is twelve.", "twelve"), ("The answer is $1,234.50.", "$1,234.50"), ("The answer is $5$ apples.", "5 apples"),
    ("The answer is x = 5.", "x = 5"), ("The answer is approximately 7.78.", "7.78"), ("The answer is 5 (five).", "5"),
    ("The answer is 5 or 6.", "5 or 6"), ("The answer is not 5 but 6.", "6"), ("5 is the final answer.", "5"), ('{"answer": "5"}', "5"),
    ("Answer: Let's see. Tom has 5 apples and buys 3 more. So he has 8.", "8"), ("The answer is 5. Wait, I forgot one. The answer is 6.", "6"),
    ("multiply by 100% to express the answer as a percentage: 1/2 * 100% = 50%\nA: 50", "50"), ("Answer: 5\nAnswer: 5.0", "5.0"),
    ("\\boxed{5}\n\nTo check the answer: 5 × 3 = 15.", "5"), (r"\boxed{5}. The answer is correct.", "5"),
    # other languages
    ("Antwort: 5", "5"), ("Die Antwort lautet: **5**", "5"), ("Réponse : 42", "42"), ("La respuesta es 42.", "42"), ("Ответ: 42.", "42"),
    ("答案：42", "42"), (r"因此，答案是 $\frac{3}{4}$。", r"\frac{3}{4}"), ("答えは42です。", "42"), ("답: 12,345", "12,345"), ("정답은 42입니다.", "42"),
    ("উত্তর: 7", "7"), ("คำตอบ: 7", "7"), ("Jibu: 7", "7"),
    # thoughts, turns
    ("<think>2+3</think>\n\nThe answer is 5.", "5"), (r"Let me reconsider. \boxed{99}</think>Final: \boxed{42}", "42"),
    (r"<|begin_of_thought|>\boxed{1}<|end_of_thought|><|begin_of_solution|>\boxed{2}<|end_of_solution|>", "2"),
    (r"<|channel|>analysis<|message|>\boxed{1}<|end|><|start|>assistant<|channel|>final<|message|>\boxed{2}<|return|>", "2"),
    ("\\boxed{5}<|im_end|>\n<|im_start|>user\nNext \\boxed{6}", "5"), ("The answer is 5.\n\nQ: next?\nA: 7", "5"), ("\\boxed{5}</s>", "5"),
    # no anchor
    ("42", "42"), ("$x = 5$", "x = 5"), ("x = 5", "x = 5"), ("421=420", "421=420"), ("Paris", "Paris"), ("Total: 18", "18"),
    ("So we end up with 42 apples.", "42"), ("Total = 5 * 3 = 15", "15"), (r"So the probability is $\frac{1}{2}$.", r"\frac{1}{2}"),
    ("因此，数学作业比阅读作业多 **3页**。", "3"), (r"\boxed{5}. Wait, that is wrong. It is 6.", "6"),
]  # fmt: skip

DECIDED = [
    (r"\boxed{5", Outcome.NO_ANSWER, "unclosed_box"), (r"\boxed{5} and then \boxed{6", Outcome.NO_ANSWER, "unclosed_box"),
    (r"\boxed{ }", Outcome.NO_ANSWER, "empty_box"), (r"\boxed{\phantom{5}}", Outcome.NO_ANSWER, "empty_box"),
    (r"\boxed{\ldots}", Outcome.NO_ANSWER, "placeholder"), (r"\boxed{\text{answer}}", Outcome.NO_ANSWER, "placeholder"),
    (r"\boxed{\text{same as the reference}}", Outcome.NO_ANSWER, "placeholder"), (r"\boxed{\text{None}}", Outcome.NO_ANSWER, "placeholder"),
    ("<answer> </answer>", Outcome.NO_ANSWER, "empty_answer"), ("<answer>5", Outcome.NO_ANSWER, "unclosed_answer_tag"),
    (r"<think>It is \boxed{5}</think>", Outcome.NO_ANSWER, "nothing_after_think"), (r"<think>It is \boxed{5}", Outcome.NO_ANSWER, "unclosed_think"),
    ("", Outcome.NO_ANSWER, "empty_completion"), (r"\phantom{\boxed{5}}", Outcome.NO_ANSWER, "empty_completion"),
    ("The answer is not 5.", Outcome.INCORRECT, "negated"), ("The answer isn't 5.", Outcome.INCORRECT, "negated"),
    (r"not \boxed{5}", Outcome.INCORRECT, "negated"), (r"\boxed{\neq 5}", Outcome.INCORRECT, "negated"),
    (r"\boxed{5} is not the answer.", Outcome.INCORRECT, "negated"), (r"\boxed{5}. Wait, that is wrong.", Outcome.NO_ANSWER, "retracted"),
    (r"The reference says \boxed{5}", Outcome.NO_ANSWER, "quoted"), ("Ground truth: 5", Outcome.NO_ANSWER, "quoted"),
    ("#### 5\n#### 6", Outcome.HEDGED, "stacked_answers"), ("Answer: 5\nAnswer: 6", Outcome.HEDGED, "stacked_answers"),
    ("The answer is 5. The answer is 6.", Outcome.HEDGED, "stacked_answers"),
    ("<answer>5</answer><answer>6</answer>", Outcome.HEDGED, "stacked_answers"),
]  # fmt: skip

BROKEN_OFF = [
    "the price of the bag will be $41.472+$8.2944 = $<<41.472+8.",
    "Dividing both sides by 2, we get 33 / 2 = 2x / 2\nSubtracting x from both",
    "In total, Cameron will pay 1411900+20170 = 1432070 pesos for an",
    " 12 inches/foot = 0." + "3" * 400,
    "What is 5 + 3?",
    "I need to find the answer.",
]


@pytest.mark.parametrize(("completion", "answer"), COMMITTED)
def test_the_last_committed_answer_is_found(completion: str, answer: str) -> None:
    found = auto().extract(completion)
    assert found is not None
    assert (found.outcome, found.text) == (None, answer)


@pytest.mark.parametrize(("completion", "outcome", "rule"), DECIDED)
def test_words_around_an_answer_decide(completion: str, outcome: Outcome, rule: str) -> None:
    found = auto().extract(completion)
    assert found is not None
    assert (found.outcome, found.rule) == (outcome, rule)


@pytest.mark.parametrize("completion", BROKEN_OFF)
def test_a_text_that_breaks_off_commits_to_nothing(completion: str) -> None:
    assert auto().extract(completion) is None


def test_auto_without_last_number_leaves_prose_alone() -> None:
    assert auto(last_number=False).extract("So we end up with 42 apples.") is None
    assert last_number().extract("So we end up with 42 apples").text == "42"  # type: ignore[union-attr]


def test_each_extractor_sees_its_own_pattern_only() -> None:
    text = r"so \boxed{1}" "\n#### 2\nThe answer is 3.\n<answer>4</answer>\n5 more"
    found = [factory().extract(text) for factory in (boxed, hash_mark, phrase, answer_tag, last_number)]
    assert [one.text for one in found if one is not None] == ["1", "2", "3", "4", "5"]
    assert boxed().extract("The answer is 3.") is None


def test_an_echoed_prompt_is_no_answer() -> None:
    prompt = r"What is 2+2? Answer like \boxed{7}."
    assert auto().extract(prompt).text == "7"  # type: ignore[union-attr]
    found = auto().extract(prompt, prompt=prompt)
    assert found is not None
    assert found.rule == "empty_completion"
    echoed = prompt + r" It is \boxed{4}."
    assert auto().extract(echoed, prompt=[{"role": "user", "content": prompt}]).text == "4"  # type: ignore[union-attr]


def test_only_the_assistant_speaks() -> None:
    messages = [{"role": "assistant", "content": r"\boxed{4}"}, {"role": "tool", "content": r"\boxed{5}"}]
    assert auto().extract(messages).text == "4"  # type: ignore[union-attr]
    assert auto().extract([{"role": "user", "content": r"\boxed{5}"}]).rule == "empty_completion"  # type: ignore[union-attr]


def test_alternatives_are_listed() -> None:
    assert boxed().extract(r"\boxed{1}, \boxed{2}").alternatives == ("1", "2")  # type: ignore[union-attr]
    assert auto().extract("The answer is 5 or 6.").alternatives == ("5", "6")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("completion", "letters"),
    [
        ("The answer is B. Not C.", "B"), ("B。 不是 A", "B"), ("A reasonable person would pick option D", "D"), ("A, B, C, D", "A, B, C, D"),
        (r"\boxed{E: A polygenic risk score}", "E"), ("Option Ａ is right. Answer: Ａ", "A"), ("Options B and C are wrong. So D.", "D"),
        ("(A) is incorrect. (B) is correct.", "B"), ("C) Paris", "C"),
    ],
)  # fmt: skip
def test_choice_letters_are_told_from_articles_and_rejected_options(completion: str, letters: str) -> None:
    found = choice().extract(completion)
    assert found is not None
    assert found.text == letters


def test_no_letter_is_no_choice() -> None:
    assert choice().extract("I think so.") is None
    assert choice().extract("We eliminate A, C and D.") is None


def test_the_last_code_block_counts_and_an_unclosed_one_is_none() -> None:
    text = "```python\nfirst\n```\nand\n~~~py\nsecond\n```\n~~~\n"
    assert code_block().extract(text).text == "second\n```"  # type: ignore[union-attr]
    assert code_block(language="python").extract(text).text == "first"  # type: ignore[union-attr]
    assert code_block().extract("```python\nprint(").rule == "unclosed_code_block"  # type: ignore[union-attr]
    assert code_block().extract("```\n\n```").rule == "empty_code_block"  # type: ignore[union-attr]
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
@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_costs_milliseconds(name: str, flood: str) -> None:
    extractor = extractors.create(name)
    seconds = []
    for _ in range(3):  # the best of three: other work on the machine is not ours
        start = time.perf_counter()
        extractor.extract(HOSTILE[flood])
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.05


def test_huge_texts_still_give_their_answer() -> None:
    assert auto().extract(HOSTILE["prose"]).text == "42"  # type: ignore[union-attr]
    assert auto().extract(HOSTILE["five megabytes"]).text == "42"  # type: ignore[union-attr]
    assert auto().extract(HOSTILE["digits in a box"]).text == "7" * 200_000  # type: ignore[union-attr]
    assert auto().extract(HOSTILE["open thought"]).rule == "unclosed_think"  # type: ignore[union-attr]


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


def _core(text: str) -> str:
    return "".join(mark for mark in text if mark.isalnum() and mark not in ZERO_WIDTH)
