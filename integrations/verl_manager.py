"""verl's reward manager `rewardgate`: outcomes by a verifier, and steps, where the gate may ask for them, by a scorer.

`reward.reward_manager.name=rewardgate`. It runs in verl's reward workers, while other responses are being generated,
and sees token ids: steps are cut from the bytes of the ids themselves and travel to the trainer with the reward.
"""

import asyncio
import logging
from typing import Any

import numpy as np

from ..diagnostics import group_kinds
from ..errors import MissingExtraError
from ..grpo import gate_mode
from ..prm.base import StepScorer
from ..prm.base import get as get_step_scorer
from ..rollouts.values import target_value
from .outcome_verifier import judged, outcome_verifier
from .scored_steps import CompletionIds, scored_steps
from .step_runs import NO_STEPS, text_of_steps
from .verl_options import verl_options
from .verl_reward import reward_info

try:
    from verl.experimental.reward_loop.reward_manager.base import (  # pyright: ignore[reportMissingImports]
        RewardManagerBase,
    )
except ImportError as error:
    raise MissingExtraError("verl is not installed; pip install 'rewardgate[verl]'") from error

__all__ = ["GateRewardManager"]

logger = logging.getLogger(__name__)


class GateRewardManager(RewardManagerBase):
    """What verl builds in each reward worker.

    The step scorer is asked about the responses whose group could open the gate: not about right ones, which it takes
    a gate that opens on `all_correct` to care for, and not about those without an outcome.

    Args:
        config: verl's whole configuration; ours stands under `rewardgate`, see `verl_options.VerlOptions`.
        tokenizer: the policy's.
        compute_score, reward_router_address, reward_model_tokenizer: of verl; not used.

    Raises:
        UnknownNameError: no verifier, step scorer or mode of the gate has that name.
        ArgumentError: another fault of the options.
    """

    def __init__(
        self,
        config: Any,
        tokenizer: Any,
        compute_score: Any = None,
        reward_router_address: str | None = None,
        reward_model_tokenizer: Any = None,
    ) -> None:
        super().__init__(config, tokenizer, compute_score)
        options = verl_options(config)
        self._verifier = outcome_verifier(
            options.verifier, workers=options.workers, timeout_s=options.timeout_s, options=options.options
        )
        self._scorer = None
        if options.step_scorer is not None:
            self._scorer = get_step_scorer(options.step_scorer, **options.scorer_options)
        self._gate = gate_mode(options.gate)
        self._options = options

    async def run_single(self, data: Any) -> dict[str, Any]:
        """`reward_score` and `reward_extra_info` of one trajectory, of which the last output counts; does not raise.

        Raises:
            RewardgateError: the reward is unknown, and the group is to be dropped (`unscored=evict`).
        """
        return await asyncio.to_thread(self._scored, data[-1:][0])

    def _scored(self, item: Any) -> dict[str, Any]:
        columns = item.non_tensor_batch
        ids = _response_ids(item)
        target = target_value(columns.get("reward_model"))
        prompt = _messages(columns.get("raw_prompt"))
        verdict = judged(self._verifier, self.tokenizer.decode(ids, skip_special_tokens=True), target, prompt)
        steps = NO_STEPS
        if self._scorer is not None and verdict.reward is not None and self._may_open(verdict.reward):
            steps = self._steps(self._scorer, CompletionIds(prompt or "", target, ids))
        info = reward_info(verdict, unscored=self._options.unscored or "flag", steps=steps)
        return {"reward_score": info["score"], "reward_extra_info": info}

    def _may_open(self, reward: float) -> bool:
        """Whether the gate opens on a group of this reward alone."""
        config = self._gate
        kinds = group_kinds([reward, reward], [0, 0], correct_at=config.correct_at, wrong_at=config.wrong_at)
        return config.opens(kinds.kinds[0])

    def _steps(self, scorer: StepScorer, row: CompletionIds) -> str:
        mask = np.ones((1, len(row.ids)), dtype=bool)
        try:
            (steps,) = scored_steps(
                [row], [True], mask, tokenizer=self.tokenizer, scorer=scorer, split=self._options.split
            )
        except Exception:  # an outcome is worth more than its steps: the row goes without
            logger.warning(
                "step scorer %s failed; the row goes without steps", self._options.step_scorer, exc_info=True
            )
            return NO_STEPS
        return text_of_steps(steps)


def _response_ids(item: Any) -> list[int]:
    """The ids of the response, without padding."""
    ids, columns = item.batch["responses"], item.non_tensor_batch
    # Of several outputs verl pads prompts on the right, so that the mask's tail is not that of the response.
    length = columns.get("response_len")
    if length is None:
        length = item.batch["attention_mask"][-len(ids) :].sum()
    return ids[: int(length)].tolist()


def _messages(prompt: Any) -> Any:
    return list(prompt) if isinstance(prompt, list | tuple | np.ndarray) else prompt
