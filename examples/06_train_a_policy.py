"""A whole training run on a CPU: a policy that fails every group, and learns from its steps all the same.

The policy (running_totals/policy, 161,000 weights, made by running_totals/make.py) adds in lines such as `47+8=55`, and
learned from a teacher that forgot four carries of five. At first no group of eight has a right answer to compare with;
the rule `arithmetic` proves which lines are wrong, and the gate lets it speak. Prints, for the first steps of the run
that `rewardgate train examples/running_totals/run.toml` finishes:

    each step: how many rollouts were right, how many groups were mixed, how many tokens had an advantage
    success on held-out prompts before and behind
    what the monitor says should be changed first
    what is in the run's folder, which `rewardgate audit` reads
"""

import os
import tempfile
from pathlib import Path

import torch

from rewardgate.training.config_text import read_config
from rewardgate.training.loop import Trainer
from rewardgate.training.monitor import StepReport

STEPS = 7
os.chdir(Path(__file__).resolve().parents[1])  # where the paths of run.toml begin
torch.set_num_threads(1)


def tell(step: int, report: StepReport) -> None:
    figures = report.figures
    if step:
        print(
            f"step {step}: right {figures['success/mean']:.3f} · mixed groups {figures['groups/mixed_rate']:.2f} · "
            f"tokens with an advantage {figures['signal/live_tokens']:.2f}"
        )
    for name, value in figures.items():
        if "pass@" in name:
            print(f"  held out, behind step {step}: {name.rsplit('/')[-1]} {value:.3f}")
    for alert in report.alerts:
        print(f"  {alert.sentence}")


with tempfile.TemporaryDirectory() as folder:
    changes = [f"folder={folder}/run", f"steps={STEPS}", f"evaluation.every={STEPS}", "evaluation.prompts=16"]
    trainer = Trainer(read_config("examples/running_totals/run.toml", changes))
    result = trainer.run(tell=tell)
    print(f"\n{result.step} steps; in the folder:")
    for path in sorted(Path(folder, "run").iterdir()):
        print(f"  {path.name}{'/' * path.is_dir()}")
