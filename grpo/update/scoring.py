"""Log-probabilities and losses of a micro-batch's tokens, from a model laid out in rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..fused_loss import fused_token_loss
from ..lm_head import LmHead
from ..logprobs import selected_logprobs
from ..loss_config import LossConfig
from ..token_losses import token_losses
from .layout import Layout
from .row_tokens import RowTokens

__all__ = ["Scored", "TokenData", "score", "score_with_loss"]


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Of N tokens, row after row, without a graph: log-probabilities, and entropies or None."""

    logprobs: Tensor
    entropies: Tensor | None


@dataclass(frozen=True, slots=True, eq=False)
class TokenData:
    """What the loss reads of tokens beside their log-probabilities; (B, T) each, or None where there is none.

    Padding holds finite numbers. `weights` are those of `token_weights`; `importance` where it is known beforehand.
    """

    advantages: Tensor
    weights: Tensor
    old_logprobs: Tensor | None = None
    rollout_logprobs: Tensor | None = None
    ref_logprobs: Tensor | None = None
    importance: Tensor | None = None
    degenerate: Tensor | None = None

    def at(self, rows: Sequence[int], mask: Tensor | None = None) -> dict[str, Tensor]:
        """The tensors that there are, of some rows (b, T); at a mask (b, T) as (N,)."""
        found = {}
        for name in self.__slots__:
            tensor = getattr(self, name)
            if tensor is not None:
                of_rows = tensor[list(rows)]
                found[name] = of_rows if mask is None else of_rows[mask]
        return found


@torch.no_grad()
def score(
    model: nn.Module,
    head: LmHead,
    layout: Layout,
    rows: RowTokens,
    needed: Tensor,
    *,
    temperature: float,
    entropy: bool = False,
    chunk_mib: float | None = None,
) -> Scored:
    """Of the tokens where `needed` (b, T) is True, all within the completions of `rows` as they are cut."""
    chosen = _within(rows, needed)
    hidden = layout.hidden(model, rows)  # (C, H)
    ids = torch.cat(list(rows.completions))
    logprobs, entropies = selected_logprobs(
        hidden[chosen], ids[chosen], head, temperature=temperature, entropy=entropy, chunk_mib=chunk_mib
    )
    return Scored(logprobs, entropies)


def score_with_loss(
    model: nn.Module,
    head: LmHead,
    layout: Layout,
    rows: RowTokens,
    needed: Tensor,
    data: dict[str, Tensor],
    config: LossConfig,
    *,
    temperature: float,
    entropy: bool = False,
    chunk_mib: float | None = None,
) -> tuple[Tensor, Scored]:
    """This micro-batch's share of the loss, with a graph; one pass over the vocabulary where the loss allows it.

    Args:
        needed: (b, T) bool, True = scored.
        data: of `TokenData.at`: (N,) where tokens can be taken one by one (`is_by_token`), else (b, T).
        entropy: measure it, in the loss or not.
    """
    chosen = _within(rows, needed)
    hidden = layout.hidden(model, rows)[chosen]  # (N, H)
    ids = torch.cat(list(rows.completions))[chosen]
    is_bonus = config.entropy_coef > 0
    data = dict(data)
    weights = data.pop("weights")
    if weights.ndim == 1:

        def shares(logprobs: Tensor, entropies: Tensor | None, part: slice) -> Tensor:
            known = {name: tensor[part] for name, tensor in data.items()}
            losses = token_losses(logprobs, known.pop("advantages"), config, entropy=entropies, **known)
            return losses.total * weights[part]

        wanted = "gradient" if is_bonus else "value" if entropy else None
        fused = fused_token_loss(
            hidden, ids, head, shares, temperature=temperature, entropy=wanted, chunk_mib=chunk_mib
        )
        return fused.loss, Scored(fused.logprobs, fused.entropies)
    logprobs, entropies = selected_logprobs(
        hidden, ids, head, temperature=temperature, entropy=entropy or is_bonus, chunk_mib=chunk_mib
    )
    by_row = logprobs.new_zeros(needed.shape).masked_scatter(needed, logprobs)  # (b, T)
    bonus = entropies.new_zeros(needed.shape).masked_scatter(needed, entropies) if entropies is not None else None
    losses = token_losses(
        by_row, data.pop("advantages"), config, completion_mask=needed, entropy=bonus if is_bonus else None, **data
    )
    loss = (losses.total * weights).sum()
    return loss, Scored(logprobs.detach(), None if entropies is None else entropies.detach())


def _within(rows: RowTokens, needed: Tensor) -> Tensor:
    """(C,) bool, True = needed, of the completion tokens of rows that may have been cut."""
    lengths = torch.tensor(rows.completion_lengths, device=needed.device)
    return needed[torch.arange(needed.shape[1], device=needed.device)[None] < lengths[:, None]]
