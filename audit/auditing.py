"""The audit: judge every rollout, test the targets, explain what was scored wrong, repair, and count the cost."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ..errors import ArgumentError
from ..rollouts.reading import Reading
from ..verifiers.arguments import as_verifier, number, whole
from ..verifiers.base import Verifier
from .assembling import Ingredients, assemble
from .causes.examining import Examined, examine
from .copies.survey import CopySurvey
from .copies.traces import Traces
from .judging import Judgement, judge
from .ladder.standing import ladder
from .not_measured import gate_not_measured
from .permissive import permissive_part
from .report.gate_trust import MOST_GROUPS
from .report.model import AuditReport
from .second_opinion import SecondOpinion, is_same_verifier

if TYPE_CHECKING:
    from ..prm.base import StepScorer

__all__ = ["audit"]


def audit(
    reading: Reading,
    *,
    suspect: str | Verifier | None = None,
    referee: str | Verifier | None = None,
    sft: str | Path | None = None,
    labels: str | Path | None = None,
    scorer: "str | StepScorer | None" = None,
    scorer_name: str | None = None,
    scorer_groups: int = MOST_GROUPS,
    near: int = 1,
    correct_at: float = 1.0,
    wrong_at: float = 0.0,
    seed: int = 0,
    progress: bool = False,
    judged_by: Callable[..., Judgement] = judge,
) -> AuditReport:
    """What is wrong with the rewards of a file of rollouts, what it costs, and what is left after repair.

    No cause is ever drawn from a verifier that is compared with itself: where suspect and referee judge
    alike, math-verify is asked about what they refuse, and its disagreements go to the review queue.

    Args:
        reading: what `rollouts.reading.read` returns; iterated once, and again where there is a scorer.
        suspect: the verifier under audit, or its registered name; None audits the rewards as they were logged. In
            a file without rewards, None reports the referee's own verdicts.
        referee: whom the rewards are compared with; None takes `auto`, which goes by the target's kind.
        sft: a file of training traces or reference solutions; right responses are looked for in it.
        labels: a file of labels that people gave to rollouts of this one (`rewardgate label run`).
        scorer: a step scorer, or its registered name, whose credits are held against the outcomes of mixed groups.
        scorer_name: what the report calls it; its registered name, or its class, where None.
        scorer_groups: mixed groups that it is asked about, at most; of more, so many are drawn.
        near: successes (or failures) up to which a mixed group counts as nearly all wrong (all correct).
        correct_at: logged reward from which a rollout counts as correct; a suspect's verdict says so itself.
        wrong_at: a group whose rewards all equal this, or less, is all wrong.
        seed: of the bootstrap, and of that draw.
        progress: draw a bar on stderr.
        judged_by: makes the one pass over all texts; another than `judging.judge`, with its arguments and its result,
            makes it elsewhere.

    Raises:
        ArgumentError: `near` or `seed` is negative, `wrong_at` is not below `correct_at`, a verifier is none, or the
            scorer raises or breaks its contract.
        UnknownNameError: no verifier, or no step scorer, has that name.
        NoUsableRowsError: the file, or that of `sft`, holds nothing usable.
        InputError: there are no such `labels`, or they are of another file.

    Example:
        >>> from importlib.resources import files
        >>> from rewardgate.rollouts.reading import read
        >>> report = audit(read(str(files("rewardgate.fixtures") / "rollouts.jsonl")))
        >>> report.severity
        'fail'
    """
    started = perf_counter()
    near, seed = whole("near", near, at_least=0), whole("seed", seed, at_least=0)
    scorer_groups = whole("scorer_groups", scorer_groups, at_least=1)
    wrong_at, correct_at = number("wrong_at", wrong_at), number("correct_at", correct_at)
    if not wrong_at < correct_at:
        raise ArgumentError(f"wrong_at: expected a number below correct_at = {correct_at:g}, got {wrong_at:g}")
    scored_by = _scorer(scorer) if isinstance(scorer, str) else scorer
    referee = as_verifier("auto" if referee is None else referee, "referee")
    if suspect is not None:
        suspect = as_verifier(suspect, "suspect")
        correct_at = 1.0  # a verdict is CORRECT exactly when its reward is 1
    copies = CopySurvey(near, None if sft is None else Traces(sft))
    with ExitStack() as stack:
        is_same = suspect is not None and is_same_verifier(suspect, referee)
        second = stack.enter_context(SecondOpinion()) if is_same else None
        judgement = judged_by(
            reading,
            suspect=suspect,
            referee=referee,
            second=second,
            correct_at=correct_at,
            copies=copies,
            progress=progress,
        )
    if suspect is None and not judgement.has_rewards and judgement.has_responses and judgement.has_targets:
        judgement = judgement.scored_by_referee()
        suspect, is_same, correct_at = referee, True, 1.0
    found = examine(judgement, suspect=suspect, referee=referee, correct_at=correct_at, wrong_at=wrong_at)
    golds = found.golds
    permissive = None
    if suspect is not None and golds is not None and not is_same:
        permissive = permissive_part(judgement, suspect, referee, golds.form, correct_at=correct_at)
    report = assemble(
        Ingredients(
            reading=reading,
            judgement=judgement,
            suspect=suspect,
            referee=referee,
            is_same=is_same,
            golds=golds,
            clues=found.clues,
            explained=found.explained,
            copies=copies,
            permissive=permissive,
            labels=labels,
            near=near,
            correct_at=correct_at,
            wrong_at=wrong_at,
            seed=seed,
            started=started,
        )
    )
    if scored_by is not None:
        from .gate_trust import gate_trust

        trust = gate_trust(
            reading,
            _rewards(found, is_repaired=report.repair is not None),
            scored_by,
            name=scorer_name or (scorer if isinstance(scorer, str) else type(scored_by).__name__),
            rewarded_by=report.groups[-1].name if report.repair is not None else report.scored_by,
            correct_at=correct_at,
            most_groups=scorer_groups,
            seed=seed,
        )
        report = report.model_copy(update={"gate_trust": trust, "seconds": perf_counter() - started})
    else:
        open_question = (*report.not_measured, *gate_not_measured(judgement))
        report = report.model_copy(update={"not_measured": open_question})
    lag = None
    if {"rollout_logprobs", "trainer_logprobs"} <= reading.fields.keys():
        from .runs.lag import run_lag

        lag = run_lag(reading.with_tokens()).lag
    return report.model_copy(update={"lag": lag, "ladder": ladder(report, lag=lag)})


def _scorer(name: str) -> "StepScorer":
    from ..prm.base import step_scorers  # a room that only an audit of a scorer enters

    return step_scorers.create(name)


def _rewards(found: Examined, *, is_repaired: bool) -> list[list[float | None]]:
    """Of every group its rollouts' rewards, after repair where the report repairs."""
    return [[case.repaired if is_repaired else case.rollout.scored for case in one.cases] for one in found.explained]
