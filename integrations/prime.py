"""Prime Intellect's `verifiers` 0.4: our verifiers as rewards of its tasks, and as the check of its golds.

    math = reward("math", target="answer")

    class Problem(vf.Task[ProblemData]):
        @vf.reward
        async def correct(self, task, trace):
            return await math(task, trace)

        async def validate(self, runtime):
            return await math.accepts_gold(self.data)

Or without a task of one's own: `--env.taskset.task.rewards.correct.fn=my_rewards:math`. Needs nothing of the host.

A reward there is a coroutine function; one that raises marks the rollout as errored, with all its rewards None, and
prime-rl leaves errored rollouts out of the group. That is what happens to a reward that is not known. (An empty mapping
of rewards would not do: the rollout would count, with 0.)
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from ..audit.golds.offering import FORMS, offered
from ..audit.golds.texts import gold_text
from ..errors import ArgumentError, RewardgateError
from ..rollouts.values import target_value
from ..verifiers.base import Outcome, Verdict, Verifier
from .outcome_verifier import judged, name_of, outcome_verifier

__all__ = ["VerdictReward", "reward"]

logger = logging.getLogger(__name__)


def reward(
    verifier: str | Verifier,
    *,
    target: str | Callable[[Any], Any] = "answer",
    name: str | None = None,
    workers: int = 2,
    timeout_s: float | None = 30.0,
    **options: Any,
) -> "VerdictReward":
    """A reward of `verifier` for tasks of the host.

    Args:
        verifier, workers, timeout_s, options: as in `outcome_verifier`. One reply that alone exhausts its seconds
            gets 0.
        target: the field of the task's data that holds what is right, or a function of the data.
        name: what the host records it as where it is not wrapped in a method; by default the verifier's own.

    Raises:
        UnknownNameError, InputError, ArgumentError: of the set-up.

    Example:
        >>> from types import SimpleNamespace
        >>> math = reward("math", workers=0, timeout_s=None)
        >>> task = SimpleNamespace(answer="4", prompt_text="2+2?")
        >>> asyncio.run(math(task, SimpleNamespace(last_reply="so \\\\boxed{4}")))
        1.0
        >>> asyncio.run(math.accepts_gold(task))
        True
    """
    built = outcome_verifier(verifier, workers=workers, timeout_s=timeout_s, options=options)
    return VerdictReward(built, target=target, name=name or name_of(verifier))


class VerdictReward:
    """What `reward` returns: a coroutine function of the task's data and the trace.

    Args:
        verifier: asked about one reply at a time.
        target: as in `reward`.
        name: what the host records it as.
    """

    def __init__(self, verifier: Verifier, *, target: str | Callable[[Any], Any], name: str) -> None:
        self.verifier = verifier
        self._target = target
        self.__name__ = name

    async def __call__(self, task: Any, trace: Any) -> float:
        """The reward of the trace's last reply.

        Raises:
            RewardgateError: it is not known; the message says why.
            ArgumentError: the data has no field of the target's name.
        """
        verdict = await self._verdict(trace.last_reply, self._target_of(task), task.prompt_text or None)
        if verdict.reward is None:
            raise RewardgateError(f"reward: unknown ({verdict.outcome}, {verdict.rule}): {verdict.detail}")
        return verdict.reward

    async def accepts_gold(self, task: Any) -> bool | None:
        """Whether the verifier accepts the target as an answer to itself, in any form that answers take.

        For `Task.validate`. None where there is no text to offer: a specification (tests). A refusal is logged with
        its reason.

        Raises:
            RewardgateError: the verifier itself failed.
        """
        target = self._target_of(task)
        text = gold_text(target)
        if text is None:
            return False if target is None else None
        forms = ["bare"] if "\n" in text else list(FORMS)
        verdicts = [await self._verdict(offered(text, form), target, task.prompt_text or None) for form in forms]
        if any(verdict.outcome is Outcome.CORRECT for verdict in verdicts):
            return True
        first = verdicts[0]
        if all(verdict.outcome is Outcome.ERROR for verdict in verdicts):
            raise RewardgateError(f"verifier: failed on the target ({first.rule}): {first.detail}")
        logger.warning("target %r is refused as an answer to itself: %s, %s", text, first.rule, first.detail)
        return False

    async def _verdict(self, reply: str, target: Any, prompt: str | None) -> Verdict:
        return await asyncio.to_thread(judged, self.verifier, reply, target, prompt)

    def _target_of(self, task: Any) -> Any:
        if not isinstance(self._target, str):
            return target_value(self._target(task))
        if not hasattr(task, self._target):
            raise ArgumentError(
                f'target: expected a field of the task\'s data named "{self._target}", got {task!r:.200}'
            )
        return target_value(getattr(task, self._target))
