"""A short SFT on verified completions, no longer than until the policy can explore.

Reinforcement learning cannot begin where no group holds a success. A few supervised steps give it some, and every one
more takes away what could have been explored. So the SFT is looked at as it goes, and ends with the first look that is
sure of enough mixed groups (`looks`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from ...errors import ArgumentError
from ...rollouts.records import Group
from ...verifiers.base import Verifier
from ..base import Generator, Sampling
from ..groups.asking import attempt
from ..groups.attempts import group_of
from ..groups.judging import Judging, judging_by
from ..prompts import Prompt
from ..sft import Sft, SftConfig
from .demonstrations import Selection
from .looks import Look, LookRules, Standing, look_at, looked_at
from .report import BootstrapReport, LossAt, Selected

__all__ = ["BootstrapConfig", "bootstrap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapConfig:
    """How far an SFT goes, and how often it is looked at.

    Args:
        sampling: of looks, as the run that comes after will sample.
        looks: what a look draws, and what it must show.
        sft: how examples are learned.
        look_every: optimizer steps between two looks. The SFT overshoots by at most that many.
        max_steps: after which it ends, whatever was seen.
        batch_prompts: groups that are sampled and held at once.
        seed: of the looks.
        workers: killable processes that judge, held until the end; 0: in this one.

    Raises:
        ArgumentError: an option outside its range, or looks too small ever to be sure.
    """

    sampling: Sampling
    looks: LookRules = field(default_factory=LookRules)
    sft: SftConfig = field(default_factory=SftConfig)
    look_every: int = 20
    max_steps: int = 400
    batch_prompts: int = 32
    seed: int = 0
    workers: int = 0

    def __post_init__(self) -> None:
        for name, least in (("look_every", 1), ("max_steps", 1), ("batch_prompts", 1), ("seed", 0), ("workers", 0)):
            if getattr(self, name) < least:
                raise ArgumentError(f"{name}: expected at least {least}, got {getattr(self, name)}")
        self.looks.level(self.planned_looks)

    @property
    def planned_looks(self) -> int:
        """One before the first step, and one after every `look_every`, the last at `max_steps`."""
        return 1 - (-self.max_steps // self.look_every)


def bootstrap(
    model: Any,
    prompts: Sequence[Prompt],
    generator: Generator,
    verifier: Verifier,
    config: BootstrapConfig,
    *,
    demonstrations: Selection | None = None,
    rejection: Callable[[], Selection] | None = None,
    on_look: Callable[[Look], None] | None = None,
    on_group: Callable[[Group], None] | None = None,
    named: dict[str, str] | None = None,
) -> BootstrapReport:
    """Learn examples until the named prompts can be explored; `model` is changed in place.

    The first look comes before anything else: a policy that can explore already learns nothing.

    Args:
        model: a causal language model of transformers.
        prompts: named, with their ids: at least one.
        generator: of the same policy; told of new weights before every look.
        verifier: that the run will be judged by.
        demonstrations: verified; `demonstrations.demonstrated`.
        rejection: asked for further examples when the first look has shown that they are needed:
            `demonstrations.rejection_sampled`.
        on_look, on_group: told every look, and every group of it.
        named: what the report calls `model` and `verifier`.

    Raises:
        ArgumentError: no prompt, or an SFT whose gradients are not finite.
        RewardgateError: the generator's.
    """
    started = perf_counter()
    if not prompts:
        raise ArgumentError("prompts: expected at least one, got none")
    losses: list[LossAt] = []
    with judging_by(verifier, workers=config.workers) as judging:
        looker = _Looker(prompts, generator, judging, config, on_look, on_group)
        standing = looker.look(model, sft_steps=0)
        sampled = rejection() if rejection is not None and standing is Standing.GO_ON else None
        selections = [one for one in (demonstrations, sampled) if one is not None]
        examples = [example for one in selections for example in one.examples]
        if standing is Standing.GO_ON and examples:
            sft = Sft(model, examples, config.sft)
            while standing is Standing.GO_ON:
                steps = [sft.step() for _ in range(min(config.look_every, config.max_steps - sft.steps))]
                tokens = sum(one.tokens for one in steps)
                loss = sum(one.loss * one.tokens for one in steps) / tokens
                losses.append(LossAt(sft_steps=sft.steps, loss=loss, tokens=tokens))
                standing = looker.look(model, sft_steps=sft.steps)
        elif standing is Standing.GO_ON:
            standing = looker.without_examples()
    learned = {prompt_id for one in selections for prompt_id in one.prompt_ids} if losses else set()
    names = {"model": "", "verifier": type(verifier).__name__, **(named or {})}
    return BootstrapReport(
        **names,
        verifier_version=verifier.version,
        prompts=len(prompts),
        demonstrated=sum(one.prompt_id in learned for one in prompts),
        demonstrations=_selected(demonstrations),
        rejection_sampling=_selected(sampled),
        examples=len(examples),
        group_size=config.looks.group_size,
        least_mixed=config.looks.least_mixed,
        confidence=config.looks.confidence,
        planned_looks=config.planned_looks,
        seed=config.seed,
        sft_steps=losses[-1].sft_steps if losses else 0,
        tokens_learned=sum(one.tokens for one in losses),
        losses=tuple(losses),
        looks=tuple(looker.looks),
        standing=standing,
        sentence=_sentence(looker.looks[-1], standing, config, n_examples=len(examples)),
        seconds=perf_counter() - started,
    )


class _Looker:
    """Looks, one after the other, each with completions of its own."""

    def __init__(
        self,
        prompts: Sequence[Prompt],
        generator: Generator,
        judging: Judging,
        config: BootstrapConfig,
        on_look: Callable[[Look], None] | None,
        on_group: Callable[[Group], None] | None,
    ) -> None:
        self._prompts, self._generator, self._judging, self._config = prompts, generator, judging, config
        self._on_look, self._on_group = on_look, on_group
        self._level = config.looks.level(config.planned_looks)
        self.looks: list[Look] = []

    def look(self, model: Any, *, sft_steps: int) -> Standing:
        config, number = self._config, len(self.looks)
        if sft_steps:
            self._generator.push(model, policy_version=sft_steps)
        seed = config.seed + 1_000_003 * number
        asked = [self._prompts[place] for place in looked_at(len(self._prompts), config.looks.groups, seed=seed)]
        attempts = []
        for start in range(0, len(asked), config.batch_prompts):
            part = asked[start : start + config.batch_prompts]
            size, seed_of_part = config.looks.group_size, seed + start
            done = attempt(part, size, self._generator, self._judging, config.sampling, seed=seed_of_part)
            attempts += done.attempts
        if self._on_group is not None:
            for place, one in enumerate(attempts):
                name = f"{sft_steps}/{place}/{one.prompt.prompt_id}"
                self._on_group(group_of(one, group_id=name, policy_version=sft_steps, step=sft_steps))
        is_last = sft_steps >= config.max_steps
        look = look_at(attempts, config.looks, sft_steps=sft_steps, level=self._level, is_last=is_last)
        self.looks.append(look)
        if self._on_look is not None:
            self._on_look(look)
        return look.standing

    def without_examples(self) -> Standing:
        """Where the only look stands, now that none will follow."""
        high = self.looks[-1].pass_at_g.high
        is_sure = high is not None and high < self._config.looks.least_mixed
        return Standing.NO_SUPPORT if is_sure else Standing.UNDECIDED


def _selected(selection: Selection | None) -> Selected | None:
    if selection is None:
        return None
    return Selected(
        seen=selection.seen,
        chosen=len(selection.examples),
        prompts=len(set(selection.prompt_ids)),
        refused=dict(selection.refused.most_common()),
        tokens=selection.tokens,
        seconds=selection.seconds,
    )


def _sentence(look: Look, standing: Standing, config: BootstrapConfig, *, n_examples: int) -> str:
    size, least, steps = config.looks.group_size, config.looks.least_mixed, look.sft_steps
    if look.mixed.value is None or look.mixed.low is None or look.pass_at_g.high is None:
        return "Nothing can be said: no group has a verdict on every rollout; look at the verifier first."
    mixed = f"{look.mixed.value:.0%} of groups of {size} are mixed, at least {look.mixed.low:.0%}"
    if standing is Standing.READY:
        how = f"after {steps} SFT steps" if steps else "without a step of SFT"
        return f"Enough support for RL {how}: {mixed}."
    if standing is Standing.TOO_EASY:
        how = f"after {steps} SFT steps (look more often, or at a lower lr)" if steps else "before any SFT"
        return f"Little is left to explore {how}: {mixed}, most of the others are all correct."
    done = f"after {steps} SFT steps" if n_examples else "and no verified example to learn from"
    passed = f"pass@{size} is {look.pass_at_g.value:.1%}, at most {look.pass_at_g.high:.1%}"
    if standing is Standing.NO_SUPPORT:
        return (
            f"Not enough support for RL {done}: {passed}, where {least:.0%} mixed groups are asked for. "
            "More or other demonstrations, easier prompts, or a stronger model."
        )
    return f"Support for RL is not shown {done}: {mixed}; {passed}. More steps, more groups a look, or demonstrations."
