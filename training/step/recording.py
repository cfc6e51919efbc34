"""What the monitor is told of a step."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ...diagnostics import Pool
from ..groups.judging import JudgedGroup
from ..groups.scoring import Scoring
from ..monitor.record import HeldOut, StepRecord
from .stepping import StepDone

__all__ = ["held_out_of", "record_of"]


def record_of(
    done: StepDone,
    *,
    pools: Mapping[Pool, int],
    held_out: Mapping[str, HeldOut],
    seconds: Mapping[str, float],
    scoring: Scoring | None,
) -> StepRecord:
    """The record of a step that is done.

    Args:
        pools: prompts by pool.
        held_out: where they were asked behind this step.
        seconds: further phases.
        scoring: what scored the steps; None: no gate.
    """
    rollouts = [rollout for one in done.collected.drawn for rollout in one.group.rollouts]
    credited = done.credited
    result = None if credited is None else credited.result
    update = {} if done.stats is None else done.stats.figures()
    return StepRecord(
        step=done.step,
        rewards=[rollout.reward for rollout in rollouts],
        group_ids=[one.group.group_id for one in done.collected.drawn for _ in one.group.rollouts],
        outcomes=[rollout.meta["outcome"] for rollout in rollouts],
        n_tokens=[rollout.n_tokens for rollout in rollouts],
        truncated=[rollout.truncated for rollout in rollouts],
        logprob_sums=[
            None if rollout.rollout_logprobs is None else float(rollout.rollout_logprobs.sum()) for rollout in rollouts
        ],
        advantages=None if result is None else result.advantages,
        completion_mask=None if credited is None else credited.batch.completion_mask,
        gate=None if result is None or scoring is None else result.gated.report,
        asked=0 if result is None else result.n_asked,
        failed=0 if result is None or scoring is None else scoring.count_failed(result.step_scores),
        update={**update, "learning_rate": done.rate},
        mismatch={} if done.mismatch is None else asdict(done.mismatch),
        pools=pools,
        ledger=done.collected.ledger.flat(),
        held_out=held_out,
        seconds={**done.seconds, **seconds},
    )


def held_out_of(groups: Sequence[JudgedGroup]) -> HeldOut:
    """Held-out groups as the monitor takes them."""
    return HeldOut(
        rewards=[reward for one in groups for reward in one.rewards],
        prompt_ids=[one.prompt.prompt_id for one in groups for _ in one.rewards],
    )
