"""The reward function in OpenRLHF's own executor, with an engine that says what it is told to.

Needs OpenRLHF's Python (.ci/host-openrlhf installs it without its CUDA parts) and skips itself elsewhere.
"""

import asyncio
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

if find_spec("openrlhf") is None:
    pytest.skip("NOT RUN: OpenRLHF is not installed; .ci/host-openrlhf runs this", allow_module_level=True)

import torch
from openrlhf.utils.agent import SingleTurnAgentExecutor
from small_tokenizers import byte_level_bpe
from transformers import PreTrainedTokenizerFast

pytestmark = pytest.mark.openrlhf

PROMPT = "2+2?\n\n"


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return PreTrainedTokenizerFast(tokenizer_object=byte_level_bpe(), eos_token="<|im_end|>", pad_token="<|im_end|>")


def executed(folder: Path, reward: str, tokenizer: Any, *rows: tuple[str, Any]) -> list[dict[str, Any]]:
    """What OpenRLHF's executor makes of responses with these labels, all under way at once."""
    file = folder / "reward.py"
    file.write_text(reward)
    executor = SingleTurnAgentExecutor(str(file))
    params = SimpleNamespace(max_tokens=64, logprobs=None)

    class Engine:
        def __init__(self, text: str) -> None:
            self.text = text

        async def generate(self, prompt_token_ids: list[int], params: Any, **_: Any) -> Any:
            ids = [*tokenizer.encode(self.text), tokenizer.eos_token_id]
            return SimpleNamespace(outputs=[SimpleNamespace(token_ids=ids, finish_reason="stop", logprobs=None)])

    async def run() -> list[dict[str, Any]]:
        return await asyncio.gather(
            *(executor.execute(PROMPT, label, params, 128, tokenizer, Engine(text)) for text, label in rows)
        )

    return asyncio.run(run())


OURS = "from rewardgate.integrations.openrlhf import reward_func_of\n\nreward_func = reward_func_of('math')\n"


def test_rewards_arrive_and_none_is_none(tmp_path: Path, tokenizer: Any) -> None:
    rows = [(r"so \boxed{4}", "4"), (r"so \boxed{5}", "4"), ("4", None), (r"\boxed{1/2}", "0.5")]
    found = executed(tmp_path, OURS, tokenizer, *rows)
    assert [row["reward"].item() for row in found] == [1.0, 0.0, 0.0, 1.0]
    assert [row["extra_logs"]["rewardgate_unscored"].item() for row in found] == [0.0, 0.0, 1.0, 0.0]
    # What OpenRLHF's sample generator then does with a reward.
    assert all(torch.tensor([row["reward"]]).shape == (1,) for row in found)
    assert all(row["scores"] is not None for row in found)


def test_what_raises_without_us_is_swallowed_and_leaves_none(tmp_path: Path, tokenizer: Any) -> None:
    raising = "def reward_func(queries, prompts, labels):\n    return {'rewards': 1.0 / float(labels[0])}\n"
    (found,) = executed(tmp_path, raising, tokenizer, ("4", "0"))
    assert (found["reward"], found["scores"]) == (None, None)


def test_a_verifier_that_hangs_holds_no_other_row(tmp_path: Path, tokenizer: Any) -> None:
    reward = (
        "from misbehaving import Judge\nfrom rewardgate.integrations.openrlhf import reward_func_of\n\n"
        "reward_func = reward_func_of(Judge(), workers=2, timeout_s=1.0)\n"
    )
    found = executed(tmp_path, reward, tokenizer, ("a", "a"), ("hang", "a"), ("die", "a"), ("a", "a"))
    assert [row["reward"].item() for row in found] == [1.0, 0.0, 0.0, 1.0]
    assert [row["extra_logs"]["rewardgate_unscored"].item() for row in found] == [0.0, 0.0, 1.0, 0.0]
