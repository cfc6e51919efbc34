"""The contracts of a step scorer: what it is given, what it says of each step, and the registry.

Nothing here judges a step. Importing it loads neither numpy nor torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ..errors import ArgumentError
from ..registry import Registry
from ..rollouts.messages import Prompt
from ..verifiers.base import Target

__all__ = ["Prompt", "StepRow", "StepScore", "StepScorer", "Target", "get", "step_scorers"]


class StepScore(NamedTuple):
    """What a scorer says of one step.

    Args:
        value: the probability that the step is right, in [0, 1]; None where the scorer has nothing to
            say of it. Unknown is never 0: a step that nobody could check is not a wrong step.
        rule: what decided, a short snake_case name (`"wrong_equality"`, `"nothing_to_check"`).
        detail: one line for a person: the offending equality and both its values, or why nothing was said.
    """

    value: float | None
    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """One completion to score, cut into steps.

    Args:
        prompt: what the policy was asked.
        steps: the texts of the steps, in order; joined they are the completion, or most of it.
        target: the right answer where the caller knows one; a scorer may ignore it.

    Raises:
        ArgumentError: `steps` is one string, not a sequence of them.
    """

    prompt: Prompt
    steps: tuple[str, ...]
    target: Target | None = None

    def __post_init__(self) -> None:
        if isinstance(self.steps, str):
            raise ArgumentError(f"steps: expected a sequence of strings, got the string {self.steps[:40]!r}")


@runtime_checkable
class StepScorer(Protocol):
    """Scores the steps of completions. Implementations need not inherit from this.

    One that asks somebody else may have an attribute `transient_rules: frozenset[str]`: the rules of scores that are
    missing for a reason which may pass (an endpoint that was away), so that nobody keeps them. One that holds processes
    may have a method `close()`.
    """

    version: str

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list for each row, in order, with one score for each step; never raises on any text."""
        ...


step_scorers: Registry[StepScorer] = Registry("step scorer", entry_point_group="rewardgate.step_scorers")


def get(name: str, **options: Any) -> StepScorer:
    """The step scorer registered under `name`, built with `options`.

    Raises:
        UnknownNameError: no step scorer has that name; the message lists the known ones.
        ArgumentError: an option breaks the scorer's rules.

    Example:
        >>> import rewardgate.prm as prm
        >>> row = prm.StepRow("How many?", ("5 * 3 = 15 pens.", "15 - 4 = 12 are left."))
        >>> [score.value for score in prm.get("arithmetic").score([row])[0]]
        [1.0, 0.0]
    """
    return step_scorers.create(name, **options)


_BUILT_IN = {
    "arithmetic": "rewardgate.prm.rules.arithmetic:ArithmeticScorer",
    "expression_chain": "rewardgate.prm.rules.expression_chain:ExpressionChainScorer",
    "final_consistency": "rewardgate.prm.rules.final_consistency:FinalConsistencyScorer",
    "hf": "rewardgate.prm.hf.scorer:HfScorer",
    "judge": "rewardgate.prm.judge.scorer:JudgeScorer",
    "mean": "rewardgate.prm.ensemble:MeanScorer",
    "milestones": "rewardgate.prm.rules.milestones:MilestonesScorer",
    "min": "rewardgate.prm.ensemble:MinScorer",
    "program_state": "rewardgate.prm.rules.program_state:ProgramStateScorer",
    "veto": "rewardgate.prm.ensemble:VetoScorer",
    "vllm": "rewardgate.prm.vllm.offline:VllmScorer",
    "vllm_server": "rewardgate.prm.vllm.server:VllmServerScorer",
}

for _name, _factory in _BUILT_IN.items():
    step_scorers.register(_name, _factory)
