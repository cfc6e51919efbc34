"""One step's groups: prompts drawn from the pools, completions sampled and judged, until there are enough.

Nothing here changes anything: the same pools, weights, step and seed give the same groups, in whatever process.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from ...diagnostics import GroupKind, PromptPools, group_kinds
from ..base import Generator, Sampled
from ..config import RunConfig
from ..escalation import Escalation
from ..ledger import LedgerRow
from ..prompts import Prompt
from ..sampling import SampledBatch, sample_groups
from ..seeds import Stream, seed_of
from .asking import sampled_by
from .judging import JudgedGroup, Judging

__all__ = ["Collected", "Collector"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a step learns from, and all that was drawn for it.

    Args:
        step: that it is for.
        kept: of the batch.
        drawn: everything, in the order drawn.
        ledger: what it cost.
        seconds: wall-clock, by phase: `generate` and `judge`.
    """

    step: int
    kept: Sequence[JudgedGroup]
    drawn: Sequence[JudgedGroup]
    ledger: LedgerRow
    seconds: Mapping[str, float] = field(default_factory=dict)


class Collector:
    """Draws, samples and judges.

    Args:
        config: of the run.
        prompts: with their ids.
        pools: which of them are drawn; read, not changed.
        escalation: how they are drawn; None: all alike.
        generator: what samples.
        judging: what judges.
    """

    def __init__(
        self,
        config: RunConfig,
        prompts: Sequence[Prompt],
        pools: PromptPools,
        escalation: Escalation | None,
        generator: Generator,
        judging: Judging,
    ) -> None:
        self._config, self._pools, self._escalation = config, pools, escalation
        self._prompts = {one.prompt_id: one for one in prompts}
        self._generator, self._judging = generator, judging

    def collect(self, step: int) -> Collected:
        """The groups of a step.

        Raises:
            RewardgateError: the generator's, or a verifier that demands more than the machine has.
        """
        drawing = _Drawing(step, np.random.default_rng(seed_of(self._config.seed, Stream.DRAWS, step)))
        wanted = self._config.sampling.groups

        def draw(count: int) -> list[JudgedGroup]:
            return self._drawn(count, drawing)

        started = perf_counter()
        if self._config.dynamic_sampling is None:
            batch = _everything(draw(wanted), wanted, self._config, perf_counter() - started)
        else:
            batch = sample_groups(draw, wanted, self._config.dynamic_sampling)
        return Collected(
            step=step, kept=batch.groups, drawn=drawing.groups, ledger=batch.ledger, seconds=dict(drawing.seconds)
        )

    def _drawn(self, count: int, drawing: "_Drawing") -> list[JudgedGroup]:
        drawing.rounds += 1
        prompts = self._fresh(count, drawing)
        if not prompts:
            return []
        started = perf_counter()
        sampled, temperatures = self._sampled(prompts, drawing)
        drawing.seconds["generate"] += perf_counter() - started
        started = perf_counter()
        usual = self._config.sampling.temperature
        groups = self._judging.groups(
            prompts,
            sampled,
            policy_version=self._generator.policy_version,
            step=drawing.step,
            ids=[f"{drawing.step}/{len(drawing.groups) + place}" for place in range(len(prompts))],
            meta=[{} if one == usual else {"temperature": one} for one in temperatures],
        )
        drawing.seconds["judge"] += perf_counter() - started
        drawing.groups += groups
        return groups

    def _fresh(self, count: int, drawing: "_Drawing") -> list[Prompt]:
        """Prompts that this step has not drawn yet, at most so many."""
        seen = {one.prompt.prompt_id for one in drawing.groups}
        n_drawable = int(np.count_nonzero(self._pools.weights()))
        # Those already seen are drawn along and left out: what remains is drawn by the weights of what remains.
        ids = self._pools.sample(min(n_drawable, count + len(seen)), generator=drawing.generator)
        return [self._prompts[str(one)] for one in ids if one not in seen][:count]

    def _sampled(self, prompts: Sequence[Prompt], drawing: "_Drawing") -> tuple[list[list[Sampled]], list[float]]:
        """Of each prompt its completions, and the temperature that they were sampled at."""
        usual = self._config.sampling
        counts, temperatures = [usual.group_size] * len(prompts), [usual.temperature] * len(prompts)
        if self._escalation is not None:
            rungs = [self._escalation.rung_of(one.prompt_id, pools=self._pools, step=drawing.step) for one in prompts]
            counts = [rung.group_size for rung in rungs]
            temperatures = [usual.temperature if rung.temperature is None else rung.temperature for rung in rungs]
        found: list[list[Sampled]] = [[] for _ in prompts]
        for number, temperature in enumerate(dict.fromkeys(temperatures)):
            places = [place for place, one in enumerate(temperatures) if one == temperature]
            answers = sampled_by(
                self._generator,
                [prompts[place] for place in places],
                [counts[place] for place in places],
                usual.drawn(temperature=temperature),
                seed=seed_of(self._config.seed, Stream.SAMPLES, drawing.step, drawing.rounds, number),
            )
            for place, completions in zip(places, answers, strict=True):
                found[place] = completions
        return found, temperatures


@dataclass(slots=True)
class _Drawing:
    """How far the drawing of one step is."""

    step: int
    generator: np.random.Generator
    rounds: int = 0
    groups: list[JudgedGroup] = field(default_factory=list)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))


def _everything(groups: list[JudgedGroup], wanted: int, config: RunConfig, seconds: float) -> SampledBatch[JudgedGroup]:
    """A batch of all that was drawn."""
    gate = config.signal.gate_config()
    rewards = [reward for one in groups for reward in one.rewards]
    ids = [number for number, one in enumerate(groups) for _ in one.rewards]
    kinds: list[GroupKind] = list(group_kinds(rewards, ids, correct_at=gate.correct_at, wrong_at=gate.wrong_at).kinds)
    tokens = sum(one.n_tokens for one in groups)
    ledger = LedgerRow(
        wanted=wanted,
        rounds=1,
        generated=len(groups),
        kept=dict(Counter(map(str, kinds))),
        rollouts=len(rewards),
        rollouts_unscored=sum(reward is None for reward in rewards),
        rollouts_kept=len(rewards),
        tokens=tokens,
        tokens_kept=tokens,
        seconds=seconds,
        ended={"full" if len(groups) >= wanted else "exhausted": 1},
    )
    return SampledBatch(groups, kinds, ledger)
