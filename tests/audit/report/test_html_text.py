import json
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.report.html_text import anchor, embedded, seen

ANY_TEXT = st.text(st.characters(codec=None, categories=None))


@given(ANY_TEXT)
def test_what_is_seen_can_be_written_and_reorders_nothing(text: str) -> None:
    said = seen(text)
    said.encode("utf-8")
    assert not set(said) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2028\x00\x1b\r")
    assert seen(said) == said


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"])))
def test_plain_text_is_seen_as_it_is(text: str) -> None:
    assert seen(text) == text


def test_lines_spaces_and_other_scripts_stay() -> None:
    assert seen("a\n\tb  c 答え é") == "a\n\tb  c 答え é"


@given(ANY_TEXT)
def test_embedded_data_is_the_same_data_and_holds_nothing_that_ends_a_script(text: str) -> None:
    said = embedded({"text": text})
    assert json.loads(said) == {"text": text}
    assert not set(said) & set("<>&\u2028\u2029")


@given(st.text())
def test_an_anchor_is_what_the_browsers_encode_uri_component_makes(text: str) -> None:
    unescaped = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()%")
    assert set(anchor(text)) <= unescaped
    assert unquote(anchor(text).removeprefix("group-")) == text


def test_an_anchor_of_half_a_pair_is_written_all_the_same() -> None:
    assert anchor("a\ud800") == "group-a%3F"
