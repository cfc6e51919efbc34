"""A verifier in the shape that verl 0.9 calls a reward function in. Needs neither verl nor torch.

verl asks about one response at a time, in a thread, with no time limit, and takes numbers only: None ends the rollout
of the whole group, and one NaN makes all advantages of its group NaN under verl's own estimators. So each row
says beside its score whether it has one (`rewardgate_unscored`), and the score of one that has none is, by choice,

    flag     0.0, for whoever reads the flag: `verl_trainer` leaves the row out
    nan      NaN, which our estimator `verigate` leaves out
    evict    an exception: verl drops the group, counts it in training/rollout_failure/evicted_samples and samples
             another one under trainer.v1.sampler.sync_refill_failed_groups
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from math import nan
from typing import Any

from ..errors import RewardgateError
from ..verifiers.base import Outcome, Verdict, Verifier
from .outcome_verifier import judged, outcome_verifier
from .step_runs import NO_STEPS
from .verl_options import Unscored

__all__ = ["compute_score", "reward_info"]


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    verifier: str = "auto",
    workers: int = 1,
    timeout_s: float | None = 30.0,
    unscored: Unscored = "flag",
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
    **options: Any,
) -> dict[str, Any]:
    """A reward function for `reward.custom_reward_function`, whose `reward_kwargs` are the arguments behind the `*`.

    A function sees no token ids, so that no steps are scored; for the gate take the reward manager.

    Args:
        data_source, extra_info, reward_router_address, reward_model_tokenizer: of verl; not read.
        solution_str: the response, decoded.
        ground_truth: what is right.
        verifier: a registered name, `pkg.mod:fn` or `path/file.py:fn`.
        workers: killable processes, started at the first call and kept. 0 judges in verl's process, where nothing
            can be killed.
        timeout_s: seconds that one response may take. One that alone exhausts them gets 0: it would be paid to.
        unscored: what stands for an unknown reward; see this module.
        options: the verifier's own.

    Returns:
        What `reward_info` says.

    Raises:
        UnknownNameError, InputError, ArgumentError: of the set-up, see `outcome_verifier`; never of a row.
        RewardgateError: the reward is unknown and `unscored` is "evict".

    Example:
        >>> info = compute_score("gsm8k", "so \\\\boxed{4}", "4", verifier="math", workers=0, timeout_s=None)
        >>> info["score"], info["rewardgate_rule"]
        (1.0, 'exact_number')
    """
    limits = {"workers": workers, "timeout_s": timeout_s}
    built = _built(verifier, json.dumps([limits, options], sort_keys=True))
    return reward_info(judged(built, solution_str, ground_truth), unscored=unscored)


def reward_info(verdict: Verdict, *, unscored: Unscored, steps: str = NO_STEPS) -> dict[str, Any]:
    """What verl keeps as `reward_extra_info`: the same keys for every row, none of which it cannot average or skip.

    `score` the reward, or what stands for it; `acc` 1.0 where correct, None where unknown (verl counts it in
    none of its accuracies but `acc`, where it is 0); `rewardgate_unscored` 1.0 where unknown, else 0.0;
    `rewardgate_outcome`, `rewardgate_rule`; `rewardgate_steps` as `step_runs` writes them.

    Raises:
        RewardgateError: the reward is unknown and `unscored` is "evict".
    """
    is_unscored = verdict.reward is None
    if is_unscored and unscored == "evict":
        raise RewardgateError(f"reward: unknown ({verdict.outcome}, {verdict.rule}): {verdict.detail}")
    return {
        "score": {"flag": 0.0, "nan": nan}.get(unscored) if is_unscored else verdict.reward,
        "acc": None if is_unscored else float(verdict.outcome is Outcome.CORRECT),
        "rewardgate_unscored": float(is_unscored),
        "rewardgate_outcome": verdict.outcome.value,
        "rewardgate_rule": verdict.rule,
        "rewardgate_steps": steps,
    }


@lru_cache(maxsize=16)  # verl names a function, and holds nothing between two calls of it
def _built(verifier: str, arguments: str) -> Verifier:
    limits, options = json.loads(arguments)
    return outcome_verifier(verifier, options=options, **limits)
