"""One of several processes that update together: `python two_ranks.py RANK COUNT STORE CASE OUT`.

Takes every COUNT-th row of the case's batch from RANK on, and saves weights, optimizer state and figures to OUT.
"""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from plain_update import batch_of, policy
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from rewardgate.grpo import LossConfig
from rewardgate.grpo.update import PolicyUpdate, UpdateBatch, UpdateConfig

LENGTHS = [(3, 4), (1, 1), (2, 6), (4, 2), (2, 3), (1, 5), (2, 2), (3, 1)]
ALL, EVEN = frozenset(range(8)), frozenset(range(0, 8, 2))

CASES: dict[str, tuple[UpdateConfig, frozenset[int], tuple[str, ...]]] = {
    "plain": (UpdateConfig(), frozenset({1}), ("rollout_logprobs",)),
    "one rank dead": (UpdateConfig(token_budget=5, full_pass_every=1), EVEN, ("rollout_logprobs",)),
    "all dead": (UpdateConfig(), ALL, ()),
    "epochs": (UpdateConfig(epochs=2, mini_batches=2, token_budget=8), frozenset({0, 1, 4}), ()),
    "degenerate alone": (UpdateConfig(degenerate_gradient=True, token_budget=5), EVEN, ()),
    "sequence forms": (
        UpdateConfig(loss=LossConfig(form="gspo", reduction="sequence_mean"), epochs=2, token_budget=4),
        EVEN,
        (),
    ),
}


def main() -> None:
    rank, count, store, case, out = sys.argv[1:]
    found = updated(case, int(rank), int(count), store)
    torch.save(found, out)


def updated(case: str, rank: int = 0, count: int = 1, store: str | None = None) -> dict[str, Any]:
    """Two batches on; by one process alone where there is no store."""
    config, dead, others = CASES[case.removesuffix(", accelerate")]
    model: Any = policy()
    optimizer: Any = torch.optim.AdamW(model.parameters(), lr=0.01)
    accelerator: Any = None
    if store is not None:
        timeout = timedelta(seconds=120)
        distributed.init_process_group(
            "gloo", init_method=f"file://{store}", rank=rank, world_size=count, timeout=timeout
        )
        if case.endswith("accelerate"):
            from accelerate import Accelerator

            accelerator = Accelerator(cpu=True)
            model, optimizer = accelerator.prepare(model, optimizer)
        else:
            model = DistributedDataParallel(model)
    update = PolicyUpdate(model, optimizer, config, accelerator=accelerator)
    records = []
    for seed in range(2):
        # Whole groups to a rank keep mini-batches the same rows: here a group is a row, dealt in turn.
        records.append(update.step(share_of(batch_of(LENGTHS, seed=seed, dead=dead, others=others), rank, count)))
    bare = model.module if isinstance(model, DistributedDataParallel) else model
    if store is not None:
        distributed.destroy_process_group()
    return {
        "weights": {name: one.detach().clone() for name, one in bare.named_parameters()},
        "state": [entry for of_one in optimizer.state_dict()["state"].values() for entry in of_one.values()],
        "figures": [{**record.figures(), "fillers": record.fillers} for record in records],
        "norms": [[step.grad_norm for step in record.steps] for record in records],
        "degenerate": [[step.degenerate_grad_norm for step in record.steps] for record in records],
        "steps": update.optimizer_steps,
    }


def share_of(batch: UpdateBatch, rank: int, count: int) -> UpdateBatch:
    rows = list(range(rank, len(batch), count))
    tensors = {
        name: getattr(batch, name)[rows]
        for name in ("advantages", "completion_mask", "rollout_logprobs", "degenerate")
        if getattr(batch, name) is not None
    }
    return UpdateBatch([batch.prompt_ids[row] for row in rows], [batch.completion_ids[row] for row in rows], **tensors)  # type: ignore[arg-type, misc]


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
