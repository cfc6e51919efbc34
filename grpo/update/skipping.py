"""Which rows and tokens have no gradient, and whether leaving them out changes that of the others."""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from ..loss_config import LossConfig

__all__ = ["Needed", "draws_random_numbers", "needed_tokens", "rows_affect_each_other"]

EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
"""Names in a model's configuration of how many experts it routes between."""


@dataclass(frozen=True, slots=True, eq=False)
class Needed:
    """What a batch asks of the model.

    Args:
        gradient: (B, T) bool, True = the token counts and its loss has a gradient that is not 0 by its form.
        graph: (B, T) bool, True = scored with a graph; all of `gradient`, and whatever may not be left out.
        why: why rows without a gradient are run all the same; None where they are not, or where there are none.
    """

    gradient: Tensor
    graph: Tensor
    why: str | None

    @property
    def rows(self) -> Tensor:
        """(B,) bool, True = run with a graph."""
        return self.graph.any(1)


def needed_tokens(
    completion_mask: Tensor,
    advantages: Tensor,
    degenerate: Tensor | None,
    config: LossConfig,
    *,
    model_reason: str | None = None,
    skip: bool = True,
    all_tokens: bool = False,
) -> Needed:
    """The tokens that have a gradient, and those that are run.

    A token whose advantage is exactly 0 has a loss of exactly 0 in every form, whatever its ratio. What may still give
    it a gradient is the KL and the entropy bonus. The normalizer counts it either way.

    Args:
        completion_mask: (B, T) bool, True = counts.
        advantages: (B, T).
        degenerate: (B,) bool, for `kl_on_degenerate=False`.
        config: what is minimised.
        model_reason: `rows_affect_each_other`.
        skip: False runs every row that has a counted token.
        all_tokens: run all tokens of the rows that are run: figures are wanted of them.
    """
    gradient = completion_mask & (advantages != 0)
    reasons = []
    if config.entropy_coef > 0:
        gradient = completion_mask
        reasons.append(f"entropy_coef = {config.entropy_coef:g}: every token has a gradient")
    elif config.beta > 0 and config.kl_on_degenerate:
        gradient = completion_mask
        reasons.append(f"beta = {config.beta:g}: every token has a gradient of its KL")
    elif config.beta > 0:
        assert degenerate is not None
        gradient = gradient | (completion_mask & ~degenerate[:, None])
        reasons.append(f"beta = {config.beta:g}: rows of other than degenerate groups have a gradient of their KL")
    if config.form in ("gspo", "gspo_token"):
        # A sequence's ratio is its tokens' together: with one that has a gradient, all are read.
        gradient = completion_mask & gradient.any(1, keepdim=True)
    if model_reason is not None:
        reasons.append(model_reason)
    if not skip:
        reasons.append("skip = False")
    may_skip = model_reason is None and skip
    rows = gradient.any(1) if may_skip else completion_mask.any(1)
    cuts = may_skip and not all_tokens and config.is_token_level
    graph = gradient if cuts else completion_mask & rows[:, None]
    is_dead = (completion_mask & (advantages != 0)).any(1) != completion_mask.any(1)
    is_run_for_nothing = bool((is_dead & rows).any()) if reasons else False
    return Needed(gradient, graph, "; ".join(reasons) if is_run_for_nothing else None)


def rows_affect_each_other(model: nn.Module) -> str | None:
    """Why a row left out might change the gradient of another one; None where it provably cannot."""
    if draws_random_numbers(model):
        return "dropout: random numbers depend on the rows that are run"
    for module in model.modules():
        if isinstance(module, _BatchNorm) and module.training:
            return f"{type(module).__name__}: statistics over the rows that are run"
        config = getattr(module, "config", None)
        for name in EXPERTS:
            experts = getattr(config, name, None)
            if isinstance(experts, int) and experts > 1:
                return f"{name} = {experts}: a router's load and capacity depend on the rows that are run"
    return None


def draws_random_numbers(model: nn.Module) -> bool:
    """Whether a layer in training mode has dropout."""
    for module in model.modules():
        if not module.training:
            continue
        if isinstance(module, _DropoutNd) and module.p > 0:
            return True
        # transformers' attention has none of torch's modules, but a number.
        probability = getattr(module, "attention_dropout", 0.0)
        if isinstance(probability, float) and probability > 0:
            return True
    return False
