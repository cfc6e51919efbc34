import json
from pathlib import Path
from typing import Any

import pytest
from scored_steps import Broken, Dice, Oracle

from rewardgate.audit.report.json_text import report_json
from rewardgate.audit.report.steps import AggregateRanking, StepsReport
from rewardgate.audit.steps import audit_steps
from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.prm import StepRow, get
from rewardgate.rollouts.step_formats import read_steps


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def row(number: int, steps: list[str], first_error: int, **more: Any) -> dict[str, Any]:
    return {"id": f"t{number}", "problem": f"problem {number}", "steps": steps, "first_error": first_error, **more}


def audited(path: Path, rows: list[dict[str, Any]], **options: Any) -> StepsReport:
    return audit_steps(read_steps(written(path / "steps.jsonl", rows)), **{"resamples": 200, **options})


def labelled(n: int) -> list[dict[str, Any]]:
    """n problems, every other one with its second step wrong; steps say what they are."""
    return [
        row(
            number,
            ["right", "wrong" if number % 2 else "right", "behind" if number % 2 else "right"],
            1 if number % 2 else -1,
            final_correct=not number % 2,
            source="hard" if number % 4 < 2 else "easy",
            difficulty=number % 3,
        )
        for number in range(n)
    ]


def of(report: StepsReport, truth: str, name: str, aggregate: str) -> AggregateRanking:
    (found,) = (one for one in report.aggregates if (one.truth, one.name, one.aggregate) == (truth, name, aggregate))
    return found


def test_a_perfect_scorer_has_1_everywhere_and_says_what_it_means(tmp_path: Path) -> None:
    told = Oracle({"right": 1.0, "wrong": 0.0, "behind": 1.0})
    report = audited(tmp_path, labelled(40), scorer=told)
    assert report.severity == "ok"
    other, plain, *sources = report.first_errors
    assert [(one.f1, one.accuracy_erroneous, one.accuracy_correct, one.precision) for one in (other, plain)] == [
        (1, 1, 1, 1)
    ] * 2
    assert [one.name for one in sources] == ["easy", "hard"]
    assert report.steps is not None
    # 20 erroneous solutions give a right and a wrong step, 20 correct ones three right ones: 80 right of 100.
    assert (report.steps.n, report.steps.n_wrong, report.steps.base_rate) == (100, 20, 0.8)
    assert (report.steps.auc, report.steps.ece) == (1, 0)
    for truth in ("steps", "answer"):
        for name in ("all", "hard", "easy", "0", "1", "2"):
            assert of(report, truth, name, "min").auc == 1
        # The last step of an erroneous one is scored 1, as it follows from what stands before: ties throughout.
        assert of(report, truth, "all", "last").auc == 0.5
    assert len(told.asked) == 40


def test_the_threshold_is_chosen_on_problems_that_are_not_reported(tmp_path: Path) -> None:
    report = audited(tmp_path, labelled(41), scorer=Oracle({"right": 0.9, "wrong": 0.7, "behind": 0.9}))
    # At 0.5 nothing is flagged; between 0.7 and 0.9 everything is found.
    assert report.threshold == pytest.approx(0.8)
    other, plain, *_ = report.first_errors
    assert (report.n_chosen_on, report.n_problems_chosen_on) == (20, 20)
    assert other.n_erroneous + other.n_correct == 21
    assert (other.f1, plain.f1, plain.accuracy_correct) == (1, 0, 1)


def test_a_scorer_that_throws_dice_is_not_told_from_chance(tmp_path: Path) -> None:
    report = audited(tmp_path, labelled(120), scorer=Dice(7))
    assert report.steps is not None
    assert report.steps.auc_low is not None
    assert report.steps.auc_high is not None
    assert report.steps.auc_low <= 0.5 <= report.steps.auc_high
    assert report.severity == "warn"
    assert any(one.section == "steps" and one.severity == "warn" for one in report.findings)


def test_a_scorer_that_is_always_wrong_fails(tmp_path: Path) -> None:
    report = audited(tmp_path, labelled(40), scorer=Oracle({"right": 0.1, "wrong": 0.9, "behind": 0.9}))
    assert report.severity == "fail"
    assert {one.severity for one in report.findings if one.section in ("steps", "solutions")} >= {"fail"}


def test_the_order_of_the_rows_changes_no_figure(tmp_path: Path) -> None:
    rows = labelled(40)
    values = {"right": 0.8, "wrong": 0.3, "behind": None}
    one = audited(tmp_path, rows, scorer=Oracle(values))
    other = audited(tmp_path, rows[::-1], scorer=Oracle(values))
    for report in (one, other):
        assert report.threshold is not None
    assert one.threshold == other.threshold
    assert [(part.name, part.f1) for part in one.first_errors] == [(part.name, part.f1) for part in other.first_errors]
    assert one.steps is not None
    assert other.steps is not None
    assert (one.steps.auc, one.steps.ece, one.steps.bins) == (other.steps.auc, other.steps.ece, other.steps.bins)
    assert [row.auc for row in one.aggregates] == [row.auc for row in other.aggregates]


def test_the_same_seed_gives_the_same_report(tmp_path: Path) -> None:
    values = {"right": 0.8, "wrong": 0.3, "behind": None}
    one, same, other = (audited(tmp_path, labelled(40), scorer=Oracle(values), seed=seed) for seed in (1, 1, 2))
    assert one.model_copy(update={"seconds": 0.0}) == same.model_copy(update={"seconds": 0.0})
    assert one.n_chosen_on == other.n_chosen_on
    assert one != other


def test_where_the_scorer_says_nothing_nothing_is_measured(tmp_path: Path) -> None:
    report = audited(tmp_path, labelled(20), scorer=Oracle({}))
    assert (report.severity, report.coverage.n_scored, report.coverage.n_silent) == ("fail", 0, 20)
    assert (report.steps, report.aggregates, report.threshold) == (None, (), None)
    assert [(one.f1, one.accuracy_correct, one.n_silent_correct) for one in report.first_errors] == [(None, None, 10)]
    assert [one.what for one in report.not_measured] == ["every figure"]
    assert "nothing of any step" in report.findings[0].sentence


def test_unknown_steps_are_in_no_figure_and_told(tmp_path: Path) -> None:
    # Of 20 correct solutions three steps are known, of 20 erroneous ones the first alone: 80 of 120.
    report = audited(tmp_path, labelled(40), scorer=Oracle({"right": 1.0}))
    assert (report.coverage.n_steps, report.coverage.n_scored, report.coverage.share) == (120, 80, 80 / 120)
    assert report.coverage.rules == {"told": 120}
    assert report.steps is not None
    assert (report.steps.n_labelled, report.steps.n, report.steps.n_wrong, report.steps.auc) == (100, 80, 0, None)


def test_scores_in_the_file_are_audited_where_no_scorer_is_named(tmp_path: Path) -> None:
    rows = [{**one, "step_scores": [1.0, 0.0 if one["first_error"] == 1 else 1.0, None]} for one in labelled(20)]
    report = audited(tmp_path, rows)
    assert (report.scorer, report.first_errors[0].f1, report.coverage.share) == ("the scores in the file", 1, 40 / 60)
    # A scorer that is named is asked, whatever stands in the file.
    assert audited(tmp_path, rows, scorer=Oracle({})).coverage.n_scored == 0


def test_without_a_scorer_and_without_scores_there_is_nothing_to_audit(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="scorer: expected the name of one, as the file holds no step_scores"):
        audited(tmp_path, labelled(4))


def test_a_scorer_that_raises_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="expected scores of every text, got ZeroDivisionError: by zero"):
        audited(tmp_path, labelled(4), scorer=Broken(ZeroDivisionError("by zero")))
    with pytest.raises(UnknownNameError, match='unknown name "arithmetics"'):
        audited(tmp_path, labelled(4), scorer="arithmetics")


@pytest.mark.parametrize("options", [{"seed": -1}, {"resamples": 10}])
def test_options_out_of_range_are_refused(tmp_path: Path, options: dict[str, int]) -> None:
    with pytest.raises(ArgumentError, match=f"{next(iter(options))}: expected a whole number"):
        audited(tmp_path, labelled(4), scorer=Oracle({"right": 1.0}), **options)


def test_solutions_of_one_problem_are_one_observation(tmp_path: Path) -> None:
    rows = [{**one, "problem": "the same"} for one in labelled(40)]
    report = audited(tmp_path, rows, scorer=Oracle({"right": 0.8, "wrong": 0.3}))
    assert report.reading.n_problems == 1
    assert report.steps is not None
    assert (report.steps.auc, report.steps.auc_low) == (1, None)
    assert report.threshold is None
    assert [one.what for one in report.not_measured] == ["a threshold"]


def test_what_the_file_does_not_say_is_not_measured(tmp_path: Path) -> None:
    rows = [{"problem": str(n), "steps": ["right"], "step_scores": [n / 4], "final_correct": n > 1} for n in range(4)]
    report = audited(tmp_path, rows)
    assert {one.what for one in report.not_measured} == {
        "first errors",
        "ranking and calibration of steps",
        "aggregates by difficulty",
    }
    assert (report.first_errors, report.share_erroneous, report.share_final_wrong) == ((), None, 0.5)
    assert of(report, "answer", "all", "min").auc == 1


def test_refused_rows_are_in_the_report(tmp_path: Path) -> None:
    report = audited(tmp_path, [*labelled(4), row(9, ["a"], 1)], scorer=Oracle({"right": 1.0}))
    assert (report.reading.n_rows, report.reading.n_traces, report.reading.n_refused) == (5, 4, 1)
    assert report.reading.refusals[0].endswith(":5: first_error: expected a step 0..0, got 1")


def test_the_report_survives_its_json_and_holds_no_nan(tmp_path: Path) -> None:
    report = audited(tmp_path, labelled(10), scorer=Oracle({"right": 1.0}))
    said = report_json(report)
    assert "NaN" not in said
    assert StepsReport.model_validate_json(said) == report
    assert json.loads(said)["schema_version"] == "rewardgate.steps/1"


def plain_auc(pairs: list[tuple[float, bool]]) -> float:
    wins = [
        1.0 if value > other else 0.5 if value == other else 0.0
        for value, is_right in pairs
        if is_right
        for other, is_other in pairs
        if not is_other
    ]
    return sum(wins) / len(wins)


def test_on_the_cases_for_development_the_figures_are_those_of_plain_loops(shared: Path, tmp_path: Path) -> None:
    """The whole path against loops over the rows as the file holds them, with the arithmetic rules as the scorer."""
    sources = ("bbm-multistep_arithmetic", "gsm8k-calc", "reasoneval-mrmath")
    lines = (shared / "cases" / "steps_dev.jsonl").read_text(encoding="utf-8").splitlines()
    read = list(map(json.loads, lines))
    rows = [one for source in sources for one in [one for one in read if one["source"] == source][:30]]
    report = audited(tmp_path, rows, scorer="arithmetic", resamples=100)

    answers = get("arithmetic").score([StepRow(one["problem"], tuple(one["steps"])) for one in rows])
    hits = quiet = 0
    steps: list[tuple[float, bool]] = []
    least: dict[str, list[tuple[float, bool]]] = {"all": []}
    for one, answer in zip(rows, answers, strict=True):
        values, first = [score.value for score in answer], one["first_error"]
        known = [value for value in values if value is not None]
        flagged = next((step for step, value in enumerate(values) if value is not None and value < 0.5), -1)
        if known:
            hits += flagged == first >= 0
            quiet += flagged == first < 0
            for name in ("all", one["source"]):
                least.setdefault(name, []).append((min(known), first < 0))
        labelled_steps = values if first < 0 else values[: first + 1]
        steps += [(value, step != first) for step, value in enumerate(labelled_steps) if value is not None]

    plain = next(one for one in report.first_errors if one.name == "all, at 0.5")
    assert (plain.n_hit, plain.n_quiet) == (hits, quiet)
    assert plain.n_erroneous == sum(one["first_error"] >= 0 for one in rows)
    assert report.steps is not None
    assert report.steps.n == len(steps)
    assert report.steps.auc == pytest.approx(plain_auc(steps))
    for name, pairs in least.items():
        assert of(report, "steps", name, "min").auc == pytest.approx(plain_auc(pairs))
