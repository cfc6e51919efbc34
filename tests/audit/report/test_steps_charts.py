import xml.etree.ElementTree as ET
from typing import Any

import pytest

from rewardgate.audit.report.steps import AggregateRanking, ReliabilityBin
from rewardgate.audit.report.steps_charts import rankings_figure, reliability_diagram
from rewardgate.audit.report.svg import BOTTOM, HEIGHT, TOP


def elements(chart: str, tag: str, style: str = "") -> list[ET.Element]:
    """What is drawn, as a parser of XML reads it."""
    return [one for one in ET.fromstring(chart).iter(tag) if one.get("class", "").startswith(style)]


def number(element: ET.Element, name: str) -> float:
    return float(element.get(name, "nan"))


def ranking(auc: float | None, low: float | None, high: float | None, **more: Any) -> AggregateRanking:
    fields = {
        "truth": "steps", "stratum": "source", "name": "gsm8k", "aggregate": "min", "n_right": 3, "n_wrong": 4,
        "n_silent": 0, "mean_right": 0.5, "mean_wrong": 0.4,
    }  # fmt: skip
    return AggregateRanking(**{**fields, **more}, auc=auc, auc_low=low, auc_high=high)


BINS = (
    ReliabilityBin(low=0.0, high=0.5, n=1, mean_score=0.25, share_right=0.0),
    ReliabilityBin(low=0.5, high=1.0, n=9_999, mean_score=0.75, share_right=1.0),
)


def test_a_dot_stands_at_its_share_and_the_base_rate_at_its_height() -> None:
    chart = reliability_diagram(BINS, 0.5)
    low, high = elements(chart, "circle")
    assert (number(low, "cy"), number(high, "cy")) == (HEIGHT - BOTTOM, TOP)
    assert number(low, "cx") < number(high, "cx")
    (base,) = elements(chart, "line", "axis")
    assert number(base, "y1") == number(base, "y2") == pytest.approx((HEIGHT - BOTTOM + TOP) / 2)


def test_a_bin_of_one_beside_thousands_is_still_to_be_seen_and_an_empty_one_is_not() -> None:
    empty = ReliabilityBin(low=0.0, high=0.5, n=0, mean_score=None, share_right=None)
    assert [number(one, "height") > 1 for one in elements(reliability_diagram(BINS, None), "rect")] == [True, True]
    assert len(elements(reliability_diagram((empty, BINS[1]), None), "rect")) == 1
    assert len(elements(reliability_diagram((empty,), None), "circle")) == 0


def test_an_auc_at_chance_stands_on_the_line_of_chance() -> None:
    chart = rankings_figure([ranking(0.5, 0.25, 0.75)])
    (chance,) = elements(chart, "line", "axis")
    (dot,) = elements(chart, "circle")
    (whisker,) = elements(chart, "line", "line")
    assert number(dot, "cx") == number(chance, "x1")
    assert (number(whisker, "x1") + number(whisker, "x2")) / 2 == pytest.approx(number(dot, "cx"))


def test_aggregates_of_one_stratum_stand_in_one_band_and_strata_below_each_other() -> None:
    rows = [ranking(0.6, None, None, name=name, aggregate=kind) for name in ("a", "b") for kind in ("product", "last")]
    chart = rankings_figure(rows)
    heights = [number(dot, "cy") for dot in elements(chart, "circle")]
    assert heights == sorted(heights)
    assert elements(chart, "line", "line") == []  # no interval, no whisker
    assert len({dot.get("class") for dot in elements(chart, "circle")}) == 2


def test_what_is_unknown_is_not_drawn_and_a_long_name_is_cut() -> None:
    chart = rankings_figure([ranking(None, None, None, name="x" * 100)])
    assert elements(chart, "circle") == []
    assert "x" * 26 not in "".join(one.text or "" for one in elements(chart, "text"))


def test_names_are_escaped_and_said_by_a_screen_reader() -> None:
    chart = rankings_figure([ranking(0.6, 0.5, 0.7, name="<b>&\"'")])
    title = ET.fromstring(chart).find("title")
    assert title is not None
    assert title.text == "AUC of aggregates: <b>&\"' min 0.600"
