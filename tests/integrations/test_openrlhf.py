"""The reward function in OpenRLHF's own executor, with an engine that says what it is told to.

Needs OpenRLHF's Python (.ci/host-openrlhf installs it without its CUDA parts) and skips itself elsewhere.
"""

import asyncio
import sys
from importlib import import_module
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


def kept_groups(monkeypatch: pytest.MonkeyPatch, *groups: list[dict[str, Any]], is_filtering: bool) -> list[int]:
    """Rows of the groups that OpenRLHF's own sample generator keeps. What needs a GPU is stood in for: vLLM and Ray."""
    monkeypatch.setitem(sys.modules, "vllm", SimpleNamespace(SamplingParams=dict))
    monkeypatch.setitem(sys.modules, "openrlhf.trainer.ray.vllm_engine", SimpleNamespace(batch_vllm_engine_call=None))
    module = import_module("openrlhf.trainer.ppo_utils.samples_generator")
    done = SimpleNamespace(get=lambda group: group, wait=lambda refs, **_: (refs[:1], refs[1:]))
    monkeypatch.setattr(module, "ray", done)
    arguments = SimpleNamespace(algo=SimpleNamespace(dynamic_filtering_range=(0, 1)))
    generator = module.SamplesGenerator(SimpleNamespace(args=arguments), None, None, None, [])
    generator._dispatch_prompts_to_vllm = lambda prompts, *_, **__: [groups[int(prompt)] for prompt in prompts]
    batch = iter([(None, [str(number) for number in range(len(groups))], [None] * len(groups), [None] * len(groups))])
    kept, _, _ = generator._generate_vllm(batch, len(groups), is_filtering)
    return [sum(row.prompts == [str(number)] for row in kept) for number in range(len(groups))]


@pytest.mark.parametrize(("is_filtering", "kept"), [(True, [3, 0]), (False, [3, 3])])
def test_dynamic_filtering_drops_the_group_of_a_reward_that_is_not_known(
    tmp_path: Path, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, is_filtering: bool, kept: list[int]
) -> None:
    known = [(r"\boxed{4}", "4"), (r"\boxed{5}", "4"), (r"\boxed{5}", "4")]
    unknown = [(r"\boxed{4}", "4"), (r"\boxed{5}", "4"), (r"\boxed{4}", None)]
    rows = executed(tmp_path, OURS, tokenizer, *known, *unknown)
    for number, row in enumerate(rows):
        row["prompt"] = str(number // 3)
    assert kept_groups(monkeypatch, rows[:3], rows[3:], is_filtering=is_filtering) == kept
