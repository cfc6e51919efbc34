"""The gate in TRL's own trainer, with and without: a real training on a CPU where nearly every group is all wrong.

    pip install 'rewardgate[trl]'
    OMP_NUM_THREADS=1 python benchmarks/trl_gate.py --work RUNS [--seeds 3] [--arms plain gated] [--steps 60]
    python benchmarks/trl_gate.py --work RUNS --curve docs/trl_gate.svg      # draws what is there, runs nothing

The task is that of learning/totals.py: five running totals, a line each, by a policy whose teacher forgot four carries
of five. Where four of the five additions carry, nearly every group is all wrong, and a rule can say which lines are
right.
The policy is taught once and kept in RUNS. Each arm is the same `GRPOConfig` (16 prompts of 8 rollouts a step, one
update on them, learning rate 4e-4, TRL's default loss), the same prompts in the same order from the same weights; only
the trainer differs:

    plain    trl.GRPOTrainer
    gated    GatedGRPOTrainer(step_scorer=LineByLine(), gate="local")
    rules    the same with gate="rules", which charges from the first wrong line on and pays nothing

Every finished run is one line of RUNS/results.jsonl, and is not run again. Printed, as means and ranges over seeds:

    nonzero      share of rollouts with an advantage other than 0, over the first fifth of the steps and over all
    reward       TRL's mean reward of the last five steps: whole derivations right, on prompts not seen before
    held-out     right derivations of 256 prompts apart, 4 samples each, before and after
    reaches 0.5  the first step at which the mean reward of five steps is at least 0.5; none: never

A step without any advantage still moves the weights in TRL (Adam's momentum); that is TRL's own and left as it is.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read by the imports below

from trl_gate_curve import drawn

sys.path.append(str(Path(__file__).parent / "learning"))  # the task, which the experiments there share

ARMS = ("plain", "gated", "rules")
PROMPTS, GROUP = 16, 8
HELD_OUT_EVERY = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=["plain", "gated"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--curve", type=Path)
    options = parser.parse_args()
    results = options.work / "results.jsonl"
    if options.curve is None:
        options.work.mkdir(parents=True, exist_ok=True)
        for seed in range(options.seeds):
            for arm in options.arms:
                if (arm, seed, options.steps) not in {(run["arm"], run["seed"], run["steps"]) for run in read(results)}:
                    record = trained(options.work, arm=arm, seed=seed, steps=options.steps)
                    with results.open("a", encoding="utf-8") as lines:
                        lines.write(json.dumps(record) + "\n")
                    print(f"{arm}, seed {seed}: {record['seconds']:.0f} s", file=sys.stderr, flush=True)
    else:
        options.curve.write_text(drawn(read(results), rollouts_a_step=PROMPTS * GROUP), encoding="utf-8")
    table(read(results))


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def trained(work: Path, *, arm: str, seed: int, steps: int) -> dict[str, Any]:
    """One training: what TRL logged at each step, and the held-out share of right derivations along the way."""
    import torch
    from datasets import Dataset
    from totals import LineByLine, WholeDerivation
    from transformers import AutoModelForCausalLM, AutoTokenizer, PrinterCallback, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer
    from trl_gate_policy import LONGEST, problems, solved, taught_policy

    from rewardgate.integrations.trl import GatedGRPOTrainer, reward

    torch.set_num_threads(1)
    folder = taught_policy(work / "policy")
    started = time.process_time()
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    held_out = problems(256, seed=-1)
    asked = problems(PROMPTS * steps, seed=seed, without=[row["prompt"] for row in held_out])

    class CountsAdvantages:
        """Before a trainer of TRL: logs the share of rollouts that it has an advantage for."""

        def _generate_and_score_completions(self, inputs: list) -> dict[str, Any]:
            output = super()._generate_and_score_completions(inputs)
            by_row = output["advantages"].reshape(len(inputs), -1) != 0
            self._metrics["train"]["nonzero_advantage"].append(by_row.any(1).double().mean().item())
            return output

    class Plain(CountsAdvantages, GRPOTrainer):
        pass

    class Gated(CountsAdvantages, GatedGRPOTrainer):
        pass

    shares = {0: solved(model, tokenizer, held_out, samples=4, seed=0)}

    class HeldOut(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step % HELD_OUT_EVERY == 0 or state.global_step == steps:
                shares[state.global_step] = solved(model, tokenizer, held_out, samples=4, seed=0)

    gate = {"step_scorer": LineByLine(), "gate": "local" if arm == "gated" else "rules", "split": "lines"}
    trainer = (Plain if arm == "plain" else Gated)(
        model=model,
        processing_class=tokenizer,
        reward_funcs=reward(WholeDerivation(), target="solution", name="whole", workers=0, timeout_s=None),
        train_dataset=Dataset.from_list(asked),
        callbacks=[HeldOut()],
        args=GRPOConfig(
            output_dir=str(work / f"{arm}-{seed}"),
            seed=seed,
            max_steps=steps,
            shuffle_dataset=False,
            num_generations=GROUP,
            per_device_train_batch_size=PROMPTS * GROUP,
            max_completion_length=LONGEST,
            learning_rate=4e-4,
            lr_scheduler_type="constant",
            adam_beta2=0.95,
            max_grad_norm=1.0,
            epsilon_high=0.28,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        ),
        **({} if arm == "plain" else gate),
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    kept = ("step", "reward", "nonzero_advantage", "frac_reward_zero_std", "grad_norm", "gate/groups/all_wrong")
    curve = [{name: log[name] for name in kept if name in log} for log in trainer.state.log_history if "reward" in log]
    seconds = time.process_time() - started
    return {"arm": arm, "seed": seed, "steps": steps, "curve": curve, "held_out": shares, "seconds": seconds}


def table(runs: Sequence[dict[str, Any]]) -> None:
    print("| trainer | steps | seeds | nonzero, first fifth | nonzero, all | reward, last 5 | held-out | reaches 0.5 |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for arm, steps in dict.fromkeys((run["arm"], run["steps"]) for run in runs):
        same = [run for run in runs if (run["arm"], run["steps"]) == (arm, steps)]
        nonzero = [[log["nonzero_advantage"] for log in run["curve"]] for run in same]
        rewards = [[log["reward"] for log in run["curve"]] for run in same]
        before = mean(run["held_out"]["0"] for run in same)
        columns = [
            spread([mean(shares[: max(1, steps // 5)]) for shares in nonzero]),
            spread([mean(shares) for shares in nonzero]),
            spread([mean(values[-5:]) for values in rewards]),
            f"{before:.3f} → {spread([run['held_out'][str(steps)] for run in same])}",
            ", ".join(str(reached(values, 0.5) or "none") for values in rewards),
        ]
        print(f"| {arm} | {steps} | {len(same)} | {' | '.join(columns)} |")


def spread(values: Sequence[float]) -> str:
    return f"{mean(values):.3f} ({min(values):.3f}–{max(values):.3f})"


def reached(values: Sequence[float], bar: float) -> int | None:
    """The first step (from 1) at which the mean of the last five values is at least `bar`."""
    return next((step for step in range(5, len(values) + 1) if mean(values[step - 5 : step]) >= bar), None)


if __name__ == "__main__":
    main()
