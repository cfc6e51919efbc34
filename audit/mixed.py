"""Mixed groups, the ones that teach: do right and wrong responses differ in length and form?

A difference says what the policy is pushed towards besides being right. Groups are compared within
themselves, so that hard prompts with long responses do not pass for a preference for short ones.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median

from ..diagnostics.groups import GroupKind, GroupKinds
from ..diagnostics.intervals import bootstrap_by_prompt
from .judging import Judged, JudgedGroup
from .report.model import MixedGroups, OutcomeDifference

__all__ = ["mixed_part", "response_length"]

_RESAMPLES = 2_000
_PLACE_NAMES = {
    "boxed": "share with a box",
    "answer_tag": "share with an answer tag",
    "hash": "share with ####",
    "phrase": "share with an announced answer",
}

_Split = Sequence[tuple[str, list[Judged], list[Judged]]]
"""Of each mixed group: its prompt's id, its rollouts scored right, and those scored wrong."""


def response_length(rollout: Judged, unit: str) -> int | None:
    """Length of a rollout's response in `unit` (`"tokens"` or `"characters"`); None where unknown."""
    if unit == "tokens":
        return rollout.n_tokens
    return None if rollout.facts is None else rollout.facts.n_characters


def mixed_part(
    groups: Sequence[JudgedGroup], kinds: GroupKinds, *, correct_at: float, unit: str, seed: int
) -> MixedGroups:
    """Length and form by outcome, as it was scored, in the groups that are mixed.

    Args:
        groups: all groups, in the order of `kinds`.
        kinds: as scored.
        correct_at: reward from which a rollout counts as correct.
        unit: of length.
        seed: of the bootstrap.
    """
    split: list[tuple[str, list[Judged], list[Judged]]] = []
    for group, kind in zip(groups, kinds.kinds, strict=True):
        if kind is not GroupKind.MIXED:
            continue
        scored = [rollout for rollout in group.rollouts if rollout.scored is not None]
        right = [rollout for rollout in scored if (rollout.scored or 0.0) >= correct_at]
        wrong = [rollout for rollout in scored if (rollout.scored or 0.0) < correct_at]
        if right and wrong:
            split.append((group.prompt_id, right, wrong))
    rows = [_length_difference(split, unit, seed), *_shares(split, seed)]
    return MixedGroups(
        n_groups=len(split),
        n_correct=sum(len(right) for _, right, _ in split),
        n_wrong=sum(len(wrong) for _, _, wrong in split),
        length_unit=unit,
        differences=tuple(row for row in rows if row is not None),
    )


def _length_difference(split: _Split, unit: str, seed: int) -> OutcomeDifference | None:
    sides: tuple[list[int], list[int]] = ([], [])
    by_prompt: defaultdict[str, list[float]] = defaultdict(list)
    for prompt_id, right, wrong in split:
        lengths = [_known(response_length(rollout, unit) for rollout in side) for side in (right, wrong)]
        if not all(lengths):
            continue
        for side, found in zip(sides, lengths, strict=True):
            side.extend(found)
        by_prompt[prompt_id].append(median(lengths[0]) - median(lengths[1]))
    if not by_prompt:
        return None
    name = f"median length, {unit}"
    bounds = (min(map(min, by_prompt.values())), max(map(max, by_prompt.values())))
    return _difference(name, median(sides[0]), median(sides[1]), by_prompt, bounds, seed)


def _shares(split: _Split, seed: int) -> list[OutcomeDifference]:
    rows = [
        _share(
            split, name, lambda rollout, place=place: rollout.facts is not None and rollout.facts.place == place, seed
        )
        for place, name in _PLACE_NAMES.items()
    ]
    rows.append(
        _share(
            split, "share cut off", lambda rollout: rollout.facts is not None and bool(rollout.facts.is_truncated), seed
        )
    )
    return [row for row in rows if row is not None]


def _share(split: _Split, name: str, holds: Callable[[Judged], bool], seed: int) -> OutcomeDifference | None:
    sides: tuple[list[bool], list[bool]] = ([], [])
    by_prompt: defaultdict[str, list[float]] = defaultdict(list)
    for prompt_id, right, wrong in split:
        found = [[holds(rollout) for rollout in side if rollout.facts is not None] for side in (right, wrong)]
        if not all(found):
            continue
        for side, values in zip(sides, found, strict=True):
            side.extend(values)
        by_prompt[prompt_id].append(_mean(found[0]) - _mean(found[1]))
    if len({*sides[0], *sides[1]}) < 2:  # all responses alike: nothing to compare
        return None
    return _difference(name, _mean(sides[0]), _mean(sides[1]), by_prompt, (-1.0, 1.0), seed)


def _difference(
    name: str,
    correct: float,
    wrong: float,
    by_prompt: dict[str, list[float]],
    bounds: tuple[float, float],
    seed: int,
) -> OutcomeDifference:
    values = [value for found in by_prompt.values() for value in found]
    prompts = [prompt_id for prompt_id, found in by_prompt.items() for _ in found]
    mean = bootstrap_by_prompt(values, prompts, resamples=_RESAMPLES, seed=seed, value_range=bounds)
    # One prompt says nothing about the others.
    low, high = mean.interval if mean.n_prompts > 1 else (None, None)
    return OutcomeDifference(name=name, correct=correct, wrong=wrong, difference=mean.value, low=low, high=high)


def _known(lengths: Iterable[int | None]) -> list[int]:
    return [length for length in lengths if length is not None]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
