"""Parts of a report that other commands make, built by hand, with something of everything in them."""

from rewardgate.audit import AuditReport
from rewardgate.audit.ladder import ladder
from rewardgate.audit.probes.model import (
    Behaviour,
    CaseVerdict,
    Controls,
    Expectation,
    Headlines,
    Lazy,
    ProbeFinding,
    ProbeReport,
    ProbeRow,
    Rate,
)
from rewardgate.audit.report import reliability as labels
from rewardgate.audit.report.curves import Curves
from rewardgate.audit.report.duplicates import (
    Duplicates,
    LowDiversity,
    Overlap,
    Permissive,
    PermissiveCase,
    Phantom,
    PromptPair,
    TargetInPrompt,
)


def probed(text: str = "") -> ProbeReport:
    """A verifier that accepts `N+1=N` and reads boxes only; `text` stands behind every foreign word."""
    case = CaseVerdict(
        probe="equation", expectation="reject", target=f"420{text}", response=f"\\boxed{{421=420}}{text}",
        accepted=True, reward=1.0, outcome="correct", detail=f"421=420{text}",
    )  # fmt: skip
    rate = Rate(count=25, n=25, rate=1.0, upper_bound=1.0, is_underpowered=False, worst_probe="equation")
    lazy = Lazy(
        strategy="fixed", response=f"1=2{text}", n=25, mean_reward=0.04, n_accepted=1, n_right=0, upper_bound=0.1
    )
    return ProbeReport(
        rewardgate_version="0.1.0", verifier="grader.py:fn", told="trl", correct_at=1.0, targets_from="built in",
        n_targets=25, n_cases=75, seed=0, status="findings", severity="fail", headline=f"N+1=N is accepted{text}",
        controls=Controls(
            separates=True, form="box", forms=(), kinds=(), n_references=25, n_references_accepted=25, n_empty=25,
            n_empty_accepted=0,
        ),
        headlines=Headlines(false_pass_ceiling=rate, lazy=lazy, false_fail=rate),
        rows=(
            _row("boxed", "accept", 25), _row("answer_tag", "accept", 0, explained=f"it reads boxes only{text}"),
            _row("equation", "reject", 10),
        ),
        behaviour=Behaviour(),
        findings=(
            ProbeFinding(
                fingerprint="a", fault="equation", severity="fail", sentence=f"25 of 25 equations accepted{text}",
                explanation=f"A policy learns to write equations.{text}", evidence=(case,),
            ),
        ),
        search={}, not_measured=(), seconds=1.0,
    )  # fmt: skip


def _row(probe: str, expectation: Expectation, n_accepted: int, *, explained: str = "") -> ProbeRow:
    return ProbeRow(
        probe=probe, expectation=expectation, family="form", meaning=f"the target as {probe}", n=25,
        n_accepted=n_accepted, n_errors=0, n_timeouts=0, n_crashes=0, bound=0.1, is_underpowered=False,
        explained=explained,
    )  # fmt: skip


def labelled(text: str = "") -> labels.Reliability:
    """Labels by two people: one rate estimated, one bounded, one without a label."""
    shares = {"right": 0.5, "wrong": 0.5, "target_wrong": 0.0, "agrees": 0.5, "low": 0.2, "high": 0.8}
    shares |= {"misjudged": 0.5, "misjudged_low": 0.2, "misjudged_high": 0.8}
    return labels.Reliability(
        headline=f"17 of 40 labelled prompts are truly wrong{text}", scored_by=f"as logged{text}", confidence=0.95,
        method="post-stratified", unit="prompt", n_drawn=60, n_labelled=55, n_unsure=3, n_disputed=2,
        labels={"correct": 20},
        rates=(
            labels.Rate(name="truly wrong", question="?", n=40, x=17, value=0.43, low=0.28, high=0.58),
            labels.Rate(
                name="falsely paid", question="?", n=15, x=0, value=0.0, low=0.0, high=0.2, bound=0.18,
                bound_side="below",
            ),
            labels.Rate(
                name="falsely refused", question="?", n=0, x=0, value=None, low=None, high=None,
                not_estimable="no label there",
            ),
        ),
        strata=(
            labels.LabelledStratum(name="wrong", n_rollouts=80, n_prompts=10, n=8, unsettled=0, **shares),
            labels.LabelledStratum(
                name="right", n_rollouts=80, n_prompts=10, n=0, unsettled=0, **dict.fromkeys(shares, None)
            ),
        ),
        agreement=labels.Agreement(annotators={f"ann{text}": 30}, n_items=12, n_labels=24, raw=0.92, alpha=0.8),
        conclusions=(
            labels.Conclusion(
                name="falsely refused", threshold=0.05, side="open", more_to_decide=12, more_to_overturn=None
            ),
        ),
    )  # fmt: skip


def complete(
    report: AuditReport, *, probe: ProbeReport, reliability: labels.Reliability, curves: Curves | None = None
) -> AuditReport:
    """`report` with what people's labels, a probe and a run's steps add to it."""
    found = report.model_copy(update={"reliability": reliability, "curves": curves or report.curves})
    return found.model_copy(update={"ladder": ladder(found, probe=probe)})


def copied(text: str = "") -> dict[str, Duplicates | Permissive | Phantom]:
    """The parts of a report on copies, permissive verdicts and phantom signals, by their fields."""
    name = f"a{text}"
    return {
        "duplicates": Duplicates(
            n_prompts=4, n_all_correct=3, pairs={"exact": 1, "near": 2},
            prompt_pairs=(
                PromptPair(kind="exact", group_id=name, other_id=name, similarity=1.0, both_all_correct=True),
            ),
            n_low_diversity=1, median_similarity=0.5,
            low_diversity=(LowDiversity(group_id=name, median_similarity=0.9, n_rollouts=4),),
            n_same_rollouts=2, n_groups_with_same_rollouts=1, traces=f"sft.jsonl{text}", n_traces=9, n_overlapping=1,
            overlaps=(Overlap(group_id=name, source="sft.jsonl:1", containment=0.8, n_rollouts=1),),
            n_target_in_prompt=1, by_chance_in_prompt=0,
            targets_in_prompts=(TargetInPrompt(group_id=name, target="4"),),
        ),
        "permissive": Permissive(
            n_offered=50, n_accepted=3, upper_bound=0.15, by_kind={"other": (3, 50)},
            cases=(PermissiveCase(kind="other", target=f"4{text}", answer=f"5{text}"),),
        ),
        "phantom": Phantom(
            outcome=f"accuracy{text}", n_groups=5, all_wrong_but_signal=(name,), n_all_wrong_but_signal=1
        ),
    }  # fmt: skip
