"""The verifier behind a host's reward function: by name or as an object, and where it cannot harm the host."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from ..errors import ArgumentError
from ..rollouts.messages import Prompt
from ..rollouts.values import target_value
from ..verifiers.arguments import positive, whole
from ..verifiers.base import Verdict, Verifier, get, verifiers
from ..verifiers.batch import verify_many
from ..verifiers.functions import FunctionVerifier
from ..verifiers.rows import error
from ..verifiers.workers.held import InHeldWorkers

__all__ = ["judged", "name_of", "outcome_verifier"]


def outcome_verifier(
    verifier: str | Verifier, *, workers: int, timeout_s: float | None, options: Mapping[str, Any]
) -> Verifier:
    """`verifier`, built where it is a name, in held killable processes unless `workers` is 0 or it has its own.

    Args:
        verifier: a registered name, `pkg.mod:fn` or `path/file.py:fn` (as the command takes them), or an object
            with `verify`.
        workers: killable processes that judge. 0 judges in the caller's process, where nothing can be killed.
        timeout_s: seconds that one row may take in such a process; None for no limit.
        options: for the verifier, where it is given by name.

    Raises:
        UnknownNameError: no verifier has that name.
        InputError: the function cannot be found, imported or called.
        ArgumentError: `workers` or `timeout_s` out of range, options for a verifier that is built already, or a
            verifier that cannot be shipped to a process.
    """
    workers = whole("workers", workers, at_least=0)
    if timeout_s is not None:
        timeout_s = positive("timeout_s", timeout_s, what="number of seconds, or None")
    if timeout_s is not None and workers == 0:
        raise ArgumentError(f"timeout_s: expected None with workers=0, which nothing can interrupt, got {timeout_s}")
    if not isinstance(verifier, str):
        if not hasattr(verifier, "verify"):
            raise ArgumentError(f"verifier: expected a name, pkg.mod:fn or an object with verify, got {verifier!r}")
        if options:
            raise ArgumentError(f"options: expected none for a verifier that is built already, got {sorted(options)}")
        built = verifier
    elif ":" in verifier and verifier not in verifiers:
        limits = {} if timeout_s is None else {"timeout_s": timeout_s}
        return FunctionVerifier(verifier, workers=max(1, workers), **limits, **options)
    else:
        built = get(verifier, **options)
    if workers == 0 or getattr(built, "runs_in_workers", False):
        return built
    return InHeldWorkers(built, workers=workers, timeout_s=timeout_s)


def judged(verifier: Verifier, response: Any, target: Any, prompt: Prompt | None = None) -> Verdict:
    """The verdict on one response; never raises, whatever the verifier does and whatever the host's columns hold.

    A reward that is infinite or NaN is no reward: in a trainer it would take its whole group with it.

    Args:
        target: a cell of the host's data, as `rollouts.values.target_value` reads it.

    Example:
        >>> judged(get("math"), "so \\boxed{4}", {"style": "rule", "ground_truth": 4}).reward
        1.0
    """
    try:
        (verdict,) = verify_many(verifier, [(response, target_value(target), prompt)])
    except Exception as raised:  # the training goes on; this row has no reward, and says why
        return error("raised", f"{type(raised).__name__}: {raised}")
    if verdict.reward is not None and not isfinite(verdict.reward):
        return error("reward_not_finite", f"the verifier's reward is {verdict.reward}")
    return verdict


def name_of(verifier: str | Verifier) -> str:
    """What a host logs it as."""
    return verifier.rpartition(":")[2] if isinstance(verifier, str) else type(verifier).__name__
