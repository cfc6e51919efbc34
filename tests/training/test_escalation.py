import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.diagnostics import BetaBinomial, Pool, PromptPools
from rewardgate.errors import ArgumentError
from rewardgate.training.escalation import Climb, Escalation, EscalationRules, Rung

RULES = EscalationRules(rungs=(Rung(4), Rung(8), Rung(16, 1.2)), after_visits=2, give_up_after=None)


def fail(escalation: Escalation, *, visits: int, first_step: int = 1, size: int = 4, prompt: str = "a") -> list[Climb]:
    climbs = []
    for step in range(first_step, first_step + visits):
        climbs += escalation.update([0.0] * size, [prompt] * size, step=step)
    return climbs


def test_a_prompt_that_never_failed_is_drawn_as_all_others() -> None:
    assert Escalation(RULES).rung_of("new") == Rung(4)


def test_every_second_visit_without_a_success_climbs_one_rung_up_to_the_last() -> None:
    escalation = Escalation(RULES)
    assert fail(escalation, visits=1) == []
    assert fail(escalation, visits=7, first_step=2) == [Climb("a", 0, 1), Climb("a", 1, 2)]
    assert escalation.rung_of("a") == Rung(16, 1.2)


def test_one_success_puts_the_prompt_back_and_forgets_its_failures() -> None:
    escalation = Escalation(RULES)
    fail(escalation, visits=2)
    assert escalation.update([0.0, 1.0, 0.0], ["a"] * 3, step=3) == [Climb("a", 1, 0)]
    assert escalation.rung_of("a") == Rung(4)
    assert escalation.chance_of("a").failures == 0


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_unknown_rewards_are_no_visit_and_no_failure(unknown: float | None) -> None:
    escalation = Escalation(RULES)
    for step in range(20):
        assert escalation.update([unknown] * 4, ["a"] * 4, step=step) == []
    assert escalation.chance_of("a").failures == 0
    escalation.update([0.0, unknown, 0.0], ["a"] * 3, step=21)
    assert escalation.chance_of("a").failures == 2


def test_partial_credit_is_no_success() -> None:
    escalation = Escalation(RULES)
    for step in (1, 2):
        escalation.update([0.5, 0.25], ["a", "a"], step=step)
    assert escalation.rung_of("a") == Rung(8)


def test_a_prompt_is_given_up_after_its_tries_and_comes_back_by_a_success() -> None:
    escalation = Escalation(EscalationRules(rungs=(Rung(4), Rung(8)), after_visits=1, give_up_after=20))
    climbs = escalation.update([0.0] * 4, ["a"] * 4, step=1)
    climbs += escalation.update([0.0] * 8, ["a"] * 8, step=2)
    assert escalation.given_up() == []
    climbs += escalation.update([0.0] * 8, ["a"] * 8, step=3)  # 4 + 8 + 8 = 20 failures
    assert climbs == [Climb("a", 0, 1), Climb("a", 1, 0, gave_up=True)]
    assert (escalation.given_up(), escalation.rung_of("a")) == (["a"], Rung(4))
    assert fail(escalation, visits=5, first_step=4) == []
    assert escalation.rung_of("a") == Rung(4)
    escalation.update([1.0, 0.0], ["a", "a"], step=10)
    assert escalation.given_up() == []


def test_a_prompt_long_unseen_starts_afresh() -> None:
    escalation = Escalation(EscalationRules(rungs=(Rung(4), Rung(8)), after_visits=1, forget_after_steps=100))
    fail(escalation, visits=1)
    assert escalation.rung_of("a", step=101) == Rung(8)
    assert escalation.rung_of("a", step=102) == Rung(4)
    assert escalation.update([0.0] * 4, ["a"] * 4, step=200) == []  # on the second rung again, from the first
    assert escalation.chance_of("a").failures == 4


def test_only_prompts_of_the_hard_pool_are_escalated_where_pools_decide() -> None:
    pools, escalation = PromptPools(["a"]), Escalation(RULES)
    for step in (1, 2):
        escalation.update([0.0] * 4, ["a"] * 4, step=step)
    assert pools.pool_of("a") is Pool.FRONTIER
    assert escalation.rung_of("a", pools=pools) == Rung(4)
    pools.update([0.0] * 16, ["a"] * 16, step=2)
    assert pools.pool_of("a") is Pool.HARD
    assert escalation.rung_of("a", pools=pools) == Rung(8)
    pools.set_aside(["a"], "quarantine")  # its target is in doubt: more tries would be wasted
    assert escalation.rung_of("a", pools=pools) == Rung(4)


def test_what_the_next_visit_may_bring_is_a_bound_and_beside_it_a_forecast() -> None:
    escalation = Escalation(RULES)
    assert escalation.chance_of("a").at_most == 1.0
    fail(escalation, visits=2)  # 8 failures, and 8 completions on the next rung
    chance = escalation.chance_of("a", fit=BetaBinomial(mean=0.5, rho=1 / 3))
    assert (chance.failures, chance.group_size) == (8, 8)
    # (1 - 0.05^(1/8)) is the greatest rate left; 1 - (0.05^(1/8))^8 = 0.95
    assert chance.at_most == pytest.approx(0.95)
    # uniform rates: after 8 failures P(no success in 8 more) = B(1, 17) / B(1, 9) = 9 / 17
    assert chance.expected == pytest.approx(8 / 17)


def test_the_state_survives_json() -> None:
    escalation = Escalation(RULES)
    fail(escalation, visits=3)
    escalation.update([0.0], [7], step=3)
    state = json.loads(json.dumps(escalation.state_dict()))
    other = Escalation(RULES)
    other.load_state_dict(state)
    assert other.state_dict() == escalation.state_dict()
    assert other.rung_of("a") == Rung(8)
    assert fail(other, visits=1, first_step=4) == fail(escalation, visits=1, first_step=4) == [Climb("a", 1, 2)]


def test_a_state_of_more_rungs_than_there_are_ends_on_the_last() -> None:
    escalation, shorter = Escalation(RULES), Escalation(EscalationRules(rungs=(Rung(4), Rung(8))))
    fail(escalation, visits=4)
    shorter.load_state_dict(escalation.state_dict())
    assert shorter.rung_of("a") == Rung(8)


@pytest.mark.parametrize(
    "state", [{}, {"prompts": 3}, {"prompts": [["a"]]}, {"prompts": [[None, 0, 0, 0, 0, False]]}, {"prompts": ["ab"]}]
)
def test_what_is_no_state_is_refused_and_changes_nothing(state: dict) -> None:
    escalation = Escalation(RULES)
    fail(escalation, visits=2)
    with pytest.raises(ArgumentError, match="state: expected what Escalation"):
        escalation.load_state_dict(state)
    assert escalation.rung_of("a") == Rung(8)


def test_ids_that_are_neither_text_nor_numbers_are_refused() -> None:
    with pytest.raises(ArgumentError, match="prompt_ids: expected str or int, got tuple"):
        Escalation().update([0.0, 0.0], [("a",), ("a",)], step=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rungs": ()}, "rungs: expected at least one"),
        ({"rungs": (Rung(0),)}, "rungs: expected group sizes of at least 1, got 0"),
        ({"rungs": (Rung(8), Rung(4))}, "rungs: expected group sizes that never fall, got 4 after 8"),
        ({"rungs": (Rung(8, 0.0),)}, "rungs: expected a positive temperature or None, got 0.0"),
        ({"after_visits": 0}, "after_visits: expected at least 1, got 0"),
        ({"give_up_after": 0}, "give_up_after: expected at least 1, got 0"),
        ({"forget_after_steps": -1}, "forget_after_steps: expected at least 1, got -1"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        EscalationRules(**options)
    assert message in str(refused.value)


REWARD = st.sampled_from([0.0, 0.0, 0.0, 1.0, None])


@given(st.lists(st.lists(REWARD, min_size=1, max_size=4), max_size=30), st.integers(1, 3))
def test_the_failures_counted_are_those_since_the_last_success(visits: list, after: int) -> None:
    rules = EscalationRules(rungs=(Rung(2), Rung(4), Rung(8)), after_visits=after, give_up_after=None)
    escalation, since = Escalation(rules), list[list[float | None]]()
    for step, rewards in enumerate(visits):
        escalation.update(rewards, ["a"] * len(rewards), step=step)
        since = [] if 1.0 in rewards else [*since, *([rewards] if any(one is not None for one in rewards) else [])]
    assert escalation.chance_of("a").failures == sum(one == 0.0 for rewards in since for one in rewards)
    assert escalation.rung_of("a") == rules.rungs[min(2, len(since) // after)]
