"""The report, put together from what was judged and explained."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from .. import __version__
from ..diagnostics.groups import GroupKinds
from ..rollouts.reading import Reading
from ..verifiers.base import Verifier
from .causes.clues import with_golds_refused_as_written
from .causes.deciding import Clues
from .causes.explaining import Explained, cause_counts, group_cards, paid_part
from .causes.repair import repair_part
from .copies.survey import CopySurvey
from .findings import findings, headline
from .golds.verifying import GoldTest
from .judging import Judgement
from .mixed import mixed_part, response_length
from .not_measured import not_measured
from .phantom import phantom_part
from .report.duplicates import Permissive
from .report.model import AuditReport, GroupCard, GroupTable, ReadingFacts
from .review import review_part
from .runs.curves import curves_part
from .second_opinion import SecondOpinion
from .stake import stake_part
from .tables import group_table, near_kinds, prediction_part

__all__ = ["Ingredients", "assemble"]

MAX_CARDS = 10_000
"""Cards that a report keeps; its counts count all."""

_AS_LOGGED = "as logged"
_BY_REFEREE = "by the referee"
_REPAIRED = "after repair"
_MAX_REFUSALS = 100


@dataclass(frozen=True, slots=True)
class Ingredients:
    """All that a report is made of. `is_same`: suspect and referee judge alike by construction."""

    reading: Reading
    judgement: Judgement
    suspect: Verifier | None
    referee: Verifier
    is_same: bool
    golds: GoldTest | None
    clues: Clues
    explained: Sequence[Explained]
    copies: CopySurvey
    permissive: Permissive | None
    labels: str | Path | None
    near: int
    correct_at: float
    wrong_at: float
    seed: int
    started: float

    @property
    def scored_by(self) -> str:
        """The name of what gave the rewards under audit."""
        if self.suspect is None:
            return _AS_LOGGED
        return _name(self.suspect) + ("" if self.judgement.has_rewards or not self.is_same else ", no rewards logged")

    @property
    def can_explain(self) -> bool:
        """Whether there are texts to explain by, and something that scored them."""
        return self.judgement.has_responses and (self.judgement.has_rewards or self.suspect is not None)

    @property
    def can_repair(self) -> bool:
        """Whether the referee could judge at all."""
        return self.can_explain and self.judgement.has_targets


def assemble(found: Ingredients) -> AuditReport:
    """The report. What cannot be measured is left out of it and said under `not_measured`."""
    judgement = found.judgement
    unit = _length_unit(judgement)
    golds = None if found.golds is None else found.golds.part
    if golds is not None and found.suspect is None:
        golds = with_golds_refused_as_written(golds, judgement, found.clues, correct_at=found.correct_at)
    scored, repaired, index = _rewards(found)
    tables, scorings = _tables(found, scored, repaired, index)
    kinds = scorings[found.scored_by]
    repaired_kinds = scorings.get(_REPAIRED, kinds)
    cards = _cards(found, kinds) if found.can_explain else []
    causes = cause_counts(found.explained, cards)
    if not found.can_explain:
        # Without responses a null reward is all that can be seen; without any reward not even that.
        causes = tuple(
            count for count in causes if judgement.has_rewards and count.cause == "scoring_fault" and count.rollouts
        )
    paid = paid_part(found.explained) if found.can_repair and not found.is_same else None
    stake = None
    if found.can_repair:
        lengths = [response_length(rollout, unit) or 0 for _, rollout in judgement.rollouts()]
        stake = stake_part(scored, repaired, np.asarray(index), units=lengths, unit=unit)
    facts = _reading_facts(found.reading)
    copies = found.copies.part()
    reliability = None
    if found.labels is not None:
        from .labels.labelled import labelled_part

        reliability = labelled_part(
            found.labels,
            found.reading.files[0],
            judgement,
            found.explained,
            correct_at=found.correct_at,
            wrong_at=found.wrong_at,
            scored_by=found.scored_by,
        )
    phantom = phantom_part(judgement, correct_at=found.correct_at) if judgement.has_rewards else None
    said = findings(
        facts=facts,
        golds=golds,
        table=next(table for table in tables if table.name == found.scored_by),
        causes=causes,
        paid=paid,
        stake=stake,
        copies=copies,
        permissive=found.permissive,
        phantom=phantom,
        highest_reward=max((reward for reward in scored if reward is not None), default=None),
        correct_at=found.correct_at,
    )
    worst = headline(said)
    return AuditReport(
        rewardgate_version=__version__,
        severity=worst.severity,
        headline=worst.sentence,
        findings=tuple(said),
        reading=facts,
        scored_by=found.scored_by,
        referee=_name(found.referee),
        second_opinion=SecondOpinion.name if found.is_same and found.judgement.has_second_opinion else None,
        near=found.near,
        correct_at=found.correct_at,
        wrong_at=found.wrong_at,
        seed=found.seed,
        golds=golds,
        groups=tuple(tables),
        prediction=prediction_part(kinds),
        causes=causes,
        cards=tuple(cards[:MAX_CARDS]),
        n_cards_left_out=max(0, len(cards) - MAX_CARDS),
        paid_but_wrong=paid,
        repair=repair_part(kinds, repaired_kinds, [group.group_id for group in judgement.groups], scored, repaired)
        if found.can_repair
        else None,
        stake=stake,
        mixed_groups=mixed_part(judgement.groups, kinds, correct_at=found.correct_at, unit=unit, seed=found.seed)
        if found.can_explain
        else None,
        duplicates=copies,
        permissive=found.permissive,
        phantom=phantom,
        reliability=reliability,
        review=review_part(judgement, correct_at=found.correct_at),
        curves=curves_part(scorings, [group.step for group in judgement.groups], scored_by=found.scored_by),
        not_measured=tuple(
            not_measured(
                judgement,
                has_suspect=found.suspect is not None,
                is_same=found.is_same,
                golds=golds,
                unit=unit,
                reliability=reliability,
            )
        ),
        seconds=perf_counter() - found.started,
    )


def _tables(
    found: Ingredients, scored: list[float | None], repaired: list[float | None], index: list[int]
) -> tuple[list[GroupTable], dict[str, GroupKinds]]:
    """The ways of scoring as rows, and the kinds of the groups under each, by its name."""
    judgement = found.judgement
    by_name: dict[str, list[float | None]] = {}
    if judgement.has_rewards:
        by_name[_AS_LOGGED] = [rollout.logged for _, rollout in judgement.rollouts()]
    by_name[found.scored_by] = scored
    if found.can_repair and not found.is_same:
        by_name[_BY_REFEREE] = [
            None if rollout.referee is None else rollout.referee.reward for _, rollout in judgement.rollouts()
        ]
    if found.can_repair:
        by_name[_REPAIRED] = repaired
    tables, kinds = [], {}
    for name, rewards in by_name.items():
        table, kinds[name] = group_table(
            name,
            rewards,
            index,
            [group.prompt_id for group in judgement.groups],
            near=found.near,
            correct_at=found.correct_at,
            wrong_at=found.wrong_at,
            seed=found.seed,
        )
        tables.append(table)
    return tables, kinds


def _rewards(found: Ingredients) -> tuple[list[float | None], list[float | None], list[int]]:
    """(B,) rewards as scored, as repaired, and the position of each rollout's group."""
    cases = [(position, case) for position, one in enumerate(found.explained) for case in one.cases]
    return (
        [case.rollout.scored for _, case in cases],
        [case.repaired for _, case in cases],
        [position for position, _ in cases],
    )


def _cards(found: Ingredients, kinds: GroupKinds) -> list[GroupCard]:
    return group_cards(
        found.judgement,
        found.explained,
        near_kinds(kinds, found.near),
        near=found.near,
        correct_at=found.correct_at,
        wrong_at=found.wrong_at,
    )


def _length_unit(judgement: Judgement) -> str:
    """Tokens where every response has a count; one unit for all, or shares would mean nothing."""
    counted = [rollout.n_tokens is not None for _, rollout in judgement.rollouts() if rollout.facts is not None]
    return "tokens" if counted and all(counted) else "characters"


def _reading_facts(reading: Reading) -> ReadingFacts:
    summary = reading.summary
    return ReadingFacts(
        format=reading.format,
        fields=dict(reading.fields),
        n_rows=summary.n_rows,
        n_rollouts=summary.n_rollouts,
        n_groups=summary.n_groups,
        group_sizes=dict(summary.group_sizes),
        n_refused=summary.n_refused,
        refusals=tuple(map(str, summary.refusals[:_MAX_REFUSALS])),
        notes=tuple(summary.notes),
    )


def _name(verifier: Verifier) -> str:
    """What a user would call it: a function by its path, one of ours by its class in small letters, else its class."""
    spec = getattr(verifier, "spec", None)
    if isinstance(spec, str):
        return spec
    name = type(verifier).__name__.removesuffix("Verifier")
    return (name or type(verifier).__name__).lower() if type(verifier).__module__.startswith("rewardgate.") else name
