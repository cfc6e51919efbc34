"""Hypothesis strategies for completions: any text, texts full of anchors, hostile floods, and wrapped answers."""

from hypothesis import strategies as st

ANCHORS = (
    r"\boxed{", r"\boxed", r"\fbox{", "{", "}", "}}", "$", "$$", r"\(", r"\)", r"\[", r"\]", "<answer>", "</answer>",
    "<think>", "</think>", "<reasoning>", "####", "#### 5", "Answer:", "The answer is ", "the final answer is not ",
    "**Final Answer**\n", "A: ", "答案：", "답: ", "Antwort: ", "```", "```python\n", "<|im_end|>", "<|im_start|>user",
    "<!--", "-->", r"\phantom{", r"\text{", r"\neq ", " not ", " or ", " and ", ", ", "wait, that is wrong", "\n", " ",
    ". ", "１", "½", "\u200b", "−", "5", "-3", "1,234", "1/2", "(B)", "B", "**", "~~", "<<3+4=7>>", "?", "\\", "\x00",
    "[THINK]", "◁think▷", "<|channel|>final<|message|>", "\nUser:", "The reference says ", "\ud800", "İ",
)  # fmt: skip

any_text = st.text(max_size=200)
anchored_text = st.lists(st.one_of(st.sampled_from(ANCHORS), st.text(max_size=8)), max_size=24).map("".join)
completions = st.one_of(
    any_text,
    anchored_text,
    st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "tool"]), "content": st.one_of(anchored_text, st.none())}
        ),
        max_size=3,
    ),
)

integers = st.integers(-(10**9), 10**9).map(str)
decimals = st.decimals(-1000, 1000, places=2, allow_nan=False).map(str)
fractions = st.tuples(st.integers(-50, 50), st.integers(1, 50)).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}")
answers = st.one_of(integers, decimals, fractions)

WRAPPERS = (
    r"\boxed{%s}", r"So it is $\boxed{%s}$.", r"\[ \boxed{\mathbf{%s}} \]", r"\boxed{ \text{The answer is } %s }",
    "<answer>%s</answer>", "<think>1 or 2</think>\n<answer>\n%s\n</answer>", "Work.\n#### %s", "The answer is $%s$.",
    "**Final Answer:** $%s$. I hope it is correct.", "Answer: %s", "**Answer**\n\n%s\n", "答案：$%s$。", "Antwort: %s",
    "The answer is %s<|im_end|>\n<|im_start|>user\nNext?",
    r"\boxed{1} was tried first; the corrected value is \boxed{%s}",
)  # fmt: skip
"""Ways to commit to one answer; each holds one `%s`."""


@st.composite
def committed(draw: st.DrawFn) -> tuple[str, str]:
    """(completion, the one answer that it commits to)."""
    answer = draw(answers)
    return draw(st.sampled_from(WRAPPERS)) % answer, answer


PUMPED = (
    *ANCHORS,
    "a ",
    "E, ",
    "and    ",
    "the ",
    "then, ",
    "123,",
    "12, ",
    "$a$ ",
    r"\(a\) ",
    "at most ",
    "is ",
    "wait, ",
    "x=",
    "1+",
    "  ",
)

pumped = st.builds(
    lambda before, pump, times, after: before + "".join(pump) * times + after,
    st.sampled_from(PUMPED),
    st.lists(st.sampled_from(PUMPED), min_size=1, max_size=3),
    st.sampled_from([30, 4_000]),
    st.sampled_from(PUMPED),
)
"""A few tokens repeated many times: what a regular expression that backtracks cannot bear."""

HOSTILE = {
    "prose": "The sum keeps growing. " * 40_000 + r"\boxed{42}",
    "five megabytes": "The sum keeps growing. " * 220_000 + "The answer is 42.",
    "open thought": "<think>" + "The sum keeps growing. " * 220_000,
    "announcements": "final answer is " * 50_000 + "6",
    "answers": "Answer: " * 10_000,
    "headings": "Answer\n" * 10_000,
    "hashes": "####" * 10_000 + " 5",
    "hash lines": "#### 5\n" * 5_000,
    "unclosed boxes": r"\boxed{" * 50_000,
    "boxes": r"\boxed{1}" * 20_000,
    "negated boxes": r"\boxed{1} not " * 20_000,
    "box words": "boxed " * 6_000,
    "dollars": "$a" * 16_000 + r" \boxed{6}",
    "ones": "1 " * 60_000,
    "braces": r"\boxed{" + "{" * 100_000 + "5" + "}" * 100_000 + "}",
    "near braces": r"\boxed{" + "{" * 10_000 + "5" + "}" * 10_000 + "}",
    "digits in a box": r"\boxed{" + "7" * 200_000 + "}",
    "digits": "7" * 200_000,
    "minus signs": "-" * 100_000 + "6",
    "groups": "123," * 10_000,
    "tags": "<answer>5</answer>" * 3_000,
    "angle brackets": "<" * 100_000,
    "thoughts": "<think>" * 8_000,
    "comments": "<!--" * 8_000,
    "phantoms": r"\phantom{1}" * 20_000,
    "open phantoms": r"\phantom{" * 20_000,
    "struck out": "~~" * 15_000,
    "stars": "*" * 50_000,
    "spaces": "answer" + " " * 30_000 + "is 5",
    "newlines": "Answer" + "\n" * 30_000 + "5",
    "nested text": r"\boxed{" + r"\text{" * 3_000 + "5" + "}" * 3_000 + "}",
    "connectives": r"\boxed{1}" + " and " * 6_000 + r"\boxed{2}",
    "alternatives": "The answer is " + "5 or " * 300 + "6",
    "sums": "The answer is " + "1+" * 5_000 + "1",
    "open formulas": r"\[" * 10_000 + "5",
    "letters": "A, B, " * 8_000,
    "fences": "```\n" * 8_000,
    "Chinese": "答案是" * 10_000 + "5",
    "retractions": r"\boxed{5}" + "wait, " * 5_000,
}
"""Texts that are meant to cost much; by what they flood."""
