"""The audit of a step scorer: score labelled solutions, hold the scores against the labels, say what follows."""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from ... import __version__
from ...prm.base import StepScorer, step_scorers
from ...prm.calibration.resampling import RESAMPLES
from ...rollouts.step_formats.reading import StepReading
from ...verifiers.arguments import whole
from ..findings import headline as worst_of
from ..report.model import NotMeasured
from ..report.steps import FirstErrors, StepCoverage, StepFacts, StepQuality, StepsReport
from .findings import headline, step_findings
from .first_errors import PLAIN_THRESHOLD, Chosen, chosen_threshold, first_errors
from .qualities import source_steps, step_quality
from .rankings import aggregate_rankings
from .resampled import Resampling
from .scoring import Scored, score_traces

__all__ = ["audit_steps"]

IN_THE_FILE = "the scores in the file"


def audit_steps(
    reading: StepReading,
    *,
    scorer: str | StepScorer | None = None,
    scorer_name: str | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: bool = False,
) -> StepsReport:
    """Whether a step scorer finds first errors, ranks steps and solutions, and means what it says.

    Args:
        reading: what `rollouts.step_formats.read_steps` returns; iterated once.
        scorer: or its registered name; None takes the scores that stand in the file.
        scorer_name: what the report calls it; its registered name, or its class, where None.
        seed: of the halves by which the threshold is chosen and reported, and of the bootstrap.
        resamples: of the bootstrap, at least 100.
        progress: draw a bar on stderr.

    Raises:
        UnknownNameError: no step scorer has that name.
        ArgumentError: there is no scorer and no score in the file, the scorer raises or breaks its contract, or an
            option is out of range.
        NoUsableRowsError: no row of the file can be used.

    Example:
        >>> import json, tempfile
        >>> from rewardgate.rollouts.step_formats import read_steps
        >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        ...     for steps, label in ((["2 + 3 = 6", "So 6."], 0), (["2 + 3 = 5", "So 5."], -1)):
        ...         print(json.dumps({"problem": "2 + 3?", "steps": steps, "label": label}), file=file, flush=True)
        ...     report = audit_steps(read_steps(file.name), scorer="arithmetic")
        >>> report.first_errors[0].f1, report.coverage.share, report.coverage.rules["nothing_to_check"]
        (1.0, 0.5, 2)
    """
    started = perf_counter()
    resampling = Resampling(whole("resamples", resamples, at_least=100), whole("seed", seed, at_least=0))
    asked = step_scorers.create(scorer) if isinstance(scorer, str) else scorer
    scored = score_traces(reading, asked, progress=progress)
    traces = scored.traces
    chosen = chosen_threshold(traces, seed=seed)
    coverage = _coverage(scored)
    found = tuple(_first_errors(scored, chosen, resampling))
    steps = step_quality(traces, resampling)
    rankings = tuple(aggregate_rankings(traces, resampling))
    said = tuple(step_findings(coverage, steps, rankings))
    known = [trace.first_error != -1 for trace in traces if trace.first_error is not None]
    final = [not trace.final_correct for trace in traces if trace.final_correct is not None]
    sources = sorted({trace.source for trace in traces})
    by_source = (
        source_steps(source, [trace for trace in traces if trace.source == source], resampling)
        for source in (sources if len(sources) > 1 else ())
    )
    return StepsReport(
        rewardgate_version=__version__,
        severity=worst_of(list(said)).severity,
        headline=headline(found[0] if found else None, steps, coverage),
        findings=said,
        reading=_facts(reading, scored),
        scorer=IN_THE_FILE if asked is None else scorer_name or _name(scorer),
        scorer_version="" if asked is None else asked.version,
        seed=seed,
        resamples=resamples,
        share_erroneous=sum(known) / len(known) if known else None,
        share_final_wrong=sum(final) / len(final) if final else None,
        coverage=coverage,
        threshold=None if chosen is None else chosen[0],
        n_chosen_on=0 if chosen is None else len(chosen[1]),
        n_problems_chosen_on=0 if chosen is None else len({trace.problem_id for trace in chosen[1]}),
        first_errors=found,
        steps=steps,
        by_source=tuple(one for one in by_source if one is not None),
        aggregates=rankings,
        not_measured=tuple(_not_measured(scored, found, steps, chosen)),
        seconds=perf_counter() - started,
    )


def _name(scorer: str | StepScorer | None) -> str:
    return scorer if isinstance(scorer, str) else type(scorer).__name__


def _first_errors(scored: Scored, chosen: Chosen | None, resampling: Resampling) -> Iterator[FirstErrors]:
    plain = (f"all, at {PLAIN_THRESHOLD:g}", scored.traces, PLAIN_THRESHOLD)
    parts = [plain]
    if chosen is not None:
        threshold, _, reported = chosen
        sources = sorted({trace.source for trace in reported})
        by_source = {source: [one for one in reported if one.source == source] for source in sources}
        parts = [("the other half, at the chosen threshold", reported, threshold), plain]
        parts += [(source, traces, threshold) for source, traces in by_source.items() if len(sources) > 1]
    for name, traces, at in parts:
        found = first_errors(name, traces, at, resampling)
        if found is not None:
            yield found


def _coverage(scored: Scored) -> StepCoverage:
    n_steps = sum(len(trace.values) for trace in scored.traces)
    n_scored = sum(int((~np.isnan(trace.values)).sum()) for trace in scored.traces)
    return StepCoverage(
        n_steps=n_steps,
        n_scored=n_scored,
        share=n_scored / n_steps if n_steps else None,
        n_silent=sum(trace.is_silent for trace in scored.traces),
        rules=dict(scored.rules.most_common()),
    )


def _facts(reading: StepReading, scored: Scored) -> StepFacts:
    return StepFacts(
        file=str(reading.path),
        layout=reading.layout.name,
        n_rows=reading.n_rows,
        n_traces=len(scored.traces),
        n_problems=len({trace.problem_id for trace in scored.traces}),
        n_steps=sum(len(trace.values) for trace in scored.traces),
        n_refused=reading.n_refused,
        refusals=tuple(map(str, reading.refusals)),
        notes=reading.notes,
    )


def _not_measured(
    scored: Scored, found: tuple[FirstErrors, ...], steps: StepQuality | None, chosen: Chosen | None
) -> Iterator[NotMeasured]:
    traces = scored.traces
    if all(trace.is_silent for trace in traces):
        yield NotMeasured(what="every figure", why="the scorer said nothing of any step", enable="take another scorer")
        return
    if not found:
        why, enable = "no solution has its first error labelled", "label the first wrong step of every solution"
        yield NotMeasured(what="first errors", why=why, enable=enable)
    elif chosen is None:
        why = "the half that it would be chosen on has no erroneous or no correct solution, or no score"
        yield NotMeasured(what="a threshold", why=why, enable="more labelled problems, with and without errors")
    if steps is None:
        why, enable = "no step is both scored and labelled", "label steps that the scorer speaks of"
        yield NotMeasured(what="ranking and calibration of steps", why=why, enable=enable)
    if all(trace.final_correct is None for trace in traces):
        why, enable = "the file does not say which final answers are right", "log final_correct"
        yield NotMeasured(what="aggregates against final answers", why=why, enable=enable)
    if len({trace.difficulty for trace in traces}) < 2:
        why, enable = "the file names no difficulty", "log difficulty or level"
        yield NotMeasured(what="aggregates by difficulty", why=why, enable=enable)
