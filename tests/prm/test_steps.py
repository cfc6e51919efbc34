import re
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from step_texts import HOSTILE, responses

from rewardgate.errors import ArgumentError
from rewardgate.prm import step_spans

RULES = ("auto", "blank_lines", "lines", "headings")


def steps(text: str, rule: str = "auto") -> list[str]:
    return [text[start:end] for start, end in step_spans(text, rule=rule)]


@given(responses, st.sampled_from(RULES))
def test_the_steps_of_any_text_are_the_text(text: str, rule: str) -> None:
    spans = step_spans(text, rule=rule)
    ends = [0, *(end for _, end in spans)]
    assert [start for start, _ in spans] == ends[:-1]
    assert ends[-1] == len(text)
    assert all(start < end for start, end in spans)


@given(responses, st.sampled_from(RULES))
def test_every_step_begins_with_a_word_at_a_line_a_thought_or_a_sentence(text: str, rule: str) -> None:
    line_starts, at = set(), 0
    for line in text.splitlines(keepends=True):
        line_starts.add(at)
        at += len(line)
    for start, end in step_spans(text, rule=rule)[1:]:
        before = text[:start].rstrip()
        is_edge = before.endswith("</think>") or text.startswith("<think>", start)
        is_sentence = rule == "auto" and re.search("[。！？」）]$", before) is not None
        assert start in line_starts or is_edge or is_sentence
        assert text[start:end].splitlines()[0].strip()


@given(responses)
def test_headings_cut_nowhere_that_auto_does_not(text: str) -> None:
    starts = {rule: {start for start, _ in step_spans(text, rule=rule)} for rule in RULES}
    assert starts["headings"] <= starts["auto"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("   ", ["   "]),
        ("\n\n", ["\n\n"]),
        ("one sentence", ["one sentence"]),
        ("a\n\nb", ["a\n\n", "b"]),
        ("\n\n a\n\nb\n\n", ["\n\n a\n\n", "b\n\n"]),
        ("a\n \t\nb\r\n\r\nc\n\n\n\nd\n\u3000\ne", ["a\n \t\n", "b\r\n\r\n", "c\n\n\n\n", "d\n\u3000\n", "e"]),
        ("a\nb\n\nc", ["a\nb\n\n", "c"]),
        ("甲。\n\n乙。", ["甲。\n\n", "乙。"]),
    ],
)
def test_blank_lines_separate_steps_and_belong_to_the_step_that_they_close(text: str, expected: list[str]) -> None:
    assert steps(text, "blank_lines") == expected
    assert steps(text) == expected


def test_auto_falls_back_to_lines_where_nothing_else_splits() -> None:
    text = "He has 3 eggs.\nShe has 4.\n3 + 4 = 7\n#### 7"
    assert steps(text) == ["He has 3 eggs.\n", "She has 4.\n", "3 + 4 = 7\n", "#### 7"]
    assert steps(text, "blank_lines") == [text]
    assert steps("a\n\nb\nc") == ["a\n\n", "b\nc"]


@pytest.mark.parametrize(
    "heading",
    [
        *("Step 2: ", "Step 2. ", "step 2) ", "STEP 2 - ", "Step #2: ", "Step 2.1: ", "Step 2a: ", "Step two: "),
        *("**Step 2:** ", "**Step 2**: ", "*Step 2:* ", "__Step 2__: ", "### Step 2: ", "###Step 2\n", "- Step 2: "),
        *(
            "Step 2\n",
            "  Step 2: ",
            "Step 2 (",
            "Schritt 2: ",
            "Étape 2 : ",
            "Шаг 2: ",
            "步骤 2：",
            "步驟二：",
            "第2步：",
            "第二步：",
        ),
    ],
)
def test_a_numbered_step_heading_begins_a_step_without_a_blank_line(heading: str) -> None:
    text = f"Given.\nAll of it.\n{heading}add, so 5.\nMore."
    assert steps(text) == ["Given.\nAll of it.\n", f"{heading}add, so 5.\nMore."]
    assert steps(text, "headings") == steps(text)
    assert steps(text, "blank_lines") == [text]


@pytest.mark.parametrize(
    "line", ["Steps 2: x", "Step by step", "In Step 2: x", "Stepwise 2", "Step 2 gave 5", "Step 2x5"]
)
def test_a_line_that_only_mentions_a_step_is_no_heading(line: str) -> None:
    text = f"Given.\n{line}\n\nEnd."
    assert steps(text) == [f"Given.\n{line}\n\n", "End."]


def test_headings_alone_gather_all_paragraphs_below_them() -> None:
    text = "Intro.\n\n## Part A\n\n### Step 1\n\none\n\nstill one\n\n---\n\n### Step 2\n\ntwo"
    first, second = "## Part A\n\n### Step 1\n\none\n\n", "### Step 2\n\ntwo"
    assert steps(text, "headings") == ["Intro.\n\n", f"{first}still one\n\n---\n\n", second]
    assert steps(text) == ["Intro.\n\n", first, "still one\n\n---\n\n", second]


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "## Solution",
            "**Solution**",
            "**Case 1: $x = 3$**",
            "__Check__:",
            "1. **Choose an office:**",
            "**Step 1: Add them.**",
        ),
        *("Step 1", "Step 1.", "Step 1:", "**Step 1:**", "<think>", "## A\n\n**B**", "#### The last part"),
    ],
)
def test_a_heading_belongs_to_the_text_it_heads(heading: str) -> None:
    text = f"Before.\n\n{heading}\n\nIts text.\n\nAfter."
    assert steps(text) == ["Before.\n\n", f"{heading}\n\nIts text.\n\n", "After."]


@pytest.mark.parametrize(
    "line", ["**So x is 3.**", "**Answer: \\boxed{3}**", "**a** and **b**", "__a__ and __b__", "#1", "#", "<p>5</p>"]
)
def test_a_statement_in_bold_heads_nothing(line: str) -> None:
    assert steps(f"Before.\n\n{line}\n\nAfter.")[-1] == "After."


def test_a_step_heading_does_not_swallow_the_next_step() -> None:
    assert steps("Step 1:\n\nStep 2: b\n\nStep 3: c") == ["Step 1:\n\n", "Step 2: b\n\n", "Step 3: c"]


def test_a_heading_with_its_text_below_it_in_one_paragraph_takes_no_other() -> None:
    text = "Before.\n\n### Sum\nAdd them.\n\nAfter."
    assert steps(text) == ["Before.\n\n", "### Sum\nAdd them.\n\n", "After."]


def test_a_heading_at_the_end_heads_nothing_and_is_a_step() -> None:
    assert steps("Text.\n\n### Step 2\n") == ["Text.\n\n", "### Step 2\n"]


@pytest.mark.parametrize(
    "block",
    [
        "\\[ x = 2 \\]",
        "\\[\nx = 2\n\\].",
        "$$\nx = 2\n$$",
        "\\begin{align*}\nx &= 2\n\ny &= 3\n\\end{align*}",
        "\\[ x \\]\n\n\\[ y \\]",
        "```python\nx = 1\n\ny = 2\n```",
        "~~~\nx\n\n\n~~~",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "---",
        "∎",
        "</think>",
    ],
)
def test_a_block_alone_stays_whole_and_with_the_sentence_before_it(block: str) -> None:
    for sentence in ("We get:", "We get this.", "**We get:**", "于是："):
        text = f"Before.\n\n{sentence}\n\n{block}\n\nAfter."
        expected = ["Before.\n\n", f"{sentence}\n\n{block}\n\n", "After."]
        assert steps(text) == expected
        assert steps(text, "lines") == expected


def test_a_block_with_text_around_it_is_cut_only_outside_of_it() -> None:
    text = "So \\[ x\n\n= 2 \\] holds.\n\nThen\n```\na\n\nb\n```\nruns.\n\nEnd."
    assert steps(text) == ["So \\[ x\n\n= 2 \\] holds.\n\n", "Then\n```\na\n\nb\n```\nruns.\n\n", "End."]
    assert steps(text, "lines") == [
        "So \\[ x\n\n= 2 \\] holds.\n\n",
        "Then\n```\na\n\nb\n```\n",
        "runs.\n\n",
        "End.",
    ]


def test_a_block_with_nothing_before_it_goes_with_the_text_after_it() -> None:
    assert steps("\\[ x \\]\n\nThus 2.\n\nEnd.") == ["\\[ x \\]\n\nThus 2.\n\n", "End."]
    assert steps("<think>\n\n</think>\n\nThus 2.\n\nEnd.")[0] == "<think>\n\n</think>\n\nThus 2.\n\n"
    assert steps("\\[ x \\]") == ["\\[ x \\]"]


def test_a_block_at_the_end_goes_with_the_text_before_it() -> None:
    assert steps("Before.\n\nWe get this.\n\n\\[ x \\]\n") == ["Before.\n\n", "We get this.\n\n\\[ x \\]\n"]


def test_a_code_fence_that_is_never_closed_is_one_step_to_the_end() -> None:
    assert steps("a\n\nb:\n\n```python\nx = 1\n\ny") == ["a\n\n", "b:\n\n```python\nx = 1\n\ny"]


def test_brackets_that_are_never_closed_hold_nothing_together() -> None:
    assert steps("a \\[ b\n\nc\n\nd \\[ e \\]\n\nf") == ["a \\[ b\n\n", "c\n\n", "d \\[ e \\]\n\n", "f"]
    assert steps("it costs $$5\n\nor $$6\n\nor $$7") == ["it costs $$5\n\n", "or $$6\n\n", "or $$7"]


@pytest.mark.parametrize("sentence", ["It follows:", "It **follows:**", "由此得："])
@pytest.mark.parametrize("what", ["x = 5", "the sum of both.", "\\(x\\) and \\(y\\)"])
def test_a_text_that_ends_with_a_colon_goes_with_what_it_announces(sentence: str, what: str) -> None:
    assert steps(f"a\n\n{sentence}\n\n{what}\n\nb") == ["a\n\n", f"{sentence}\n\n{what}\n\n", "b"]


@pytest.mark.parametrize("what", ["1. Add.", "- Add.", "a) Add.", "Step 1: Add.", "**Sum**\n\nAdd.", "### Sum\n\nAdd."])
def test_an_announced_list_heading_or_step_stands_for_itself(what: str) -> None:
    assert steps(f"a\n\nWe do this:\n\n{what}\n\nb") == ["a\n\n", "We do this:\n\n", f"{what}\n\n", "b"]


def test_the_deeper_items_of_a_list_go_with_the_item_that_announces_them() -> None:
    text = "1. Add:\n   - one\n   - two\n2. Stop."
    assert steps(text, "lines") == ["1. Add:\n   - one\n", "   - two\n", "2. Stop."]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>\nTry 5.\n</think>\n\nIt is 6.", ["<think>\nTry 5.\n</think>\n\n", "It is 6."]),
        ("<think>So 5.</think>It is 6.", ["<think>So 5.</think>", "It is 6."]),
        ("Well. <think>We get:</think> It is 6.", ["Well. ", "<think>We get:</think> ", "It is 6."]),
        ("[THINK]So 5.[/THINK]It is 6.", ["[THINK]So 5.[/THINK]", "It is 6."]),
        ("◁think▷So 5.◁/think▷  \n  It is 6.", ["◁think▷So 5.◁/think▷  \n", "  It is 6."]),
        ("<|begin_of_thought|>5<|end_of_thought|>6", ["<|begin_of_thought|>5<|end_of_thought|>", "6"]),
        ("<|channel|>analysis<|message|>5<|channel|>final<|message|>6",
         ["<|channel|>analysis<|message|>5<|channel|>final<|message|>", "6"]),
        ("So 5.</think>\nIt is 6.", ["So 5.</think>\n", "It is 6."]),
        ("<think>\n\n</think>\n\nIt is 6.", ["<think>\n\n</think>\n\nIt is 6."]),
        ("Five.</think>", ["Five.</think>"]),
        ("It prints `<think>` and `</think>` alone.", ["It prints `<think>` and `</think>` alone."]),
        ("```\n</think>\nx\n```", ["```\n</think>\nx\n```"]),
        ("</think></think></think>6", ["</think></think></think>6"]),
    ],
)  # fmt: skip
def test_a_thought_begins_a_step_and_ends_one(text: str, expected: list[str], rule: str) -> None:
    assert steps(text, rule) == expected


def test_a_code_fence_left_open_in_a_thought_does_not_hide_its_end() -> None:
    assert steps("<think>\n```py\nx = 1\n\n</think>\n\nIt is 6.") == [
        "<think>\n```py\nx = 1\n\n</think>\n\n",
        "It is 6.",
    ]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n \r\n"])
@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["1. Add", "   a) one", "   b) two", "2. Stop"], [3, 1]),
        (["1. Add", "a) one", "(i) half", "b) two", "2. Stop"], [4, 1]),
        (["1) Add", "(a) one", "(b) two", "2) Stop", "(a) it"], [3, 2]),
        (["1. Add", "1.1. one", "1.2. two", "2. Stop"], [3, 1]),
        (["- Add", "  - one", "  - two", "- Stop"], [3, 1]),
        (["一、计算", "（1）甲", "（2）乙", "二、比较"], [3, 1]),
        (["a) one", "b) two", "c) three"], [1, 1, 1]),
        (["g) one", "h) two", "i) three", "j) four"], [1, 1, 1, 1]),
        (["a) one", "(i) half", "(ii) other", "b) two"], [3, 1]),
        (["1. Add", "3.5 more", "2. Stop"], [1, 1, 1]),
        # Sub-steps that are all there is.
        (["1. Add", "a) one", "b) two"], [1, 1, 1]),
    ],
)
def test_an_item_of_a_list_holds_its_sub_steps(items: list[str], expected: list[int], gap: str) -> None:
    text = gap.join(items)
    found = steps(text)
    assert [sum(item in step.splitlines() for item in items) for step in found] == expected
    assert [len(step) for step in steps(text, "lines")] == [len(f"{item}{gap}") for item in items[:-1]] + [
        len(items[-1])
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("先算总数：3+4=7。再减三！所以是4？", ["先算总数：3+4=7。", "再减三！", "所以是4？"]),
        ("まず足す。\u3000次に引く。", ["まず足す。\u3000", "次に引く。"]),
        ("彼は「足す。引く。」と言う。終わり。", ["彼は「足す。引く。」と言う。", "終わり。"]),
        ("（注意。）加起来。好", ["（注意。）加起来。", "好"]),
        ("得３．５个。好", ["得３．５个。", "好"]),
        ("１．加起来", ["１．加起来"]),
        ("真的吗？！好。", ["真的吗？！", "好。"]),
        ("他说“好。”然后走。完", ["他说“好。”然后走。", "完"]),
        ("「開いたまま。次。", ["「開いたまま。次。"]),
        # A text that lines or blank lines split is split there.
        ("甲。乙。\n丙。", ["甲。乙。\n", "丙。"]),
        ("甲。乙。\n\n丙。", ["甲。乙。\n\n", "丙。"]),
        ("One. Two! Three?", ["One. Two! Three?"]),
    ],
)
def test_sentences_of_chinese_and_japanese_are_steps_where_nothing_else_splits(text: str, expected: list[str]) -> None:
    assert steps(text) == expected
    assert steps(text, "blank_lines") == ([text] if "\n\n" not in text else expected)


def test_an_unknown_rule_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match=r"rule: expected one of auto, blank_lines, lines, headings, got 'words'"):
        step_spans("a", rule="words")


@pytest.mark.parametrize("rule", ["auto", "lines"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_split_in_seconds(name: str, rule: str) -> None:
    text = HOSTILE[name]
    started = thread_time()
    spans = step_spans(text, rule=rule)
    # Quadratic time would be minutes; the slowest of these needs 1 s on the machine it was written on.
    assert thread_time() - started < 10
    assert spans[-1][1] == len(text)
