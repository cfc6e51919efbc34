from rewardgate.rollouts.formats.trl_rewards import RewardWeights, Total

# Two rewards of four rows, and advantages of 1 a + 0.5 b: sums 1.5, 1, .5, 0 less their mean .75, over .6455.
ROWS = [((1.0, 1.0), 1.162), ((1.0, 0.0), 0.387), ((0.0, 1.0), -0.387), ((0.0, 0.0), -1.162)]


def settled(weights: RewardWeights) -> RewardWeights:
    for rewards, advantage in ROWS:
        weights.add(list(rewards), advantage)
    weights.settle([0] * len(ROWS))
    return weights


def test_advantages_tell_the_weights_where_nothing_else_does() -> None:
    weights = settled(RewardWeights(["a", "b"]))
    total = weights.total({"a": 1.0, "b": 1.0})
    assert total is not None
    assert (total.name, round(total.value or 0, 2)) == ("reward", 1.5)
    assert "weights from the advantages" in weights.notes[0]


def test_weights_that_the_advantages_contradict_are_not_believed() -> None:
    assert settled(RewardWeights(["a", "b"], [1.0, 1.0])).total({"a": 0.0, "b": 1.0}) != Total("reward", 1.0)


def test_weights_that_no_row_can_confirm_are_trls_default() -> None:
    weights = RewardWeights(["a", "b"])
    weights.add([1.0, 0.0], 0.0)
    weights.settle([0])
    assert weights.total({"a": 1.0, "b": None}) == Total("reward", 1.0)
    assert weights.total({"a": None, "b": None}) == Total("reward", None)
    assert "TRL's default, which no advantage here can confirm" in weights.notes[0]


def test_advantages_that_are_no_sum_at_all_leave_the_total_unknown() -> None:
    weights = RewardWeights(["a", "b"])
    for rewards, advantage in (([1.0, 0.0], 0.3), ([0.0, 0.0], 0.4), ([0.0, 1.0], -0.7), ([1.0, 1.0], 0.0)):
        weights.add(rewards, advantage)
    weights.settle([0] * 4)
    assert weights.total({"a": 1.0, "b": 1.0}) is None
    assert "no total reward is given" in weights.notes[0]


def test_one_reward_is_its_own_total_and_a_taken_name_is_not_taken_again() -> None:
    assert RewardWeights(["a"], [1.0]).total({"a": 1.0}) is None
    assert settled(RewardWeights(["reward", "b"])).total({"reward": 0.0, "b": 0.0}) == Total("total", 0.0)
