"""One accelerator: a whole training run of a random 0.5B-shaped model, phase by phase.

    pip install -e ".[torch]"               # without pip: ln -s "$PWD" /tmp/rewardgate; export PYTHONPATH=/tmp
    python benchmarks/gpu_loop.py [--steps 3] [--groups 8] [--group-size 8] [--max-tokens 512] [--json OUT.json]
    python benchmarks/gpu_loop.py --device cpu --tiny    # the same program over tiny shapes; its figures mean nothing

It was not run on a card yet. Four steps of 64 completions are meant to take less than 8 minutes; weights, gradients and
moments are 7.4 GiB before activations, and the one checkpoint at the end 5.5 GiB of disk. What runs is `Trainer`, as
`rewardgate train` builds it: the `hf` engine, float32 weights with products in bfloat16, AdamW. The model is a random
Qwen2 of the shape of Qwen2.5-0.5B (24 layers, width 896, 14 heads of which 2 for keys and values, 4,864 within,
vocabulary 151,936, tied). Prompts have 256 tokens; the end token is as unlikely as any other, so that nearly every
completion has all its tokens. Every other completion of half of the prompts is right, of the others none: half of the
groups teach nothing. The first step is not counted: kernels are chosen and memory is found in it.

Prints for each phase seconds a step (median over the counted steps), tokens a second, peak GiB, and the share of the
time in which the card ran no kernel:

    generate   tokens that were sampled, for each second of sampling
    update     tokens of all rows, prompts too, for each second of `PolicyUpdate.step`
    judge      the verifier, on the CPU
    other      advantages, the rescored rows of `mismatch/…`, records and logs
    step       all of it; tokens that were sampled

Seconds are wall seconds: each phase ends with figures that are read back, so that nothing of it is still under way. The
peak is what torch had allocated. Idle shares are 1 less the mean of nvidia-smi's `utilization.gpu`, read ten times a
second and given to the phase that it was read in: the card's own clock smooths it over up to a second, so that of a
shorter phase it says little.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import torch
from gpu_idle import Utilization

VOCABULARY, PROMPT_TOKENS = 151_936, 256
SHAPE = {"hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "num_attention_heads": 14}
TINY_VOCABULARY, TINY_PROMPT_TOKENS = 300, 6
TINY_SHAPE = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
END, PAD = 0, 1
GIB = 1 << 30
PHASES = ("generate", "judge", "update", "other", "step")

Spans = list[tuple[str, float, float]]
"""Phase, start and end by `time.monotonic`."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a model of a few thousand weights")
    parser.add_argument("--steps", type=int, default=3, help="counted steps, behind one that is not")
    parser.add_argument("--groups", type=int, default=8)
    parser.add_argument("--group-size", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=512)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if options.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("gpu_loop: no CUDA device here; --device cpu --tiny runs tiny shapes on the CPU")
    found = measured(options)
    print(f"{found['card']}; torch {found['torch']}; {found['parameters']:,} parameters, {options.steps} steps\n")
    print("| phase | seconds a step | tokens a second | peak GiB | idle |\n| --- | --- | --- | --- | --- |")
    for phase in PHASES:
        one = found["phases"][phase]
        shown = [f"{one['seconds']:.3f}", *(_shown(one[name], form) for name, form in _FORMS.items())]
        print(f"| {phase} | {' | '.join(shown)} |")
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


def measured(options: argparse.Namespace) -> dict[str, Any]:
    """The run, and what was seen of it."""
    on_card = options.device == "cuda"
    with TemporaryDirectory() as folder, Utilization(is_stand_in=not on_card) as utilization:
        watch = Watch(on_card)
        trainer = trainer_of(options, Path(folder) / "run")
        watch.phase(trainer.parts.generator, "generate", "generate")
        watch.phase(trainer.parts.judging, "verdicts", "judge")
        watch.phase(trainer.stepper._update, "step", "update")
        parameters = sum(one.numel() for one in trainer.parts.model.parameters())
        watch.step_ends()
        trainer.run(tell=lambda _, __: watch.step_ends())
        lines = (Path(folder) / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines][1:]
    spans = watch.spans_behind(watch.ends[1])
    sampled = [row["ledger/tokens"] for row in rows]
    prompts = options.groups * options.group_size * (TINY_PROMPT_TOKENS if options.tiny else PROMPT_TOKENS)
    learned = [row["update/batch_tokens"] + prompts for row in rows]
    tokens = {"generate": sampled, "update": learned, "step": sampled}
    return {
        "card": torch.cuda.get_device_name() if on_card else "a CPU, tiny shapes: no figures",
        "torch": torch.__version__,
        "parameters": parameters,
        "options": {name: getattr(options, name) for name in ("tiny", "steps", "groups", "group_size", "max_tokens")},
        "utilization": utilization.command,
        "utilization_samples": len(utilization.samples),
        "peak_gib": max(watch.peaks.values(), default=0) / GIB if on_card else None,
        "phases": {
            phase: figures(phase, spans, tokens.get(phase), watch, utilization, options.steps) for phase in PHASES
        },
    }


class Watch:
    """When each phase began and ended, and the most memory that it had."""

    def __init__(self, on_card: bool) -> None:
        self._on_card = on_card
        self.spans: Spans = []
        self.ends: list[float] = []
        self.peaks: dict[str, int] = {}

    def phase(self, owner: Any, method: str, name: str) -> None:
        """Watch a method of one object."""
        inner = getattr(owner, method)

        @wraps(inner)
        def watched(*arguments: Any, **named: Any) -> Any:
            with self._timed(name):
                return inner(*arguments, **named)

        setattr(owner, method, watched)

    def step_ends(self) -> None:
        self.ends.append(time.monotonic())

    def spans_behind(self, start: float) -> Spans:
        """Those of the counted steps, with the steps themselves and what of them is of no other phase."""
        steps = [("step", *both) for both in zip(self.ends[1:], self.ends[2:], strict=False)]
        known = sorted((one for one in self.spans if one[1] >= start), key=lambda one: one[1])
        others: Spans = []
        for _, begun, ended in steps:
            at = begun
            for _, first, last in [one for one in known if begun <= one[1] < ended]:
                others.append(("other", at, first))
                at = last
            others.append(("other", at, ended))
        return [*known, *others, *steps]

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        if self._on_card:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        started = time.monotonic()
        yield
        if self._on_card:
            torch.cuda.synchronize()
            self.peaks[name] = max(self.peaks.get(name, 0), torch.cuda.max_memory_allocated())
        self.spans.append((name, started, time.monotonic()))


def figures(
    phase: str, spans: Spans, tokens: list[float] | None, watch: Watch, utilization: Utilization, steps: int
) -> dict[str, float | None]:
    """Of one phase, over the counted steps."""
    mine = [(start, end) for name, start, end in spans if name == phase]
    per_step = [
        sum(end - start for start, end in mine if begun <= start < ended)
        for begun, ended in zip(watch.ends[1:], watch.ends[2:], strict=False)
    ]
    total = sum(end - start for start, end in mine)
    assert len(per_step) == steps
    return {
        "seconds": median(per_step),
        "tokens_per_s": None if tokens is None else sum(tokens) / total,
        "peak_gib": watch.peaks[phase] / GIB if phase in watch.peaks else None,
        "idle": utilization.idle_share(mine),
    }


def trainer_of(options: argparse.Namespace, folder: Path) -> Any:
    """The run: everything that `rewardgate train` would build of a file, of random weights."""
    from rewardgate.training.config import RunConfig
    from rewardgate.training.loop import Trainer
    from rewardgate.training.prompts import Prompt
    from rewardgate.verifiers import Outcome, Verdict

    class EveryOther:
        version = "1"
        asked = 0

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
            self.asked += 1
            reward = float(target == "live" and self.asked % 2 == 0)
            return Verdict(Outcome.CORRECT if reward else Outcome.INCORRECT, reward, rule="told")

    vocabulary, length = (TINY_VOCABULARY, TINY_PROMPT_TOKENS) if options.tiny else (VOCABULARY, PROMPT_TOKENS)
    generator = torch.Generator().manual_seed(0)
    texts = [
        " ".join(f"w{word}" for word in torch.randint(2, vocabulary, (length,), generator=generator).tolist())
        for _ in range(options.groups)
    ]
    config = RunConfig.model_validate(
        {
            "folder": folder,
            "steps": options.steps + 1,
            "sampling": {name: getattr(options, name) for name in ("groups", "group_size", "max_tokens")},
            "optimizer": {"lr": 1e-6},
            "update": {"autocast": "bfloat16"},
            "checkpoint": {"every": options.steps + 1},
        }
    )
    targets = ("live", "dead")
    prompts = [Prompt(str(number), text, targets[number % 2]) for number, text in enumerate(texts)]
    parts = {"model": policy(vocabulary, options), "tokenizer": tokenizer(vocabulary)}
    return Trainer(config, **parts, prompts=prompts, verifier=EveryOther())


def policy(vocabulary: int, options: argparse.Namespace) -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    ends = {"eos_token_id": END, "pad_token_id": PAD, "bos_token_id": None}
    shape = {**(TINY_SHAPE if options.tiny else SHAPE), "num_key_value_heads": 2, "tie_word_embeddings": True}
    return Qwen2ForCausalLM(Qwen2Config(vocab_size=vocabulary, **shape, **ends)).to(options.device)


def tokenizer(vocabulary: int) -> Any:
    """One token a word: lengths are what they are said to be."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {"<end>": END, "<pad>": PAD, **{f"w{number}": number for number in range(2, vocabulary)}}
    built = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    built.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=built, eos_token="<end>", pad_token="<pad>", padding_side="left")


_FORMS = {"tokens_per_s": ",.0f", "peak_gib": ".2f", "idle": ".0%"}


def _shown(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


if __name__ == "__main__":
    main()
