"""What flows through rewardgate: a `Rollout` is one sampled response, a `Group` the responses to one prompt.

Both are frozen and checked when built. A reward that is not known is None, never 0. Token ids and the
sampler's log-probabilities are numpy arrays and are filled only by a reader that was asked for them.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    IntArray = npt.NDArray[np.int64]
    FloatArray = npt.NDArray[np.float64]
else:
    IntArray = FloatArray = Any

Target = str | list[str] | dict[str, Any]
FiniteReward = Annotated[float, Field(allow_inf_nan=False)]

MAIN_REWARD_NAMES = ("reward", "total", "score")
"""Names that, in this order, stand for the reward that the trainer used, when several are named."""


class Source(BaseModel):
    """Where a rollout was read: file, 1-based line (row number for Parquet), and place within the line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    line: int
    index: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.index == 0 else f"{self.file}:{self.line}[{self.index}]"


class Rollout(BaseModel):
    """One sampled response with what its producer said of it; None where it said nothing.

    Args:
        prompt_id: the same for all rollouts of one prompt.
        prompt: text, or chat messages in the OpenAI shape.
        response: likewise; None where the producer logged none (an errored attempt, a file of rewards only).
        target: a string, a list of strings (any of them is right) or a dict (a specification, e.g. tests).
        rewards: each reward's name and its value, finite; None where the producer could not tell.
        reward_name: which of them the trainer learned from.
        rollout_id: the rollout's own id.
        truncated: whether the response was cut off.
        finish_reason: as the producer wrote it (`"stop"`, `"length"`, ...).
        n_tokens: of the response.
        policy_version: of the policy that sampled it.
        step: the training step at which it was sampled.
        meta: whatever else the file holds of it.
        source: where it was read.
        token_ids: (T,) int64, of the response.
        rollout_logprobs: (T,) float64, the sampler's own log-probabilities of `token_ids`.

    Raises:
        pydantic.ValidationError: a field of the wrong type, an unknown field, a reward that is not finite.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    prompt_id: str
    prompt: str | list[dict[str, Any]] | None = None
    response: str | list[dict[str, Any]] | None = None
    target: Target | None = None
    rewards: Mapping[str, FiniteReward | None] = Field(default_factory=dict)
    reward_name: str | None = None
    rollout_id: str | None = None
    truncated: bool | None = None
    finish_reason: str | None = None
    n_tokens: int | None = None
    policy_version: str | int | None = None
    step: int | None = None
    meta: Mapping[str, Any] = Field(default_factory=dict)
    source: Source | None = None
    token_ids: IntArray | None = Field(default=None, repr=False)  # (T,)
    rollout_logprobs: FloatArray | None = Field(default=None, repr=False)  # (T,)

    @property
    def reward(self) -> float | None:
        """The reward that the trainer learned from: `reward_name`'s, else the only one, else the usual name's."""
        if self.reward_name is not None:
            return self.rewards.get(self.reward_name)
        if len(self.rewards) == 1:
            return next(iter(self.rewards.values()))
        for name in MAIN_REWARD_NAMES:
            if name in self.rewards:
                return self.rewards[name]
        return None


class Group(BaseModel):
    """The rollouts of one prompt at one step, in the order of the file.

    Raises:
        pydantic.ValidationError: no rollout, or rollouts of more than one prompt_id.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    group_id: str
    rollouts: tuple[Rollout, ...]

    @model_validator(mode="after")
    def _one_prompt(self) -> "Group":
        if not self.rollouts:
            raise ArgumentError(f'group "{self.group_id}": expected at least one rollout, got 0')
        ids = {rollout.prompt_id for rollout in self.rollouts}
        if len(ids) > 1:
            raise ArgumentError(f'group "{self.group_id}": expected one prompt in the group, got {len(ids)}')
        return self

    @property
    def prompt_id(self) -> str:
        """The one that all rollouts share."""
        return self.rollouts[0].prompt_id

    @property
    def prompt(self) -> str | list[dict[str, Any]] | None:
        """The first rollout's prompt; readers report a group whose prompts differ."""
        return self.rollouts[0].prompt

    @property
    def target(self) -> Target | None:
        """The first rollout's target; readers report a group whose targets differ."""
        return self.rollouts[0].target

    def __len__(self) -> int:
        return len(self.rollouts)
