import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics import GroupKind, group_kinds
from rewardgate.errors import ArgumentError
from rewardgate.grpo import refill_cost
from rewardgate.training.ledger import LedgerRow, total
from rewardgate.training.sampling import DynamicSampling, sample_groups

WRONG, RIGHT, MIXED, TIED = [0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.5, 0.5]
ONE_KNOWN, NONE_KNOWN = [1.0, None], [None, float("nan")]


@dataclass(frozen=True)
class Drawn:
    rewards: Sequence[float | None]
    n_tokens: int = 10


def drawing(*rewards: Sequence[float | None]) -> tuple[Callable[[int], list[Drawn]], list[int]]:
    """What draws these groups one after the other, and the sizes of the rounds that it was asked for."""
    left, asked = [Drawn(one) for one in rewards], list[int]()

    def draw(n: int) -> list[Drawn]:
        asked.append(n)
        drawn, left[:] = left[:n], left[n:]
        return drawn

    return draw, asked


def test_rounds_of_whole_batches_are_drawn_until_the_wanted_number_is_mixed() -> None:
    draw, asked = drawing(WRONG, MIXED, RIGHT, WRONG, MIXED, MIXED, MIXED)
    batch = sample_groups(draw, 2)
    assert asked == [2, 2, 2]
    assert [group.rewards for group in batch.groups] == [MIXED, MIXED]
    assert batch.kinds == [GroupKind.MIXED, GroupKind.MIXED]
    row = batch.ledger
    # six groups: one mixed in the first round, none in the second, two in the third, of which one is too many
    assert (row.generated, row.rounds, row.surplus, row.rollouts, row.tokens) == (6, 3, 1, 12, 60)
    assert (row.kept, row.ended) == ({"mixed": 2}, {"full": 1})
    assert row.discarded == {"all_wrong": 2, "all_correct": 1, "mixed": 1}
    assert (row.tokens_kept, row.rollouts_kept) == (20, 4)
    assert row.seconds > 0


def test_a_batch_that_is_full_at_once_costs_one_round() -> None:
    draw, asked = drawing(MIXED, MIXED)
    assert sample_groups(draw, 2).ledger.overhead == 1.0
    assert asked == [2]


def test_at_the_limit_the_step_goes_on_with_what_there_is() -> None:
    draw, asked = drawing(*[WRONG] * 5, MIXED, *[WRONG] * 100)
    batch = sample_groups(draw, 2, DynamicSampling(max_batches=4))
    assert asked == [2, 2, 2, 2]
    assert [group.rewards for group in batch.groups] == [MIXED]
    assert batch.ledger.ended == {"limit": 1}
    assert batch.ledger.overhead == 8.0


def test_a_step_may_end_up_with_nothing_and_says_so() -> None:
    draw, _ = drawing(*[WRONG] * 20)
    batch = sample_groups(draw, 2, DynamicSampling(max_batches=3))
    assert batch.groups == []
    assert (batch.ledger.overhead, batch.ledger.degenerate_share) == (None, 1.0)
    assert batch.ledger.discarded == {"all_wrong": 6}


@pytest.mark.parametrize(("left", "ended"), [(3, "exhausted"), (2, "exhausted"), (0, "exhausted")])
def test_prompts_that_run_out_end_the_step(left: int, ended: str) -> None:
    draw, _ = drawing(*[WRONG] * left)
    assert sample_groups(draw, 2).ledger.ended == {ended: 1}


def test_surplus_is_kept_where_it_is_asked_for() -> None:
    draw, _ = drawing(WRONG, MIXED, MIXED, MIXED)
    batch = sample_groups(draw, 2, DynamicSampling(surplus="keep"))
    assert len(batch.groups) == 3
    assert (batch.ledger.surplus, batch.ledger.discarded) == (1, {"all_wrong": 1})


def test_a_short_batch_is_filled_with_degenerate_groups_and_with_no_others() -> None:
    draw, _ = drawing(NONE_KNOWN, MIXED, ONE_KNOWN, WRONG, RIGHT, WRONG)
    batch = sample_groups(draw, 3, DynamicSampling(max_batches=2, shortage="fill"))
    assert [group.rewards for group in batch.groups] == [MIXED, WRONG, RIGHT]
    assert (batch.ledger.filled, batch.ledger.overhead) == (2, 6.0)
    assert batch.ledger.discarded == {"unscorable": 1, "singleton": 1, "all_wrong": 1}


def test_a_gate_keeps_the_groups_that_it_makes_a_signal_of() -> None:
    draw, asked = drawing(WRONG, RIGHT, TIED, MIXED)
    keep = frozenset({GroupKind.MIXED, GroupKind.ALL_WRONG, GroupKind.TIED})
    batch = sample_groups(draw, 2, DynamicSampling(keep=keep))
    assert asked == [2, 2]
    assert [group.rewards for group in batch.groups] == [WRONG, TIED]
    assert batch.ledger.discarded == {"all_correct": 1, "mixed": 1}


def test_rounds_of_what_is_missing_are_sized_by_the_share_seen_so_far() -> None:
    draw, asked = drawing(*[WRONG] * 2, *[MIXED] * 2, *[WRONG] * 1, MIXED, *[MIXED] * 9)
    sample_groups(draw, 4, DynamicSampling(refill="missing"))
    # after 4 with 2 mixed: 2 missing / ((2 + 1) / (4 + 2)) = 4; after 8 with 5 the batch is full
    assert asked == [4, 4]
    draw, asked = drawing(WRONG, *[MIXED] * 9, *[MIXED] * 9)
    sample_groups(draw, 10, DynamicSampling(refill="missing"))
    # after 10 with 9 mixed: 1 missing / ((9 + 1) / (10 + 2)) = 1.2, so 2
    assert asked == [10, 2]


def test_unknown_rewards_are_nobodys_failure() -> None:
    draw, _ = drawing([1.0, 1.0, None], [0.0, float("nan"), 0.0], [None, 1.0, 0.0], NONE_KNOWN)
    batch = sample_groups(draw, 4, DynamicSampling(max_batches=1))
    assert [group.rewards for group in batch.groups] == [[None, 1.0, 0.0]]
    assert batch.ledger.discarded == {"all_correct": 1, "all_wrong": 1, "unscorable": 1}
    assert (batch.ledger.rollouts, batch.ledger.rollouts_unscored) == (11, 5)


def test_an_empty_group_is_unscorable() -> None:
    draw, _ = drawing([], MIXED)
    assert sample_groups(draw, 1).ledger.discarded == {"unscorable": 1}


def test_rewards_of_another_scale_are_judged_by_it() -> None:
    draw, _ = drawing([-1.0, -1.0], [2.0, 2.0])
    rules = DynamicSampling(max_batches=2, correct_at=2.0, wrong_at=-1.0)
    assert sample_groups(draw, 1, rules).ledger.discarded == {"all_wrong": 1, "all_correct": 1}


def test_more_groups_than_were_asked_for_are_refused() -> None:
    with pytest.raises(ArgumentError, match="draw: expected at most 1 groups, got 2"):
        sample_groups(lambda n: [Drawn(MIXED)] * 2, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_batches": 0}, "max_batches: expected at least 1, got 0"),
        ({"refill": "all"}, "refill: expected batch or missing, got 'all'"),
        ({"surplus": "carry"}, "surplus: expected drop or keep, got 'carry'"),
        ({"shortage": ""}, "shortage: expected smaller or fill, got ''"),
        ({"keep": frozenset()}, "keep: expected some of all_correct, all_wrong, mixed, tied, got none"),
        ({"keep": frozenset({GroupKind.SINGLETON})}, "got singleton"),
        ({"wrong_at": 1.0}, "wrong_at: expected a number below correct_at = 1.0, got 1.0"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        DynamicSampling(**options)
    assert message in str(refused.value)


def test_no_wanted_group_is_refused() -> None:
    with pytest.raises(ArgumentError, match="wanted: expected at least 1 group, got 0"):
        sample_groups(lambda n: [], 0)


KINDS = st.sampled_from([WRONG, RIGHT, MIXED, TIED, ONE_KNOWN, NONE_KNOWN])
OPTIONS = st.fixed_dictionaries(
    {
        "max_batches": st.integers(1, 5),
        "refill": st.sampled_from(["batch", "missing"]),
        "surplus": st.sampled_from(["drop", "keep"]),
        "shortage": st.sampled_from(["smaller", "fill"]),
        "keep": st.sampled_from([frozenset({GroupKind.MIXED}), frozenset({GroupKind.MIXED, GroupKind.ALL_WRONG})]),
    }
)


@given(st.lists(KINDS, max_size=60), st.integers(1, 8), OPTIONS)
def test_every_group_is_accounted_for_once(drawn: list, wanted: int, options: dict) -> None:
    rules = DynamicSampling(**options)
    draw, asked = drawing(*drawn)
    batch = sample_groups(draw, wanted, rules)
    row = batch.ledger
    assert row.generated == len(drawn[: sum(asked)]) <= rules.max_batches * wanted
    seen = Counter(str(group_kinds(one, [0] * len(one)).kinds[0]) for one in drawn[: row.generated])
    assert Counter(row.kept) + Counter(row.discarded) == seen
    assert sum(row.kept.values()) == len(batch.groups)
    assert (row.rollouts, row.tokens) == (2 * row.generated, 10 * row.generated)
    # kept in the order drawn
    places = [id(group) for group in batch.groups]
    assert len(set(places)) == len(places)
    useful = sum(seen[str(kind)] for kind in rules.keep)
    kept_useful = sum(row.kept.get(str(kind), 0) for kind in rules.keep)
    assert kept_useful == (useful if rules.surplus == "keep" else min(useful, wanted))
    assert row.surplus == max(0, useful - wanted)
    assert (row.ended == {"full": 1}) == (useful >= wanted)
    if rules.shortage == "fill" and useful < wanted:
        fillers = sum(seen[kind] for kind in ("all_wrong", "all_correct", "tied", "mixed")) - useful
        assert row.filled == min(wanted - useful, fillers)


@given(st.lists(KINDS, min_size=1, max_size=40), st.integers(1, 6), st.sampled_from(["batch", "missing"]))
def test_where_surplus_is_kept_the_cost_is_the_predicted_one_exactly(drawn: list, wanted: int, refill: str) -> None:
    """generated / mixed = 1 / (1 - h), with the h of the same groups, where every group can be judged."""
    judged = [one for one in drawn if one not in (ONE_KNOWN, NONE_KNOWN)]
    draw, _ = drawing(*judged)
    row = sample_groups(draw, wanted, DynamicSampling(surplus="keep", refill=refill)).ledger
    if row.overhead is not None and row.degenerate_share is not None:
        predicted = refill_cost(row.degenerate_share, wanted_groups=wanted, group_size=2)
        assert row.overhead == pytest.approx(predicted.overhead)


@pytest.mark.parametrize(("refill", "most"), [("missing", 1.25), ("batch", 1.75)])
def test_the_cost_of_many_steps_is_refill_costs_and_what_the_last_round_leaves_over(refill: str, most: float) -> None:
    """h = 0.75: four groups drawn for each mixed one, and by rounds of whole batches some more."""
    source = random.Random(0)

    def draw(n: int) -> list[Drawn]:
        return [Drawn(MIXED if source.random() < 0.25 else WRONG) for _ in range(n)]

    run = total(sample_groups(draw, 16, DynamicSampling(max_batches=20, refill=refill)).ledger for _ in range(300))
    predicted = refill_cost(0.75, wanted_groups=16, group_size=2)
    assert run.ended == {"full": 300}
    assert run.degenerate_share == pytest.approx(0.75, abs=0.02)
    assert 1.0 <= run.overhead / predicted.overhead < most


def test_rounds_of_what_is_missing_cost_less_than_whole_batches() -> None:
    costs = {}
    for refill in ("missing", "batch"):
        source = random.Random(1)

        def draw(n: int, source: random.Random = source) -> list[Drawn]:
            return [Drawn(MIXED if source.random() < 0.4 else WRONG) for _ in range(n)]

        rules = DynamicSampling(refill=refill)
        costs[refill] = total(sample_groups(draw, 16, rules).ledger for _ in range(100))
    assert costs["missing"].generated < costs["batch"].generated
    assert costs["missing"].surplus < costs["batch"].surplus
    assert costs["missing"].rounds > costs["batch"].rounds


def test_a_row_is_flat_for_a_log_and_names_every_kind() -> None:
    draw, _ = drawing(WRONG, MIXED)
    flat = sample_groups(draw, 1).ledger.flat()
    kinds = ["unscorable", "singleton", "mixed", "all_correct", "all_wrong", "tied"]
    assert {f"{which}_{kind}" for which in ("kept", "discarded") for kind in kinds} <= set(flat)
    assert (flat["discarded_all_wrong"], flat["kept_mixed"], flat["ended_full"], flat["ended_limit"]) == (1, 1, 1, 0)
    assert (flat["degenerate_share"], flat["overhead"]) == (0.5, 2.0)
    assert all(isinstance(value, int | float) for value in flat.values())


def test_nothing_drawn_has_no_rates() -> None:
    row = total([])
    assert row == LedgerRow()
    assert (row.overhead, row.degenerate_share) == (None, None)
