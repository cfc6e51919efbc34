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


def rollout_batch(device: torch.device, dead: float, *, tiny: bool) -> dict[str, Tensor]:
    """Tensors (B, L) and (B,): prompts of one length, completions of 1/4 to all of the room, padded on the right.

    `dead` of the groups have equal rewards and so advantages of 0.
    """
    prompt, room, groups, size = TINY if tiny else (PROMPT, COMPLETION, GROUPS, GROUP_SIZE)
    generator = torch.Generator().manual_seed(0)
    rows, length = groups * size, prompt + room
    lengths = torch.randint(room // 4, room + 1, (rows, 1), generator=generator)
    at = torch.arange(length)[None]
    ids = torch.randint(300 if tiny else 151_936, (rows, length), generator=generator)
    ids[:, :prompt] = ids[::size, :prompt].repeat_interleave(size, 0)
    advantages = torch.randn(rows, generator=generator)
    advantages[: round(dead * groups) * size] = 0.0
    batch = {
        "input_ids": ids,
        "attention_mask": at < prompt + lengths,
        "completion_mask": (at >= prompt) & (at < prompt + lengths),
        "advantages": advantages,
        "group_ids": torch.arange(groups).repeat_interleave(size),
    }
    return {name: tensor.to(device) for name, tensor in batch.items()}


def policy_update() -> Any:
    """The class that does the whole update.

    Raises:
        ImportError: this rewardgate has none.
    """
    from rewardgate.grpo.update import PolicyUpdate  # type: ignore[import-not-found]

    return PolicyUpdate


def update_step(model: nn.Module, batch: dict[str, Tensor]) -> Callable[[], Any]:
    """One optimizer step over the batch, to be called as often as one likes."""
    update = policy_update()(model, torch.optim.AdamW(model.parameters(), lr=1e-6))
    return lambda: update.step(batch)
