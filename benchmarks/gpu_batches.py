"""What `gpu_update.py` updates: a random Qwen2 shaped as the 0.5B one, and rollouts with dead groups."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PROMPT, COMPLETION, GROUPS, GROUP_SIZE = 256, 1024, 8, 8
TINY = (6, 10, 4, 4)


def qwen2(device: torch.device, *, tiny: bool) -> nn.Module:
    """In bfloat16, with tied embeddings; random weights."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    shape = (
        {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "vocab_size": 300}
        if tiny
        else {"hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24, "vocab_size": 151_936}
    )
    heads = {"num_attention_heads": 2 if tiny else 14, "num_key_value_heads": 2}
    torch.manual_seed(0)
    return Qwen2ForCausalLM(Qwen2Config(**shape, **heads, tie_word_embeddings=True)).to(device, torch.bfloat16)


def rollout_batch(device: torch.device, dead: float, *, tiny: bool) -> Any:
    """An `UpdateBatch`: prompts of one length, the same in a group, completions of 1/4 to all of the room.

    `dead` of the groups have equal rewards and so advantages of 0.
    """
    from rewardgate.grpo.update import UpdateBatch

    prompt, room, groups, size = TINY if tiny else (PROMPT, COMPLETION, GROUPS, GROUP_SIZE)
    generator = torch.Generator().manual_seed(0)
    rows = groups * size
    vocabulary = 300 if tiny else 151_936

    def ids(length: int) -> Tensor:
        return torch.randint(vocabulary, (length,), generator=generator).to(device)

    prompts = [one for _ in range(groups) for one in [ids(prompt)] * size]
    lengths = torch.randint(room // 4, room + 1, (rows,), generator=generator).tolist()
    advantages = torch.randn(rows, generator=generator)
    advantages[: round(dead * groups) * size] = 0.0
    return UpdateBatch(
        prompts,
        [ids(length) for length in lengths],
        advantages.to(device),
        group_ids=torch.arange(groups).repeat_interleave(size),
    )


def real_tokens(batch: Any) -> int:
    """Of all rows, prompts too, run or not."""
    return sum(len(one) for one in (*batch.prompt_ids, *batch.completion_ids))


def update_step(model: nn.Module, batch: Any) -> Callable[[], Any]:
    """One optimizer step over the batch, to be called as often as one likes."""
    from rewardgate.grpo.update import PolicyUpdate

    update = PolicyUpdate(model, torch.optim.AdamW(model.parameters(), lr=1e-6))
    return lambda: update.step(batch)
