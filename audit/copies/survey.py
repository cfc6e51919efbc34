"""Copies among prompts and among the rollouts of a group, and right answers that prove little.

A prompt that stands in the file twice counts twice in every rate; a group of nearly one text may be recited, and so
may one that stands in the traces on which the policy was tuned. All of it is suspicion with its evidence: a group can
be all right because its task is easy.

Texts are looked at while they stream past, and only hashes of them are kept.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import median

from ...rollouts.grouping import digest
from ...rollouts.messages import completion_text, prompt_text
from ...rollouts.records import Group
from ..golds.texts import gold_text
from ..report.duplicates import Duplicates, LowDiversity, Overlap, PromptPair, TargetInPrompt
from ..responses.texts import clipped
from .shingles import HashArray, collapsed, masked, near_pairs, ngrams, shingle_hashes
from .traces import Traces

__all__ = ["CopySurvey", "GroupTexts"]

NEAR_JACCARD = 0.8
LOW_DIVERSITY = 0.8
LEAST_CONTAINMENT = 0.5
DIVERSITY_WORDS = 3
"""Words of a shingle by which rollouts of one task are compared; longer ones call every two texts different."""
LONG_CHARS = 100
"""A shorter response may well come twice."""

_MOST_COMPARED = 16
_MOST_SHOWN = 200
_LEAST_TARGET_CHARS = 4


@dataclass(frozen=True, slots=True)
class GroupTexts:
    """What is kept of the texts of one group.

    Args:
        group_id: its name.
        target: as text, clipped.
        prompt_id, step: of the group; the same prompt at another step is no copy.
        exact, template: keys of the prompt as it is, and with its numbers masked; empty where there is no prompt.
        shingles: of the prompt.
        n_rollouts: with a response.
        n_same: of these, those of at least `LONG_CHARS` that copy an earlier one.
        similarity: median of the rollouts' similarities, pair by pair; None unless all or nearly all are right.
        containment: the highest share of a response's 8-grams that stand in the traces.
        n_contained: responses of which at least `LEAST_CONTAINMENT` stands there.
        trace: where most of it stands.
        holds_target, holds_other: whether the prompt holds its target, and that of the last such group.
    """

    group_id: str
    target: str
    prompt_id: str
    step: int | None
    exact: str
    template: int
    shingles: HashArray
    n_rollouts: int
    n_same: int
    similarity: float | None = None
    containment: float = 0.0
    n_contained: int = 0
    trace: str = ""
    holds_target: bool = False
    holds_other: bool = False


@dataclass(slots=True)
class CopySurvey:
    """Looks at each group once, in order; `part` then says what was found.

    Args:
        near: rollouts scored wrong up to which a group counts as all right.
        traces: what the policy may have been tuned on; None where no file was given.
    """

    near: int
    traces: Traces | None = None
    groups: list[GroupTexts] = field(default_factory=list)
    _last_target: str = ""
    _first: tuple[int, str] | None = None
    """Of the groups that were looked at closer, the place of the first, and its prompt."""

    def add(self, group: Group, *, successes: int, scored: int) -> None:
        """Look at a group of which `successes` of `scored` rollouts were scored right."""
        prompt = "" if group.prompt is None else collapsed(prompt_text(group.prompt))
        texts = [completion_text(rollout.response) for rollout in group.rollouts if rollout.response is not None]
        seen = GroupTexts(
            group_id=group.group_id,
            target=clipped(gold_text(group.target) or "", 80),
            prompt_id=group.prompt_id,
            step=group.rollouts[0].step,
            exact=_key(prompt),
            template=digest(masked(prompt)) if prompt else 0,
            shingles=shingle_hashes(prompt),
            n_rollouts=len(texts),
            n_same=_copies(texts),
        )
        if len(texts) > 1 and scored and scored - successes <= self.near and 2 * successes > scored:
            seen = self._looked_closer(seen, prompt, texts)
        self.groups.append(seen)

    def extend(self, later: "CopySurvey") -> None:
        """Take over what another survey saw of the groups that follow."""
        groups = list(later.groups)
        if later._first is not None:
            place, prompt = later._first
            # To the other survey no group was the last.
            groups[place] = replace(groups[place], holds_other=self._holds_last(prompt, groups[place].target))
            self._last_target = later._last_target
            if self._first is None:
                self._first = (len(self.groups) + place, prompt)
        self.groups += groups

    def _holds_last(self, prompt: str, target: str) -> bool:
        return self._last_target != target and _holds(prompt, self._last_target)

    def _looked_closer(self, seen: GroupTexts, prompt: str, texts: Sequence[str]) -> GroupTexts:
        found = [] if self.traces is None else [self.traces.containment(text) for text in texts]
        share, trace = max(found, default=(0.0, ""))
        holds_other, self._last_target = self._holds_last(prompt, seen.target), seen.target
        if self._first is None:
            self._first = (len(self.groups), prompt)
        return replace(
            seen,
            similarity=_similarity(texts),
            containment=share,
            n_contained=sum(one >= LEAST_CONTAINMENT for one, _ in found),
            trace=trace,
            holds_target=_holds(prompt, seen.target),
            holds_other=holds_other,
        )

    def part(self) -> Duplicates:
        """What was found."""
        pairs = list(_prompt_pairs(self.groups))
        right = [one for one in self.groups if one.similarity is not None]
        alike = [one for one in right if (one.similarity or 0.0) > LOW_DIVERSITY]
        contained = [one for one in right if one.n_contained]
        held = [one for one in right if one.holds_target]
        return Duplicates(
            n_prompts=len({one.exact for one in self.groups if one.exact}),
            n_all_correct=len(right),
            pairs=dict(Counter(pair.kind for pair in pairs)),
            prompt_pairs=tuple(
                pair
                for kind in ("exact", "near", "variant")
                for pair in [pair for pair in pairs if pair.kind == kind][:_MOST_SHOWN]
            ),
            n_low_diversity=len(alike),
            median_similarity=median(one.similarity or 0.0 for one in right) if right else None,
            low_diversity=tuple(
                LowDiversity(group_id=one.group_id, median_similarity=one.similarity or 0.0, n_rollouts=one.n_rollouts)
                for one in alike[:_MOST_SHOWN]
            ),
            n_same_rollouts=sum(one.n_same for one in self.groups),
            n_groups_with_same_rollouts=sum(one.n_same > 0 for one in self.groups),
            traces=None if self.traces is None else self.traces.path,
            n_traces=0 if self.traces is None else self.traces.n_texts,
            n_overlapping=len(contained),
            overlaps=tuple(
                Overlap(
                    group_id=one.group_id, source=one.trace, containment=one.containment, n_rollouts=one.n_contained
                )
                for one in contained[:_MOST_SHOWN]
            ),
            n_target_in_prompt=len(held),
            by_chance_in_prompt=sum(one.holds_other for one in right),
            targets_in_prompts=tuple(
                TargetInPrompt(group_id=one.group_id, target=one.target) for one in held[:_MOST_SHOWN]
            ),
        )


def _key(prompt: str) -> str:
    """What exact copies share, in whatever process; the prompt itself would cost its length in memory."""
    return f"{digest(prompt):x}" if prompt else ""


def _copies(texts: Sequence[str]) -> int:
    long = [collapsed(text) for text in texts if len(text) >= LONG_CHARS]
    return len(long) - len(set(long))


def _similarity(texts: Sequence[str]) -> float:
    shingles = [ngrams(text, DIVERSITY_WORDS) for text in texts[:_MOST_COMPARED]]
    return median(_jaccard(one, other) for one, other in combinations(shingles, 2))


def _jaccard(one: Set[Hashable], other: Set[Hashable]) -> float:
    shared = len(one & other)
    either = len(one) + len(other) - shared
    return shared / either if either else 1.0


def _holds(prompt: str, target: str) -> bool:
    """Whether `target`, at least `_LEAST_TARGET_CHARS` long, stands in `prompt` as words of its own."""
    if len(target) < _LEAST_TARGET_CHARS or target not in prompt:
        return False
    return re.search(rf"(?<!\w){re.escape(target)}(?!\w)", prompt) is not None


def _prompt_pairs(groups: Sequence[GroupTexts]) -> Iterator[PromptPair]:
    """Exact copies; near ones and variants among what is left; each beside the first that it copies."""
    distinct: list[GroupTexts] = []
    for members in _alike([one for one in groups if one.exact], lambda one: one.exact):
        first, *copies = _of_one_step(members)
        distinct.append(first)
        yield from (_pair("exact", first, copy, 1.0) for copy in copies)
    for first, *variants in _alike(distinct, lambda one: one.template):
        yield from (_pair("variant", first, variant, None) for variant in variants)
    for one, other, similarity in near_pairs([one.shingles for one in distinct], at_least=NEAR_JACCARD):
        if distinct[one].template != distinct[other].template:
            yield _pair("near", distinct[one], distinct[other], similarity)


def _of_one_step(members: Sequence[GroupTexts]) -> list[GroupTexts]:
    """`members` without prompts that come again at another step, as prompts do in training."""
    steps: dict[str, int | None] = {}
    return [one for one in members if steps.setdefault(one.prompt_id, one.step) == one.step]


def _alike(groups: Iterable[GroupTexts], key: Callable[[GroupTexts], Hashable]) -> list[list[GroupTexts]]:
    """`groups` by `key`, in order of first appearance."""
    found: defaultdict[Hashable, list[GroupTexts]] = defaultdict(list)
    for one in groups:
        found[key(one)].append(one)
    return list(found.values())


def _pair(kind: str, first: GroupTexts, other: GroupTexts, similarity: float | None) -> PromptPair:
    return PromptPair(
        kind=kind,
        group_id=first.group_id,
        other_id=other.group_id,
        similarity=similarity,
        both_all_correct=first.similarity is not None and other.similarity is not None,
    )
