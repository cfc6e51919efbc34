"""The texts that a target names: itself, each of a sequence, or a mapping's under its usual key."""

from collections.abc import Mapping, Sequence

from .base import Target
from .targets import answer_key


def target_texts(target: Target) -> list[str]:
    """Every acceptable answer of `target` as text; empty where it names none. Never raises.

    Example:
        >>> target_texts({"answer": ["Paris", "the capital"]})
        ['Paris', 'the capital']
    """
    if isinstance(target, str):
        return [target]
    if isinstance(target, Mapping):
        key = answer_key(target)
        named = None if key is None else target[key]
        return target_texts(named) if isinstance(named, str | list | tuple) else []
    return [one for one in target if isinstance(one, str)] if isinstance(target, Sequence) else []
