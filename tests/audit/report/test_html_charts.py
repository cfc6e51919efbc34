from xml.etree import ElementTree as ET

from audited import audited, group

from rewardgate.audit import AuditReport
from rewardgate.audit.report.html_charts import html_charts
from rewardgate.audit.runs.curves import curves_part
from rewardgate.diagnostics import group_kinds


def report() -> AuditReport:
    """As logged: one group all wrong (wrongly so), one mixed, one all right."""
    return audited(
        group("a", "1/2", [("\\boxed{0.5}", 0.0)] * 4),
        group("b", "3", [("\\boxed{3}", 1.0), ("\\boxed{3}", 1.0), ("\\boxed{4}", 0.0), ("\\boxed{5}", 0.0)]),
        group("c", "6", [("\\boxed{6}", 1.0)] * 4),
    )


def test_each_way_of_scoring_is_a_bar_divided_by_the_kinds_of_its_groups() -> None:
    kinds = html_charts(report(), None)["kinds"]
    assert list(kinds) == ["as logged", "by the referee", "after repair"]
    before, _, after = ([part.get("class") for part in ET.fromstring(bar).iter("rect")] for bar in kinds.values())
    assert before == ["bar-wrong", "bar-mixed", "bar-right"]
    assert after == ["bar-mixed", "bar-right"]


def test_without_curves_nothing_is_drawn_for_them() -> None:
    found = html_charts(report(), None)
    assert (found["successes"], found["pass_at_k"], found["steps"]) == ([], None, None)


def test_successes_are_drawn_as_scored_and_after_repair_where_that_differs() -> None:
    before, after = group_kinds([0, 0, 1, 1], [0, 0, 1, 1]), group_kinds([0, 1, 1, 1], [0, 0, 1, 1])

    def drawn(**scorings: object) -> list[str]:
        curves = curves_part({"as logged": before, **scorings}, [None, None], scored_by="as logged")
        return [name for name, _ in html_charts(report(), curves)["successes"]]

    assert drawn(**{"after repair": after, "by the referee": after}) == ["as logged", "after repair"]
    assert drawn(**{"after repair": before}) == ["as logged"]


def test_pass_at_k_is_named_by_its_ks() -> None:
    curves = curves_part({"as logged": group_kinds([0, 0, 0, 0, 0, 1], [0] * 6)}, [None], scored_by="as logged")
    chart = ET.fromstring(html_charts(report(), curves)["pass_at_k"])
    named = [
        one.text for one in chart.iter("text") if one.get("text-anchor") == "middle" and one.get("class") == "tick"
    ]
    assert named == ["1", "2", "4", "6"]


def test_steps_are_four_curves() -> None:
    curves = curves_part({"as logged": group_kinds([0, 1, 1, 1], [0, 0, 1, 1])}, [1, 2], scored_by="as logged")
    chart = ET.fromstring(html_charts(report(), curves)["steps"])
    assert sum(one.get("class", "").startswith("line") for one in chart.iter("path")) == 4


def test_the_difference_within_mixed_groups_is_drawn_where_there_is_one() -> None:
    assert html_charts(audited(group("c", "6", [("\\boxed{6}", 1.0)] * 4)), None)["mixed"] == {}
    drawn = html_charts(report(), None)["mixed"]
    assert list(drawn) == ["median length, characters"]
