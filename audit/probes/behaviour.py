"""What must hold whatever is asked: the same call gets the same verdict, in any order, company, thread and loop."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from statistics import median

from ...verifiers.workers.conditions import ONE_BY_ONE
from .asking import NOT_ASKED, Asker
from .controls import Controlled, wrong_answer
from .model import Asymmetry, CaseVerdict, Latency, ProbeCase
from .notations import NOTATIONS
from .targets import ProbeTarget

__all__ = ["Conduct", "asymmetry", "conduct", "latency"]

_MOST_TARGETS = 6
_PASSES = 4
_OTHERS = 4  # times that the sequence is asked in another order or company
_A_TARGET = 5  # rows of one target in the sequence
_SHARE = 0.15  # of the budget
_OWN_LOOP = "Runner.run() cannot be called from a running event loop"


@dataclass(slots=True)
class Conduct:
    """What was found: the verdicts that differ from those given before. `event_loop` is None where it says nothing."""

    random: list[CaseVerdict] = field(default_factory=list)
    order: list[CaseVerdict] = field(default_factory=list)
    thread: list[CaseVerdict] = field(default_factory=list)
    event_loop: list[CaseVerdict] | None = field(default_factory=list)
    n_calls: int = 0


def conduct(asker: Asker, found: Controlled, targets: Sequence[ProbeTarget]) -> Conduct:
    """Ask one sequence again and again, then in the opposite order, as one batch, in a thread and an event loop.

    What a verifier remembers it has heard after the first time: if the second and the third time still differ, it
    draws lots. If they agree, and another order or company changes a verdict, it depends on what else it is asked.
    """
    a_target_s = _A_TARGET * (_PASSES + _OTHERS) * asker.pace.usual_s
    most = _MOST_TARGETS if a_target_s == 0 else int(_SHARE * asker.pace.budget_s / a_target_s)
    cases = list(_sequence(found, targets, most=max(1, min(_MOST_TARGETS, most))))
    result = Conduct(n_calls=len(cases) * (_PASSES + _OTHERS))
    if not cases:
        return result
    first, *later = [asker.ask_in(0, cases, ONE_BY_ONE) for _ in range(_PASSES)]
    if asker.pace.is_spent:
        return Conduct()
    for before, after in pairwise(later):
        result.random += _differing(before, after)
    if result.random:
        return result
    orders = [list(range(len(cases)))[::-1], Random(0).sample(range(len(cases)), len(cases))]
    for other in (
        later[0],
        *(_in_order(asker, 1, cases, order, ONE_BY_ONE) for order in orders),
        asker.ask_in(0, cases),
        _in_order(asker, 1, cases, orders[0], "batch"),
    ):
        result.order += _differing(first, other)
    result.order += _within(first)
    if not result.order:
        few = cases[: 2 * _A_TARGET]
        result.thread = list(_differing(first, asker.ask_in(0, few, "thread")))
        in_loop = asker.ask_in(1, few, "event loop")
        # An async function cannot be awaited from inside a loop by us; in a trainer's it is awaited by the trainer.
        is_ours = any(_OWN_LOOP in one.detail for one in in_loop)
        result.event_loop = None if is_ours else list(_differing(first, in_loop))
    return result


def asymmetry(asker: Asker, found: Controlled, right: Sequence[CaseVerdict]) -> Asymmetry | None:
    """Other notations that were accepted for their target, the other way round.

    Args:
        asker: the verifier.
        found: of the controls.
        right: verdicts on notations.
    """
    accepted = [one for one in right if one.accepted and one.probe in NOTATIONS]
    answers = {target.target: target.answer for target in found.readable}
    swapped: list[ProbeCase] = []
    for one in accepted[:: max(1, len(accepted) // 40)][:40]:
        form = found.forms[one.target]
        written = one.response.removeprefix(form.before).removesuffix(form.after)
        recipe = (*one.recipe, "swapped")
        swapped.append(ProbeCase("swapped", "accept", written, form.offer(answers[one.target]), one.prompt, recipe))
    said = [one for one in asker.ask(swapped, share=_SHARE / 3) if one.accepted is not None]
    refused = [one for one in said if not one.accepted]
    return Asymmetry(n_pairs=len(said), n_asymmetric=len(refused), example=next(iter(refused), None)) if said else None


def latency(verdicts: Sequence[CaseVerdict]) -> Latency | None:
    """How long the calls took that came back."""
    timed = [(one.seconds, one.probe) for one in verdicts if one.seconds is not None]
    if not timed:
        return None
    worst, probe = max(timed)
    return Latency(n=len(timed), median_s=median(seconds for seconds, _ in timed), worst_s=worst, worst_probe=probe)


def _sequence(found: Controlled, targets: Sequence[ProbeTarget], *, most: int) -> Iterator[ProbeCase]:
    """For a few targets: a wrong answer, the reference, the wrong answer again, nothing, the reference again."""
    step = max(1, len(found.readable) // most)
    for target in found.readable[::step][:most]:
        form = found.forms[target.target]
        right, wrong = form.offer(target.answer), form.offer(wrong_answer(target, targets))
        for probe, response in (
            ("plus_one", wrong),
            ("reference", right),
            ("plus_one", wrong),
            ("empty", ""),
            ("reference", right),
        ):
            expectation = "accept" if probe == "reference" else "reject"
            yield ProbeCase(probe, expectation, target.target, response, target.prompt, (probe,))


def _in_order(asker: Asker, lane: int, cases: Sequence[ProbeCase], order: Sequence[int], how: str) -> list[CaseVerdict]:
    """The verdicts on `cases`, asked in another order and put back into theirs."""
    said = dict(zip(order, asker.ask_in(lane, [cases[place] for place in order], how), strict=True))
    return [said[place] for place in range(len(cases))]


def _differing(one: Sequence[CaseVerdict], other: Sequence[CaseVerdict]) -> Iterator[CaseVerdict]:
    """The verdicts of `other` that are not those of `one`; a verdict that was never given differs from none."""
    for mine, theirs in zip(one, other, strict=False):
        if NOT_ASKED not in (mine.outcome, theirs.outcome) and _said(mine) != _said(theirs):
            yield theirs


def _within(verdicts: Sequence[CaseVerdict]) -> Iterator[CaseVerdict]:
    """Rows that were judged otherwise the second time, with others between."""
    for place in range(0, len(verdicts), _A_TARGET):
        yield from _differing(verdicts[place : place + 2], (verdicts[place + 2], verdicts[place + 4]))


def _said(verdict: CaseVerdict) -> tuple[object, ...]:
    return verdict.accepted, verdict.reward, verdict.outcome
