import io

import pytest
from label_files import PLAIN, label_item, small_draw
from rich.console import Console

from rewardgate.audit.labels.screen import TAIL_CHARS, LabelScreen

HOSTILE = "4\x1b]0;owned\x07\x1b[2J \u202e5 [bold]x[/bold]\r\n  indented"


def shown(is_whole: bool = False, *, labelled: str = "", **texts: str | tuple[int, int] | None) -> str:
    out = io.StringIO()
    screen = LabelScreen(Console(file=out, width=100, highlight=False))
    item = label_item(small_draw().sample[0], **texts)
    if labelled:
        screen.labelled(item, labelled)
    else:
        screen.item(item, 16, 59, is_whole=is_whole)
    return out.getvalue()


def test_an_item_shows_prompt_target_and_the_marked_answer_and_not_the_verdict() -> None:
    text = shown(prompt="2+2?", target="4", response="It is 4, so \\boxed{4}.", span=(19, 20))
    for words in ("label · 17/59", "2+2?", "TARGET", "\\boxed{⟦4⟧}.", "c correct", "hidden"):
        assert words in text
    for words in (str(PLAIN), PLAIN.kind, "flagged"):
        assert words not in text


def test_the_verdict_is_told_with_the_label() -> None:
    assert shown(labelled="c") == "correct · the verdict was: wrong (in a group that is all_wrong)\n"


def test_a_strangers_text_reaches_the_terminal_as_plain_text() -> None:
    text = shown(prompt=HOSTILE, target=HOSTILE, response=HOSTILE, span=(0, 1))
    assert not set(text) & set("\x1b\x07\r\u202e")
    assert "\\x1b]0;owned\\x07" in text
    assert "[bold]x[/bold]" in text
    assert "  indented" in text


@pytest.mark.parametrize("is_whole", [False, True])
def test_a_long_response_shows_its_tail_until_the_whole_is_asked_for(is_whole: bool) -> None:
    response = "begin " + "x " * TAIL_CHARS + "end 7"
    text = shown(is_whole, response=response, span=(len(response) - 1, len(response)))
    assert "end ⟦7⟧" in text
    assert ("begin" in text) is is_whole


def test_an_answer_far_from_the_end_is_shown_with_what_stands_around_it() -> None:
    response = "begin " + "x " * 3000 + "it is 7 " + "y " * 5000 + "end"
    at = response.index("7")
    text = shown(response=response, span=(at, at + 1))
    assert "it is ⟦7⟧" in text
    assert "end" in text
    assert "begin" not in text
    assert len(text) < 12_000


def test_a_response_without_an_answer_or_without_a_word_is_shown_as_such() -> None:
    assert "no idea" in shown(response="no idea", span=None)
    assert "(empty)" in shown(response="", span=None)
