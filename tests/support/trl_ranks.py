"""One training of TRL through the gate on as many processes as there are: `torchrun trl_ranks.py POLICY OUT`.

Three groups of four on two processes of six: the second group lies on both. Every process writes what it trained on;
`trained` is the same without a launcher.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from datasets import Dataset
from trl_runs import COMPLETIONS, Records, ScriptedGatedTrainer, answer_reward, config, tokenizer_of

from rewardgate.grpo import gate_mode

PROMPTS = ("all wrong?", "mixed?", "one unknown?")


def trained(policy: Path, folder: Path, *, processes: int) -> dict[str, Any]:
    """What this process saw of two steps, and the weights behind them."""
    trainer = ScriptedGatedTrainer(
        model=str(policy),
        reward_funcs=answer_reward,
        args=config(
            folder, per_device_train_batch_size=12 // processes, gradient_accumulation_steps=1, max_steps=2,
            shuffle_dataset=False, optim="sgd", lr_scheduler_type="constant", max_grad_norm=100.0,
            log_completions=True, num_completions_to_print=0,
        ),
        train_dataset=Dataset.from_list([{"prompt": prompt, "solution": "11"} for prompt in PROMPTS]),
        processing_class=tokenizer_of(policy),
        gate=gate_mode("mean", estimator="grpo"),  # centred on the group: every row of it moves every other
    )  # fmt: skip
    trainer.records, trainer.completions = Records(), COMPLETIONS
    trainer.train()
    (batch,) = trainer.records.gated
    return {
        "prompts": batch["prompts"],
        "advantages": batch["advantages"],
        "tool_mask": batch["tool_mask"],
        "num_items_in_batch": int(batch["num_items_in_batch"]),
        "weights": {
            name: weight.detach() for name, weight in trainer.accelerator.unwrap_model(trainer.model).named_parameters()
        },
        "scale_state": trainer._scale_state,
        "log": trainer.state.log_history[0],
    }


def main() -> None:
    policy, out = map(Path, sys.argv[1:])
    state = PartialState(cpu=True)
    found = trained(policy, out / "run", processes=state.num_processes)
    torch.save(found, out / f"rank-{state.process_index}.pt")


if __name__ == "__main__":
    main()
