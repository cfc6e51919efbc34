"""A verifier in the shape that TRL calls reward functions in. Needs neither TRL nor torch.

TRL lets an exception of a reward function end the training, sets no time limit, and takes None for "cannot be
scored". So: one bad row is one None, what may hang runs in processes that can be killed from any thread, and only
what is wrong with the set-up (a column that is not there) raises, at the first call.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ArgumentError
from ..rollouts.messages import Completion, Prompt
from ..rollouts.values import target_value
from ..verifiers.base import Outcome, Verdict, Verifier
from ..verifiers.batch import verify_many
from .outcome_verifier import name_of, outcome_verifier

__all__ = ["AsyncVerdictReward", "VerdictReward", "reward"]


def reward(
    verifier: str | Verifier,
    *,
    target: str | None = "solution",
    name: str | None = None,
    workers: int = 2,
    timeout_s: float | None = 30.0,
    is_async: bool = False,
    **options: Any,
) -> "VerdictReward":
    """A callable for `reward_funcs` of TRL's trainers: rewards of `verifier`, None where it cannot score.

    Args:
        verifier: a registered name, `pkg.mod:fn` or `path/file.py:fn` (as the command takes them), or an object
            with `verify`.
        target: the data set's column that holds what is right; None for a verifier that needs none (`format`).
        name: what TRL logs it as (`rewards/<name>/mean`); by default the verifier's own name.
        workers: killable processes that judge, started at the first call and kept. 0 judges in TRL's process,
            where nothing can be killed: for verifiers that bound themselves, as ours do.
        timeout_s: seconds that one row may take in such a process; None for no limit. A completion that alone
            exhausts them gets 0, not None: it would be paid to.
        is_async: whether the callable is a coroutine function; TRL awaits all of those together.
        options: for the verifier, where it is given by name.

    Raises:
        UnknownNameError: no verifier has that name.
        InputError: the function cannot be found, imported or called.
        ArgumentError: `workers` or `timeout_s` out of range, options for a verifier that is built already, or a
            verifier that cannot be shipped to a process.

    Example:
        >>> math = reward("math", target="answer", workers=0, timeout_s=None)
        >>> math(completions=["so \\\\boxed{4}", "so \\\\boxed{5}", "4"], answer=["4", "4", None])
        [1.0, 0.0, None]
    """
    kind = AsyncVerdictReward if is_async else VerdictReward
    built = outcome_verifier(verifier, workers=workers, timeout_s=timeout_s, options=options)
    return kind(built, target=target, name=name or name_of(verifier))


class VerdictReward:
    """What `reward` returns.

    Args:
        verifier: asked about all rows of a call together.
        target: the column that holds the targets; None where the verifier needs none.
        name: what TRL logs it as.
    """

    def __init__(self, verifier: Verifier, *, target: str | None, name: str) -> None:
        self.verifier = verifier
        self.target = target
        self.__name__ = name

    def __call__(
        self,
        *,
        completions: Sequence[Completion],
        prompts: Sequence[Prompt] | None = None,
        completion_ids: Any = None,
        trainer_state: Any = None,
        environments: Any = None,
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Sequence[Any],
    ) -> list[float | None]:
        """One reward a completion, in order; None where the target or our machinery is at fault.

        Logs, where TRL offers to: the share of each outcome as `verdicts/<name>/<outcome>`, the share without a
        reward as `verdicts/<name>/unscored`, and per row the outcome, the rule that decided, the answer that was
        read and the target where it is one text, so that `rewardgate audit` can judge TRL's completions again.

        Raises:
            ArgumentError: the data set has no column of the target's name, or one of another length.
        """
        targets = self._targets(columns, len(completions))
        asked = [None] * len(completions) if prompts is None else prompts
        verdicts = verify_many(self.verifier, list(zip(completions, targets, asked, strict=True)))
        if log_metric is not None:
            for outcome, share in _shares(verdicts).items():
                log_metric(f"verdicts/{self.__name__}/{outcome}", share)
        if log_extra is not None:
            log_extra(f"{self.__name__}_outcome", [verdict.outcome.value for verdict in verdicts])
            log_extra(f"{self.__name__}_rule", [verdict.rule for verdict in verdicts])
            log_extra(f"{self.__name__}_extracted", [verdict.extracted or "" for verdict in verdicts])
            if self.target is not None:
                log_extra(f"{self.__name__}_target", [_one_text(target) for target in targets])
        return [verdict.reward for verdict in verdicts]

    def _targets(self, columns: Mapping[str, Sequence[Any]], n_rows: int) -> list[Any]:
        if self.target is None:
            return [""] * n_rows
        if self.target not in columns:
            seen = ", ".join(sorted(columns)) or "none besides the prompt"
            raise ArgumentError(f'target: expected a column of the data set named "{self.target}", got columns: {seen}')
        column = columns[self.target]
        if len(column) != n_rows:
            raise ArgumentError(f"{self.target}: expected one target a completion ({n_rows}), got {len(column)}")
        return [target_value(cell) for cell in column]


class AsyncVerdictReward(VerdictReward):
    """`VerdictReward` as a coroutine function; TRL's event loop goes on while the verifier works."""

    async def __call__(self, **given: Any) -> list[float | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """As `VerdictReward.__call__`."""
        return await asyncio.to_thread(super().__call__, **given)


def _one_text(target: Any) -> str | None:
    """A target as a cell of a column of texts: a table of Parquet takes no column of several kinds."""
    if isinstance(target, list) and len(target) == 1:
        (target,) = target
    return target if isinstance(target, str) else None


def _shares(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """The share of every outcome, 0 included: TRL averages a metric over the calls that logged it."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    n_rows = max(1, len(verdicts))
    shares = {outcome.value: counts[outcome] / n_rows for outcome in Outcome}
    return {**shares, "unscored": sum(verdict.reward is None for verdict in verdicts) / n_rows}
