"""One step of a run, in memory: groups to advantages to an update.

    step n    groups of step n ─▶ advantages ─▶ update
                                       │
              (asynchronous)           └─▶ groups of step n + 1, meanwhile, by the weights before the update

`policy_version` is the number of optimizer steps behind the weights, so that a rollout's lag is a difference. Newer
weights are pushed when the next completion is asked for: whatever fails then, the step before it is done.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from ...diagnostics import Pool, PromptPools
from ...errors import RewardgateError, WorkerError
from ...grpo import PolicyUpdate, UpdateStats, head_of
from ..building import Parts, rate_at
from ..config import RunConfig
from ..escalation import Escalation
from ..folder.ahead import ahead_lines, ahead_state, collected_of
from ..generation import SamplerMismatch
from ..groups.collecting import Collected, Collector
from ..groups.evaluation import evaluated
from ..groups.judging import JudgedGroup
from .crediting import Credited, Crediting
from .measuring import measured_mismatch

__all__ = ["StepDone", "Stepper"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepDone:
    """What one step was.

    Args:
        step: 1, 2, …
        collected: what was sampled for it.
        credited: advantages of the batch; None where no group was kept.
        stats: of the update; None where there was nothing to learn from.
        mismatch: of sampler and trainer before the update; None where none was measured.
        rate: the learning rate.
        seconds: wall-clock, by phase: `wait` for what was sampled ahead, `generate`, `judge`, `credit`, `mismatch`,
            `update`.
    """

    step: int
    collected: Collected
    credited: Credited | None
    stats: UpdateStats | None
    mismatch: SamplerMismatch | None
    rate: float
    seconds: Mapping[str, float] = field(default_factory=dict)


class Stepper:
    """What a run knows between two steps, and how it gets from one to the next.

    Args:
        config: of the run.
        parts: what it is done with.

    Attributes:
        pools: of the prompts that are trained on.
        is_between_steps: False from when a step begins to change something until it is done: what is there then is
            of no step, and not to be kept.
    """

    def __init__(self, config: RunConfig, parts: Parts) -> None:
        self._config, self._parts = config, parts
        self.pools = PromptPools([one.prompt_id for one in parts.prompts], rules=config.pools)
        self._escalation = None if config.escalation is None else Escalation(config.escalation)
        self._crediting = Crediting(config, parts.scoring, parts.tokenizer, self.pools)
        self._update = PolicyUpdate(parts.model, parts.optimizer, config.update_config(), reference=parts.reference)
        of_run = (self.pools, self._escalation, parts.generator, parts.judging)
        self._head = head_of(parts.model)
        self._collector = Collector(config, parts.prompts, *of_run)
        self._thread = ThreadPoolExecutor(1, "rewardgate-ahead") if config.generation.asynchronous else None
        self._ahead: Future[Collected] | None = None
        self.is_between_steps = True

    def step(self, number: int) -> StepDone:
        """Do one step.

        Raises:
            RewardgateError: the generator's, the verifier's or the scorer's. Nothing has changed where
                `is_between_steps`.
        """
        seconds: defaultdict[str, float] = defaultdict(float)
        collected = self._collected(number, seconds)
        seconds.update(collected.seconds)
        credited = None
        if collected.kept:
            with _timed(seconds, "credit"):
                credited = self._crediting(collected.kept)
        mismatch = self._mismatch(collected.kept, seconds)
        self._push()
        # Until here a failure leaves what was sampled ahead where it is, to be kept with the step before.
        self.is_between_steps, self._ahead = False, None
        if credited is not None:
            self._crediting.remember(collected.kept, credited)
        self._count(collected)
        if self._thread is not None and number < self._config.steps:
            self._ahead = self._thread.submit(self._collector.collect, number + 1)
        rate = rate_at(number, self._config.optimizer, self._config.steps)
        stats = None
        mask = None if credited is None else credited.batch.completion_mask
        if credited is not None and mask is not None and bool(mask.any()):
            for group in self._parts.optimizer.param_groups:
                group["lr"] = rate
            with _timed(seconds, "update"):
                stats = self._update.step(credited.batch)
        self.is_between_steps = True
        return StepDone(
            step=number,
            collected=collected,
            credited=credited,
            stats=stats,
            mismatch=mismatch,
            rate=rate,
            seconds=dict(seconds),
        )

    def evaluate(self, number: int) -> list[JudgedGroup]:
        """Completions of the held-out prompts, by the weights behind a step."""
        self._wait()
        self._push()
        parts = self._parts
        return evaluated(self._config, parts.held_out, parts.generator, parts.judging, step=number)

    def state_dict(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """What the next step depends on besides weights and optimizer: plain values, and lines of what was sampled
        ahead."""
        ahead = self._wait()
        state = {
            "update": self._update.state_dict(),
            "pools": self.pools.state_dict(),
            "escalation": None if self._escalation is None else self._escalation.state_dict(),
            "crediting": self._crediting.state_dict(),
            "ahead": None if ahead is None else ahead_state(ahead),
        }
        return state, () if ahead is None else ahead_lines(ahead)

    def load_state_dict(self, state: Mapping[str, Any], lines: Sequence[str]) -> None:
        """Go on where `state_dict` was taken. Prompts may have come and gone since."""
        self._update.load_state_dict(state["update"])
        self.pools.load_state_dict(state["pools"])
        prompts = {one.prompt_id: one for one in self._parts.prompts}
        self.pools.add(prompts)
        self.pools.set_aside((one for one in self.pools.prompt_ids if one not in prompts), Pool.QUARANTINE)
        if self._escalation is not None and state["escalation"] is not None:
            self._escalation.load_state_dict(state["escalation"])
        self._crediting.load_state_dict(state["crediting"])
        if state["ahead"] is not None and self._thread is not None:
            self._ahead = Future()
            self._ahead.set_result(collected_of(lines, state["ahead"], prompts))

    def close(self) -> None:
        """End what samples and what judges, outcomes and steps."""
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
        self._parts.generator.close()
        self._parts.judging.close()
        if self._parts.scoring is not None:
            self._parts.scoring.close()

    def _collected(self, number: int, seconds: defaultdict[str, float]) -> Collected:
        if self._ahead is None:
            self._push()
            return self._collector.collect(number)
        with _timed(seconds, "wait"):
            return self._ahead.result()

    def _mismatch(self, groups: Sequence[JudgedGroup], seconds: defaultdict[str, float]) -> SamplerMismatch | None:
        if not groups or not self._config.monitor.mismatch_rows:
            return None
        with _timed(seconds, "mismatch"):
            version = self._update.optimizer_steps
            return measured_mismatch(self._parts.model, self._head, groups, self._config, policy_version=version)

    def _count(self, collected: Collected) -> None:
        """Every rollout counts for its prompt, those of groups that were thrown away too."""
        rewards = [reward for one in collected.drawn for reward in one.rewards]
        ids = [one.prompt.prompt_id for one in collected.drawn for _ in one.rewards]
        self.pools.update(rewards, ids, step=collected.step)
        if self._escalation is not None:
            self._escalation.update(rewards, ids, step=collected.step)

    def _push(self) -> None:
        generator, version = self._parts.generator, self._update.optimizer_steps
        if generator.policy_version == version:
            return
        try:
            generator.push(self._parts.model, policy_version=version)
        except RewardgateError:
            raise
        except Exception as raised:  # an engine's, of any kind
            raise WorkerError(f"generator: {type(raised).__name__}: {raised}") from raised

    def _wait(self) -> Collected | None:
        """What was sampled ahead, once it is there; None where nothing was, or where it failed: the next step says."""
        if self._ahead is None or self._ahead.exception() is not None:
            return None
        return self._ahead.result()


@contextmanager
def _timed(seconds: defaultdict[str, float], phase: str) -> Iterator[None]:
    started = perf_counter()
    yield
    seconds[phase] += perf_counter() - started
