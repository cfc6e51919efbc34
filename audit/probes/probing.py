"""`probe`: ask a verifier what it pays for, without a model and without a rollout.

Controls come first; what cannot be told from them is `inconclusive`, never clean. Then the matrix of right and wrong
answers, what must hold whatever is asked, what laziness earns, and a search over compositions.
"""

from collections.abc import Iterable, Sequence
from time import perf_counter

from ... import __version__
from ...errors import ArgumentError
from ...verifiers.arguments import positive, whole
from ...verifiers.base import Verifier
from .asking import NOT_ASKED, Asker
from .behaviour import Conduct, asymmetry, conduct, latency
from .cases import right_cases, wrong_cases
from .controls import Controlled, controlled
from .findings import Evidence, findings
from .forms import FORMS
from .lazy import lazy_play
from .matrix import matrix
from .model import Behaviour, CaseVerdict, ProbeFinding, ProbeReport, Severity, Status
from .numbers import headlines
from .programs import ProgramTarget, program_controls, program_play
from .searching import SearchResult, search
from .targets import ProbeTarget, shipped_targets
from .unmeasured import unmeasured

__all__ = ["probe"]

_SHARE = 0.4  # of the budget, for the matrix


def probe(
    verifier: str | Verifier,
    targets: Iterable[ProbeTarget | ProgramTarget] | None = None,
    *,
    targets_from: str = "given",
    correct_at: float | None = None,
    tries: int = 200,
    seed: int = 0,
    timeout_s: float = 5.0,
    budget_s: float | None = 30.0,
) -> ProbeReport:
    """Everything that the probes find of a verifier; label-free, in killable processes.

    Args:
        verifier: a registered name, `pkg.mod:fn`, `path/file.py:fn`, or a verifier that pickles.
        targets: what it is probed with, see `targets` and `programs`; None takes the shipped set.
        targets_from: where they are from, for the report.
        correct_at: the reward from which a response counts as accepted; None takes 1, or what references get where
            that is less.
        tries: compositions that the search asks.
        seed: of the search.
        timeout_s: seconds that one case may take.
        budget_s: seconds that all cases may take, the start of the verifier's processes left out; None for no limit.
            Of a verifier that would take longer fewer cases are asked, and the report says so.

    Raises:
        ArgumentError: no target, or an option outside its range.
        UnknownNameError: no verifier has that name.
        InputError: the function cannot be found, imported or called.

    Example:
        >>> report = probe("exact", tries=0)
        >>> [finding.fault for finding in report.findings if finding.severity == "fail"]
        ['case_folding']
    """
    started = perf_counter()
    tries, seed = whole("tries", tries, at_least=0), whole("seed", seed, at_least=0)
    timeout_s = positive("timeout_s", timeout_s, what="number of seconds")
    if budget_s is not None:
        budget_s = positive("budget_s", budget_s, what="number of seconds")
    if correct_at is not None:
        correct_at = positive("correct_at", correct_at)
    asked = tuple(shipped_targets() if targets is None else targets)
    if not asked:
        raise ArgumentError("targets: expected at least one, got none")
    with Asker(verifier, timeout_s=timeout_s, budget_s=budget_s) as asker:
        evidence = _evidence(asker, asked, correct_at=correct_at, tries=tries, seed=seed, is_shipped=targets is None)
        found = findings(evidence)
        part = evidence.controlled.part
        severity: Severity = found[0].severity if found else "info"
        status = _status(evidence, found)
        return ProbeReport(
            rewardgate_version=__version__,
            verifier=asker.name,
            told=asker.told,
            correct_at=asker.correct_at,
            targets_from="shipped" if targets is None else targets_from,
            n_targets=len(asked),
            n_cases=asker.n_asked,
            seed=seed,
            status=status,
            severity=severity,
            headline=_headline(status, found, part.reason),
            controls=part,
            headlines=headlines(evidence.grid, evidence.lazy, len(asked)) if evidence.grid.rows else None,
            rows=tuple(evidence.grid.rows.values()),
            behaviour=_behaviour(evidence),
            findings=found,
            search={"tried": evidence.found.n_tried, "unexpected": evidence.found.n_hits},
            not_measured=tuple(unmeasured(evidence)),
            seconds=perf_counter() - started,
        )


def _evidence(
    asker: Asker,
    asked: Sequence[ProbeTarget | ProgramTarget],
    *,
    correct_at: float | None,
    tries: int,
    seed: int,
    is_shipped: bool,
) -> Evidence:
    targets = [one for one in asked if isinstance(one, ProbeTarget)]
    programs = [one for one in asked if isinstance(one, ProgramTarget)]
    asker.correct_at = 1.0 if correct_at is None else correct_at
    play = program_play(asker, programs, seed=seed) if programs else None
    of_programs = () if play is None else play.verdicts
    if targets or play is None:
        control = controlled(asker, targets, correct_at=correct_at)
    else:
        control = Controlled(program_controls(play), {}, (), {}, None)
    acts, lazy, pairs = Conduct(), None, None
    said: list[CaseVerdict] = []
    found = SearchResult(0, 0, ())
    grid = matrix(of_programs, ())
    if control.home is not None:
        acts = conduct(asker, control, targets)
        cases = [*right_cases(control.readable, control.forms), *wrong_cases(control.readable, control.forms, targets)]
        said = asker.ask_ahead(cases, share=_SHARE)
        grid = matrix([*_format_rows(control), *said, *of_programs], control.readable)
        lazy = lazy_play(asker, targets, control.home)
        if not acts.random:
            pairs = asymmetry(asker, control, [one for one in said if one.expectation == "accept"])
        if not acts.random and not asker.has_lost:
            found = search(asker, control, grid, targets, seed=seed, tries=tries)
    return Evidence(
        verifier=asker.name,
        is_shipped=is_shipped,
        correct_at=asker.correct_at,
        targets=targets,
        controlled=control,
        grid=grid,
        conduct=acts,
        lazy=lazy,
        found=found,
        asymmetry=pairs,
        all_verdicts=[
            one for some in (*control.verdicts.values(), said, of_programs) for one in some if one.outcome != NOT_ASKED
        ],
        programs=play,
        unasked=dict(asker.pace.unasked),
        lost=tuple(asker.pace.lost),
    )


def _format_rows(control: Controlled) -> list[CaseVerdict]:
    """Of the formats that a verifier is expected to read, on the targets that it reads at all."""
    readable = {target.target for target in control.readable}
    return [
        one
        for name, verdicts in control.verdicts.items()
        if FORMS[name].is_expected
        for one in verdicts
        if one.target in readable
    ]


def _behaviour(of: Evidence) -> Behaviour:
    acts = of.conduct
    if not acts.n_calls:
        return Behaviour(latency=latency(of.all_verdicts))
    is_steady = not acts.random and not acts.order
    return Behaviour(
        is_deterministic=not acts.random,
        is_order_free=None if acts.random else not acts.order,
        works_in_thread=not acts.thread if is_steady else None,
        works_in_event_loop=not acts.event_loop if is_steady and acts.event_loop is not None else None,
        asymmetry=of.asymmetry,
        latency=latency(of.all_verdicts),
    )


def _status(of: Evidence, found: Sequence[ProbeFinding]) -> Status:
    if not of.controlled.part.separates and not of.conduct.random:
        return "inconclusive"
    if any(one.severity != "info" for one in found):
        return "findings"
    has_refused = any(row.expectation == "reject" and row.n for row in of.grid.rows.values())
    return "ok" if has_refused else "inconclusive"


def _headline(status: Status, found: Sequence[ProbeFinding], reason: str) -> str:
    if status == "inconclusive":
        return f"inconclusive: {reason or 'there was no time to offer it anything wrong (--budget)'}"
    accusing = [one for one in found if one.severity != "info"]
    if accusing:
        more = f" (and {len(accusing) - 1} more)" if len(accusing) > 1 else ""
        return accusing[0].sentence + more
    is_strict = any(one.fault in ("strict", "domain", "convention") for one in found)
    return "no fault found" + (", strict in what it reads" if is_strict else "")
