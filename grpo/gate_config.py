"""The options of the gate, checked when built, and the named modes: which form of credit suits which scorer.

    mode       credit                    meant for a scorer that
    rules      prefix, nonpositive       proves steps wrong (arithmetic, program state): what it proves right is worth
                                         nothing, because true trivialities can be added at will
    errors     none, nonpositive         the same, charging the wrong steps alone and not what stands behind them
    local      none, free                judges each step by itself, and every one, of a number that is fixed or
                                         worth nothing (a checker of lines, a learned PRM)
    mean       mean, free                the same, where a step should answer for what it leads to
    verigate   sum, free, no matching    as in the paper: pays for length and, unless all scores are 0 from the first
                                         error on, pays many wrong steps and charges many right ones
    vppo       prefix, free              finds the first error of a rollout (a generative judge)
    pure       min, free, in [-1, 1]     gives grades, of which the worst should count
    progress   progress, free            estimates the chance of success after each step (Math-Shepherd, PAV)

Figures for each on the same rollouts: `benchmarks/gate_forms.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from ..diagnostics import GroupKind
from ..errors import ArgumentError, UnknownNameError
from .credit import Cumulate
from .scale import Scale
from .scored import check_options
from .standardising import Baseline

__all__ = ["GATE_MODES", "GateConfig", "Sign", "gate_mode"]

Sign = Literal["free", "nonpositive", "prefix", "nonnegative"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig:
    """The options of `gate`, under the same names and with the same defaults: `gate(..., **config.options())`.

    Args:
        estimator: of every group that stays closed; a name of `estimators`.
        estimator_options: its own options.
        open_on: kinds of groups that open: of `all_wrong`, `tied`, `all_correct`.
        correct_at, wrong_at: as in `diagnostics.group_kinds`.
        cumulate: form of the credit; see `credit`.
        gamma: in [0, 1], of `cumulate="discounted"`.
        temperature: positive, of `cumulate="min"`.
        threshold: in (0, 1): a step scored below it is wrong, one at or above it right. What `cumulate="prefix"`
            and every sign but free ask.
        symmetric: take 2r - 1 for a step reward r (sums then pay for right steps only; PURE's scores are such).
            Not asked by the one-signed gates, whose zero is the threshold.
        baseline: `"group"` or `"step_index"`; see `centred_credits`.
        ddof, epsilon: of the standard deviation; see `standardised_credits`. With `scale="match"` the epsilon only
            weighs groups against each other.
        sign: `"free"`: centred and scaled, as in the paper. `"nonpositive"`: charges wrong steps, pays nothing,
            and is neither centred nor scaled within its group. `"nonnegative"`: its mirror. `"prefix"`: as free,
            but never below 0 before a rollout's first wrong step and never above 0 from it on.
        scale: `"match"`: one factor a batch, so that the RMS over the tokens given credit is that over the tokens
            of mixed groups (silent groups do not count, nor, under a sign, tokens that were let be); or `"none"`.

    Raises:
        ArgumentError: an option outside its range.

    Example:
        >>> GateConfig(open_on=("mixed",))
        Traceback (most recent call last):
            ...
        rewardgate.errors.ArgumentError: open_on: expected kinds of all_wrong, tied, all_correct, got 'mixed'
    """

    estimator: str = "grpo"
    estimator_options: Mapping[str, Any] = field(default_factory=dict)
    open_on: Sequence[str] = ("all_wrong", "tied")
    correct_at: float = 1.0
    wrong_at: float = 0.0
    cumulate: Cumulate = "sum"
    gamma: float = 0.9
    temperature: float = 0.1
    threshold: float = 0.5
    symmetric: bool = False
    baseline: Baseline = "group"
    ddof: int = 0
    epsilon: float = 1e-6
    sign: Sign = "free"
    scale: Scale = "match"

    def __post_init__(self) -> None:
        degenerate = [str(kind) for kind in (GroupKind.ALL_WRONG, GroupKind.TIED, GroupKind.ALL_CORRECT)]
        if isinstance(self.open_on, str):
            raise ArgumentError(f"open_on: expected a sequence of kinds, got the string {self.open_on!r}")
        for kind in self.open_on:
            if kind not in degenerate:
                raise ArgumentError(f"open_on: expected kinds of {', '.join(degenerate)}, got {str(kind)!r}")
        if not self.wrong_at < self.correct_at:
            raise ArgumentError(
                f"wrong_at: expected a number below correct_at = {self.correct_at}, got {self.wrong_at}"
            )
        for name, choices in (("cumulate", Cumulate), ("baseline", Baseline), ("sign", Sign), ("scale", Scale)):
            if getattr(self, name) not in get_args(choices):
                known = ", ".join(get_args(choices))
                raise ArgumentError(f"{name}: expected one of {known}, got {getattr(self, name)!r}")
        if not 0 <= self.gamma <= 1:
            raise ArgumentError(f"gamma: expected a number in [0, 1], got {self.gamma}")
        if not self.temperature > 0:
            raise ArgumentError(f"temperature: expected a positive number, got {self.temperature}")
        if not 0 < self.threshold < 1:
            raise ArgumentError(f"threshold: expected a number in (0, 1), got {self.threshold}")
        check_options(ddof=self.ddof, epsilon=self.epsilon)
        # A mutable argument must not change what was checked.
        object.__setattr__(self, "open_on", tuple(str(kind) for kind in self.open_on))
        object.__setattr__(self, "estimator_options", dict(self.estimator_options))

    def opens(self, kind: GroupKind) -> bool:
        """Whether the gate opens groups of that kind."""
        return str(kind) in self.open_on

    def options(self) -> dict[str, Any]:
        """Every option by name, for `gate(...)`."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


GATE_MODES: Mapping[str, GateConfig] = {
    "rules": GateConfig(cumulate="prefix", sign="nonpositive"),
    "errors": GateConfig(cumulate="none", sign="nonpositive"),
    "local": GateConfig(cumulate="none"),
    "mean": GateConfig(cumulate="mean"),
    "verigate": GateConfig(cumulate="sum", scale="none"),
    "vppo": GateConfig(cumulate="prefix"),
    "pure": GateConfig(cumulate="min", symmetric=True),
    "progress": GateConfig(cumulate="progress"),
}


def gate_mode(name: str, **changes: Any) -> GateConfig:
    """The configuration of a named mode, with some options changed.

    Raises:
        UnknownNameError: no mode has that name; the message lists the known ones.
        ArgumentError: an unknown option, or one outside its range.

    Example:
        >>> gate_mode("rules", estimator="dr_grpo").sign
        'nonpositive'
    """
    if name not in GATE_MODES:
        raise UnknownNameError(f'gate mode: unknown name "{name}"; known: {", ".join(sorted(GATE_MODES))}')
    known = {entry.name for entry in fields(GateConfig)}
    for option in changes:
        if option not in known:
            raise ArgumentError(f"{option}: expected an option of the gate ({', '.join(sorted(known))})")
    return replace(GATE_MODES[name], **changes)
