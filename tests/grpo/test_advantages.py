from importlib.metadata import EntryPoint, EntryPoints
from math import inf, nan, sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reward_batches import CONSTANTS, Batch, batches, by_loop, centred, std
from torch import Tensor

from rewardgate.diagnostics import PromptPools
from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.grpo import PromptMeans, estimators, group_advantages, sign_advantages

GROUP_CENTRED = ("grpo", "dr_grpo", "batch_std", "rloo")
SILENT_WHERE_EQUAL = (*GROUP_CENTRED, "maxrl")
BUILT_IN = (*GROUP_CENTRED, "avspo", "ema", "global", "ngrpo", "pool", "sign")


def float64(*rows: object) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def close(values: object) -> object:
    return pytest.approx(values, rel=1e-12, abs=1e-12)


# Literal figures. One success in four: mean 1/4, centred 3/4 and three times -1/4, whose squares sum to
# 9/16 + 3/16 = 3/4; std = sqrt(3/4 / 3) = 1/2 with ddof 1 and sqrt(3/4 / 4) = sqrt(3)/4 with ddof 0.
@pytest.mark.parametrize(
    ("estimator", "options", "expected"),
    [
        ("dr_grpo", {}, [3 / 4, -1 / 4, -1 / 4, -1 / 4]),
        ("grpo", {"epsilon": 0.0}, [1.5, -0.5, -0.5, -0.5]),
        ("grpo", {}, [0.75 / 0.5001, -0.25 / 0.5001, -0.25 / 0.5001, -0.25 / 0.5001]),
        ("grpo", {"ddof": 0, "epsilon": 0.0}, [sqrt(3), -1 / sqrt(3), -1 / sqrt(3), -1 / sqrt(3)]),
        ("rloo", {}, [1.0, -1 / 3, -1 / 3, -1 / 3]),  # 1 - 0, and 0 - (1 + 0 + 0) / 3
        ("batch_std", {"epsilon": 0.0}, [1.5, -0.5, -0.5, -0.5]),  # one group: the batch's std is its own
        ("sign", {}, [1.0, -1.0, -1.0, -1.0]),
    ],
)
def test_one_success_in_four(estimator: str, options: dict[str, float], expected: list[float]) -> None:
    advantages = group_advantages(float64([1, 0, 0, 0]), estimator=estimator, **options)
    assert advantages.tolist() == [close(expected)]


def test_the_batch_std_is_taken_over_all_groups_and_the_mean_over_each() -> None:
    # Rewards 1, 0 | 0, 0 | 1 (a singleton) | 1, 0, unscored: seven of them, three successes; mean 3/7, squares sum
    # to 3 (4/7)^2 + 4 (3/7)^2 = 84/49 = 12/7; std = sqrt(12/7 / 6) = sqrt(2/7). Centred within groups: +-1/2.
    rewards, ids = float64(1, 0, 0, 0, 1, 1, 0, nan), torch.tensor([1, 1, 2, 2, 3, 4, 4, 4])
    half = 0.5 / sqrt(2 / 7)
    advantages = group_advantages(rewards, ids, estimator="batch_std", epsilon=0.0)
    assert advantages.tolist() == close([half, -half, 0, 0, 0, half, -half, 0])


def test_ids_that_interleave_compare_the_same_rows() -> None:
    # Groups 9: (1, 0, 0.5), mean 1/2; 4: (1, 0), mean 1/2.
    advantages = group_advantages(float64(1, 1, 0, 0, 0.5), torch.tensor([9, 4, 4, 9, 9]), estimator="dr_grpo")
    assert advantages.tolist() == [0.5, 0.5, -0.5, -0.5, 0.0]


@pytest.mark.parametrize("estimator", SILENT_WHERE_EQUAL)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_all_equal_group_gets_exact_zeros_whatever_the_constant(estimator: str, dtype: torch.dtype) -> None:
    for size in (2, 3, 4, 7, 8, 16, 31, 64):
        constant = torch.tensor(CONSTANTS, dtype=dtype).unsqueeze(1).expand(-1, size)  # (N, G)
        assert group_advantages(constant, estimator=estimator).eq(0).all(), size
        # Ragged, beside a mixed group, and with no epsilon to hide behind.
        rewards = torch.cat([constant.reshape(-1), torch.tensor([0.0, 1.0, 1.0], dtype=dtype)])
        ids = torch.cat([torch.arange(len(CONSTANTS)).repeat_interleave(size), torch.tensor([99, 99, 99])])
        options = {"epsilon": 0.0} if estimator in {"grpo", "batch_std"} else {}
        advantages = group_advantages(rewards, ids, estimator=estimator, **options)
        assert advantages[:-3].eq(0).all(), size
        assert advantages[-3:].ne(0).all(), size


def test_the_zeros_of_equal_groups_are_not_made_by_the_epsilon() -> None:
    # The naive formula in float32 makes up to 0.99 of these; see the constants.
    constant = torch.full((8,), 1e4 + 0.1)
    naive = (constant - constant.mean()) / (constant.std() + 1e-6)
    assert naive.abs().max() > 0.3
    assert group_advantages(constant.unsqueeze(0), epsilon=1e-6).eq(0).all()


def test_rewards_that_differ_by_the_least_float_are_mixed() -> None:
    reward = 1e4 + 0.1
    advantages = group_advantages(float64([reward, torch.nextafter(float64(reward), float64(inf)).item()]), epsilon=0.0)
    assert advantages[0, 0] < 0 < advantages[0, 1]


def test_rewards_too_close_for_their_squares_stay_finite() -> None:
    # (1e-200)^2 is 0 in float64, so that the std of a mixed group is 0.
    advantages = group_advantages(float64([0.0, 1e-200]), epsilon=0.0)
    assert advantages.isfinite().all()


@pytest.mark.parametrize("estimator", SILENT_WHERE_EQUAL)
def test_singletons_get_zero(estimator: str) -> None:
    rewards, ids = float64(1.0, 0.7, nan, 1.0, 0.0), torch.tensor([1, 2, 2, 3, 3])
    assert group_advantages(rewards, ids, estimator=estimator)[:3].tolist() == [0.0, 0.0, 0.0]


def options_of(estimator: str) -> dict[str, object]:
    seen = PromptMeans().updated(float64(0.25, 1.0, 0.5), torch.tensor([0, 0, 3]))
    pools = PromptPools()
    pools.update([1.0, 0.0, 0.0], [0, 0, 3], step=1)
    return {
        "avspo": {"step_in_above": 0.3},
        "ema": {"means": seen},
        "ngrpo": {"max_reward": 10.0},
        "pool": {"pools": pools},
        "sign": {"allow_graded": True},
    }.get(estimator, {})


@given(batches(), st.sampled_from(BUILT_IN), st.randoms(use_true_random=False))
def test_permuting_rollouts_permutes_advantages(batch: Batch, estimator: str, random: object) -> None:
    rewards, ids = batch.tensors
    order = list(range(len(rewards)))
    random.shuffle(order)
    options = options_of(estimator)
    plain = group_advantages(rewards, ids, estimator=estimator, **options)
    permuted = group_advantages(rewards[order], ids[order], estimator=estimator, **options)
    assert permuted.tolist() == close(plain[order].tolist())


@given(batches(), st.sampled_from([name for name in BUILT_IN if name not in ("ema", "pool")]))
def test_relabelling_the_groups_changes_nothing(batch: Batch, estimator: str) -> None:
    rewards, ids = batch.tensors
    labels = {group: 1000 - 7 * number for number, group in enumerate(dict.fromkeys(batch.ids))}
    relabelled = torch.tensor([labels[group] for group in batch.ids], dtype=torch.int16)
    options = options_of(estimator)
    assert torch.equal(
        group_advantages(rewards, ids, estimator=estimator, **options),
        group_advantages(rewards, relabelled, estimator=estimator, **options),
    )


@given(batches(), st.sampled_from(BUILT_IN), st.sampled_from([-7, 0, 3, 55]), st.integers(0, 24))
def test_an_unscored_row_gets_zero_and_never_moves_its_siblings(
    batch: Batch, estimator: str, group: int, place: int
) -> None:
    rewards, ids = batch.tensors
    place = min(place, len(rewards))
    with_unscored = torch.cat([rewards[:place], float64(nan), rewards[place:]])
    its_ids = torch.cat([ids[:place], torch.tensor([group]), ids[place:]])
    options = options_of(estimator)
    advantages = group_advantages(with_unscored, its_ids, estimator=estimator, **options)
    assert advantages[place] == 0
    siblings = torch.cat([advantages[:place], advantages[place + 1 :]])
    assert siblings.tolist() == close(group_advantages(rewards, ids, estimator=estimator, **options).tolist())


@given(batches(), st.sampled_from(["dr_grpo", "rloo"]))
def test_unscaled_group_centred_advantages_sum_to_zero_in_every_group(batch: Batch, estimator: str) -> None:
    rewards, ids = batch.tensors
    advantages = group_advantages(rewards, ids, estimator=estimator)
    for group in set(batch.ids):
        assert advantages[ids == group].sum().item() == pytest.approx(0, abs=1e-12)


@given(batches(), st.sampled_from([0, 1]), st.sampled_from([0.0, 1e-6, 1e-4]))
def test_ragged_groups_get_what_a_loop_over_them_gets(batch: Batch, ddof: int, epsilon: float) -> None:
    rewards, ids = batch.tensors

    def grpo(group: list[float]) -> list[float]:
        return [value / (std(group, ddof) + epsilon) if value else 0.0 for value in centred(group)]

    def rloo(group: list[float]) -> list[float]:
        others = [[*group[:row], *group[row + 1 :]] for row in range(len(group))]
        means = [sum(rest) / len(rest) if len(set(group)) > 1 else group[0] for rest in others]
        return [reward - mean for reward, mean in zip(group, means, strict=True)]

    expected = by_loop(batch, grpo)
    assert group_advantages(rewards, ids, ddof=ddof, epsilon=epsilon).tolist() == pytest.approx(expected, abs=1e-9)
    assert group_advantages(rewards, ids, estimator="dr_grpo").tolist() == close(by_loop(batch, centred))
    assert group_advantages(rewards, ids, estimator="rloo").tolist() == close(by_loop(batch, rloo))
    spread = std([reward for reward in batch.rewards if reward == reward], ddof) + epsilon
    expected = [value / spread if value else 0.0 for value in by_loop(batch, centred)]
    scaled = group_advantages(rewards, ids, estimator="batch_std", ddof=ddof, epsilon=epsilon)
    assert scaled.tolist() == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 5), st.integers(1, 6), st.data())
def test_a_matrix_gets_what_its_rows_with_ids_get(n_groups: int, size: int, data: st.DataObject) -> None:
    flat = data.draw(
        st.lists(st.sampled_from([0.0, 1.0, 0.5, nan]), min_size=n_groups * size, max_size=n_groups * size)
    )
    rewards, ids = float64(*flat), torch.arange(n_groups).repeat_interleave(size)
    for estimator in (*GROUP_CENTRED, "global", "avspo", "maxrl", "ngrpo"):
        of_matrix = group_advantages(rewards.view(n_groups, size), estimator=estimator)
        assert of_matrix.shape == (n_groups, size)
        assert torch.equal(of_matrix.reshape(-1), group_advantages(rewards, ids, estimator=estimator))


@pytest.mark.parametrize("estimator", BUILT_IN)
def test_an_empty_batch_gets_an_empty_answer(estimator: str) -> None:
    empty = group_advantages(
        torch.zeros(0), torch.zeros(0, dtype=torch.int64), estimator=estimator, **options_of(estimator)
    )
    assert empty.shape == (0,)


@pytest.mark.parametrize("estimator", BUILT_IN)
def test_an_unscored_batch_gets_zeros(estimator: str) -> None:
    unscored, ids = torch.full((3,), nan), torch.tensor([0, 0, 1])
    assert group_advantages(unscored, ids, estimator=estimator, **options_of(estimator)).tolist() == [0.0] * 3


@pytest.mark.parametrize("estimator", BUILT_IN)
def test_rewards_are_data_they_carry_no_graph_and_are_not_changed(estimator: str) -> None:
    rewards, ids = torch.tensor([1.0, 0.0, 0.0, nan], requires_grad=True), torch.tensor([0, 0, 3, 3])
    before = (rewards.detach().clone(), ids.clone())
    advantages = group_advantages(rewards, ids, estimator=estimator, **options_of(estimator))
    assert not advantages.requires_grad
    advantages += 1  # its own memory
    assert torch.equal(rewards.nan_to_num(9), before[0].nan_to_num(9))
    assert torch.equal(ids, before[1])


@pytest.mark.parametrize(
    ("dtype", "returned"),
    [
        (torch.float64, torch.float64),
        (torch.float32, torch.float32),
        (torch.bfloat16, torch.bfloat16),
        (torch.int64, torch.float32),
        (torch.bool, torch.float32),
    ],
)
def test_advantages_come_in_the_dtype_of_the_rewards(dtype: torch.dtype, returned: torch.dtype) -> None:
    advantages = group_advantages(torch.tensor([1, 0, 0, 0]).to(dtype), torch.zeros(4, dtype=torch.int64), epsilon=0.0)
    assert advantages.dtype == returned
    assert advantages.tolist() == [1.5, -0.5, -0.5, -0.5]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="NOT RUN: no CUDA device")
@pytest.mark.parametrize("estimator", BUILT_IN)
def test_tensors_on_a_gpu_get_what_they_get_on_the_cpu(estimator: str) -> None:
    rewards, ids = float64(1, 0, 0, 0.5, 0.5, nan), torch.tensor([0, 0, 3, 4, 4, 3])
    options = options_of(estimator)
    on_gpu = group_advantages(rewards.cuda(), ids.cuda(), estimator=estimator, **options)
    assert on_gpu.device.type == "cuda"
    assert torch.equal(on_gpu.cpu(), group_advantages(rewards, ids, estimator=estimator, **options))


def test_large_offsets_keep_their_differences() -> None:
    # One-pass variance in float32 says -149.9 here; deviations -1.5, -0.5, 0.5, 1.5 times 0.1, std 0.1 sqrt(5/3).
    advantages = group_advantages(float64([1000.0, 1000.1, 1000.2, 1000.3]), epsilon=0.0)
    expected = [value / sqrt(5 / 3) for value in (-1.5, -0.5, 0.5, 1.5)]
    assert advantages.tolist() == [pytest.approx(expected, rel=1e-9)]


@given(batches(), st.sampled_from(BUILT_IN), st.integers(0, 2**24 - 1), st.booleans())
def test_rows_that_are_not_learned_from_get_zero_and_vote_only_if_they_may(
    batch: Batch, estimator: str, bits: int, vote: bool
) -> None:
    rewards, ids = batch.tensors
    learned = torch.tensor([bool(bits >> row & 1) for row in range(len(rewards))], dtype=torch.bool)
    options = options_of(estimator)
    found = group_advantages(rewards, ids, estimator=estimator, learned=learned, unlearned_vote=vote, **options)
    voting = rewards if vote else rewards.where(learned, nan)
    expected = group_advantages(voting, ids, estimator=estimator, **options).where(learned, 0)
    assert torch.equal(found, expected)


def test_a_cut_off_failure_lowers_its_siblings_baseline_unless_it_has_no_vote() -> None:
    # Right, wrong, and wrong because cut off. With its vote the mean is 1/3, without it 1/2.
    rewards, learned = float64([1, 0, 0]), torch.tensor([[True, True, False]])
    with_vote = group_advantages(rewards, estimator="dr_grpo", learned=learned)
    without = group_advantages(rewards, estimator="dr_grpo", learned=learned, unlearned_vote=False)
    assert with_vote.tolist() == [close([2 / 3, -1 / 3, 0])]
    assert without.tolist() == [close([1 / 2, -1 / 2, 0])]
    # Whole numbers too, and where the votes left are equal the group has nothing to say.
    silent = group_advantages(torch.tensor([[1, 1, 0]]), learned=learned, unlearned_vote=False)
    assert silent.tolist() == [[0.0, 0.0, 0.0]]
    with pytest.raises(ArgumentError, match=r"learned: expected shape \(1, 3\) as rewards, got \(3,\)"):
        group_advantages(rewards, learned=learned[0])


def test_sign_is_nonzero_in_degenerate_groups_and_takes_graded_rewards_only_when_told() -> None:
    assert sign_advantages(float64([0, 0], [1, 1])).tolist() == [[-1.0, -1.0], [1.0, 1.0]]
    with pytest.raises(ArgumentError, match=r"^rewards: expected 0 or 1, got 0.5 in row 2; pass allow_graded=True"):
        sign_advantages(float64(1, nan, 0.5), torch.tensor([0, 0, 0]))
    assert sign_advantages(float64([1, 0.5, nan]), allow_graded=True).tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ddof": 2}, "ddof: expected 0 or 1, got 2"),
        ({"epsilon": -1e-6}, "epsilon: expected a finite number of at least 0, got -1e-06"),
        ({"epsilon": nan}, "epsilon: expected a finite number of at least 0, got nan"),
    ],
)
@pytest.mark.parametrize("estimator", ["grpo", "batch_std", "global", "avspo", "ngrpo"])
def test_options_outside_their_range_are_refused(estimator: str, options: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        group_advantages(float64([1, 0]), estimator=estimator, **options)


def test_the_registry_knows_every_estimator_and_names_them_to_who_misspells_one() -> None:
    assert {*BUILT_IN, *SILENT_WHERE_EQUAL, "gdpo"} <= set(estimators)
    with pytest.raises(UnknownNameError, match=r'estimator: unknown name "grpp"; known: .*\bgrpo\b.*\bsign\b'):
        group_advantages(float64([1, 0]), estimator="grpp")


def scaled(rewards: Tensor, group_ids: Tensor | None, *, by: float) -> Tensor:
    return rewards * by


def first(rewards: Tensor, group_ids: Tensor | None) -> Tensor:
    return rewards[:1]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package, with the two estimators above."""
    points = [EntryPoint(name, f"{__name__}:{name}", "rewardgate.estimators") for name in ("scaled", "first")]
    monkeypatch.setattr("rewardgate.registry._installed", lambda path: EntryPoints(points))


@pytest.mark.usefixtures("installed")
def test_an_estimator_of_another_package_is_found_by_its_entry_point() -> None:
    assert "scaled" in estimators
    assert group_advantages(float64([1, 0]), estimator="scaled", by=3.0).tolist() == [[3.0, 0.0]]


@pytest.mark.usefixtures("installed")
def test_an_estimator_that_returns_another_shape_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"^first: expected advantages of shape \(2,\), got \(1,\)$"):
        group_advantages(float64(1, 0), torch.tensor([0, 0]), estimator="first")
