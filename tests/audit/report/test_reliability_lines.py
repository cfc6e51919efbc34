import io

from label_files import PLAIN, RIGHT, labels_of, small_draw, units_in
from rich.console import Console

from rewardgate.audit.labels.reliability import reliability
from rewardgate.audit.report.reliability_lines import reliability_lines


def printed(letters: str, annotator: str = "ann") -> str:
    draw = small_draw(units_in({PLAIN: 200, RIGHT: 20}), scored_by="mine.py:score")
    keys = [one.key for one in draw.sample if one.stratum == PLAIN]
    found = reliability(draw, labels_of(dict(zip(keys, letters, strict=False)), annotator))
    out = io.StringIO()
    console = Console(file=out, width=140, highlight=False)
    for line in reliability_lines(found):
        console.print(line)
    return out.getvalue()


def test_the_lines_say_the_rates_with_their_intervals_and_what_would_change_them() -> None:
    text = printed("w" * 19 + "c")
    assert "19 of 20 labelled prompts are truly wrong: 0.950 [" in text
    assert "(95 %, two-sided)" in text
    assert "20 of 59 drawn rollouts settled, 0 unsure, 0 disputed · verdicts: mine.py:score" in text
    assert "not estimable: no label in correct/mixed/plain" in text
    assert "rejections in all-wrong groups: open whether above or below 0.95" in text
    assert "agreement: not measured" in text


def test_a_one_sided_bound_is_said_to_be_one() -> None:
    # 51 of the 59 prompts lie in the stratum: 0.05^(1/51) = 0.943
    assert "at least 0.943 one-sided, exact" in printed("w" * 59)


def test_a_name_is_printed_as_plain_text() -> None:
    assert "\\x1b[2J" in printed("w", annotator="\x1b[2J")
