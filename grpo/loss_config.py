"""What is minimised, named and checked once: the options of `policy_loss`."""

from dataclasses import dataclass, fields
from math import isfinite
from numbers import Real
from typing import Any, Literal, get_args

from torch import Tensor

from ..errors import ArgumentError
from .kl import KlEstimator, check_kl_in_loss
from .reductions import NormalizeOver, Reduction, loss_normalizer

__all__ = ["ImportanceLevel", "LossConfig", "LossForm", "RatioAgainst"]

LossForm = Literal["clip", "gspo", "gspo_token", "cispo_band", "cispo_cap"]
RatioAgainst = Literal["old", "rollout"]
ImportanceLevel = Literal["token", "sequence", "off"]

_SEQUENCE_FORMS = ("gspo", "gspo_token")
_OPTIONAL = ("dual_clip", "delta", "ratio_cap", "completion_budget", "importance_cap")
_NUMBERS = ("epsilon_low", "epsilon_high", "beta", "entropy_coef", *_OPTIONAL)
_CISPO_FORMS = ("cispo_band", "cispo_cap")


@dataclass(frozen=True, slots=True, kw_only=True)
class LossConfig:
    """The options of `policy_loss`, checked when built.

    Args:
        form: of a token's loss.
            `"clip"`: PPO's, `clipped_losses`.
            `"gspo"`: the same of the sequence's ratio; `"gspo_token"`: with the gradient of each token's own.
            `"cispo_band"`, `"cispo_cap"`: the log-probability weighted by a bounded ratio, with a gradient at every
            token; the bound is the clip range (MiniMax-M1 and verl), or one absolute cap (ScaleRL and TRL).
        epsilon_low, epsilon_high: how far the ratio may fall below and rise above 1; low in [0, 1], high at least 0.
            DAPO's are 0.2 and 0.28, GSPO's 3e-4 and 4e-4. `"cispo_cap"` reads neither.
        dual_clip: c, above 1: the most that a token with A < 0 may cost, in units of |A|. None: no bound (PPO's);
            verl's is 3. Not with CISPO.
        delta: positive: the ratio is cut to it before it is compared with the clipped one (TRL's two-sided clip).
            Above 1 + epsilon_high the same as dual_clip; one of the two. Not with CISPO.
        ratio_cap: positive, of `"cispo_cap"`, which needs it; ScaleRL's is 5.
        beta: weight of the KL to the reference, at least 0.
        kl: `"k2"` or `"k3"`; see `kl_per_token`. k1 is refused: it has no place in a loss.
        kl_times_ratio: multiply the KL by the ratio, its gradient included: an estimate under the policy itself from
            tokens of the old one. Without it the estimate drifts from the KL as the ratio does from 1.
        kl_on_degenerate: False leaves the KL out in rows of degenerate groups. That is another objective: it makes
            skipping those rows exact, and lets go of the anchor where nothing else holds the policy.
        entropy_coef: the loss falls by that much a nat of entropy, by the same reduction; at least 0.
        reduction: from token losses to one number; see `reduce_tokens`.
        normalize_over: which rows the divisor counts; see `loss_normalizer`.
        completion_budget: tokens of a completion, for the divisor of `reduction="constant"`; None: the caller gives the
            divisor itself.
        ratio_against: `"old"`; or `"rollout"`: the ratio is against `rollout_logprobs`, `old_logprobs` is not read, and
            the sampler's mismatch is in the ratio, so that no importance weight is allowed.
        importance: `"token"` or `"sequence"`: where `rollout_logprobs` are given, token losses (not the KL, not the
            entropy) are weighted by `importance_weights` of that level. `"off"`: they are not. None: `"token"` with
            `ratio_against="old"`, `"off"` with `"rollout"`.
        importance_cap: of those weights; None: 2, verl's.

    Raises:
        ArgumentError: an option outside its range, k1, options that exclude each other, or an importance weight with
            `ratio_against="rollout"`, where it would count the mismatch twice.

    Example:
        >>> LossConfig(epsilon_high=0.28).is_token_level, LossConfig(form="gspo").is_token_level
        (True, False)
        >>> LossConfig(ratio_against="rollout", importance="token")
        Traceback (most recent call last):
            ...
        rewardgate.errors.ArgumentError: importance: expected off or None with ratio_against="rollout", got 'token'; \
the ratio holds the mismatch already and would count it twice
    """

    form: LossForm = "clip"
    epsilon_low: float = 0.2
    epsilon_high: float = 0.2
    dual_clip: float | None = None
    delta: float | None = None
    ratio_cap: float | None = None
    beta: float = 0.0
    kl: KlEstimator = "k3"
    kl_times_ratio: bool = False
    kl_on_degenerate: bool = True
    entropy_coef: float = 0.0
    reduction: Reduction = "token_mean"
    normalize_over: NormalizeOver = "batch"
    completion_budget: float | None = None
    ratio_against: RatioAgainst = "old"
    importance: ImportanceLevel | None = None
    importance_cap: float | None = None

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            value = getattr(self, name)
            # A number from a file may be a string: 1e-4 is one in YAML.
            if not isinstance(value, Real) and not (value is None and name in _OPTIONAL):
                raise ArgumentError(f"{name}: expected a number, got {value!r}")
        for name, choices in (
            ("form", LossForm),
            ("reduction", Reduction),
            ("normalize_over", NormalizeOver),
            ("ratio_against", RatioAgainst),
        ):
            if getattr(self, name) not in get_args(choices):
                raise ArgumentError(
                    f"{name}: expected one of {', '.join(get_args(choices))}, got {getattr(self, name)!r}"
                )
        self._check_bounds()
        self._check_importance()
        check_kl_in_loss(self.beta, self.kl)
        for name in ("entropy_coef", "beta"):
            if not isfinite(getattr(self, name)) or getattr(self, name) < 0:
                raise ArgumentError(f"{name}: expected a number of at least 0, got {getattr(self, name)}")
        if self.completion_budget is not None and self.reduction != "constant":
            raise ArgumentError(
                f'completion_budget: expected None with reduction "{self.reduction}", got {self.completion_budget}'
            )
        _check_positive("completion_budget", self.completion_budget)

    @property
    def is_token_level(self) -> bool:
        """Whether a token's loss depends on that token's log-probabilities alone: then rows can be cut anywhere.

        Not of the sequence forms, nor of importance weights a sequence.
        """
        return self.form not in _SEQUENCE_FORMS and self.importance_level != "sequence"

    @property
    def importance_level(self) -> ImportanceLevel:
        """`importance`, with its default resolved."""
        if self.importance is not None:
            return self.importance
        return "token" if self.ratio_against == "old" else "off"

    @property
    def cap(self) -> float:
        """`importance_cap`, with its default resolved."""
        return 2.0 if self.importance_cap is None else self.importance_cap

    @property
    def ratio_range(self) -> tuple[float, float]:
        """The ratios between which the form is not clipped: of `"cispo_cap"` from 0 to its cap."""
        if self.form == "cispo_cap":
            return 0.0, float(self.ratio_cap or 0.0)
        return 1 - self.epsilon_low, 1 + self.epsilon_high

    def normalizer(self, completion_mask: Tensor, *, kept: Tensor | None = None) -> float:
        """The divisor of an optimizer batch: `loss_normalizer` with these options.

        Args:
            completion_mask: (B, T) bool of the whole batch, rows that will not be run still in it.
            kept: (B,) bool, needed by `normalize_over="kept"` alone.

        Raises:
            ArgumentError: as `loss_normalizer`.
        """
        return loss_normalizer(
            completion_mask,
            reduction=self.reduction,
            over=self.normalize_over,
            kept=kept,
            completion_budget=self.completion_budget,
        )

    def options(self) -> dict[str, Any]:
        """Every option by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def _check_bounds(self) -> None:
        if not 0 <= self.epsilon_low <= 1:
            raise ArgumentError(f"epsilon_low: expected a number in [0, 1], got {self.epsilon_low}")
        if not self.epsilon_high >= 0:
            raise ArgumentError(f"epsilon_high: expected a number of at least 0, got {self.epsilon_high}")
        # c <= 1 would take the gradient of every token with A < 0 on the policy itself.
        if self.dual_clip is not None and not self.dual_clip > 1:
            raise ArgumentError(f"dual_clip: expected a number above 1 or None, got {self.dual_clip}")
        _check_positive("delta", self.delta)
        if self.dual_clip is not None and self.delta is not None:
            raise ArgumentError(f"delta: expected None beside dual_clip = {self.dual_clip}, got {self.delta}")
        for name in ("dual_clip", "delta"):
            if self.form in _CISPO_FORMS and getattr(self, name) is not None:
                raise ArgumentError(f'{name}: expected None with form "{self.form}", got {getattr(self, name)}')
        _check_positive("ratio_cap", self.ratio_cap)
        if (self.form == "cispo_cap") != (self.ratio_cap is not None):
            wanted = "a positive number" if self.form == "cispo_cap" else "None"
            raise ArgumentError(f'ratio_cap: expected {wanted} with form "{self.form}", got {self.ratio_cap}')

    def _check_importance(self) -> None:
        if self.importance not in (None, *get_args(ImportanceLevel)):
            known = ", ".join(get_args(ImportanceLevel))
            raise ArgumentError(f"importance: expected one of {known} or None, got {self.importance!r}")
        _check_positive("importance_cap", self.importance_cap)
        twice = 'with ratio_against="rollout", got {}; the ratio holds the mismatch already and would count it twice'
        if self.ratio_against == "rollout" and self.importance_level != "off":
            raise ArgumentError(f"importance: expected off or None {twice.format(repr(self.importance))}")
        if self.ratio_against == "rollout" and self.importance_cap is not None:
            raise ArgumentError(f"importance_cap: expected None {twice.format(self.importance_cap)}")
        if self.importance_level == "off" and self.importance_cap is not None:
            raise ArgumentError(f'importance_cap: expected None with importance "off", got {self.importance_cap}')


def _check_positive(name: str, value: float | None) -> None:
    if value is not None and not value > 0:
        raise ArgumentError(f"{name}: expected a positive number, got {value}")
