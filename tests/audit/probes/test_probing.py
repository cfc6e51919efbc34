import probed_graders
import pytest
from probing_here import probe_here, report_here, spec

from rewardgate.audit.probes import ProbeReport
from rewardgate.audit.probes.probing import probe
from rewardgate.audit.probes.targets import read_target_of
from rewardgate.errors import ArgumentError, InputError, UnknownNameError

SOME = [read_target_of(one) for one in ("31", "0.375", r"2\sqrt{3}", "Paris")]


def accusing(report: ProbeReport) -> list[str]:
    return [finding.fault for finding in report.findings if finding.severity != "info"]


@pytest.mark.parametrize("name", probed_graders.FAULTY)
def test_a_fault_is_found_under_its_name_before_any_other(name: str) -> None:
    report = report_here(name)
    assert report.status == "findings"
    assert name in accusing(report)[:2]
    assert report.headline


@pytest.mark.parametrize(
    ("name", "fault"),
    [("draws_lots", "random"), ("neighbour", "order_dependence"), ("thread", "thread"), ("any_box", "hedge")],
)
def test_faults_of_conduct_and_of_several_boxes_are_found(name: str, fault: str) -> None:
    report = report_here(name)
    assert accusing(report)[0] == fault


@pytest.mark.parametrize(
    ("name", "targets", "fault"),
    [
        ("begins_with", ("420", "31", "-58"), "prefix"),  # not "scale" for 4200, nor "truncation" for 420.9
        ("first_letter", ("A", "B", "C", "D"), "letter_in_word"),  # not "length" for the B of a long text's "Before"
        ("case_folding", ("mW", "MW", "kJ", "mPa"), "case_folding"),  # not "wrong_value" for another prompt's MW
        ("truncation", ("12.34", "5.75", "81.60"), "truncation"),  # not "tolerance" for 12.338766
        ("loose_tolerance", ("31.5", "47.25", "58.1"), "loose_tolerance"),  # nor "mention" before one more
    ],
)
def test_a_fault_has_one_name_however_many_rows_show_it(name: str, targets: tuple[str, ...], fault: str) -> None:
    found = accusing(probe_here(name, map(read_target_of, targets)))
    # That "Answer: B" is refused for the A of "Answer" is true as well.
    assert [one for one in found if one != "inconsistent"] == [fault]


def test_an_answer_in_the_thought_is_held_against_a_grader_only_where_the_prompt_asks_for_thoughts() -> None:
    plain, asking = (
        probe_here("boxes_only", [read_target_of(str(n), prompt=f"What is {n}? {how}") for n in (31, 47, 58)])
        for how in ("Use \\boxed{}.", "Think in <think></think>, then use \\boxed{}.")
    )
    assert (accusing(plain), accusing(asking)) == ([], ["answer_in_thought"])
    assert "thought_in_format" in {row.probe for row in plain.rows if row.n_accepted}
    # One that takes thoughts away first is not accused, whatever the prompt asks for.
    strict = probe_here("tags_on_lines", [read_target_of("31", prompt="Think in <think></think>.")])
    assert accusing(strict) == []


@pytest.mark.parametrize("name", probed_graders.HEALTHY)
def test_a_strict_and_honest_grader_is_explained_and_never_accused(name: str) -> None:
    report = report_here(name)
    assert accusing(report) == []
    assert report.status == "ok"
    assert any(finding.fault in ("strict", "domain") for finding in report.findings)


@pytest.mark.parametrize(("name", "reason"), [("pays_all", "alike"), ("pays_nobody", "accepts no reference")])
def test_a_verifier_that_separates_nothing_is_inconclusive_never_clean(name: str, reason: str) -> None:
    report = report_here(name)
    assert report.status == "inconclusive"
    assert reason in report.controls.reason
    assert not report.controls.separates


def test_the_format_that_is_paid_is_found_and_wrong_answers_are_offered_in_it() -> None:
    report = report_here("tags_on_lines")
    assert report.controls.form == "thought_then_tag_lines"
    row = next(row for row in report.rows if row.probe == "plus_one")
    # 25 targets less two of words, which have no next value.
    assert (row.n, row.n_accepted) == (23, 0)


def test_partial_credit_is_neither_right_nor_lazy_pay_in_full() -> None:
    report = report_here("shaped")
    assert report.headlines is not None
    assert report.headlines.lazy is not None
    # A box with a wrong letter earns .1; one of 25 targets is B, or C, and earns 1: (24 · .1 + 1) / 25 = .136.
    assert report.headlines.lazy.mean_reward == pytest.approx(0.136)
    assert report.headlines.false_pass_ceiling.rate == 0.0


def test_a_right_answer_that_is_worth_less_than_1_sets_the_threshold() -> None:
    assert probe_here("out_of_range", correct_at=10.0).status == "ok"


def test_the_same_seed_gives_the_same_report() -> None:
    one, other = (probe_here("substring", SOME, seed=3).model_dump(exclude={"seconds", "behaviour"}) for _ in range(2))
    for report in (one, other):
        for part in (*report["rows"], *report["findings"]):
            for case in (part.get("worst"), *(part.get("evidence") or ())):
                if case:
                    case["seconds"] = None
    assert one == other


def test_a_refused_target_of_ones_own_is_held_against_it_and_a_shipped_one_is_not() -> None:
    own = probe_here("integers_only", [read_target_of("5"), read_target_of("6"), read_target_of("1/2")])
    assert accusing(own) == ["reference_refused"]
    assert "fraction 0/1" in next(one.sentence for one in own.findings if one.fault == "reference_refused")


def test_a_hang_is_counted_apart_and_costs_the_other_rows_nothing() -> None:
    report = probe(spec("hangs"), [read_target_of(str(n)) for n in (31, 47, 58)], tries=0, timeout_s=0.5)
    assert accusing(report) == ["hangs"]
    rows = {row.probe: row for row in report.rows}
    assert (rows["tool_output"].n, rows["tool_output"].n_timeouts) == (1, 1)
    assert (rows["plus_one"].n, rows["plus_one"].n_accepted) == (3, 0)


def test_without_time_for_a_single_question_the_result_is_inconclusive_and_says_so() -> None:
    report = probe_here("boxes_only", SOME, budget_s=1e-9)
    assert report.status == "inconclusive"
    assert "none of its references could be asked in time" in report.headline
    assert any("a longer --budget asks them too" in entry.enable for entry in report.not_measured)


def test_our_own_maths_verifier_accepts_every_right_row_and_refuses_every_wrong_one() -> None:
    report = probe_here("math", tries=20)
    unexpected = {row.probe: row.worst for row in report.rows if row.n_unexpected or row.n_errors}
    assert unexpected == {}
    assert report.status == "ok"


def test_what_cannot_be_probed_is_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match='unknown name "maths"'):
        probe("maths")
    with pytest.raises(InputError, match="expected an importable function at"):
        probe(spec("absent"))
    with pytest.raises(ArgumentError, match="targets: expected at least one, got none"):
        probe("exact", [])
    with pytest.raises(ArgumentError, match="tries: expected a whole number >= 0, got -1"):
        probe("exact", tries=-1)
