"""verl's synchronous trainer with the gate between rewards and update: `trainer.v1.trainer_mode=verigate_sync`."""

from typing import Any

import torch
from torch import Tensor

from ..errors import MissingExtraError
from ..grpo import gate_mode
from .verl_estimator import estimator_options
from .verl_gate import final_rows, gated_rows, is_unscored
from .verl_options import verl_options

try:
    import transfer_queue as tq  # pyright: ignore[reportMissingImports]
    from tensordict import TensorDict  # pyright: ignore[reportMissingImports]
    from transfer_queue import KVBatchMeta  # pyright: ignore[reportMissingImports]
    from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync  # pyright: ignore[reportMissingImports]
    from verl.workers.utils.padding import response_to_nested  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise MissingExtraError("verl is not installed; pip install 'rewardgate[verl]'") from error

__all__ = ["GatedTrainerSync"]

_OF_THE_UPDATE = ("advantages", "returns", "response_mask", "rm_scores", "token_level_rewards", "rollout_is_weights")


class GatedTrainerSync(PPOTrainerSync):
    """verl's `sync` trainer, of which `_compute_advantage` alone is another. It wants the reward manager `rewardgate`.

    - Rows without an outcome are taken out before verl sees the batch: what it computes for their group is what it
      computes for a group without them. Their advantages are 0 and their masks cleared, in the loss and in its
      denominator.
    - Groups whose outcomes differ keep verl's advantages.
    - Where the gate opens (all wrong, or tied), step scores become token advantages.
    - Any other group: the same estimator in float64, exactly 0 where its rewards are equal (KL in the reward may
      make them differ). A group of one scored row gets 0, where verl's `grpo` gives it its raw reward.

    A session of several outputs is judged by its last one; in a group that is not mixed the others get 0.

    Args:
        config: verl's; ours stands under `rewardgate`, see `verl_options.VerlOptions`.

    Raises:
        ArgumentError: an estimator that is not centred on the group, or a fault of our options.
        UnknownNameError: no mode of the gate has that name.
    """

    def __init__(self, config: Any) -> None:
        estimator, options = estimator_options(config.algorithm.adv_estimator, config.algorithm)
        self._gate = gate_mode(verl_options(config).gate, estimator=estimator, estimator_options=options)
        self._scale_state = None
        super().__init__(config)

    def _build_replay_buffer(self) -> Any:
        # verl asks in six places whether the *name* of the mode is "sync", and takes any other for asynchronous.
        self.trainer_mode = "sync"
        self.parameter_sync_step = self.config.trainer.v1.get("sync", {}).get("parameter_sync_step", 1)
        return super()._build_replay_buffer()

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """verl's batch, with its advantages, returns and masks as the gate wants them."""
        is_padding = [bool(tag.get("is_padding", False)) for tag in batch.tags]
        read = tq.kv_batch_get(
            keys=batch.keys,
            partition_id=batch.partition_id,
            select_fields=["uid", "extra_fields", "response_mask", "loss_mask"],
        )
        uids = _plain(read.pop("uid"))
        infos = [(fields or {}).get("reward_extra_info", {}) for fields in _plain(read.pop("extra_fields"))]
        nested_mask = read["response_mask"]
        left_out = [not pad and is_unscored(info) for pad, info in zip(is_padding, infos, strict=True)]
        kept = [row for row, is_out in enumerate(left_out) if not is_out]
        out = [row for row, is_out in enumerate(left_out) if is_out]

        of_verl: dict[str, Tensor] = {}  # (rows kept, T)
        if kept:
            super()._compute_advantage(batch.select_keys([batch.keys[row] for row in kept]), metrics)
            written = tq.kv_batch_get(
                keys=[batch.keys[row] for row in kept],
                partition_id=batch.partition_id,
                select_fields=list(_OF_THE_UPDATE),
            )
            of_verl = {field: written[field].to_padded_tensor(0) for field in sorted(written.keys())}
        n_tokens = int(nested_mask.offsets().diff().max())
        whole = {field: _spread(values, kept, len(left_out), n_tokens) for field, values in of_verl.items()}
        mask = whole.get("response_mask", torch.zeros(len(left_out), n_tokens, dtype=torch.int64))

        judged = final_rows(batch.keys, is_padding)
        rewards = whole.get("token_level_rewards", whole.get("rm_scores", torch.zeros(mask.shape)))
        gated = gated_rows(
            [infos[row] for row in judged],
            [uids[row] for row in judged],
            mask[judged],
            rewards[judged].double().sum(1),
            config=self._gate,
            scale_state=self._scale_state,
        )
        self._scale_state = gated.scale_state
        metrics.update(gated.metrics)

        mixed = {uids[row] for row, is_mixed in zip(judged, gated.is_mixed.tolist(), strict=True) if is_mixed}
        advantages = whole.get("advantages", torch.zeros(mask.shape)).clone()
        closed = [row for row, uid in enumerate(uids) if uid not in mixed and not is_padding[row]]
        advantages[closed] = 0
        overwritten = [place for place, row in enumerate(judged) if uids[row] not in mixed]
        advantages[[judged[place] for place in overwritten]] = gated.advantages[overwritten].to(advantages)
        fields = {"advantages": advantages, "returns": advantages}
        if out:
            # verl counts the tokens of the denominator by `loss_mask`, and sums over those of `response_mask`.
            loss_mask = read["loss_mask"].to_padded_tensor(0)
            loss_mask[out] = 0
            fields |= {"response_mask": mask, "loss_mask": loss_mask}
            fields |= {name: whole[name] for name in ("token_level_rewards", "rollout_is_weights") if name in whole}
        nested = {name: response_to_nested(values, nested_mask) for name, values in fields.items()}
        return tq.kv_batch_put(
            keys=batch.keys, partition_id=batch.partition_id, fields=TensorDict(nested, batch_size=len(batch))
        )


def _plain(column: Any) -> list[Any]:
    """A column without tensors; what the queue keeps it in depends on its back end."""
    return column.tolist() if hasattr(column, "tolist") else list(column)


def _spread(values: Tensor, rows: list[int], n_rows: int, n_tokens: int) -> Tensor:
    """(n_rows, n_tokens) with `values` in `rows`, 0 elsewhere."""
    whole = values.new_zeros(n_rows, n_tokens)
    whole[rows, : values.shape[1]] = values
    return whole
