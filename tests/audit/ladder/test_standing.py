from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from audited import Suspect, audited, group

from rewardgate.audit.ladder.standing import ladder
from rewardgate.audit.probes.model import ProbeReport
from rewardgate.audit.report.explore import ExploredPrompt, ExploreReadout, ExploreSettings
from rewardgate.audit.report.ladder import RUNGS, Ladder, Rung
from rewardgate.audit.report.model import AuditReport
from rewardgate.diagnostics.lag import PolicyLag, policy_lag
from rewardgate.diagnostics.pool_rules import Pool
from rewardgate.diagnostics.staleness import staleness

NAMES = [name for name, _ in RUNGS]
FRONTIER = {Pool.HARD: 2, Pool.FRONTIER: 6, Pool.EASY: 2, Pool.EVAL: 50, Pool.QUARANTINE: 0}


def boxed(answer: object) -> str:
    return f"So \\boxed{{{answer}}}."


def healthy(n: int = 10) -> AuditReport:
    """n groups of four, two right: nothing to mend but what monitors miss."""
    return audited(
        *(group(f"p{i}", "4", [(boxed(4), 1.0), (boxed(4), 1.0), (boxed(5), 0.0), (boxed(5), 0.0)]) for i in range(n))
    )


def rung(found: Ladder, name: str) -> Rung:
    return found.rungs[NAMES.index(name)]


def numbers(one: Rung) -> dict[str, tuple[Any, str]]:
    return {measure.name: (measure.value, measure.status) for measure in one.measures}


def explored(without_success: int, n: int) -> ExploreReadout:
    prompt = ExploredPrompt(
        prompt_id="p", sampled=64, scored=64, successes=0, pass_at={}, low=0.0, high=0.056, format_failures=0
    )
    return ExploreReadout(
        rewardgate_version="0",
        settings=ExploreSettings(policy="tiny", verifier="math"),
        prompts=(prompt,) * n,
        n_sampled=64 * n,
        n_scored=64 * n,
        n_successes=0,
        without_success=without_success,
        settled_by={},
        seconds=1.0,
    )


def test_the_rungs_stand_in_their_order_and_unmeasured_ones_say_what_would_measure_them() -> None:
    found = ladder(healthy())
    assert [one.name for one in found.rungs] == NAMES
    assert [one.status for one in found.rungs] == ["ok", "ok", "not measured", "ok", "ok", "warn", "ok"]
    assert rung(found, "pools").enable == "run `rewardgate pools` on the dumps of several steps"
    assert rung(found, "pools").deciding is None
    assert "probe" in rung(found, "verifier").enable


def test_the_first_rung_that_fails_is_named_with_its_number_and_what_nobody_measured() -> None:
    # 40 rollouts, 2 refused though right: 5 %, from 2 % on that fails. Golds hold.
    report = audited(
        *(
            group(f"p{i}", "4", [(boxed(4), 1.0), (boxed("4.0"), float(i >= 2)), (boxed(5), 0.0), (boxed(5), 0.0)])
            for i in range(10)
        )
    )
    found = ladder(report)
    deciding = rung(found, "verifier").deciding
    assert deciding is not None
    assert (deciding.value, deciding.status) == (0.05, "fail")
    assert deciding.threshold == "warn above 0, fail from 2 % on"
    assert (found.change_first, found.sentence) == (
        "verifier",
        "change the verifier first: 2 of 40 rollouts are right and were not paid",
    )


def test_a_failure_comes_before_a_warning_of_a_lower_rung() -> None:
    found = ladder(healthy(), pools={**FRONTIER, Pool.HARD: 100})
    assert (found.change_first, rung(found, "pools").status) == ("pools", "fail")
    assert rung(found, "monitoring").status == "warn"
    assert "6 of 108 prompts" in found.sentence


def test_without_a_failure_the_first_warning_is_named_and_what_was_not_measured_before_it() -> None:
    found = ladder(healthy())
    assert found.change_first == "monitoring"
    assert found.sentence.endswith("; not measured before it: pools")


def test_with_nothing_wrong_nothing_is_named() -> None:
    report = healthy()
    fields = {**report.reading.fields, **dict.fromkeys(("step", "policy_version", "truncated", "n_tokens"), "x")}
    reading = report.reading.model_copy(update={"fields": {**fields, "rollout_logprobs": "x"}})
    found = ladder(report.model_copy(update={"reading": reading}), pools=FRONTIER)
    assert (found.change_first, found.sentence) == (None, "no layer warns or fails")
    alone = ladder(report.model_copy(update={"reading": reading}))
    assert alone.sentence == "no layer warns or fails of those measured; not measured: pools"


def test_broken_targets_make_no_shortage_of_mixed_groups() -> None:
    # The verifier cannot read `\$4` and refuses all: every group is all wrong as scored, and mixed once repaired.
    suspect = Suspect(lambda _, target: 0.0 if "$" in str(target) else 1.0)
    report = audited(
        *(
            group(f"p{i}", "\\$4", [(boxed("\\$4"), "absent"), (boxed("\\$4"), "absent"), (boxed(5), "absent")])
            for i in range(4)
        ),
        suspect=suspect,
    )
    found = ladder(report)
    assert report.groups[0].mixed == 0
    assert found.change_first in ("verifier", "golds")
    assert numbers(rung(found, "mixed-group supply")) == {"mixed groups": (1.0, "ok")}
    assert "after repair" in rung(found, "mixed-group supply").measures[0].sentence


def test_a_verifier_compared_with_itself_is_not_called_healthy() -> None:
    report = audited(group("p", "4", [(boxed(4), "absent"), (boxed(5), "absent")]), suspect="math", referee="math")
    one = rung(ladder(report), "verifier")
    assert "right answers refused" not in numbers(one)
    assert "referee" in one.enable


def test_rewards_alone_leave_the_verifier_and_the_golds_unmeasured() -> None:
    report = audited(group("p", None, [(None, 1.0), (None, 0.0)]), group("q", None, [(None, 0.0), (None, 0.0)]))
    found = ladder(report)
    assert rung(found, "golds").status == "not measured"
    assert "right answers refused" not in numbers(rung(found, "verifier"))
    assert numbers(rung(found, "mixed-group supply")) == {"mixed groups": (0.5, "ok")}


def test_supply_and_exploration_are_told_apart() -> None:
    wrong = [(boxed(5), 0.0)] * 4
    right = [(boxed(4), 1.0)] * 4
    too_hard = ladder(audited(*(group(f"p{i}", "4", wrong) for i in range(10))))
    assert numbers(rung(too_hard, "exploration and bootstrap"))["all-wrong groups"] == (1.0, "fail")
    assert "rare from impossible" in rung(too_hard, "exploration and bootstrap").enable
    too_easy = ladder(audited(*(group(f"p{i}", "4", right) for i in range(10))))
    assert rung(too_easy, "mixed-group supply").status == "fail"
    assert "none that teaches" in rung(too_easy, "mixed-group supply").measures[0].sentence
    assert rung(too_easy, "exploration and bootstrap").status == "ok"
    assert rung(too_easy, "estimators").status == "not measured"


@pytest.mark.parametrize(("without", "status"), [(0, "ok"), (1, "warn"), (5, "fail")])
def test_exploring_says_whether_there_are_successes(without: int, status: str) -> None:
    found = ladder(healthy(), explore=explored(without, 10))
    assert numbers(rung(found, "exploration and bootstrap"))["explored without success"] == (without / 10, status)


def lag_of(outside: float, effective: float) -> PolicyLag:
    return replace(policy_lag([[-1.0]], [[-1.0]]), below=outside, above=0.0, effective_share=effective)


@pytest.mark.parametrize(
    ("lag", "statuses"),
    [
        (lag_of(0.1, 0.9), ("ok", "ok")),
        (lag_of(0.2, 0.4), ("warn", "warn")),
        (lag_of(0.4, 0.05), ("fail", "fail")),
    ],
)
def test_lag_is_held_against_the_clip_range_and_the_samples_that_it_leaves(
    lag: PolicyLag, statuses: tuple[str, str]
) -> None:
    found = numbers(rung(ladder(healthy(), lag=lag), "monitoring"))
    assert (found["tokens outside the clip range"][1], found["effective samples"][1]) == statuses


def test_old_data_warns_only_where_no_log_probabilities_say_how_old() -> None:
    stale = staleness([1, 3], 3)
    blind = numbers(rung(ladder(healthy(), staleness=stale), "monitoring"))
    seen = numbers(rung(ladder(healthy(), staleness=stale, lag=lag_of(0.0, 1.0)), "monitoring"))
    assert (blind["stale rollouts"], seen["stale rollouts"]) == ((0.5, "warn"), (0.5, "ok"))


@pytest.mark.parametrize(
    ("severity", "status", "expected"),
    [
        ("info", "ok", "ok"),
        ("warn", "findings", "warn"),
        ("fail", "findings", "fail"),
        ("info", "inconclusive", "warn"),
    ],
)
def test_a_probe_speaks_for_the_verifier(severity: str, status: str, expected: str) -> None:
    probe = cast(
        "ProbeReport",
        ProbeReport.model_construct(severity=severity, status=status, headline="as it was", headlines=None),
    )
    found = rung(ladder(healthy(), probe=probe), "verifier")
    assert numbers(found)["probes"] == (None, expected)
    assert found.enable == ""


def test_the_ladder_survives_json() -> None:
    found = ladder(healthy(), pools=FRONTIER, explore=explored(1, 3))
    assert Ladder.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize("make", [healthy, lambda: audited(group("p", None, [(None, None)]))])
def test_every_measure_has_its_threshold_and_the_status_is_the_worst_of_them(make: Callable[[], AuditReport]) -> None:
    order = ["ok", "warn", "fail"]
    for one in ladder(make()).rungs:
        assert all(measure.threshold and measure.sentence for measure in one.measures)
        worst = max((measure.status for measure in one.measures), key=order.index, default="not measured")
        assert one.status == worst
        assert one.status != "not measured" or one.enable
