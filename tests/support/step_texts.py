"""Hypothesis strategies for responses in steps: any text, and a grammar of markdown and LaTeX as models write it."""

from hypothesis import strategies as st

SENTENCES = (
    "We add the two.", "So x = 2.", "Then, since 3 > 2, we get:", "first", "**Note:** see below", "設 x 是整数。",
    "したがって：", "Thus 5 % 👍🏽 of it", "caf\u0065\u0301 au lait", "नमस्ते", "\u200dzero\ufeffwidth", "a | b",
    "|x| = 3", "e\u0301:", "costs $$5 and \\$3", "1. first item", "- an item", "   - a deeper item", "(a) one",
    "Therefore, **5**.", "a) part", "(i) half", "三加四。得七！好", "So 5.</think>It is 5.", "「甲。」乙。",
    "<think>Try 5.",
)  # fmt: skip
HEADINGS = (
    "Step 1: add", "**Step 2:**", "### Step 3", "Step 4", "STEP 5. Divide", "步骤 1：相加", "第二步：", "## Solution",
    "**Solution**", "<think>", "<answer>", "1. **Choose:**", "Schritt 2: teilen", "#### 42",
)  # fmt: skip
BLOCKS = (
    "\\[ x = 2 \\]", "\\[\nx\n\\]", "$$\ny\n$$", "$$ \\frac{1}{2} $$.",
    "\\begin{align}\na &= b\n\nc &= d\n\\end{align}", "\\[ \\begin{cases} 1 \\\\[2pt] 2 \\end{cases}\n\n\\]",
    "```python\nprint(1)\n\nprint(2)\n```", "~~~\ncode\n~~~",
    "| a | b |\n|---|:-:|\n| 1 | 2 |", "a | b\n--- | ---\n1 | 2",
)  # fmt: skip
SCRAPS = (
    "```", "~~~~", "\\[", "\\]", "$$", "\\begin{align}", "\\end{align}", "\\begin{proof}", "|---|", "---", "</think>",
    "∎", "\\\\[", "\\", "**", ":", "：", "#", "<", "|", "\ufffd", "\ud800", "\x00", "\x85", "\u2028", "\u00a0",
)  # fmt: skip
GAPS = ("\n", "\n\n", "\n \n", "\r\n\r\n", "\r\n", "\r", "\n\n\n", "\n\t\n\n", " ", "", "\u2028", "\u3000\n\n")

any_text = st.text(st.characters(), max_size=120)
unicode_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
"""What a UTF-8 file may hold: no halves of surrogate pairs."""

written = st.lists(
    st.tuples(st.sampled_from((*SENTENCES, *HEADINGS, *BLOCKS, *SCRAPS)), st.sampled_from(GAPS)).map("".join),
    max_size=14,
).map("".join)
responses = st.one_of(any_text, written, st.tuples(written, any_text, written).map("".join))
utf8_responses = responses.map(lambda text: text.encode("utf-8", "replace").decode())

HOSTILE = {
    "prose": "The sum keeps growing. " * 70_000,
    "open brackets": "\\[" * 100_000,
    "open brackets in paragraphs": "\\[ a\n\n" * 20_000,
    "environments": "\\begin{align}" * 100_000 + "\n\n" + "\\end{cases}" * 100_000,
    "crossed environments": "\\begin{align}\\begin{cases}" * 50_000 + "\n\n" + "\\end{align}\n\n" * 50_000,
    "dollars": "$$" * 100_001,
    "dollars in paragraphs": "$$ a\n\n" * 20_000,
    "fences": "```\n" * 30_001,
    "an open fence": "```\n" + "x = 1\n\n" * 20_000,
    "two kinds of fences": "```py\n~~~\n\n" * 20_000,
    "backticks": "`" * 300_000,
    "hashes": "#" * 300_000,
    "stars": "*" * 300_000,
    "open bold": "**a" * 300_000,
    "pipes": "|" * 300_000,
    "a long table rule": "|\n" + "| - " * 200_000 + "x",
    "spaces": " " * 1_500_000 + "a",
    "blank lines": "\n" * 100_000,
    "colons": "a:\n\n" * 20_000,
    "headings": "# a\n\n" * 20_000,
    "steps": "Step 1: a\n" * 20_000,
    "numbers of a step": "Step " + "1." * 300_000,
    "spaces in a step heading": "Step" + " " * 300_000 + "x",
    "long numbers of a step": "Step 1" + ".111" * 200_000 + "x",
    "underscores": "__a" * 200_000,
    "tags": "<think>" * 200_000,
    "thoughts": "a<think>b</think>" * 5_000,
    "open fences in thoughts": "```py\n</think>\n" * 10_000,
    "sentences": "甲。" * 20_000,
    "quotations": "「甲。" * 50_000,
    "items": "1. a\n a) b\n" * 5_000,
    "angle brackets": "<" * 300_000,
}
"""Texts of up to 2 MB that are meant to cost much; by what they flood."""
