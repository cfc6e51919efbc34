"""Contradictions between the rows of a file that a reader tells and does not resolve."""

import json
from collections.abc import Sequence

from .grouping import digest
from .records import Group, Rollout
from .refusals import Tally
from .turns import prompt_identity

MAX_PROMPTS_REMEMBERED = 100_000


class Consistency:
    """Looks at each group once, and counts in `tally` what does not fit."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._golds_of_prompts: dict[int, tuple[int, int]] = {}  # prompt text -> (prompt id, target)
        self._has_response = False
        self._has_reward = False
        self._names_reward = False
        self._has_target = False

    def check(self, group: Group) -> None:
        """Compare the rollouts of `group` with one another, and its prompt with those of other ids."""
        rollouts = group.rollouts
        self._has_response = self._has_response or any(rollout.response is not None for rollout in rollouts)
        self._has_target = self._has_target or any(rollout.target is not None for rollout in rollouts)
        for rollout in rollouts:
            self._names_reward |= bool(rollout.rewards)
            self._has_reward |= any(reward is not None for reward in rollout.rewards.values())
        if any(rollout.target != rollouts[0].target for rollout in rollouts[1:]):
            self._tally["targets_differ_in_group"] += 1
        if group.prompt is None:
            return
        prompt = prompt_identity(group.prompt)
        if any(_differs(rollout, group, prompt) for rollout in rollouts[1:]):
            self._tally["prompts_differ_in_group"] += 1
        if group.target is None or len(self._golds_of_prompts) >= MAX_PROMPTS_REMEMBERED:
            return
        found = (digest(group.prompt_id), digest(json.dumps(group.target, sort_keys=True, default=str)))
        known = self._golds_of_prompts.setdefault(digest(prompt), found)
        if known[0] != found[0] and known[1] != found[1]:
            self._tally["prompt_with_two_ids_and_targets"] += 1

    @property
    def notes(self) -> Sequence[str]:
        """What the file as a whole does not say."""
        parts = {"responses": self._has_response, "rewards": self._names_reward, "targets": self._has_target}
        notes = [
            f"no {part} in this file: what needs them is not measured"
            for part, is_there in parts.items()
            if not is_there
        ]
        if self._names_reward and not self._has_reward:
            notes.append("every reward in this file is null: scoring failed, or was never done")
        return notes


def _differs(rollout: Rollout, group: Group, prompt: str) -> bool:
    if rollout.prompt is None or rollout.prompt == group.prompt:
        return False
    return prompt_identity(rollout.prompt) != prompt
