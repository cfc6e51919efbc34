"""Alerts: when one is raised and cleared, that none flaps, which layer they name, and that a resumed run goes on."""

import json
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError
from rewardgate.training.monitor.alerts import Alert, AlertRule, Alerts, change_first


def rule(**options: object) -> AlertRule:
    given: dict[str, object] = {
        "name": "cut_off",
        "layer": "exploration and bootstrap",
        "figure": "length/truncated",
        "limits": (0.1, 0.5),
        "window": 1,
        "says": "{percent} are cut off",
        "change": "raise max_tokens",
    }
    return AlertRule(**{**given, **options})  # pyright: ignore[reportArgumentType]


def told(one: AlertRule, values: list[float]) -> list[tuple[int, str, str]]:
    alerts = Alerts([one])
    found = [alerts.step(step, {one.figure: value}) for step, value in enumerate(values, start=1)]
    return [(alert.step, alert.event, alert.level) for of_step in found for alert in of_step]


def test_an_alert_is_raised_at_its_limit_and_cleared_a_fifth_below_it() -> None:
    assert told(rule(), [0.09, 0.1, 0.09, 0.081, 0.079]) == [(2, "raised", "warn"), (5, "cleared", "warn")]


def test_a_level_that_was_reached_is_left_as_late() -> None:
    assert told(rule(), [0.5, 0.45, 0.39, 0.05]) == [
        (1, "raised", "fail"),
        (3, "lowered", "warn"),
        (4, "cleared", "warn"),
    ]


def test_small_figures_are_bad_where_the_rule_says_so() -> None:
    low = rule(side="at_least", limits=(0.5, 0.2))
    # cleared from 0.5 * 1.2 = 0.6 on
    assert told(low, [0.5, 0.49, 0.59, 0.6, 0.1]) == [
        (2, "raised", "warn"),
        (4, "cleared", "warn"),
        (5, "raised", "fail"),
    ]


def test_a_limit_of_0_warns_of_any_and_clears_at_none() -> None:
    assert told(rule(limits=(0.0, 0.01)), [0.0, 0.001, 0.0]) == [(2, "raised", "warn"), (3, "cleared", "warn")]


def test_nothing_is_said_before_the_window_is_full_and_the_mean_decides() -> None:
    # means of three: (0.3 + 0 + 0.03) / 3 = 0.11 at step 3, (0 + 0.03 + 0) / 3 = 0.01 at step 4
    assert told(rule(window=3), [0.3, 0.0, 0.03, 0.0]) == [(3, "raised", "warn"), (4, "cleared", "warn")]


def test_what_is_not_known_changes_nothing() -> None:
    alerts = Alerts([rule(window=2)])
    steps = [{"length/truncated": 0.3}, {}, {"length/truncated": nan}, {"length/truncated": inf}]
    assert [alerts.step(step, figures) for step, figures in enumerate(steps)] == [[], [], [], []]
    assert [alert.event for alert in alerts.step(5, {"length/truncated": 0.3})] == ["raised"]


def test_a_ratio_to_the_start_begins_where_there_is_something_to_compare_with() -> None:
    grows = rule(figure="update/grad_norm", of="start", limits=(10.0, None))
    # no row had a gradient at first; then the start is 2
    assert told(grows, [0.0, 0.0, 2.0, 19.0, 20.0]) == [(5, "raised", "warn")]


def test_a_fall_is_told_against_the_best() -> None:
    falls = rule(figure="held_out/eval/pass@1", of="best", side="at_least", limits=(0.8, None), least=0.05)
    # 0.01 is nothing to fall from; 0.5 -> 0.39 is 0.78 of the best; 0.6 is the new best, and 0.45 is 0.75 of it
    values = [0.01, 0.001, 0.5, 0.39, 0.6, 0.45]
    assert told(falls, values) == [(4, "raised", "warn"), (5, "cleared", "warn"), (6, "raised", "warn")]


def test_the_size_of_a_figure_may_count() -> None:
    assert told(rule(of="size", limits=(0.3, None)), [-0.4]) == [(1, "raised", "warn")]


def test_a_pattern_watches_every_figure_by_itself() -> None:
    alerts = Alerts([rule(figure="held_out/*/pass@*", side="at_least", limits=(0.5, None))])
    first = alerts.step(1, {"held_out/a/pass@1": 0.4, "held_out/b/pass@1": 0.6, "held_out/b/prompts": 0.0})
    assert [alert.figure for alert in first] == ["held_out/a/pass@1"]
    second = alerts.step(2, {"held_out/a/pass@1": 0.4, "held_out/b/pass@1": 0.3})
    assert [alert.figure for alert in second] == ["held_out/b/pass@1"]
    assert len(alerts.active) == 2


def test_a_sentence_says_what_the_figure_means() -> None:
    alerts = Alerts([rule(window=2)])
    alerts.step(6, {"length/truncated": 0.2})
    (alert,) = alerts.step(7, {"length/truncated": 0.3})
    assert alert.sentence == "25 % are cut off (length/truncated, mean of 2)"
    assert alert.threshold == "warn from 10 % on, fail from 50 % on"
    assert (alert.layer, alert.change, alert.value) == ("exploration and bootstrap", "raise max_tokens", 0.25)


@given(st.lists(st.floats(0.101, 0.124), min_size=1, max_size=60), st.booleans())
def test_a_figure_that_hovers_at_its_limit_is_one_alert(values: list[float], is_low: bool) -> None:
    side, limit = ("at_least", 0.11) if is_low else ("at_most", 0.12)
    # between 0.12 * 0.8 = 0.096 and 0.12, and between 0.11 and 0.11 * 1.2 = 0.132, nothing is cleared
    assert len(told(rule(side=side, limits=(limit, None)), values)) <= 1


@given(st.lists(st.floats(0, 1), max_size=40), st.integers(0, 40), st.integers(1, 6))
def test_a_resumed_run_says_what_the_run_would_have_said(values: list[float], cut: int, window: int) -> None:
    rules = [rule(window=window), rule(name="falls", of="best", side="at_least", window=window, least=0.2)]

    def events(alerts: Alerts, first: int, part: list[float]) -> list[Alert]:
        found = (alerts.step(step, {"length/truncated": value}) for step, value in enumerate(part, start=first))
        return [alert for of_step in found for alert in of_step]

    whole, before = Alerts(rules), Alerts(rules)
    said = events(whole, 0, values)
    early = events(before, 0, values[:cut])
    resumed = Alerts(rules)
    resumed.load_state_dict(json.loads(json.dumps(before.state_dict())))
    assert early + events(resumed, len(values[:cut]), values[cut:]) == said
    assert resumed.active == whole.active


def test_a_rule_that_is_gone_takes_its_alert_with_it() -> None:
    before = Alerts([rule(), rule(name="other")])
    before.step(1, {"length/truncated": 0.9})
    after = Alerts([rule(name="other")])
    after.load_state_dict(before.state_dict())
    assert [alert.name for alert in after.active] == ["other"]


def test_the_layer_to_change_first_is_the_lowest_that_fails_or_else_warns() -> None:
    def alert(layer: str, level: str) -> Alert:
        one = rule(layer=layer, limits=(0.1, 0.1 if level == "fail" else None))
        return Alerts([one]).step(1, {one.figure: 0.2})[0]

    warned, failed, higher = alert("verifier", "warn"), alert("pools", "fail"), alert("estimators", "fail")
    assert change_first([higher, failed, warned]) == "pools"
    assert change_first([higher, warned][1:]) == "verifier"
    assert change_first([]) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": "weather"}, "layer: expected one of verifier, golds, .*, got 'weather'"),
        ({"window": 0}, "window: expected at least 1 step, got 0"),
    ],
)
def test_a_rule_that_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        rule(**options)


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(ArgumentError, match="rules: expected names that differ, got cut_off, cut_off"):
        Alerts([rule(), rule()])
