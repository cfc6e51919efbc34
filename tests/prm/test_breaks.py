import pytest
from hypothesis import given
from hypothesis import strategies as st
from step_texts import responses

from rewardgate.prm.breaks import THOUGHT_END, fragments


def parts(text: str, *, at_sentences: bool = False) -> list[str]:
    return [one.text for one in fragments(text, text.splitlines(keepends=True), at_sentences=at_sentences)]


@given(responses, st.booleans())
def test_the_fragments_of_any_text_are_the_text(text: str, at_sentences: bool) -> None:
    assert "".join(parts(text, at_sentences=at_sentences)) == text
    assert all(parts(text, at_sentences=at_sentences))


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("a<think>b</think>c", ["<think>b</think>", "c"]),
        ("  <think>\nb\n</think>\n\n c", ["  <think>\n", " c"]),
        ("<THINK>b</ think > c", ["<THINK>b</ think > ", "c"]),
        ("a</think>", []),
        ("a `</think>` b", []),
        ("a<thinker>b</thinker>c", []),
        ("[a] < b", []),
    ],
)
def test_an_edge_is_where_a_thought_begins_or_has_ended(text: str, edges: list[str]) -> None:
    found = fragments(text, text.splitlines(keepends=True))
    assert [one.text for one in found if one.is_edge] == edges


@pytest.mark.parametrize(
    "tag", ["</think>", "</thinking>", "</seed:think>", "<|end_of_thought|>", "[/THINK]", "◁/think▷"]
)
def test_every_way_of_closing_a_thought_is_one(tag: str) -> None:
    assert THOUGHT_END.fullmatch(tag)
    assert THOUGHT_END.search(tag.replace("/", "").replace("end", "begin")) is None
