"""From verdicts to findings: one a fault, each wrong verdict attributed to the fault that explains it best."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from .asking import LOST
from .attribution import attribution
from .behaviour import Conduct
from .cases import PROGRAM, rows_by_name
from .controls import Controlled
from .faults import FAULTS
from .lazy import LazyPlay
from .matrix import Matrix
from .model import SEVERITIES, Asymmetry, CaseVerdict, ProbeFinding
from .programs import ProgramPlay
from .searching import SearchResult
from .targets import ProbeTarget

__all__ = ["Evidence", "finding", "findings"]

_MOST_EVIDENCE = 3
_MOST_ROWS = 6
_SAYS_NOTHING = {"none": "none", "nan": "nan", "error": "raises", "timeout": "hangs", "crash": "crash"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that findings are drawn from.

    Args:
        unasked: cases that were left out, by reason; see `pacing`.
        lost: probes of which a case hung or ended its process.
        programs: what was said of programs; None where no target is one.
        all_verdicts: on the cases that were asked, those of conduct and laziness left out.
    """

    verifier: str
    is_shipped: bool
    correct_at: float
    targets: Sequence[ProbeTarget]
    controlled: Controlled
    grid: Matrix
    conduct: Conduct
    lazy: LazyPlay | None
    found: SearchResult
    asymmetry: Asymmetry | None
    all_verdicts: Sequence[CaseVerdict]
    unasked: Mapping[str, int]
    lost: Sequence[str]
    programs: ProgramPlay | None = None


def findings(of: Evidence) -> tuple[ProbeFinding, ...]:
    """Every finding, the gravest first."""
    drawn = [*_conduct(of), *_unanswered(of), *_rewards(of)]
    # What a lottery, or one with a memory, says of a single row is no evidence.
    if not of.conduct.random and not of.conduct.order:
        paid = list(_paid(of))
        drawn += [
            *paid,
            *_lazy(of, is_explained=bool(paid)),
            *_refused(of),
            *_compositions(of, {one.fault for one in paid}),
            *_told(of),
        ]
    return tuple(sorted(drawn, key=lambda one: -SEVERITIES.index(one.severity)))


def finding(
    verifier: str,
    fault: str,
    sentence: str,
    *,
    evidence: Sequence[CaseVerdict] = (),
    probes: Sequence[str] = (),
    recipe: Sequence[str] = (),
) -> ProbeFinding:
    """A finding of a known fault; its fingerprint hangs on the verifier, the fault and what is left of a recipe."""
    known = FAULTS[fault]
    key = "\0".join((verifier, fault, *recipe, *(probes if known.severity == "info" else ())))
    shown = sorted(evidence, key=lambda one: len(one.response))[:_MOST_EVIDENCE]
    return ProbeFinding(
        fingerprint=sha256(key.encode()).hexdigest()[:16],
        fault=fault,
        severity=known.severity,
        sentence=f"{known.title}: {sentence}",
        explanation=known.explanation,
        probes=tuple(probes),
        recipe=tuple(recipe),
        evidence=tuple(shown),
    )


def _conduct(of: Evidence) -> Iterator[ProbeFinding]:
    conduct = of.conduct
    kinds = (
        ("random", conduct.random),
        ("order_dependence", conduct.order),
        ("thread", conduct.thread),
        ("event_loop", conduct.event_loop or []),
    )
    for fault, differing in kinds:
        if differing:
            sentence = f"{len(differing)} verdicts differ from those of the same case before"
            yield finding(of.verifier, fault, sentence, evidence=differing)


def _unanswered(of: Evidence) -> Iterator[ProbeFinding]:
    """No verdict where the target is fine: its reference is accepted."""
    fine = {target.target for target in of.controlled.readable}
    by_fault: dict[str, list[CaseVerdict]] = defaultdict(list)
    for one in of.all_verdicts:
        if one.outcome in _SAYS_NOTHING and (one.target in fine or one.outcome in (*LOST, "nan")):
            by_fault[_SAYS_NOTHING[one.outcome]].append(one)
    for fault, verdicts in by_fault.items():
        probes = tuple(dict.fromkeys(one.probe for one in verdicts))
        sentence = f"{len(verdicts)} cases of {len(of.all_verdicts)}"
        yield finding(of.verifier, fault, sentence, evidence=verdicts, probes=probes)


def _rewards(of: Evidence) -> Iterator[ProbeFinding]:
    most = max(1.0, of.correct_at)
    outside = [one for one in of.all_verdicts if one.reward is not None and abs(one.reward) > most * (1 + 1e-9)]
    if outside:
        values = sorted({one.reward for one in outside if one.reward is not None})
        seen = f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g} … {values[-1]:g}"
        sentence = f"{len(outside)} rewards beyond ±{most:g}: {seen}"
        yield finding(of.verifier, "out_of_range", sentence, evidence=outside)
    longer = list(_paid_for_length(of.grid))
    if longer:
        pairs = len(of.grid.verdicts.get("long_wrong", ()))
        sentence = f"{len(longer)} of {pairs} targets earn more where text without content stands before the answer"
        yield finding(of.verifier, "length", sentence, evidence=longer, probes=("long_wrong", "prose_before"))


def _paid_for_length(grid: Matrix) -> Iterator[CaseVerdict]:
    """The longer of two responses with the same answer, where it is worth more; half of the targets make a habit."""
    for short, long in (("plus_one", "long_wrong"), ("newlines_behind", "prose_before")):
        plain = {one.target: one.reward for one in grid.verdicts.get(short, ())}
        more = [
            one
            for one in grid.verdicts.get(long, ())
            if one.reward is not None and (before := plain.get(one.target)) is not None and one.reward > before
        ]
        # Counted by target: many prompts may share one.
        is_habit = 2 * len({one.target for one in more}) >= len(plain) > 0
        if is_habit and more and not all(_is_refused(grid, short, one) for one in more):
            yield from more
            return


def _is_refused(grid: Matrix, short: str, longer: CaseVerdict) -> bool:
    """Whether a right answer is refused when short: strictness about what stands before it, not a price for length."""
    return longer.expectation == "accept" and any(
        one.target == longer.target and one.accepted is False for one in grid.verdicts.get(short, ())
    )


def _paid(of: Evidence) -> Iterator[ProbeFinding]:
    """Wrong answers that were accepted, by the fault that explains each."""
    attribute = attribution(of.grid, of.controlled, of.targets)
    by_fault: dict[str, list[CaseVerdict]] = defaultdict(list)
    for probe, row in of.grid.rows.items():
        if row.expectation == "reject" and not row.explained:
            for one in of.grid.unexpected(probe):
                by_fault[attribute(one)].append(one)
    for one in of.found.hits:
        # A composition that an accepted row explains says nothing new.
        if one.expectation == "reject" and attribute(one) in by_fault:
            by_fault[attribute(one)].append(one)
    for fault, verdicts in by_fault.items():
        counts = Counter(one.probe for one in verdicts if one.probe in of.grid.rows)
        told = [f"{probe} {count}/{of.grid.rows[probe].n}" for probe, count in counts.items()]
        more = f", {len(told) - _MOST_ROWS} more rows" if len(told) > _MOST_ROWS else ""
        sentence = f"accepted: {', '.join(told[:_MOST_ROWS])}{more}"
        yield finding(of.verifier, fault, sentence, evidence=_clearest(verdicts, fault), probes=tuple(counts))


def _clearest(verdicts: Sequence[CaseVerdict], fault: str) -> list[CaseVerdict]:
    """Those of the row that is named for the fault, where there are some."""
    rows = rows_by_name()
    return [one for one in verdicts if one.probe in rows and rows[one.probe].fault == fault] or list(verdicts)


def _lazy(of: Evidence, *, is_explained: bool) -> Iterator[ProbeFinding]:
    if of.lazy is None or not of.lazy.unearned or is_explained:
        return
    n = sum(target.target not in {one.target for one in of.lazy.unearned} for target in of.targets)
    sentence = f'"{of.lazy.strategy}" is accepted for {len(of.lazy.unearned)} of {n + len(of.lazy.unearned)} targets'
    yield finding(of.verifier, "lazy", sentence, evidence=of.lazy.unearned, probes=("lazy",))


def _refused(of: Evidence) -> Iterator[ProbeFinding]:
    """Right answers refused: without consistency a fault, with it strictness."""
    right = {name: row for name, row in of.grid.rows.items() if row.expectation == "accept" and row.n_unexpected}
    tripping = set(_tripping(of))
    if tripping:
        verdicts = [one for one in of.grid.unexpected("answer_tag") if one.target in tripping]
        sentence = f"<answer>7</answer> refused for {len(verdicts)} targets whose spaced tag is accepted"
        yield finding(of.verifier, "tag_trips", sentence, evidence=verdicts, probes=("answer_tag",))
        right.pop("answer_tag", None)
    one_line, lines = (of.grid.rows.get(name) for name in ("short_thought_before", "thought_before"))
    if one_line is not None and lines is not None and not one_line.n_unexpected and lines.n_unexpected == lines.n:
        evidence = of.grid.unexpected("thought_before")
        sentence = f"{lines.n_unexpected} of {lines.n} right answers refused behind a thought of several lines"
        yield finding(of.verifier, "one_line", sentence, evidence=evidence, probes=("thought_before",))
        right.pop("thought_before", None)
    for probe, row in right.items():
        fault = "strict" if row.explained else "inconsistent"
        if row.family == PROGRAM:
            fault = "reference_refused"
        why = f" ({row.explained})" if row.explained else ""
        sentence = f"{row.meaning.strip()} [{probe}] refused {row.n_unexpected}/{row.n}{why}"
        yield finding(of.verifier, fault, sentence, evidence=of.grid.unexpected(probe), probes=(probe,))
    for probe, row in of.grid.rows.items():
        if row.expectation == "reject" and row.explained:
            sentence = f"{row.meaning} [{probe}] accepted {row.n_accepted}/{row.n} ({row.explained})"
            yield finding(of.verifier, "convention", sentence, evidence=of.grid.unexpected(probe), probes=(probe,))


def _tripping(of: Evidence) -> Iterator[str]:
    """Targets that are read bare and between spaced tags, and refused between tags that touch them."""
    accepted = {
        name: {one.target for one in of.controlled.verdicts.get(name, ()) if one.accepted}
        for name in ("bare", "answer_tag", "answer_tag_spaced")
    }
    yield from (accepted["bare"] & accepted["answer_tag_spaced"]) - accepted["answer_tag"]


def _compositions(of: Evidence, explained: set[str]) -> Iterator[ProbeFinding]:
    attribute = attribution(of.grid, of.controlled, of.targets)
    for one in of.found.hits:
        if one.expectation == "reject" and attribute(one) in explained:
            continue
        what = "a right answer is refused" if one.expectation == "accept" else "a wrong answer is paid"
        sentence = f"{what}: {' + '.join(one.recipe)}"
        yield finding(of.verifier, "composition", sentence, evidence=(one,), recipe=one.recipe)


def _told(of: Evidence) -> Iterator[ProbeFinding]:
    controls = of.controlled.part
    refused = [target for target in of.targets if target not in of.controlled.readable]
    if refused and of.controlled.readable:
        kinds = ", ".join(f"{row.kind} {row.n_accepted}/{row.n}" for row in controls.kinds if row.n_accepted < row.n)
        fault = "domain" if of.is_shipped else "reference_refused"
        sentence = f"{len(refused)} of {len(of.targets)} references refused in every format ({kinds})"
        refusals = [one for one in of.controlled.verdicts["boxed"] if one.target in {t.target for t in refused}]
        yield finding(of.verifier, fault, sentence, evidence=refusals)
    if of.asymmetry is not None and of.asymmetry.n_asymmetric and of.asymmetry.example is not None:
        counts = of.asymmetry
        sentence = f"{counts.n_asymmetric} of {counts.n_pairs} equal pairs are refused the other way round"
        yield finding(of.verifier, "asymmetry", sentence, evidence=(of.asymmetry.example,))
