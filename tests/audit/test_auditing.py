import json
import random
from math import log
from pathlib import Path

import pytest
from audited import Groups, Suspect, audited, causes_of, group
from hypothesis import given
from hypothesis import strategies as st

import rewardgate
from rewardgate.audit import AuditReport, audit
from rewardgate.errors import ArgumentError
from rewardgate.rollouts.reading import read
from rewardgate.verifiers import get
from rewardgate.verifiers.functions import load_verifier

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"
TRL = Path(rewardgate.__file__).parent / "benchmarks" / "trl_accuracy_reward.py"

FIXTURE_CAUSES = {
    "gold-unreadable": "gold",
    "gold-paid-blindly": "gold",
    "scoring-fault": "scoring_fault",
    "false-negative-extraction": "false_negative:extraction",
    "false-negative-format": "false_negative:format",
    "false-negative-tolerance": "false_negative:tolerance",
    "false-negative-units": "false_negative:units",
    "false-negative-structure": "false_negative:structure",
    "tool-format": "tool_format",
    "truncated": "truncated",
    "no-answer": "no_answer",
    "hedged": "hedged",
    "undetermined": "undetermined",
    "nearly-all-wrong": "undetermined",
}


@pytest.fixture(scope="module")
def fixture_report() -> AuditReport:
    return audit(read(FIXTURE))


def test_the_fixture_has_a_group_of_every_cause_and_the_audit_finds_exactly_those(fixture_report: AuditReport) -> None:
    assert {card.group_id: card.cause for card in fixture_report.cards} == FIXTURE_CAUSES
    assert {count.cause for count in fixture_report.causes} == set(FIXTURE_CAUSES.values())
    assert all(count.groups + count.near_groups >= 1 for count in fixture_report.causes)


def test_the_fixtures_numbers_are_those_that_can_be_counted_by_hand(fixture_report: AuditReport) -> None:
    logged, referee, repaired = fixture_report.groups
    # 16 groups: 11 all wrong; mixed and nearly-all-wrong; all-correct and gold-paid-blindly; scoring-fault.
    assert (logged.all_wrong, logged.mixed, logged.all_correct, logged.unscorable) == (11, 2, 2, 1)
    # Repair makes gold-unreadable, scoring-fault and the five false negatives mixed: 2 + 7 = 9.
    assert (repaired.all_wrong, repaired.mixed, repaired.all_correct, repaired.unscorable) == (5, 9, 1, 1)
    assert referee.mixed == 9
    # Unpaid right answers: 5 groups of 3, and one in `mixed`.
    assert causes_of(fixture_report) == {
        "gold": 4, "scoring_fault": 4, "false_negative:extraction": 3, "false_negative:format": 3,
        "false_negative:tolerance": 3, "false_negative:units": 4, "false_negative:structure": 3, "tool_format": 4,
        "truncated": 4, "no_answer": 4, "hedged": 4, "undetermined": 4 + 5 + 5 + 3,
    }  # fmt: skip
    assert fixture_report.repair is not None
    assert set(fixture_report.repair.become_mixed) == {
        name for name in FIXTURE_CAUSES if name.startswith(("false", "gold-un", "scoring"))
    }
    assert fixture_report.repair.become_unscorable == ("gold-paid-blindly",)
    stake = fixture_report.stake
    assert stake is not None
    # 7 groups of 4 had no advantage: 28 of 70; one right answer of `mixed` had a negative one.
    assert stake.missing_rollouts == pytest.approx(28 / 70)
    assert stake.wrong_sign_rollouts == pytest.approx(1 / 70)
    assert stake.unit == "tokens"
    assert fixture_report.paid_but_wrong is not None
    assert fixture_report.paid_but_wrong.n_rollouts == 1
    assert fixture_report.severity == "fail"


def test_a_report_survives_json(fixture_report: AuditReport) -> None:
    text = fixture_report.model_dump_json()
    assert "NaN" not in text
    assert AuditReport.model_validate_json(text) == fixture_report


def test_evidence_names_file_line_span_and_both_forms(fixture_report: AuditReport) -> None:
    (card,) = (card for card in fixture_report.cards if card.cause == "false_negative:units")
    evidence = card.evidence[0]
    line = FIXTURE.read_text().splitlines()[24]
    assert evidence.source == f"{FIXTURE}:25"
    assert evidence.extracted == r"25 \text{ cm}"
    assert evidence.span is not None
    assert "25" in evidence.referee_detail
    assert "square has an area" in card.prompt
    assert "625" in line


def test_arguments_out_of_their_range_are_refused() -> None:
    with pytest.raises(ArgumentError, match="near: expected a whole number >= 0, got -1"):
        audit(Groups(), near=-1)
    with pytest.raises(ArgumentError, match="wrong_at: expected a number below correct_at"):
        audit(Groups(), wrong_at=1.0)
    with pytest.raises(ArgumentError, match=r"near: expected a whole number >= 0, got 1\.5"):
        audit(Groups(), near=1.5)
    with pytest.raises(ArgumentError, match="correct_at: expected a finite number, got nan"):
        audit(Groups(), correct_at=float("nan"))


def test_a_verifier_may_be_a_name_and_must_be_one_or_a_verifier() -> None:
    named = audited(group("a", "4", [("4", 1.0), ("5", 0.0)]), suspect="math")
    assert named.scored_by == "math"
    for argument in ("suspect", "referee"):
        with pytest.raises(ArgumentError, match=f"{argument}: expected a registered name or an object with verify"):
            audit(Groups(), **{argument: 5})


def test_rewards_alone_give_group_statistics_and_say_what_is_not_measured() -> None:
    report = audited(
        group("a", None, [(None, 0.0), (None, 0.0)]),
        group("b", None, [(None, 1.0), (None, 0.0)]),
        group("c", None, [(None, None), (None, None)]),
    )
    (table,) = report.groups
    assert (table.all_wrong, table.mixed, table.unscorable) == (1, 1, 1)
    assert table.acr == 0.5  # c has nothing to compare
    assert causes_of(report) == {"scoring_fault": 2}
    assert report.cards == ()
    assert report.repair is None
    assert report.stake is None
    assert any(entry.why == "no responses in this file" for entry in report.not_measured)
    assert any("no targets" in entry.why for entry in report.not_measured)


def test_without_rewards_the_referee_speaks_and_as_logged_is_not_measured() -> None:
    report = audited(group("a", "4", [(r"\boxed{4}", "absent"), (r"\boxed{5}", "absent")]))
    assert [table.name for table in report.groups] == ["auto, no rewards logged", "after repair"]
    assert report.groups[0].mixed == 1
    assert any(entry.what == "rewards as logged" for entry in report.not_measured)


def test_rewards_of_which_none_is_named_as_the_main_one_are_not_guessed() -> None:
    report = audited(group("a", "4", [(r"\boxed{4}", None, {"rewards": {"format": 1.0, "answer": 1.0}})] * 2))
    assert any("--reward-key" in entry.enable for entry in report.not_measured)


def test_a_file_without_targets_still_gets_the_causes_that_lie_in_the_text() -> None:
    report = audited(group("a", None, [("I cannot tell.", 0.0), ("There is no way to know this.", 0.0)]))
    assert causes_of(report) == {"no_answer": 2}
    assert report.golds is None
    assert report.repair is None


def test_a_verifier_that_hangs_or_fails_is_a_scoring_fault_and_never_a_wrong_answer() -> None:
    suspect = Suspect(lambda completion, target: None if "!" in completion else float(target in completion))
    report = audited(
        group("a", "4", [(r"! \boxed{4}", 0.0), (r"! \boxed{5}", 0.0), (r"\boxed{4}", 0.0)]), suspect=suspect
    )
    assert causes_of(report) == {"scoring_fault": 2}
    assert report.repair is not None
    assert report.groups[1].name == "Suspect"


def test_a_verifier_is_never_compared_with_itself() -> None:
    report = audited(group("a", "4", [(r"\boxed{5}", 1.0), (r"\boxed{4}", 0.0)]), suspect=get("math"))
    assert report.second_opinion == "math-verify 0.9"
    assert causes_of(report) == {"undetermined": 1}
    assert report.paid_but_wrong is None
    assert any("agrees with itself" in entry.why for entry in report.not_measured)


RESPONSES = [
    r"\boxed{4}",
    r"\boxed{5}",
    "4 or 5",
    "no idea",
    r"\boxed{4 \text{ cm}}",
    "**Answer:** 4",
    "so it is <tool_call>{",
]


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(RESPONSES), st.sampled_from([0.0, 1.0, None])), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    ),
    st.integers(0, 2),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rollouts_in_a_group_changes_nothing(
    groups: list[list[tuple[str, float | None]]], near: int, shuffler: random.Random
) -> None:
    shuffled = [shuffler.sample(members, len(members)) for members in groups]
    first, second = (
        audited(*(group(f"g{position}", "4", members) for position, members in enumerate(version)), near=near)
        for version in (groups, shuffled)
    )
    unordered = {
        "cards": {"__all__": {"evidence"}},
        "seconds": True,
        "paid_but_wrong": {"examples"},
        "review": {"items"},
    }
    # Floating-point sums depend on their order; everything that is counted does not.
    stake = {"stake": True, "groups": True, "prediction": True, "mixed_groups": True}
    assert first.model_dump(exclude=unordered | stake) == second.model_dump(exclude=unordered | stake)
    for one, other in zip(first.groups, second.groups, strict=True):
        assert one.model_dump(exclude={"mean_std"}) == other.model_dump(exclude={"mean_std"})
    if first.stake is not None:
        assert second.stake is not None
        assert first.stake.missing_rollouts == second.stake.missing_rollouts
        assert first.stake.touched_rollouts >= 0
    assert AuditReport.model_validate_json(first.model_dump_json()) == first


def test_the_real_graders_false_negatives_are_found_and_repaired(shared: Path) -> None:
    report = audit(read(shared / "data" / "qwen_math_cot_100.jsonl"))
    logged, _, repaired = report.groups
    assert (logged.all_wrong, logged.mixed, logged.all_correct) == (4, 10, 86)
    # Group 3 answers "4:30 p.m." in another notation, 8 of 8; of group 72 one answer, 10000, is right.
    assert (repaired.all_wrong, repaired.mixed, repaired.all_correct) == (2, 11, 87)
    assert report.repair is not None
    assert report.repair.become_mixed == ("72",)
    assert report.repair.become_all_correct == ("3",)
    by_id = {card.group_id: card for card in report.cards}
    assert (by_id["3"].cause, by_id["72"].cause) == ("false_negative:format", "false_negative:format")
    assert (by_id["84"].cause, by_id["85"].cause) == ("undetermined", "undetermined")
    assert by_id["84"].support is not None
    assert by_id["84"].support.upper_bound == pytest.approx(1 - 0.05 ** (1 / 8))
    assert by_id["84"].support.more_samples["0.1"] == 29 - 8
    assert report.stake is not None
    assert report.stake.missing_rollouts == pytest.approx(8 / 800)  # all of group 72, none of group 3


def test_bare_targets_cost_what_they_cost_under_trls_verifier(shared: Path) -> None:
    suspect = load_verifier(f"{TRL}:accuracy_reward")
    report = audit(read(shared / "data" / "qwen_math_cot_100.jsonl"), suspect=suspect)
    assert report.golds is not None
    assert report.golds.n_failing == 15
    assert r"\$6" in [gold.target for gold in report.golds.failing]
    assert (report.golds.fixes[0].name, report.golds.fixes[0].still_failing) == ("wrap targets in $…$", 0)
    assert report.severity == "fail"
    assert report.headline.startswith("15 of 80 targets")
    scored = next(table for table in report.groups if table.name.endswith("accuracy_reward"))
    # Without a target that can be read the function returns None for 5 groups and 0 for 10.
    assert scored.all_wrong + scored.unscorable == 17


def test_gsm8k_scores_agree_with_the_referee(shared: Path) -> None:
    report = audit(read(shared / "data" / "gsm8k_example_model_solutions.jsonl"))
    assert [(table.all_wrong, table.mixed, table.all_correct) for table in report.groups] == [(432, 731, 156)] * 3
    assert report.stake is not None
    assert report.stake.touched_rollouts == 0


def test_the_lag_is_told_where_a_file_logs_both_log_probabilities_and_what_is_logged_is_not_asked_for(
    tmp_path: Path,
) -> None:
    row = {"prompt": "2+2?", "response": "4", "target": "4", "reward": 1.0, "token_ids": [7], "finish_reason": "stop"}
    path = tmp_path / "rollouts.jsonl"
    both = [{**row, "rollout_logprobs": [-1.0], "old_logprobs": [-1.0 + log(ratio)]} for ratio in (1.5, 1.0)]
    path.write_text("".join(json.dumps(one) + "\n" for one in both), encoding="utf-8")
    report = audit(read(path))
    assert report.lag is not None
    assert (report.lag.tokens, report.lag.above) == (2, 0.5)
    assert report.ladder is not None
    (monitoring,) = (rung for rung in report.ladder.rungs if rung.name == "monitoring")
    assert monitoring.measures[0].sentence == "not logged: the step, the policy's version"
    assert [measure.name for measure in monitoring.measures[1:]] == [
        "tokens outside the clip range",
        "effective samples",
    ]
    assert audit(read(FIXTURE)).lag is None
