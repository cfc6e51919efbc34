"""Sampling from a small Llama without what a general engine carries: prompts of one length, a cache of fixed size.

Its log-probabilities are those of the model's own forward pass (`tests/benchmarks/test_learning.py`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from policy import END, PAD
from torch import Tensor
from torch.nn import functional


class Sampled(NamedTuple):
    """Completions of some prompts, those of one prompt one after the other.

    Args:
        ids: (B, T), padded on the right.
        logprobs: (B, T), at the temperature that was sampled at; 0 behind the end.
        mask: (B, T) bool, True = sampled, the end token among them.
        ended: (B,) bool, True = by its end token, not by the limit.
        entropy: mean over sampled tokens, in nats, at that temperature.
    """

    ids: Tensor
    logprobs: Tensor
    mask: Tensor
    ended: Tensor
    entropy: float


@torch.no_grad()
def sample(
    model: Any,
    prompts: Sequence[Sequence[int]],
    count: int,
    *,
    max_tokens: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    greedy: bool = False,
) -> Sampled:
    """`count` completions of every prompt; prompts must have one length. The prompt is computed once."""
    decoder = _Decoder(model, len(prompts) * count, len(prompts[0]) + max_tokens)
    logits = decoder.prompts(torch.tensor(prompts), count)  # (B, V)
    is_open = torch.ones(len(logits), dtype=torch.bool)
    ids, logprobs, mask, entropies = [], [], [], []
    for _ in range(max_tokens):
        log_p = (logits / temperature).log_softmax(-1)
        p = log_p.exp()
        drawn = log_p.argmax(-1) if greedy else torch.multinomial(p, 1, generator=generator)[:, 0]
        drawn = drawn.where(is_open, PAD)
        ids.append(drawn)
        mask.append(is_open)
        logprobs.append(log_p.gather(1, drawn[:, None])[:, 0].where(is_open, 0.0))
        entropies.append(-(p * log_p).sum(-1).where(is_open, 0.0))
        is_open = is_open & (drawn != END)
        if not is_open.any():
            break
        logits = decoder.step(drawn)
    counted = torch.stack(mask, 1)
    entropy = torch.stack(entropies).sum().item() / counted.sum().item()
    return Sampled(torch.stack(ids, 1), torch.stack(logprobs, 1), counted, ~is_open, entropy)


class _Decoder:
    """The forward pass of `LlamaForCausalLM`, one token a row at a time."""

    def __init__(self, model: Any, rows: int, length: int) -> None:
        config, body = model.config, model.model
        self._layers, self._norm, self._epsilon = body.layers, body.norm, config.rms_norm_eps
        self._embedding, self._head = body.embed_tokens.weight, model.lm_head.weight
        self._heads = config.num_attention_heads
        self._width = config.hidden_size // self._heads
        cos, sin = body.rotary_emb(self._embedding, torch.arange(length)[None])
        self._cos, self._sin = cos[0], sin[0]  # (L, width)
        shape = (len(self._layers), rows, self._heads, length, self._width)
        self._keys, self._values = torch.zeros(shape), torch.zeros(shape)
        self._place = 0
        # One product each instead of three and two.
        self._qkv = [
            torch.cat([layer.self_attn.q_proj.weight, layer.self_attn.k_proj.weight, layer.self_attn.v_proj.weight])
            for layer in self._layers
        ]
        self._gate_up = [torch.cat([layer.mlp.gate_proj.weight, layer.mlp.up_proj.weight]) for layer in self._layers]

    def prompts(self, ids: Tensor, count: int) -> Tensor:
        """Logits (B, V) behind each prompt, every row `count` times."""
        return self._forward(ids, count)[:, -1].repeat_interleave(count, 0)

    def step(self, ids: Tensor) -> Tensor:
        """Logits (B, V) behind one more token a row."""
        return self._forward(ids[:, None], 1)[:, 0]

    def _forward(self, ids: Tensor, count: int) -> Tensor:
        rows, length = ids.shape
        begin, end = self._place, self._place + length
        hidden = self._embedding[ids]  # (b, l, H)
        cos, sin = self._cos[begin:end], self._sin[begin:end]
        for number, layer in enumerate(self._layers):
            normed = self._normed(hidden, layer.input_layernorm.weight)
            qkv = functional.linear(normed, self._qkv[number])
            q, k, v = qkv.view(rows, length, 3, self._heads, self._width).permute(2, 0, 3, 1, 4)  # (b, heads, l, w)
            q, k = q * cos + _turned(q) * sin, k * cos + _turned(k) * sin
            keys, values = self._keys[number], self._values[number]
            keys[:, :, begin:end] = k.repeat_interleave(count, 0) if count > 1 else k
            values[:, :, begin:end] = v.repeat_interleave(count, 0) if count > 1 else v
            if begin == 0:
                mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            else:
                mixed = functional.scaled_dot_product_attention(q, keys[:, :, :end], values[:, :, :end])
            mixed = mixed.transpose(1, 2).reshape(rows, length, -1)
            hidden = hidden + functional.linear(mixed, layer.self_attn.o_proj.weight)
            normed = self._normed(hidden, layer.post_attention_layernorm.weight)
            opened, raised = functional.linear(normed, self._gate_up[number]).chunk(2, -1)
            hidden = hidden + functional.linear(functional.silu(opened) * raised, layer.mlp.down_proj.weight)
        self._place = end
        return functional.linear(self._normed(hidden, self._norm.weight), self._head)

    def _normed(self, hidden: Tensor, weight: Tensor) -> Tensor:
        return functional.rms_norm(hidden, weight.shape, weight, self._epsilon)


def _turned(x: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)
