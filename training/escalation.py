"""More tries for prompts that stay all wrong: larger groups, a higher temperature, and an end to it.

No success in a group of 8 leaves rates up to 31 % open, so such a prompt is asked for more before it is given up. What
the next rung buys is told beforehand, and so is what so many failures leave open.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

from ..diagnostics import (
    BetaBinomial,
    Pool,
    PromptPools,
    chance_of_success,
    chance_of_success_after_none,
    group_kinds,
    rate_upper_bound,
)
from ..errors import ArgumentError

__all__ = ["Chance", "Climb", "Escalation", "EscalationRules", "Rung"]


class Rung(NamedTuple):
    """How a prompt is drawn.

    Args:
        group_size: completions.
        temperature: None: as all others. A row drawn at a temperature that the update does not divide by is
            off-policy: its `rollout_logprobs` are those it was drawn with, `LossConfig.importance` weighs the
            difference, and the clipped ratio, of the trainer's own policies, is 1 until the weights move. Without such
            weights, raise group sizes only.
    """

    group_size: int
    temperature: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationRules:
    """When a prompt climbs, and how far.

    Args:
        rungs: the first is how every prompt is drawn; group sizes never fall.
        after_visits: visits in a row on one rung without a success after which the next is climbed. A success puts
            the prompt back on the first: with a success in it a group of the usual size may be mixed again.
        give_up_after: completions in a row without a success, over all rungs, after which it goes back to the first
            for good, until a success: 300 leave rates above 1 % to one prompt in twenty. None: never.
        forget_after_steps: a prompt that was not drawn for so many steps starts afresh: the policy that failed at it
            is gone.

    Raises:
        ArgumentError: an option outside its range.
    """

    rungs: tuple[Rung, ...] = (Rung(8), Rung(16), Rung(32))
    after_visits: int = 2
    give_up_after: int | None = 300
    forget_after_steps: int = 500

    def __post_init__(self) -> None:
        if not self.rungs:
            raise ArgumentError("rungs: expected at least one, got none")
        for rung in self.rungs:
            if rung.group_size < 1:
                raise ArgumentError(f"rungs: expected group sizes of at least 1, got {rung.group_size}")
            if rung.temperature is not None and not (rung.temperature > 0 and isfinite(rung.temperature)):
                raise ArgumentError(f"rungs: expected a positive temperature or None, got {rung.temperature}")
        for one, following in pairwise(self.rungs):
            if following.group_size < one.group_size:
                raise ArgumentError(
                    f"rungs: expected group sizes that never fall, got {following.group_size} after {one.group_size}"
                )
        for name in ("after_visits", "give_up_after", "forget_after_steps"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ArgumentError(f"{name}: expected at least 1, got {value}")


class Climb(NamedTuple):
    """A prompt that changed its rung; `gave_up` where it went back without a success."""

    prompt_id: str | int
    before: int
    after: int
    gave_up: bool = False


class Chance(NamedTuple):
    """What the next visit of a prompt may bring, after `failures` completions without a success.

    Args:
        failures: in a row.
        group_size: of its next visit.
        at_most: chance of a success in it at the highest rate that so many failures leave open (95 %, one-sided): a
            bound, and no forecast.
        expected: the same for a prompt like the others, by the beta-binomial of the batch; None without one. It knows
            no impossible prompts: read it as a bound too where many are.
    """

    failures: int
    group_size: int
    at_most: float
    expected: float | None


class _Tried(NamedTuple):
    rung: int = 0
    visits: int = 0
    failures: int = 0
    step: int = 0
    has_given_up: bool = False


class Escalation:
    """Which rung each prompt is on.

    Example:
        >>> escalation = Escalation(EscalationRules(rungs=(Rung(4), Rung(16)), after_visits=2))
        >>> for step in (1, 2):
        ...     climbs = escalation.update([0.0] * 4 + [None] * 4, ["a"] * 4 + ["b"] * 4, step=step)
        >>> climbs, escalation.rung_of("a").group_size, escalation.rung_of("b").group_size
        ([Climb(prompt_id='a', before=0, after=1, gave_up=False)], 16, 4)
        >>> chance = escalation.chance_of("a")
        >>> chance.failures, round(chance.at_most, 3)  # 1 - (1 - .312)^16
        (8, 0.997)
    """

    def __init__(self, rules: EscalationRules | None = None) -> None:
        self.rules = EscalationRules() if rules is None else rules
        self._tried: dict[str | int, _Tried] = {}

    def rung_of(self, prompt_id: str | int, *, pools: PromptPools | None = None, step: int | None = None) -> Rung:
        """How a prompt is to be drawn.

        Args:
            prompt_id: of any prompt; one that never failed is on the first rung.
            pools: where given, only prompts of its hard pool are drawn by another rung than the first.
            step: of the policy now, where prompts long unseen are to be forgotten already.
        """
        tried = self._tried.get(prompt_id, _Tried())
        is_old = step is not None and step - tried.step > self.rules.forget_after_steps
        if tried.rung == 0 or is_old or (pools is not None and pools.pool_of(prompt_id) is not Pool.HARD):
            return self.rules.rungs[0]
        return self.rules.rungs[min(tried.rung, len(self.rules.rungs) - 1)]

    def update(self, rewards: Sequence[float | None], prompt_ids: Sequence[Hashable], *, step: int) -> list[Climb]:
        """Count a batch: one visit of every prompt in it. Unknown rewards count for nothing, neither way.

        Args:
            rewards: (B,) raw outcome rewards; a success is one of at least 1.
            prompt_ids: (B,) str or int.
            step: the policy step that drew them.

        Raises:
            ArgumentError: lengths that differ, a reward that is no number, an id that is neither str nor int.
        """
        kinds = group_kinds(rewards, prompt_ids)
        climbs = []
        for prompt_id, scored, successes in zip(kinds.ids, kinds.scored, kinds.successes, strict=True):
            if not isinstance(prompt_id, str | int):
                raise ArgumentError(f"prompt_ids: expected str or int, got {type(prompt_id).__name__}")
            if not scored:
                continue
            before = self._tried.get(prompt_id, _Tried(step=step))
            after = self._after(before, scored, is_success=successes > 0, step=step)
            if after is None:
                self._tried.pop(prompt_id, None)
            else:
                self._tried[prompt_id] = after
            rung = 0 if after is None else after.rung
            if rung != before.rung:
                climbs.append(Climb(prompt_id, before.rung, rung, after is not None and after.has_given_up))
        return climbs

    def given_up(self) -> list[str | int]:
        """Prompts that had their tries: for the ladder's next rung (bootstrap, a step scorer), or for a second look at
        their target."""
        return [prompt_id for prompt_id, tried in self._tried.items() if tried.has_given_up]

    def chance_of(self, prompt_id: str | int, *, fit: BetaBinomial | None = None) -> Chance:
        """What the prompt's next visit may bring.

        Args:
            prompt_id: of any prompt.
            fit: of the batch, see `diagnostics.fit_beta_binomial`.
        """
        failures, size = self._tried.get(prompt_id, _Tried()).failures, self.rung_of(prompt_id).group_size
        expected = None if fit is None else chance_of_success_after_none(fit, failures=failures, more=size)
        return Chance(failures, size, chance_of_success(rate_upper_bound(failures), size), expected)

    def state_dict(self) -> dict[str, Any]:
        """All but the rules, as plain values that `json.dumps` takes."""
        return {"prompts": [[prompt_id, *tried] for prompt_id, tried in self._tried.items()]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Become what `state_dict` told. Rungs above the last of the rules are the last.

        Raises:
            ArgumentError: not such a state; nothing has changed then.
        """
        try:
            tried = {
                prompt_id: _Tried(int(rung), int(visits), int(failures), int(step), bool(has_given_up))
                for prompt_id, rung, visits, failures, step, has_given_up in state["prompts"]
            }
            is_well = all(isinstance(prompt_id, str | int) for prompt_id in tried)
        except (KeyError, TypeError, ValueError):
            is_well, tried = False, {}
        if not is_well:
            raise ArgumentError(f"state: expected what Escalation.state_dict returns, got {str(state)[:80]}")
        self._tried = tried

    def _after(self, before: _Tried, scored: int, *, is_success: bool, step: int) -> _Tried | None:
        """What is known of a prompt after a visit; None: nothing that differs from a new one."""
        rules = self.rules
        if is_success:
            return None
        if step - before.step > rules.forget_after_steps:
            before = _Tried()
        failures = before.failures + scored
        if before.has_given_up or (rules.give_up_after is not None and failures >= rules.give_up_after):
            return _Tried(0, before.visits + 1, failures, step, True)
        climbs = before.visits + 1 >= rules.after_visits and before.rung < len(rules.rungs) - 1
        return _Tried(before.rung + climbs, 0 if climbs else before.visits + 1, failures, step)
