"""A seeded, bounded search over compositions: what is refused though each part is accepted, and paid though wrong.

Only what the verifier handles one by one is composed, so that a hit says something new. Each hit is reduced: a part is
dropped as long as the verdict stays unexpected without it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from .asking import NOT_ASKED, Asker
from .controls import Controlled
from .forms import FORMS
from .matrix import Matrix, is_unexpected
from .model import CaseVerdict, Expectation, ProbeCase
from .notations import NOTATIONS, SURROUNDINGS
from .targets import ProbeTarget
from .wrong import WRONG

__all__ = ["Composition", "SearchResult", "search"]

_MOST_REDUCED = 8
_SHARE = 0.1  # of the budget
# From the inside out: a stop token ends a text, a thought begins it, and line ends are changed last.
_ORDER = (
    "newlines_behind", "sign_off", "end_of_turn", "end_of_sequence", "code_before", "prose_before", "thought_before",
    "crlf",
)  # fmt: skip
_ENDS = {"end_of_turn", "end_of_sequence"}


@dataclass(frozen=True, slots=True)
class Composition:
    """A target, what is made of its answer (a notation, a wrong answer, or nothing), a format and surroundings."""

    target: ProbeTarget
    expectation: Expectation
    change: str | None
    form: str
    surroundings: tuple[str, ...]

    @property
    def recipe(self) -> tuple[str, ...]:
        """The names in order."""
        return (*((self.change,) if self.change else ()), self.form, *self.surroundings)

    def case(self, others: Sequence[ProbeTarget]) -> ProbeCase | None:
        """The case; None where the target has no such answer."""
        answer: str | None = self.target.answer
        if self.change is not None:
            is_right = self.expectation == "accept"
            made = NOTATIONS[self.change] if is_right else None
            answer = WRONG[self.change].write(self.target, others) if made is None else made.write(self.target)
        if answer is None or (self.expectation == "reject" and answer == self.target.answer):
            return None
        response = FORMS[self.form].offer(answer)
        for name in self.surroundings:
            response = SURROUNDINGS[name].around(response)
        return ProbeCase("composition", self.expectation, self.target.target, response, self.target.prompt, self.recipe)

    def smaller(self) -> Iterator["Composition"]:
        """The same with one part less."""
        for name in self.surroundings:
            rest = tuple(one for one in self.surroundings if one != name)
            yield Composition(self.target, self.expectation, self.change, self.form, rest)
        if self.expectation == "accept" and self.change is not None:
            yield Composition(self.target, self.expectation, None, self.form, self.surroundings)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How many compositions were tried, how many were unexpected, and one reduced case of each kind of hit."""

    n_tried: int
    n_hits: int
    hits: Sequence[CaseVerdict]


def search(
    asker: Asker, found: Controlled, grid: Matrix, others: Sequence[ProbeTarget], *, seed: int, tries: int
) -> SearchResult:
    """Draw compositions, ask for them, and reduce those that are judged unexpectedly.

    Args:
        asker: the verifier.
        found: of the controls.
        grid: the matrix: what is handled alone.
        others: where wrong answers are taken from.
        seed: of the draws.
        tries: how many compositions are asked, the reductions not counted.
    """
    alone = _handled(found, grid)
    drawn = list(_drawn(Random(seed), found, alone, tries)) if found.readable and tries else []
    tried = [(one, case) for one in drawn if (case := one.case(others)) is not None]
    said = asker.ask([case for _, case in tried], share=_SHARE)
    hits = [(one, verdict) for (one, _), verdict in zip(tried, said, strict=True) if is_unexpected(verdict)]
    reduced: dict[tuple[str, ...], CaseVerdict] = {}
    seen: set[tuple[str, ...]] = set()
    for one, verdict in hits:
        if one.recipe in seen or len(reduced) >= _MOST_REDUCED:
            continue
        seen.add(one.recipe)
        small = _reduced(asker, one, verdict, others)
        reduced.setdefault(small.recipe, small)
    n_tried = sum(one.outcome != NOT_ASKED for one in said)
    return SearchResult(n_tried, len(hits), tuple(reduced.values()))


def _handled(found: Controlled, grid: Matrix) -> Mapping[str, set[str]]:
    """Target -> the formats, notations, surroundings and wrong answers that it is judged by as it should be."""
    alone: dict[str, set[str]] = {target.target: set() for target in found.readable}
    for probe, verdicts in [*found.verdicts.items(), *grid.verdicts.items()]:
        for one in verdicts:
            if one.target in alone and one.accepted is not None and not is_unexpected(one):
                alone[one.target].add(probe)
    return alone


def _drawn(random: Random, found: Controlled, alone: Mapping[str, set[str]], tries: int) -> Iterator[Composition]:
    for attempt in range(tries):
        target = found.readable[random.randrange(len(found.readable))]
        able = alone[target.target]
        forms = [name for name in FORMS if name in able] or [found.forms[target.target].name]
        around = [name for name in _ORDER if name in able]
        is_right = attempt % 2 == 0
        changes = [name for name in (NOTATIONS if is_right else WRONG) if name in able]
        if not changes and not is_right:
            continue
        change = random.choice(changes) if changes else None
        picked = set(random.sample(around, min(len(around), random.randint(1, 3))))
        if picked >= _ENDS:
            picked.discard("end_of_sequence")
        surroundings = tuple(name for name in _ORDER if name in picked)
        # A wrong answer stays in the format in which it was refused; a right one may take any that is read.
        form = random.choice(forms) if is_right and change is None else found.forms[target.target].name
        yield Composition(target, "accept" if is_right else "reject", change, form, surroundings)


def _reduced(asker: Asker, one: Composition, verdict: CaseVerdict, others: Sequence[ProbeTarget]) -> CaseVerdict:
    while True:
        smaller = [(less, case) for less in one.smaller() if (case := less.case(others)) is not None]
        said = asker.ask([case for _, case in smaller])
        still = next((pair for pair in zip(smaller, said, strict=True) if is_unexpected(pair[1])), None)
        if still is None:
            return verdict
        (one, _), verdict = still
