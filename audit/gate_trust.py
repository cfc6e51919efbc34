"""Would a gate with this step scorer speak truly here? Its credits on groups whose outcomes are known.

The gate lets step scores speak where all outcomes of a group are equal, and nobody can check there what they say. In
mixed groups somebody can: credits that do not rank right rollouts above wrong ones of the same prompt, where that is
known, will not do so where it is not. Groups that the gate opens on are harder than these; so hard ones stand apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ArgumentError
from ..prm.base import StepRow, StepScore, StepScorer
from ..prm.calibration.aggregates import AGGREGATES, CONTROL, GATE_CREDITS, aggregates, gate_credits
from ..prm.calibration.ranking import group_pairs
from ..prm.calibration.resampling import cluster_interval
from ..prm.calibration.scored import FloatArray
from ..prm.steps import step_spans
from ..rollouts.messages import completion_text
from ..rollouts.records import Group, Rollout
from .asking_scorers import asked
from .report.gate_trust import MOST_GROUPS, CreditRanking, GateTrust

__all__ = ["gate_trust"]

BATCH_ROLLOUTS = 64
HARD, EASY = 0.25, 0.75
_ALL, _HARD, _MIDDLE, _EASY = "all", "at most 1/4 right", "between", "at least 3/4 right"


def gate_trust(
    groups: Iterable[Group],
    rewards: Sequence[Sequence[float | None]],
    scorer: StepScorer,
    *,
    name: str,
    rewarded_by: str,
    correct_at: float = 1.0,
    decides: str = "rules",
    most_groups: int = MOST_GROUPS,
    seed: int = 0,
) -> GateTrust:
    """How the credits of `scorer` rank the rollouts of mixed groups. It is asked about those rollouts alone.

    Args:
        groups: of the file, in order; iterated once.
        rewards: of every group, those of its rollouts; None = unknown, left out. At least `correct_at` is right, all
            below it is wrong; a group without both is not mixed.
        scorer: what is measured.
        name: of the scorer, for the report.
        rewarded_by: what gave `rewards`, for the report.
        correct_at: see `rewards`.
        decides: the credit of `GATE_CREDITS` that is called the gate's.
        most_groups: mixed groups that are looked at; of more, so many are drawn.
        seed: of that draw, and of the bootstrap.

    Raises:
        ArgumentError: the scorer raises, or breaks its contract; or `decides` is none of `GATE_CREDITS`.

    Example:
        >>> texts = ("3 * 4 = 12\\n\\nso 12 + 1 = 13", "3 * 4 = 11\\n\\nso 11 + 1 = 12")
        >>> group = Group(group_id="p", rollouts=tuple(Rollout(prompt_id="p", response=text) for text in texts))
        >>> from rewardgate.prm import get
        >>> found = gate_trust([group], [[1.0, 0.0]], get("arithmetic"), name="arithmetic", rewarded_by="as logged")
        >>> found.deciding.auc, found.n_asked
        (1.0, 2)
    """
    if decides not in GATE_CREDITS:
        raise ArgumentError(f"decides: expected one of {', '.join(GATE_CREDITS)}, got {decides!r}")
    mixed = [number for number, of_group in enumerate(rewards) if _is_mixed(of_group, correct_at)]
    drawn = set(mixed)
    if len(mixed) > most_groups:
        drawn = set(np.random.default_rng(seed).choice(mixed, size=most_groups, replace=False).tolist())
    rows = list(_known(groups, rewards, drawn, correct_at))
    answers = _answers(scorer, [row.question for row in rows])
    values = [[score.value for score in answer] for answer in answers]
    known = [[value for value in of_row if value is not None] for of_row in values]
    found = [
        {**gate_credits(of_row), **aggregates(of_row), CONTROL: -float(len(of_row))}
        if of_row
        else dict.fromkeys((*GATE_CREDITS, *AGGREGATES, CONTROL))
        for of_row in values
    ]
    order = (decides, *(credit for credit in (*GATE_CREDITS, *AGGREGATES, CONTROL) if credit != decides))
    return GateTrust(
        scorer=name,
        scorer_version=scorer.version,
        rewards=rewarded_by,
        seed=seed,
        decides=decides,
        n_mixed=len(mixed),
        n_groups=len(drawn),
        n_asked=len(rows),
        n_steps=sum(map(len, values)),
        n_scored=sum(map(len, known)),
        n_silent=sum(not one for one in known),
        credits=tuple(_rankings(order, rows, found, seed=seed)),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A rollout of a mixed group: what the scorer is asked, and what is known of it."""

    question: StepRow
    is_right: bool
    group: int
    prompt_id: str
    stratum: str


def _is_mixed(rewards: Sequence[float | None], correct_at: float) -> bool:
    return len({reward >= correct_at for reward in rewards if reward is not None}) == 2


def _known(
    groups: Iterable[Group], rewards: Sequence[Sequence[float | None]], drawn: set[int], correct_at: float
) -> Iterator[_Row]:
    for number, (group, of_group) in enumerate(zip(groups, rewards, strict=True)):
        if number not in drawn:
            continue
        scored = [reward for reward in of_group if reward is not None]
        share = sum(reward >= correct_at for reward in scored) / len(scored)
        stratum = _HARD if share <= HARD else _EASY if share >= EASY else _MIDDLE
        for rollout, reward in zip(group.rollouts, of_group, strict=True):
            if reward is not None and rollout.response is not None:
                yield _Row(_question(rollout), reward >= correct_at, number, group.prompt_id, stratum)


def _question(rollout: Rollout) -> StepRow:
    text = "" if rollout.response is None else completion_text(rollout.response)
    return StepRow(rollout.prompt or "", tuple(text[start:end] for start, end in step_spans(text)), rollout.target)


def _answers(scorer: StepScorer, questions: Sequence[StepRow]) -> Iterator[list[StepScore]]:
    for start in range(0, len(questions), BATCH_ROLLOUTS):
        yield from asked(scorer, questions[start : start + BATCH_ROLLOUTS])


def _rankings(
    order: Iterable[str], rows: Sequence[_Row], found: Sequence[dict[str, float | None]], *, seed: int
) -> Iterator[CreditRanking]:
    for credit in order:
        for stratum in (_ALL, _HARD, _MIDDLE, _EASY):
            chosen = [
                (row, one[credit]) for row, one in zip(rows, found, strict=True) if stratum in (_ALL, row.stratum)
            ]
            known = [(row, value) for row, value in chosen if value is not None]
            yield _ranking(credit, stratum, known, len(chosen) - len(known), seed=seed)


def _ranking(
    credit: str, stratum: str, known: Sequence[tuple[_Row, float]], n_unknown: int, *, seed: int
) -> CreditRanking:
    values = np.array([value for _, value in known], dtype=np.float64)
    is_right = np.array([row.is_right for row, _ in known], dtype=np.bool_)
    pairs = group_pairs(values, is_right, [row.group for row, _ in known])
    prompt_of_group = list({row.group: row.prompt_id for row, _ in known}.values())
    sums = _by_prompt(pairs.wins, pairs.pairs, prompt_of_group)
    ends = cluster_interval(lambda drawn: _pooled(drawn @ sums), len(sums), seed=seed)
    return CreditRanking(
        credit=credit,
        stratum=stratum,
        n_groups=int((pairs.pairs > 0).sum()),
        n_prompts=len(sums),
        n_pairs=int(pairs.pairs.sum()),
        n_unknown=n_unknown,
        auc=pairs.auc,
        low=None if ends is None else ends.low,
        high=None if ends is None else ends.high,
    )


def _by_prompt(wins: FloatArray, pairs: FloatArray, prompts: Sequence[str]) -> FloatArray:
    """(P, 2) wins and pairs of every prompt that has pairs."""
    totals: dict[str, FloatArray] = {}
    for prompt, won, compared in zip(prompts, wins.tolist(), pairs.tolist(), strict=True):
        if compared:
            totals[prompt] = totals.get(prompt, np.zeros(2)) + np.array([won, compared])
    return np.array(list(totals.values())).reshape(-1, 2)


def _pooled(sums: FloatArray) -> FloatArray:
    return np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)
