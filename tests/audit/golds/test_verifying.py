import re

from audited import Suspect, audited, causes_of, group

from rewardgate.audit.report.model import AuditReport, Golds


def golds_of(report: AuditReport) -> Golds:
    assert report.golds is not None
    return report.golds


def box(completion: str) -> str | None:
    found = re.search(r"\\boxed\{(.*)\}", completion)
    return None if found is None else found.group(1)


def reads_dollars(completion: str, target: str) -> float:
    """Reads a target in LaTeX only between dollars, as parsers with `$`-anchors do."""
    if "\\" in target and not target.startswith("$"):
        return 0.0
    return float(box(completion) == target.strip("$"))


HALF = group(
    "half", r"\frac{1}{2}", [(r"\boxed{\frac{1}{2}}", 0.0), (r"\boxed{\frac{1}{2}}", 0.0), (r"\boxed{2}", 0.0)]
)
SEVEN = group("seven", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0), (r"\boxed{7}", 1.0)])


def test_a_target_that_its_verifier_refuses_fails_in_every_form_and_a_fix_is_retested() -> None:
    report = audited(HALF, SEVEN, suspect=Suspect(reads_dollars))
    golds = golds_of(report)
    assert (golds.n_targets, golds.n_failing, golds.n_groups, golds.n_rollouts, golds.n_right) == (2, 1, 1, 3, 2)
    (failing,) = golds.failing
    assert failing.target == r"\frac{1}{2}"
    assert {form.form: form.accepted for form in failing.forms} == {"bare": False, "$…$": False, r"\boxed{}": False}
    best = golds.fixes[0]
    assert best.name == "wrap targets in $…$"
    # Both targets are asked again after the fix, and the one right answer that was refused, twice the same.
    assert (best.n_targets, best.still_failing, best.answers_tested, best.answers_accepted) == (2, 0, 1, 1)
    assert failing.accepted_after_fix is True
    # 2 of 3 right after repair: the group becomes mixed.
    assert report.repair is not None
    assert report.repair.become_mixed == ("half",)
    assert causes_of(report) == {"gold": 3, "undetermined": 1}


def test_a_fix_that_cures_nothing_is_not_offered() -> None:
    golds = golds_of(
        audited(HALF, SEVEN, suspect=Suspect(lambda completion, target: float(box(completion) == "7" == target)))
    )
    assert golds.n_failing == 1
    assert golds.fixes == ()
    assert golds.failing[0].accepted_after_fix is None


def test_targets_are_offered_in_a_form_that_the_verifier_reads_at_all() -> None:
    suspect = Suspect(lambda completion, target: float(completion.endswith(f"#### {target}")))
    golds = golds_of(audited(SEVEN, suspect=suspect))
    assert golds.form == "####"
    assert golds.n_failing == 0
    assert golds.notes == (r"no target is accepted as \boxed{}, the form most responses use",)


def test_a_verifier_that_refuses_everything_is_said_to() -> None:
    report = audited(HALF, SEVEN, suspect=Suspect(lambda completion, target: 0.0))
    assert report.headline == "the verifier accepts none of 2 targets as an answer to itself, in any form"
    assert causes_of(report) == {"gold": 6}


def test_a_verifier_that_fails_on_everything_says_nothing_of_the_targets() -> None:
    report = audited(HALF, SEVEN, suspect=Suspect(lambda completion, target: None))
    assert golds_of(report).n_failing == 0
    assert causes_of(report) == {"scoring_fault": 6}


def test_specifications_are_counted_and_not_offered() -> None:
    code = group("code", {"tests": ["assert f() == 1"]}, [("def f(): return 1", 1.0), ("def f(): return 2", 0.0)])
    golds = golds_of(audited(code, SEVEN))
    assert (golds.n_targets, golds.n_tested, golds.n_failing) == (2, 1, 0)
    assert "1 targets are empty or specifications" in golds.notes[0]


def test_a_target_that_nobody_can_read_is_gold_whether_it_pays_nobody_or_everybody() -> None:
    nobody = group("nobody", "...", [(r"\boxed{1}", 0.0), (r"\boxed{2}", 0.0)])
    everybody = group("everybody", "???", [(r"\boxed{1}", 1.0), (r"\boxed{2}", 1.0)])
    report = audited(nobody, everybody)
    assert {card.group_id: (card.cause, card.kind, card.repaired_kind) for card in report.cards} == {
        "nobody": ("gold", "all_wrong", "unscorable"),
        "everybody": ("gold", "all_correct", "unscorable"),
    }


def test_a_grader_that_pays_some_can_read_a_target_that_the_referee_cannot() -> None:
    report = audited(group("a", "∅", [(r"\boxed{\emptyset}", 1.0), (r"\boxed{1}", 0.0)]))
    assert report.repair is not None
    assert report.repair.n_rollouts_flipped == 0
