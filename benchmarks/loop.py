"""A whole step of GRPO on a CPU, phase by phase, in CPU-seconds: rewardgate's training loop beside TRL's trainer.

    pip install "trl>=1.16,<1.17"    # here, or in another environment whose python is named by --trl
    python benchmarks/loop.py --trl PYTHON [--repeat 3] [--steps 3] [--threads 1] [--json OUT.json]

Both train one Qwen2 (4 layers, width 256, vocabulary 16,000, tied, float32, random weights) on three prompts of 16, 40
and 64 tokens, 8 completions each, of 64 tokens; the end token is as unlikely as any other, so that one completion in
250 is shorter. Rewards are told by the prompt, not by the text: every other completion of a live prompt is right,
every completion of a dead one wrong. Dead are two of the three prompts, or none. Learning rate, clip (0.2), loss
(token mean over all rows) and AdamW are the same; TRL's gradient checkpointing is off, ours does not exist. Each run
is a process of its own, its first step is not counted, and contenders are interleaved.

    generate   sampling itself: ours `HfGenerator.generate`, TRL's `_generate` (transformers' `generate`)
    judge      the reward function
    update     loss, backward pass, clipping, AdamW: ours `PolicyUpdate.step`, TRL's step without its
               `_generate_and_score_completions`
    other      the rest of the step: advantages, records, logs

Prints CPU-seconds a step by phase, and ratios with the bars that they must meet: lower quartile / median / upper
quartile.
"""

import argparse
import json
from collections import Counter
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import torch
from paired import Figures, in_own_process, interleaved, quartiles, ratios, verdict

CONTENDERS = ("rewardgate 2/3 dead", "rewardgate 0 dead", "trl 2/3 dead", "trl 0 dead")
PHASES = ("generate", "judge", "update", "other", "step")
WORDS, PROMPT_TOKENS, GROUP_SIZE, COMPLETION_TOKENS = 16_000, (16, 40, 64), 8, 64
END, PAD = 0, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--steps", type=int, default=3, help="counted steps of each run")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--trl", metavar="PYTHON", help="an interpreter that has TRL; without it TRL is left out")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", choices=CONTENDERS, help="measure one contender, print its figures as JSON")
    options = parser.parse_args()
    if options.one:
        torch.set_num_threads(options.threads)
        print(json.dumps(figures_of(options.one, options.steps)))
    else:
        compare(options)


def compare(options: argparse.Namespace) -> None:
    names = [name for name in CONTENDERS if options.trl or not name.startswith("trl")]

    def run(name: str) -> Figures:
        interpreter = {"python": options.trl} if name.startswith("trl") else {}
        more = ("--steps", options.steps, "--threads", options.threads)
        return in_own_process(__file__, "--one", name, *more, timeout_s=1200, **interpreter)

    figures = interleaved(names, run, options.repeat)
    print(f"torch {torch.__version__}, {options.threads} threads; CPU-seconds a step, {options.repeat} runs\n")
    print(f"| contender | {' | '.join(PHASES)} |\n|{' --- |' * (len(PHASES) + 1)}")
    for name, taken in figures.items():
        print(f"| {name} | {' | '.join(quartiles([one[phase] for one in taken]) for phase in PHASES)} |")
    print()
    for dead, bars in (("2/3 dead", {"update": 0.4, "step": 1.0}), ("0 dead", {"update": 1.0, "step": 1.0})):
        for phase, bar in bars.items() if options.trl else ():
            both = (f"rewardgate {dead}", f"trl {dead}")
            print(verdict(f"{phase}, {dead}: rewardgate / trl", ratios(figures, *both, figure=phase), bar))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def figures_of(name: str, steps: int) -> Figures:
    host, _, dead = name.partition(" ")
    live = {"2/3 dead": (False, True, False), "0 dead": (True, True, True)}[dead]
    clock = Clock()
    with TemporaryDirectory() as folder:
        {"rewardgate": run_rewardgate, "trl": run_trl}[host](clock, live, steps + 1, Path(folder))
    return clock.a_step()


class Clock:
    """CPU-seconds of the steps behind the first, by phase."""

    def __init__(self) -> None:
        self.spent = Counter[str]()
        self.marks: list[tuple[float, Counter[str]]] = []

    def wrap(self, owner: Any, method: str, phase: str) -> None:
        """Count the time inside a method as a phase."""
        inner = getattr(owner, method)

        @wraps(inner)
        def timed(*arguments: Any, **named: Any) -> Any:
            started = process_time()
            try:
                return inner(*arguments, **named)
            finally:
                self.spent[phase] += process_time() - started

        setattr(owner, method, timed)

    def step_ends(self) -> None:
        self.marks.append((process_time(), self.spent.copy()))

    def a_step(self) -> Figures:
        (first, before), (last, after) = self.marks[0], self.marks[-1]
        steps = len(self.marks) - 1
        found = {phase: (after[phase] - before[phase]) / steps for phase in after}
        found["step"] = (last - first) / steps
        if "sampled" in found:  # TRL: everything of its step before the loss
            found["update"] = found["step"] - found["sampled"]
        found["other"] = found["step"] - found["generate"] - found["judge"] - found["update"]
        return found


class Rewards:
    """Every other completion of a live prompt is right."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, target: str) -> float:
        self.asked += 1
        return float(target == "live" and self.asked % 2 == 0)


def run_rewardgate(clock: Clock, live: tuple[bool, ...], steps: int, folder: Path) -> None:
    from rewardgate.grpo import PolicyUpdate
    from rewardgate.training.config import RunConfig
    from rewardgate.training.generation import HfGenerator
    from rewardgate.training.groups.judging import Judging
    from rewardgate.training.loop import Trainer
    from rewardgate.training.prompts import Prompt
    from rewardgate.verifiers import Outcome, Verdict

    class Told:
        version = "1"
        rewards = Rewards()

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
            reward = self.rewards(target)
            return Verdict(Outcome.CORRECT if reward else Outcome.INCORRECT, reward, rule="told")

    clock.wrap(HfGenerator, "generate", "generate")
    clock.wrap(Judging, "verdicts", "judge")
    clock.wrap(PolicyUpdate, "step", "update")
    config = RunConfig.model_validate(
        {
            "folder": folder / "run",
            "steps": steps,
            "sampling": {"groups": len(live), "group_size": GROUP_SIZE, "max_tokens": COMPLETION_TOKENS},
            "optimizer": {"lr": 1e-6},
            "checkpoint": {"every": steps},
        }
    )
    prompts = [Prompt(str(number), text, target) for number, (text, target) in enumerate(asked(live))]
    parts = {"model": policy(), "tokenizer": tokenizer(), "prompts": prompts, "verifier": Told()}
    Trainer(config, **parts).run(tell=lambda _, __: clock.step_ends())


def run_trl(clock: Clock, live: tuple[bool, ...], steps: int, folder: Path) -> None:
    from datasets import Dataset
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    class Ends(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            clock.step_ends()

    rewards = Rewards()
    clock.wrap(GRPOTrainer, "_generate", "generate")
    clock.wrap(GRPOTrainer, "_calculate_rewards", "judge")
    clock.wrap(GRPOTrainer, "_generate_and_score_completions", "sampled")
    trainer = GRPOTrainer(
        model=policy(),
        processing_class=tokenizer(),
        reward_funcs=lambda prompts, target, **_: [rewards(one) for one in target],
        train_dataset=Dataset.from_list([{"prompt": text, "target": target} for text, target in asked(live)]),
        callbacks=[Ends()],
        args=GRPOConfig(
            output_dir=str(folder),
            max_steps=steps,
            per_device_train_batch_size=len(live) * GROUP_SIZE,
            num_generations=GROUP_SIZE,
            max_completion_length=COMPLETION_TOKENS,
            learning_rate=1e-6,
            lr_scheduler_type="constant",
            beta=0.0,
            loss_type="dapo",
            gradient_checkpointing=False,
            use_cpu=True,
            bf16=False,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        ),
    )
    trainer.train()


def asked(live: tuple[bool, ...]) -> list[tuple[str, str]]:
    """Prompts and targets; the same on both sides."""
    generator = torch.Generator().manual_seed(0)
    texts = [
        " ".join(f"w{word}" for word in torch.randint(2, WORDS, (length,), generator=generator).tolist())
        for length in PROMPT_TOKENS
    ]
    return [(text, "live" if is_live else "dead") for text, is_live in zip(texts, live, strict=True)]


def policy() -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    shape = {"hidden_size": 256, "intermediate_size": 1024, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    ends = {"eos_token_id": END, "pad_token_id": PAD, "bos_token_id": None}
    return Qwen2ForCausalLM(Qwen2Config(vocab_size=WORDS, tie_word_embeddings=True, **shape, **heads, **ends))


def tokenizer() -> Any:
    """One token a word: lengths are what they are said to be."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {"<end>": END, "<pad>": PAD, **{f"w{number}": number for number in range(2, WORDS)}}
    built = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    built.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=built, eos_token="<end>", pad_token="<pad>", padding_side="left")


if __name__ == "__main__":
    main()
