"""The pools that a run's dumps add up to: its groups, replayed in the order of the steps that sampled them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..diagnostics.pools import Pool, PoolRules, PromptPools
from ..rollouts.records import Group
from .causes.deciding import Cause
from .report.model import AuditReport

__all__ = ["Pooling", "pools_of", "suspect_groups"]


@dataclass(frozen=True, slots=True)
class Pooling:
    """Pools and what they are made of.

    Args:
        pools: the pools after the last step.
        steps: the steps replayed, in order; empty where the groups tell none, and visits alone count.
        n_groups: groups read.
        n_unknown: groups without a known reward, which are no visits.
        n_without_step: groups left out, because they tell no step where others do.
        n_quarantined: prompts set aside because a group of theirs is suspect or their id was given.
    """

    pools: PromptPools
    steps: tuple[int, ...]
    n_groups: int
    n_unknown: int
    n_without_step: int
    n_quarantined: int


@dataclass(slots=True)
class _Visit:
    successes: int = 0
    scored: int = 0


def pools_of(
    groups: Iterable[Group],
    *,
    rules: PoolRules | None = None,
    evaluation: Iterable[str] = (),
    quarantine: Iterable[str] = (),
    suspect: Iterable[str] = (),
) -> Pooling:
    """The pools of the prompts of `groups`, from the rewards that were logged.

    Groups of one prompt at one step are one visit. Where no group tells its step, the visits of a prompt follow one
    another as its groups do, and none is older than another in policy steps.

    Args:
        groups: in any order; iterated once. What is kept of each is two numbers.
        rules: of the pools.
        evaluation: ids of prompts held out.
        quarantine: ids of prompts whose target or verifier is suspect.
        suspect: ids of groups whose prompts are, as `suspect_groups` finds them.

    Raises:
        ArgumentError: a reward that is no number.
    """
    pools, doubted = PromptPools(rules=rules), frozenset(suspect)
    visits: defaultdict[int | None, dict[str, _Visit]] = defaultdict(dict)
    in_doubt, n_groups, n_unknown = set(quarantine), 0, 0
    in_file: list[tuple[str, _Visit]] = []  # groups without a step
    prompt_ids: dict[str, None] = {}  # in order of first appearance
    for group in groups:
        n_groups += 1
        step = max((rollout.step for rollout in group.rollouts if rollout.step is not None), default=None)
        visit = _visit(group, pools.rules.correct_at)
        n_unknown += visit.scored == 0
        if group.group_id in doubted:
            in_doubt.add(group.prompt_id)
        if step is None:
            in_file.append((group.prompt_id, visit))
        else:
            whole = visits[step].setdefault(group.prompt_id, _Visit())
            whole.successes, whole.scored = whole.successes + visit.successes, whole.scored + visit.scored
        prompt_ids[group.prompt_id] = None
    pools.add(prompt_ids)
    pools.set_aside(evaluation, Pool.EVAL)
    pools.set_aside(in_doubt, Pool.QUARANTINE)
    steps = sorted(step for step in visits if step is not None)
    for step in steps:
        _count(pools, visits[step], step)
    if not steps:
        for turn in _turns(in_file):
            _count(pools, turn, 0)
    return Pooling(
        pools=pools,
        steps=tuple(steps),
        n_groups=n_groups,
        n_unknown=n_unknown,
        n_without_step=len(in_file) if steps else 0,
        n_quarantined=len(in_doubt),
    )


def suspect_groups(report: AuditReport) -> list[str]:
    """Ids of the groups that die of a fault of the reward pipeline, by an audit of the same files."""
    return [card.group_id for card in report.cards if Cause(card.cause).is_repairable]


def _visit(group: Group, correct_at: float) -> _Visit:
    known = [rollout.reward for rollout in group.rollouts if rollout.reward is not None]
    return _Visit(sum(reward >= correct_at for reward in known), len(known))


def _count(pools: PromptPools, visits: Mapping[str, _Visit], step: int) -> None:
    counts = visits.values()
    pools.update_counts(
        list(visits), [visit.successes for visit in counts], [visit.scored for visit in counts], step=step
    )


def _turns(in_file: Sequence[tuple[str, _Visit]]) -> list[dict[str, _Visit]]:
    """The first group of every prompt, then the second of every one that has one, and so on."""
    turns: list[dict[str, _Visit]] = []
    seen: defaultdict[str, int] = defaultdict(int)
    for prompt_id, visit in in_file:
        turn = seen[prompt_id]
        seen[prompt_id] += 1
        if turn == len(turns):
            turns.append({})
        turns[turn][prompt_id] = visit
    return turns
