import pytest
from hypothesis import given
from step_texts import responses

from rewardgate.prm.blocks import block_spans


def blocks(text: str) -> list[str]:
    return [text[start:end] for start, end in block_spans(text, text.splitlines(keepends=True))]


@given(responses)
def test_blocks_are_disjoint_in_order_and_inside_the_text(text: str) -> None:
    edges = [edge for span in block_spans(text, text.splitlines(keepends=True)) for edge in span]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)


@pytest.mark.parametrize(
    "block",
    [
        r"\[ x = 2 \]",
        "\\[\n\nx\n\n\\]",
        r"$$ x = 2 $$",
        r"\begin{align} a \end{align}",
        "\\begin{align*}\na\n\nb\n\\end{align*}",
        r"\[ \begin{cases} 1 \\ 2 \end{cases} \]",
        r"\begin{array}{cc} \begin{array}{c} 1 \end{array} \end{array}",
        "\\[ \\begin{matrix} 1 \\\\[2pt] 2 \\end{matrix}\n\n+ 3 \\]",
        "$$\n\\begin{aligned}\na\n\nb\n\\end{aligned}\n$$",
        r"\[ \text{costs } \$$ 5 \]",
        "\\begin{tabular}{c|c}\n1 & 2 \\\\\n\n3 & 4\n\\end{tabular}",
        "\\begin{table}\n\n\\begin{tabular}{c} 1 \\end{tabular}\n\n\\end{table}",
    ],
)
def test_display_maths_is_a_block_from_bracket_to_bracket(block: str) -> None:
    assert blocks(f"before {block} after") == [block]
    assert blocks(block) == [block]


@pytest.mark.parametrize(
    "text",
    [
        r"\[ x",
        r"x \]",
        "$$ x\n\n$$",
        r"\$$ x $$",
        r"\begin{align} x",
        r"\begin{align} x \end{cases}",
        r"\begin{proof} x \end{proof}",
        r"1 \\[2pt] 2 \]",
        r"\( x \) and $y$",
        "```x``` and ```y```",
        "a ```\nb\n",
        "``\nx\n``",
        "|x| = 3\n|y| = 4",
        "a\n|---|\n| 1 |",
        "| a |\n---\n| 1 |",
        "| a |\n\n|---|",
    ],
)
def test_what_only_looks_like_a_block_is_none(text: str) -> None:
    assert blocks(text) == []


def test_an_opener_left_open_does_not_reach_the_closer_of_a_later_formula() -> None:
    assert blocks("a \\[ x\n\nb \\[ y \\] c") == ["\\[ y \\]"]
    assert blocks("a \\[ x\n\nb \\[ y \\] c\n\nd \\]") == ["\\[ y \\]"]
    assert blocks("a $$ x\n\nb $$ y $$ c") == ["$$ y $$"]
    assert blocks("\\begin{align} x\n\n\\begin{align} y \\end{align}") == ["\\begin{align} y \\end{align}"]
    assert blocks("\\[ \\begin{cases} x \\]\n\n\\[ y \\end{cases} \\]") == [
        "\\[ \\begin{cases} x \\]",
        "\\[ y \\end{cases} \\]",
    ]


def test_a_formula_inside_one_left_open_is_a_block_of_its_own() -> None:
    assert blocks("\\[ x \\begin{cases} y \\end{cases}") == ["\\begin{cases} y \\end{cases}"]


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("a\n```python\nx\n\n```\nb", "```python\nx\n\n```"),
        ("a\n  ````\n```\nx\n  `````  \nb", "  ````\n```\nx\n  `````"),
        ("~~~\n```\n~~~\n", "~~~\n```\n~~~"),
        ("```\r\nx\r\n```\r\nb", "```\r\nx\r\n```"),
        ("```\nx\n``` python\ny\n\nz", "```\nx\n``` python\ny\n\nz"),
        ("~~~ a `b`\nx\n\ny", "~~~ a `b`\nx\n\ny"),
        ("a\n```", "```"),
        ("```\n\\[ x\n```\n\\]", "```\n\\[ x\n```"),
        ("\\[ x\n```\n\\]\n```\n\\]", "```\n\\]\n```"),
    ],
)
def test_a_code_fence_is_closed_by_its_own_kind_or_reaches_to_the_end(text: str, block: str) -> None:
    assert blocks(text) == [block]


def test_a_code_fence_that_is_never_closed_ends_with_the_thought_that_it_stands_in() -> None:
    assert blocks("```py\nx\n\ny\n</think>\n\\[ z\n\n\\]") == ["```py\nx\n\ny\n", "\\[ z\n\n\\]"]
    assert blocks("```py\nx = '</think>'\n```\nb") == ["```py\nx = '</think>'\n```"]
    assert blocks("```py\n</think>\n```py\n</think> x\n\ny") == ["```py\n</think>\n```py\n"]


@pytest.mark.parametrize(
    "table",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "a | b\n:-- | --:\n1 | 2\n3 |\n",
        "  | a |\n  | :-: |\n",
        "| a |\n|-|\n| \\[ x \\] |\n",
    ],
)
def test_a_table_reaches_from_its_head_to_its_last_row(table: str) -> None:
    assert blocks(f"Look |here|.\n\n{table}\nAfter |it|.") == [table]
    assert blocks(f"{table}and so on") == [table]


def test_a_block_that_runs_into_another_is_one_with_it() -> None:
    assert blocks("| a | \\[ x |\n|---|---|\n| 1 | 2 |\n y \\] z") == ["| a | \\[ x |\n|---|---|\n| 1 | 2 |\n y \\]"]
