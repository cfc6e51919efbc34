"""Completions to judged groups, whatever the verifier does: what it cannot say is unknown, and the run goes on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ...errors import ArgumentError, UnavailableError
from ...rollouts.records import Group
from ...verifiers.base import Verdict, Verifier, get, verifiers
from ...verifiers.batch import verify_many
from ...verifiers.functions import load_verifier
from ...verifiers.rows import error
from ...verifiers.workers.held import InHeldWorkers
from ..base import Sampled
from ..options import Judge
from ..prompts import Prompt
from .attempts import Attempts, group_of

__all__ = ["JudgedGroup", "Judging", "judging_by", "judging_of"]

FUNCTION_TIMEOUT_S = 30.0
FUNCTION_WORKERS = 2


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    """The completions of one prompt with their outcomes, as they are written and learned from.

    Args:
        prompt: with the ids that the policy read.
        group: of records with ids and the sampler's log-probabilities; the verdict is under `meta`.
    """

    prompt: Prompt
    group: Group

    @property
    def rewards(self) -> list[float | None]:
        """(G,) raw outcome rewards; None where unknown."""
        return [rollout.reward for rollout in self.group.rollouts]

    @property
    def n_tokens(self) -> int:
        """Tokens generated, of all completions."""
        return sum(rollout.n_tokens or 0 for rollout in self.group.rollouts)


class Judging:
    """A verifier that costs nobody the run.

    Args:
        verifier: any; one that has workers of its own brings its own limits.
        workers: killable processes that judge, held until `close`; 0: in this process.
        timeout_s: seconds that one row may take in such a process; sets `workers` to at least 1. None: no limit.

    Raises:
        ArgumentError: a verifier that cannot be shipped to a process.

    Example:
        >>> class Broken:
        ...     version = "1"
        ...     def verify(self, completion, target, *, prompt=None):
        ...         raise OSError("the grader's disk is full")
        >>> verdict = Judging(Broken()).verdicts([("4", "4", None)])[0]
        >>> verdict.outcome, verdict.reward, verdict.detail
        (<Outcome.ERROR: 'error'>, None, "OSError: the grader's disk is full")
    """

    def __init__(self, verifier: Verifier, *, workers: int = 0, timeout_s: float | None = None) -> None:
        if (workers or timeout_s is not None) and not getattr(verifier, "runs_in_workers", False):
            # Processes of one batch alone would be started anew at every step.
            verifier = InHeldWorkers(verifier, workers=max(1, workers), timeout_s=timeout_s)
        self.verifier = verifier

    def verdicts(self, rows: Sequence[Any]) -> list[Verdict]:
        """One verdict a row, (completion, target, prompt). A reward that is not finite is none.

        Raises:
            UnavailableError: the machine lacks what the verifier was told to require: it holds for every row.
        """
        try:
            found = verify_many(self.verifier, rows)
        except UnavailableError:
            raise
        except Exception as raised:  # a stranger's machinery, of any kind
            return [error("raised", f"{type(raised).__name__}: {raised}") for _ in rows]
        return [_finite(verdict) for verdict in found]

    def groups(
        self,
        prompts: Sequence[Prompt],
        sampled: Sequence[Sequence[Sampled]],
        *,
        policy_version: int,
        step: int,
        ids: Sequence[str],
        meta: Sequence[dict[str, Any]],
    ) -> list[JudgedGroup]:
        """The groups of some prompts.

        Args:
            sampled: of each prompt, its completions.
            policy_version: of the weights that they were sampled from.
            ids: of the groups.
            meta: what else is to be kept of each group's rollouts.
        """
        rows = [
            (one.text, prompt.target, prompt.prompt)
            for prompt, completions in zip(prompts, sampled, strict=True)
            for one in completions
        ]
        verdicts = iter(self.verdicts(rows))
        found = []
        for prompt, completions, group_id, about in zip(prompts, sampled, ids, meta, strict=True):
            attempts = Attempts(prompt, tuple(completions), tuple(next(verdicts) for _ in completions))
            group = group_of(attempts, group_id=group_id, policy_version=policy_version, step=step, **about)
            found.append(JudgedGroup(prompt, group))
        return found

    def close(self) -> None:
        """End what the verifier holds, where it says how."""
        close = getattr(self.verifier, "close", None)
        if callable(close):
            close()


@contextmanager
def judging_by(verifier: Verifier, *, workers: int) -> Iterator[Judging]:
    """The judging of a caller's verifier, which stays open; processes that were started for it end with the context.

    Args:
        workers: as for `Judging`.

    Raises:
        ArgumentError: a verifier that cannot be shipped to a process.
    """
    judging = Judging(verifier, workers=workers)
    try:
        yield judging
    finally:
        if judging.verifier is not verifier:
            judging.close()


def judging_of(config: Judge) -> Judging:
    """What a run's configuration asks for.

    Raises:
        UnknownNameError: no verifier has that name.
        InputError: the function cannot be found, imported or called.
        ArgumentError: options that the verifier does not have, or any for a function.
    """
    if ":" not in config.verifier or config.verifier in verifiers:
        built = get(config.verifier, **config.options)
        return Judging(built, workers=config.workers, timeout_s=config.timeout_s)
    if config.options:
        raise ArgumentError(f"judge.options: expected none for a function, got {', '.join(config.options)}")
    workers, timeout_s = max(config.workers, FUNCTION_WORKERS), config.timeout_s or FUNCTION_TIMEOUT_S
    return Judging(load_verifier(config.verifier, workers=workers, timeout_s=timeout_s))


def _finite(verdict: Verdict) -> Verdict:
    if verdict.reward is None or isfinite(verdict.reward):
        return verdict
    # In an estimator it would take its whole group with it.
    return error("reward_not_finite", f"the verifier's reward is {verdict.reward}", verdict.seconds)
