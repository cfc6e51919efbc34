import pytest

from rewardgate.audit.tables import group_table, near_kinds, prediction_part

REWARDS = [0, 0, 0, 1, 0, 0, 1, 1, 1, 1, None, None]
GROUPS = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4]


def test_a_table_counts_every_kind() -> None:
    prompts = [f"p{position}" for position in range(7)]
    table, kinds = group_table(
        "x", [*REWARDS, 0.5, 0.5, 1], [*GROUPS, 5, 5, 6], prompts, near=1, correct_at=1.0, wrong_at=0.0
    )
    counts = (table.all_wrong, table.mixed, table.all_correct, table.tied, table.singleton, table.unscorable)
    assert counts == (1, 1, 2, 1, 1, 1)
    assert sum(counts) == table.n_groups == 7
    assert (table.near_all_wrong, table.near_all_correct) == (1, 0)
    assert near_kinds(kinds, 0)[1] == "mixed"
    assert table.acr == pytest.approx(4 / 5)  # of the five with two scored rollouts
    # Mean over prompts: 0, 1/3, 1, 1, 0 and 1; the unscored one is left out.
    assert table.success_rate == pytest.approx((1 / 3 + 3) / 6)
    assert table.success_low is not None
    assert table.success_high is not None
    assert table.success_low < table.success_rate < table.success_high


def test_nothing_scored_has_no_rates() -> None:
    table, kinds = group_table("x", [None, None], [0, 0], ["p"], near=1, correct_at=1.0, wrong_at=0.0)
    assert (table.success_rate, table.acr, table.mean_std, table.nonzero_advantage_rate) == (None,) * 4
    assert prediction_part(kinds).rate is None
