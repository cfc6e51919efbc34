"""Which rollouts to label: prompts drawn at random within strata, each with its probability.

The prompt is the unit, as its rollouts are right and wrong together (a wrong target makes all of them wrong):
by default one rollout of a prompt is labelled, whichever strata its rollouts lie in. Every random number is a
hash of the seed and the prompt's id, so that a larger sample holds the smaller one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import inf, sqrt

from ...diagnostics.groups import GroupKind
from ...errors import ArgumentError
from .units import WRONG, LabelStratum, Unit

__all__ = ["DEFAULT_PROMPTS", "Drawn", "StratumSize", "allocation", "draw", "stratum_sizes"]

DEFAULT_PROMPTS = 59
"""The zero-failure plan: 59 labels without an error bound the rate of errors by 5 % (`samples_needed(0.05)`)."""

_HEADLINE_EMPHASIS = 2.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """One rollout to label.

    Args:
        key: of the unit.
        group_id, position, prompt_id, stratum: as of the unit.
        probability: with which this rollout came into the sample.
    """

    key: str
    group_id: str
    position: int
    prompt_id: str
    stratum: LabelStratum
    probability: float


@dataclass(frozen=True, slots=True)
class StratumSize:
    """What a stratum holds: rollouts, and prompts with at least one of them in it."""

    n_rollouts: int
    n_prompts: int


def stratum_sizes(units: Iterable[Unit]) -> dict[LabelStratum, StratumSize]:
    """The size of every stratum that has a unit, in the order of their names."""
    rollouts: defaultdict[LabelStratum, int] = defaultdict(int)
    prompts: defaultdict[LabelStratum, set[str]] = defaultdict(set)
    for unit in units:
        rollouts[unit.stratum] += 1
        prompts[unit.stratum].add(unit.prompt_id)
    return {one: StratumSize(rollouts[one], len(prompts[one])) for one in sorted(rollouts, key=str)}


def draw(
    units: Sequence[Unit],
    n_prompts: int = DEFAULT_PROMPTS,
    *,
    seed: int = 0,
    rollouts_per_prompt: int = 1,
    within: str = "",
) -> list[Drawn]:
    """A stratified sample of prompts, in an order in which every beginning of it is one too.

    A prompt whose rollouts lie in k strata is first put into one of them, each with probability 1/k; then
    `allocation` says how many prompts are drawn from those of each stratum, and of a drawn prompt's M rollouts in
    it m are taken. So a rollout's probability is 1/k · n_h/N_h · m/M.

    Args:
        units: all of the file.
        n_prompts: to draw, at least 1; all where there are fewer.
        seed: another one draws others.
        rollouts_per_prompt: m, at least 1; more than one tells little more (`reliability` counts prompts).
        within: the beginning of the names of the strata to draw from (`wrong/all_wrong`); empty for all.

    Raises:
        ArgumentError: numbers outside those ranges, or no unit lies in such a stratum.
    """
    if n_prompts < 1:
        raise ArgumentError(f"n_prompts: expected at least 1, got {n_prompts}")
    if rollouts_per_prompt < 1:
        raise ArgumentError(f"rollouts_per_prompt: expected at least 1, got {rollouts_per_prompt}")
    prompts: defaultdict[str, defaultdict[LabelStratum, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        if str(unit.stratum).startswith(within):
            prompts[unit.prompt_id][unit.stratum].append(unit)
    if not prompts:
        names = ", ".join(map(str, stratum_sizes(units))) or "none"
        raise ArgumentError(f"within: expected the beginning of a stratum's name, got {within!r}; there are: {names}")
    assigned: defaultdict[LabelStratum, list[str]] = defaultdict(list)
    for prompt_id, by_stratum in prompts.items():
        strata = sorted(by_stratum, key=str)
        assigned[strata[int(_uniform(seed, "stratum", prompt_id) * len(strata))]].append(prompt_id)
    sizes = allocation({stratum: len(ids) for stratum, ids in assigned.items()}, n_prompts)
    placed: list[tuple[float, Drawn]] = []
    for stratum, ids in assigned.items():
        ranked = sorted(ids, key=lambda prompt_id: (_uniform(seed, "order", prompt_id), prompt_id))
        size = sizes[stratum]
        for rank, prompt_id in enumerate(ranked[:size]):
            own = sorted(prompts[prompt_id][stratum], key=lambda unit: _uniform(seed, "rollout", unit.key))
            taken = own[:rollouts_per_prompt]
            probability = size / len(ids) / len(prompts[prompt_id]) * len(taken) / len(own)
            # Strata take turns, in no rhythm that tells a labeller which one is next.
            place = (rank + _uniform(seed, "turn", prompt_id)) / size
            placed += [(place, _drawn(unit, probability)) for unit in taken]
    return [drawn for _, drawn in sorted(placed, key=lambda one: (one[0], one[1].key))]


def allocation(sizes: Mapping[LabelStratum, int], n_prompts: int) -> dict[LabelStratum, int]:
    """How many of `n_prompts` prompts each stratum gets.

    One each, the largest claim first; the rest in proportion to the square root of the stratum's size, so that
    small strata, where the doubts are, get more than their share. Rejections inside all-wrong groups, which the
    headline speaks of, count double. Whatever is added to `n_prompts` takes nothing from any stratum.

    Args:
        sizes: prompts of each stratum.
        n_prompts: at least 1.

    Source:
        power allocation with exponent 1/2 (Bankier 1988), in whole numbers by Sainte-Laguë's divisors; the
        doubling is ours.

    Example:
        >>> plain, flagged = LabelStratum("wrong", "mixed", False), LabelStratum("wrong", "mixed", True)
        >>> {str(name): n for name, n in allocation({plain: 900, flagged: 9}, 22).items()}
        {'wrong/mixed/plain': 20, 'wrong/mixed/flagged': 2}
    """
    given = dict.fromkeys(sizes, 0)
    claims = {stratum: _claim(stratum, size) for stratum, size in sizes.items()}

    def turn(stratum: LabelStratum) -> tuple[float, float, str]:
        count = given[stratum]
        return (inf if count == 0 else claims[stratum] / (2 * count + 1), claims[stratum], str(stratum))

    for _ in range(min(n_prompts, sum(sizes.values()))):
        open_strata = (stratum for stratum in sizes if given[stratum] < sizes[stratum])
        given[max(open_strata, key=turn)] += 1
    return given


def _claim(stratum: LabelStratum, size: int) -> float:
    is_headline = stratum.verdict == WRONG and stratum.kind == GroupKind.ALL_WRONG
    return sqrt(size) * (_HEADLINE_EMPHASIS if is_headline else 1.0)


def _uniform(seed: int, purpose: str, name: str) -> float:
    """A number in [0, 1) that is always the same for the same words."""
    digest = sha256(f"{seed}\0{purpose}\0{name}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _drawn(unit: Unit, probability: float) -> Drawn:
    return Drawn(unit.key, unit.group_id, unit.position, unit.prompt_id, unit.stratum, probability)
