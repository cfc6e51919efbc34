"""TRL's own trainer on completions that are given, with a policy made here and everything that happened kept."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # read by the imports below

import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl_losses import hand_loss

from rewardgate.integrations.trl_gate import GateMixin
from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.rules.arithmetic import ArithmeticScorer

RIGHT, WRONG, SILENT = "5 * 3 = 15.\n\n", "15 - 4 = 12.\n\n", "Well then.\n\n"

# Four completions a prompt; 11 is right everywhere. UNKNOWN stands for what no verifier could judge.
COMPLETIONS = {
    "all wrong?": [
        RIGHT + WRONG + r"So \boxed{12}.",
        RIGHT + SILENT + r"So \boxed{9}.",
        SILENT + r"So \boxed{8}.",
        WRONG + RIGHT + r"So \boxed{12}.",
    ],
    "mixed?": [RIGHT + r"So \boxed{11}.", WRONG + r"So \boxed{12}.", r"\boxed{11}", WRONG + r"\boxed{3}"],
    "all right?": [RIGHT + r"So \boxed{11}.", r"\boxed{11}", WRONG + r"\boxed{11}", SILENT + r"\boxed{11}"],
    "one unknown?": [RIGHT + r"So \boxed{11}.", WRONG + r"So \boxed{12}.", "UNKNOWN", r"\boxed{3}"],
}
G = 4


def save_policy(folder: Path) -> None:
    """A random one-layer Qwen2 and a byte-level BPE trained on the completions above."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    texts = [text for texts in COMPLETIONS.values() for text in texts] * 4
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    specials = ["<pad>", "<eos>"]
    bpe.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=320, special_tokens=specials, initial_alphabet=alphabet)
    )
    PreTrainedTokenizerFast(tokenizer_object=bpe, pad_token="<pad>", eos_token="<eos>").save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=bpe.get_vocab_size(),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=256,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)


def tokenizer_of(folder: Path) -> Any:
    return AutoTokenizer.from_pretrained(folder)


def dataset() -> Dataset:
    return Dataset.from_list([{"prompt": prompt, "solution": "11"} for prompt in COMPLETIONS])


@dataclass
class Records:
    """What a run showed: TRL's own batches and ours, as made; and every micro-batch with its loss and gradient."""

    own: list[dict[str, Any]] = field(default_factory=list)
    gated: list[dict[str, Any]] = field(default_factory=list)
    losses: list[SimpleNamespace] = field(default_factory=list)


class ScriptedTrainer(GRPOTrainer):
    """TRL's trainer, with completions that are given instead of sampled, and its own batches kept.

    A text that ends in CUT is one that the length limit cut off: it has no end token.
    """

    records: Records
    completions: Mapping[str, Sequence[str]] = COMPLETIONS

    def _generate_single_turn(self, prompt_ids: list, *_: Any) -> tuple[list[list[int]], None]:
        self.prompts = self.processing_class.batch_decode(prompt_ids)
        first = self.accelerator.process_index * len(prompt_ids)  # a group may begin on the process before
        ids = []
        for row, prompt in enumerate(self.prompts, start=first):
            text = self.completions[prompt][row % self.num_generations]
            end = [] if text.endswith("CUT") else [self.processing_class.eos_token_id]
            ids.append([*self.processing_class.encode(text), *end])
        return ids, None

    def _generate_and_score_completions(self, inputs: list) -> dict[str, Any]:
        output = super()._generate_and_score_completions(inputs)
        self.records.own.append({**output, "prompts": self.prompts})
        return output


class ScriptedGatedTrainer(GateMixin, ScriptedTrainer):
    """A trainer of the user's own behind the gate, with every batch kept."""

    def _generate_and_score_completions(self, inputs: list) -> dict[str, Any]:
        output = super()._generate_and_score_completions(inputs)
        self.records.gated.append({**output, "prompts": self.prompts})
        return output


class RecordingTrainer(ScriptedGatedTrainer):
    """With every loss and gradient kept too, beside those of the formula."""

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> Tensor:
        loss = super()._compute_loss(model, inputs)
        parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        gradient = torch.autograd.grad(loss, parameters, retain_graph=True)
        hand, hand_gradient = hand_loss(model, inputs, args=self.args)
        self.records.losses.append(
            SimpleNamespace(loss=loss.item(), gradient=gradient, hand=hand, hand_gradient=hand_gradient)
        )
        return loss


class RecordingScorer(ArithmeticScorer):
    """The arithmetic rules, and every row that they were asked about."""

    def __init__(self) -> None:
        self.asked: list[StepRow] = []

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.asked += rows
        return super().score(rows)


def answer_reward(completions: Sequence[str], solution: Sequence[str], **_: Any) -> list[float | None]:
    """1 or 0, and None for a completion that no verifier could judge."""
    return [
        None if text == "UNKNOWN" else float(rf"\boxed{{{right}}}" in text)
        for text, right in zip(completions, solution, strict=True)
    ]


def config(folder: Path, **changes: Any) -> GRPOConfig:
    """Two optimizer steps on one batch of 4 groups of 4, in two micro-batches: the second step is off-policy."""
    settings: dict[str, Any] = {
        "output_dir": str(folder),
        "use_cpu": True,
        "bf16": False,
        "report_to": [],
        "save_strategy": "no",
        "logging_steps": 1,
        "disable_tqdm": True,
        "num_generations": G,
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 2,
        "num_iterations": 2,
        "max_completion_length": 64,
        "max_steps": 2,
        "learning_rate": 0.02,
        "gradient_checkpointing": False,
        "loss_type": "dapo",
        "temperature": 0.9,
    }
    return GRPOConfig(**{**settings, **changes})
