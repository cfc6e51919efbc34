import random
from collections.abc import Callable

import pytest
from audited import audited, causes_of, group

from rewardgate.rollouts.records import Group

ORDERS: dict[str, Callable[[list[list[float]]], list[list[float]]]] = {
    "in the reverse order within each group": lambda rewards: [row[::-1] for row in rewards],
    "moved by 1 within each group": lambda rewards: [row[1:] + row[:1] for row in rewards],
    "moved by 1 group": lambda rewards: rewards[1:] + rewards[:1],
    "moved by -1 rollout": lambda rewards: _rows(_flat(rewards)[-1:] + _flat(rewards)[:-1]),
    # Written column by column, and read as if row by row.
    "with rollouts and groups transposed": lambda rewards: _rows(_flat(list(map(list, zip(*rewards, strict=True))))),
}


def _flat(rewards: list[list[float]]) -> list[float]:
    return [reward for row in rewards for reward in row]


def _rows(values: list[float]) -> list[list[float]]:
    return [values[start : start + 4] for start in range(0, len(values), 4)]


def groups(order: Callable[[list[list[float]]], list[list[float]]], step: int = 1) -> list[Group]:
    """20 groups of 4; the rewards are right, and then put in another order."""
    rewards = [[float(random.Random(7 * n + k).random() < 0.5) for k in range(4)] for n in range(20)]
    pairs = zip(rewards, order(rewards), strict=True)
    return [
        group(
            f"{step}/{n}",
            "4",
            [(rf"\boxed{{{4 if right else 5}}}", given, {"step": step}) for right, given in zip(row, put, strict=True)],
        )
        for n, (row, put) in enumerate(pairs)
    ]


@pytest.mark.parametrize("name", ORDERS)
def test_rewards_in_another_order_are_a_fault_of_scoring_and_the_order_is_named(name: str) -> None:
    report = audited(*groups(ORDERS[name]))
    causes = causes_of(report)
    assert set(causes) == {"scoring_fault", "undetermined"} - (
        {"undetermined"} if "undetermined" not in causes else set()
    )
    assert causes["scoring_fault"] > 10
    whys = {evidence.why for card in report.cards for evidence in card.evidence if evidence.cause == "scoring_fault"}
    assert whys <= {f"the rewards of step 1 fit the responses {name}"}


def test_a_step_in_order_is_not_accused_beside_one_that_is_not() -> None:
    report = audited(*groups(ORDERS["moved by 1 group"], step=1), *groups(lambda rewards: rewards, step=2))
    faults = [card for card in report.cards if card.cause == "scoring_fault"]
    assert all(card.group_id.startswith("1/") for card in faults)


def test_a_grader_that_is_merely_bad_fits_in_no_order() -> None:
    source = random.Random(3)
    bad = groups(lambda rewards: [[float(source.random() < 0.5) for _ in row] for row in rewards])
    assert "scoring_fault" not in causes_of(audited(*bad))
