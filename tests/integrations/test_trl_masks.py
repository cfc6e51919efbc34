"""Completions that were cut off and words that a tool said, in TRL's real trainer; see test_trl.py."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

import torch
import trl
from datasets import Dataset
from tiny_prms import byte_level
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOTrainer
from trl_runs import (
    COMPLETIONS,
    RIGHT,
    WRONG,
    RecordingScorer,
    Records,
    ScriptedGatedTrainer,
    answer_reward,
    config,
    dataset,
    save_policy,
    tokenizer_of,
)

from rewardgate.integrations.trl_gate import GateMixin

pytestmark = pytest.mark.trl

G = 4


def test_a_completion_that_was_cut_off_counts_for_its_group_and_not_in_the_loss(tmp_path: Path) -> None:
    save_policy(tmp_path)
    scorer = RecordingScorer()
    trainer = ScriptedGatedTrainer(
        model=str(tmp_path),
        reward_funcs=answer_reward,
        args=config(tmp_path / "run", mask_truncated_completions=True, max_steps=1),
        train_dataset=dataset(),
        processing_class=tokenizer_of(tmp_path),
        step_scorer=scorer,
    )
    trainer.records = Records()
    trainer.completions = {
        **COMPLETIONS,
        "all wrong?": [WRONG + "CUT", WRONG + r"So \boxed{12}.", RIGHT + "CUT", RIGHT + r"So \boxed{9}."],
        "mixed?": [r"\boxed{11}", WRONG + "CUT", r"\boxed{3}", r"\boxed{3}"],
    }
    trainer.train()
    (batch,) = trainer.records.gated
    wrong, mixed = (
        [row for row, asked in enumerate(batch["prompts"]) if asked == prompt] for prompt in ("all wrong?", "mixed?")
    )
    cut = [wrong[0], wrong[2], mixed[1]]
    assert batch["completion_mask"][cut].count_nonzero() == 0
    assert batch["advantages"][cut].count_nonzero() == 0
    # Of the open group the scorer is asked about the two whole ones, of which one has an error.
    assert [row.steps[0] for row in scorer.asked] == [WRONG, RIGHT]
    assert batch["advantages"][wrong[1]].min() < 0
    # 1 and three times 0, the one that was cut off among them, as TRL has it.
    assert batch["advantages"][mixed[0], 0].item() == pytest.approx(0.75 / (0.5 + 1e-4), rel=1e-5)
    counted = batch["completion_mask"] * batch["tool_mask"]
    assert batch["num_items_in_batch"] == counted.sum()


CALL = RIGHT + '<tool_call>\n{"name": "calculator", "arguments": {"text": "15 - 4"}}\n</tool_call>'
BEHIND = [WRONG + r"So \boxed{12}.", r"So \boxed{9}.", RIGHT + r"So \boxed{8}.", r"\boxed{7}"]


def calculator(text: str) -> str:
    """
    Calculates.

    Args:
        text: What to calculate.
    """
    return "6 * 7 = 43.\n\n2 + 2 = 5.\n\n"


class ToolTrainer(GateMixin, GRPOTrainer):
    """Calls the tool in the first turn, and goes on as it is told to in the second."""

    def _generate_single_turn(self, prompt_ids: list, *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        said = []
        for row, ids in enumerate(prompt_ids):
            is_second = "<tool_response>" in self.processing_class.decode(ids)
            said.append(BEHIND[row % G] if is_second else CALL)
        end = self.processing_class.eos_token_id
        return [[*self.processing_class.encode(text), end] for text in said], None

    def _generate_and_score_completions(self, inputs: list) -> dict[str, Any]:
        self.batch = super()._generate_and_score_completions(inputs)
        return self.batch


def all_wrong(completions: list, **_: Any) -> list[float]:
    return [0.0] * len(completions)


def test_what_a_tool_says_is_neither_charged_nor_believed(tmp_path: Path) -> None:
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=byte_level("<|endoftext|>", "<|im_start|>"),
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=(Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text(encoding="utf-8"),
    )
    scorer = RecordingScorer()
    torch.manual_seed(0)
    trainer = ToolTrainer(
        model=Qwen2ForCausalLM(
            Qwen2Config(
                vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_hidden_layers=1,
                num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=2048,
                pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, bos_token_id=None,
            )
        ),
        reward_funcs=all_wrong,
        args=config(
            tmp_path, num_iterations=1, max_steps=1, per_device_train_batch_size=4, gradient_accumulation_steps=1,
            max_completion_length=1024, scale_rewards="none",
        ),
        train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": "How many?"}]}] * 4),
        processing_class=tokenizer,
        tools=[calculator],
        step_scorer=scorer,
        split="blank_lines",
    )  # fmt: skip
    trainer.train()
    assert trainer.state.log_history[0]["tools/call_frequency"] == 1.0
    for row in range(G):
        charged = trainer.batch["advantages"][row] != 0
        text = tokenizer.decode(trainer.batch["completion_ids"][row][charged], skip_special_tokens=True)
        if row == 0:
            # From its own error on, and not from the tool's two before it.
            assert text.strip() == BEHIND[0]
        else:
            assert text == ""
        said_by_tool = trainer.batch["completion_mask"][row].bool() & ~trainer.batch["tool_mask"][row].bool()
        assert "6 * 7 = 43" in tokenizer.decode(trainer.batch["completion_ids"][row][said_by_tool])
        assert not (charged & said_by_tool).any()
