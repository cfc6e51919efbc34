"""CPU-milliseconds of GRPO advantages for a batch, ours beside a numpy view and verl, interleaved in one process.

    python benchmarks/advantages.py [--rollouts 100000] [--group-size 16] [--repeat 7] [--json OUT.json]

Rewards are 0 or 1 in float64, from prompts of every difficulty. Each repetition runs all contenders one after the
other, in rotating order, each for at least 50 ms, and counts the median of its calls; the first repetition is left out.
Ours is the whole public call: checks, numbering of the ids, judging, two-pass statistics, the result as a tensor.
Before anything is timed, all must agree to 1e-5. Prints, for each contender:

    CPU-ms   milliseconds a call of all threads together, by process_time: on a shared machine the wall clock says how
             often another process ran (min / median / max over the repetitions)
    × view   how many times as long as the numpy view, within a repetition (min / median / max)

and how many times as long as ours verl's default loop takes. The contenders:

    numpy view             R.reshape(N, G), the same formula: mean, two-pass std, max != min; it can do nothing else
    rewardgate             group_advantages(rewards, group_ids), the rows of a group adjacent
    rewardgate (N, G)      the same without ids
    rewardgate shuffled    the same as the first, rows in random order
    rewardgate float32     the same as the first, rewards in float32
    verl                   compute_grpo_outcome_advantage, one token a rollout, integer ids; where verl is not
                           installed, its algorithm in our words stands in, and the line says so
    verl vectorized        compute_grpo_vectorized_outcome_advantage; only where verl is installed
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rewardgate.grpo import group_advantages

EPSILON = 1e-6
VIEW, OURS = "numpy view", "rewardgate"

AT_LEAST_S = 0.05

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Contender = Callable[[], Tensor | FloatArray]
Seconds = dict[str, list[float]]
"""CPU-seconds a call: contender -> one number a repetition."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=int, default=100_000)
    parser.add_argument("--group-size", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=7, help="interleaved repetitions, at least 5")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.repeat < 5:
        parser.error("--repeat: expected at least 5")
    rewards, ids = batch(options.rollouts, options.group_size)
    contenders, loop = contenders_for(rewards, ids, options.group_size)
    check_agreement(contenders)
    degenerate = np.ptp(rewards.reshape(-1, options.group_size), axis=1) == 0
    print(
        f"{len(rewards):,} rollouts in groups of {options.group_size}, {degenerate.mean():.0%} of them degenerate; "
        f"numpy {np.__version__}, torch {torch.__version__} with {torch.get_num_threads()} threads; "
        f"{options.repeat} interleaved repetitions\n"
    )
    seconds = measured(contenders, options.repeat)
    print(table(seconds))
    print(f"{loop}: {_spread(ratios(seconds, loop, OURS), 0)} times as long as {OURS}")
    if options.json is not None:
        options.json.write_text(json.dumps(seconds, indent=1), encoding="utf-8")


def batch(n_rollouts: int, group_size: int) -> tuple[FloatArray, IntArray]:
    """Rewards of prompts of every difficulty, and ids whose rows are adjacent."""
    generator = np.random.default_rng(0)
    n_groups = n_rollouts // group_size
    rates = generator.beta(0.6, 0.6, size=(n_groups, 1))
    rewards = (generator.random((n_groups, group_size)) < rates).astype(np.float64)
    return rewards.reshape(-1), np.repeat(np.arange(n_groups), group_size)


def contenders_for(
    rewards: FloatArray, ids: IntArray, group_size: int
) -> tuple[dict[str, tuple[Contender, IntArray]], str]:
    """Name -> what to time, and the order of its rows; and the name of verl's default loop."""
    shuffled = np.random.default_rng(1).permutation(len(rewards))
    as_given = np.arange(len(rewards))
    tensor, index = torch.from_numpy(rewards), torch.from_numpy(ids)
    mixed_tensor, mixed_index, single = tensor[shuffled], index[shuffled], tensor.float()
    tokens, mask = tensor.unsqueeze(1), torch.ones(len(rewards), 1, dtype=torch.float64)
    contenders: dict[str, tuple[Contender, IntArray]] = {
        VIEW: (lambda: numpy_view(rewards, group_size), as_given),
        OURS: (lambda: group_advantages(tensor, index, epsilon=EPSILON), as_given),
        f"{OURS} (N, G)": (lambda: group_advantages(tensor.view(-1, group_size), epsilon=EPSILON), as_given),
        f"{OURS} shuffled": (lambda: group_advantages(mixed_tensor, mixed_index, epsilon=EPSILON), shuffled),
        f"{OURS} float32": (lambda: group_advantages(single, index, epsilon=EPSILON), as_given),
    }
    if find_spec("verl") is None:
        loop = "verl's loop in our words (verl is not installed)"
        contenders[loop] = (lambda: verl_in_our_words(tokens, mask, ids), as_given)
        return contenders, loop
    from verl.trainer.ppo import core_algos

    loop = f"verl {version('verl')}"
    contenders[loop] = (lambda: core_algos.compute_grpo_outcome_advantage(tokens, mask, ids, EPSILON)[0], as_given)
    contenders["verl vectorized"] = (
        lambda: core_algos.compute_grpo_vectorized_outcome_advantage(tokens, mask, ids, EPSILON)[0],
        as_given,
    )
    return contenders, loop


def numpy_view(rewards: FloatArray, group_size: int) -> FloatArray:
    """The formula and nothing else: no check, no ids, no unscored row, no group of another size."""
    groups = rewards.reshape(-1, group_size)
    centred = groups - groups.mean(1, keepdims=True)
    std = np.sqrt((centred * centred).sum(1, keepdims=True) / (group_size - 1))
    is_mixed = groups.max(1, keepdims=True) != groups.min(1, keepdims=True)
    return np.where(is_mixed, centred / (std + EPSILON), 0.0)


def verl_in_our_words(tokens: Tensor, mask: Tensor, ids: IntArray) -> Tensor:
    """What verl's default GRPO estimator does: collect scalars by id, stack each group, then rewrite row by row."""
    scores = tokens.sum(dim=-1)
    members = defaultdict(list)
    for row in range(len(scores)):
        members[ids[row]].append(scores[row])
    statistics = {}
    for group, its_scores in members.items():
        stacked = torch.stack(its_scores)
        statistics[group] = (torch.mean(stacked), torch.std(stacked))
    for row in range(len(scores)):
        mean, std = statistics[ids[row]]
        scores[row] = (scores[row] - mean) / (std + EPSILON)
    return scores.unsqueeze(-1) * mask


def check_agreement(contenders: dict[str, tuple[Contender, IntArray]]) -> None:
    """Being fast and wrong is no comparison: all agree with the view to 1e-5 (float32 and one-pass ones among them)."""
    expected = np.asarray(contenders[VIEW][0]()).reshape(-1)
    for name, (contender, order) in contenders.items():
        worst = np.abs(np.asarray(contender()).reshape(-1) - expected[order]).max()
        if worst > 1e-5:
            raise SystemExit(f"{name}: differs from the view by {worst}")


def measured(contenders: dict[str, tuple[Contender, IntArray]], repeat: int) -> Seconds:
    """CPU-seconds a call of every contender, one number a repetition."""
    seconds: Seconds = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(repeat + 1):
        shift = turn % len(names)
        for name in (*names[shift:], *names[:shift]):
            seconds[name].append(seconds_a_call(contenders[name][0]))
    return {name: taken[1:] for name, taken in seconds.items()}


def seconds_a_call(contender: Contender) -> float:
    """Median over as many calls as take AT_LEAST_S."""
    taken: list[float] = []
    while sum(taken) < AT_LEAST_S:
        started = process_time()
        contender()
        taken.append(process_time() - started)
    return median(taken)


def table(seconds: Seconds) -> str:
    """CPU-milliseconds a call and ratios to the view, in Markdown."""
    text = "| contender | CPU-ms | × view |\n| --- | --- | --- |\n"
    for name, taken in seconds.items():
        in_ms = _spread([1e3 * second for second in taken], 2)
        text += f"| {name} | {in_ms} | {_spread(ratios(seconds, name, VIEW), 2)} |\n"
    return text


def ratios(seconds: Seconds, slow: str, fast: str) -> list[float]:
    return [a / b for a, b in zip(seconds[slow], seconds[fast], strict=True)]


def _spread(values: Sequence[float], digits: int) -> str:
    return " / ".join(f"{value:,.{digits}f}" for value in (min(values), median(values), max(values)))


if __name__ == "__main__":
    main()
