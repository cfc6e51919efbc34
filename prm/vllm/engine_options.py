"""What a caller may hand on to `vllm.LLM` beside what we set ourselves."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from ...errors import ArgumentError

__all__ = ["engine_options"]


def engine_options(engine: Mapping[str, Any], *, ours: Collection[str]) -> dict[str, Any]:
    """`engine` as the plain data that a worker can be sent.

    Args:
        ours: names of `vllm.LLM`'s arguments that the caller sets by arguments of ours.

    Raises:
        ArgumentError: one of `ours`, or what JSON cannot carry.

    Example:
        >>> engine_options({"enforce_eager": True}, ours={"model"})
        {'enforce_eager': True}
    """
    if taken := sorted(set(ours) & set(engine)):
        raise ArgumentError(f"engine: expected none that has an argument of its own here, got {', '.join(taken)}")
    try:
        return json.loads(json.dumps(dict(engine)))
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"engine: expected plain data, got what JSON cannot carry ({error})") from None
