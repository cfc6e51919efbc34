import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.report.charts import Interval, Line, histogram, intervals, lines, share_bar


def elements(chart: str, tag: str, style: str = "") -> list[ET.Element]:
    """What is drawn, as a parser of XML reads it; axes and names are `text` and `line`."""
    return [one for one in ET.fromstring(chart).iter(tag) if one.get("class", "").startswith(style)]


def drawn(*counts: int, expected: list[float] | None = None) -> str:
    return histogram(counts, expected=expected, title="t", x="successes", y="groups")


def test_bars_are_as_high_as_their_counts() -> None:
    # The axis ends at 10 (two steps of 5), so that bars of 2, 8, 4 stand as 2 : 8 : 4.
    heights = [float(bar.get("height", "nan")) for bar in elements(drawn(2, 8, 4), "rect")]
    assert [round(height / heights[0], 2) for height in heights] == [1, 4, 2]


def test_the_ends_are_told_apart_from_the_middle() -> None:
    assert [bar.get("class") for bar in elements(drawn(1, 1, 1, 1), "rect")] == [
        "bar-wrong", "bar-mixed", "bar-mixed", "bar-right",
    ]  # fmt: skip


def test_one_beside_ten_thousand_is_still_to_be_seen_and_none_is_not() -> None:
    first, second, _ = elements(drawn(1, 0, 10_000), "rect")
    assert float(first.get("height", "nan")) == 1.5
    assert float(second.get("height", "nan")) == 0


def test_what_a_model_expects_is_a_dot_a_bar_at_its_height() -> None:
    chart = drawn(4, 4, expected=[4.0, 2.0])
    bars, dots = elements(chart, "rect"), elements(chart, "circle", "overlay-dot")
    assert float(dots[0].get("cy", "nan")) == float(bars[0].get("y", "nan"))
    assert float(dots[1].get("cy", "nan")) > float(bars[1].get("y", "nan"))  # downwards
    assert elements(drawn(4, 4), "circle") == []


def test_many_bars_are_named_sparsely() -> None:
    names = [one.text for one in elements(drawn(*range(65)), "text", "tick") if one.get("text-anchor") == "middle"]
    assert names[:3] == ["0", "4", "8"]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=70))
def test_nothing_leaves_the_picture(counts: list[int]) -> None:
    chart = drawn(*counts)
    assert elements(chart, "rect")
    for bar in elements(chart, "rect"):
        assert 0 <= float(bar.get("y", "nan")) <= 220
        assert 0 <= float(bar.get("x", "nan")) <= 420
        assert float(bar.get("height", "nan")) >= 0


def test_a_point_without_a_value_is_a_gap() -> None:
    curve = Line("rate", "series-1", [(0, 0.1), (1, 0.2), (2, None), (3, 0.4)])
    chart = lines([curve], title="t", x="step", y="share")
    assert len(elements(chart, "path", "line")) == 2
    assert len(elements(chart, "circle")) == 3


def test_an_axis_of_high_shares_begins_below_the_lowest_and_any_other_at_nothing() -> None:
    def lowest_tick(*values: float) -> float:
        chart = lines([Line("a", "series-1", list(enumerate(values)))], title="t", x="k", y="pass@k")
        return min(float(one.text or "") for one in elements(chart, "text", "tick") if one.get("text-anchor") == "end")

    assert lowest_tick(0.91, 0.97) == 0.9
    assert lowest_tick(0.4, 0.97) == 0
    assert lowest_tick(1.0, 1.0) == 0.9


def test_one_point_or_none_is_a_picture_too() -> None:
    for points in ([(5.0, 0.5)], [], [(1.0, None)]):
        chart = lines([Line("a", "series-1", points)], title="t", x="step", y="share")
        assert "nan" not in chart
        assert elements(chart, "text", "axis-name")


def test_a_share_bar_is_divided_without_a_gap() -> None:
    parts = elements(
        share_bar([("bar-wrong", 1, "a"), ("bar-mixed", 0, "b"), ("bar-right", 3, "c")], title="t"), "rect"
    )
    assert [(float(part.get("x", "nan")), float(part.get("width", "nan"))) for part in parts] == [(0, 25), (25, 75)]


def test_a_share_bar_of_nothing_is_empty() -> None:
    assert elements(share_bar([("bar-wrong", 0, "a")], title="t"), "rect") == []


def test_an_interval_lies_on_its_side_of_zero() -> None:
    chart = intervals([Interval("length", -219.0, -426.0, -38.6)], title="t")
    (axis,), (whisker,), (dot,) = (
        elements(chart, "line", "axis"),
        elements(chart, "line", "whisker"),
        elements(chart, "circle"),
    )
    low, high, zero = (float(x) for x in (whisker.get("x1", ""), whisker.get("x2", ""), axis.get("x1", "")))
    assert low < float(dot.get("cx", "nan")) < high < zero


def test_an_estimate_without_ends_has_no_whisker() -> None:
    assert elements(intervals([Interval("length", 3.0, None, None)], title="t"), "line", "whisker") == []


def test_names_are_escaped_and_titles_are_said() -> None:
    nasty = "<script>alert('1')</script>&\""
    for chart in (
        histogram([1], expected=None, title=nasty, x=nasty, y=nasty),
        lines([Line(nasty, "series-1", [(0, 0.5), (1, 0.6)])], title=nasty, x=nasty, y=nasty),
        share_bar([("bar-wrong", 1, nasty)], title=nasty),
        intervals([Interval(nasty, 1.0, 0.5, 1.5)], title=nasty),
    ):
        assert re.search(r"<(?!/?(svg|title|rect|text|line|path|circle)\b)", chart) is None
        assert ET.fromstring(chart).findtext("title") == nasty
