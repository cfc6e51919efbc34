"""A target as a key to count by, and as the answer that it names."""

import json
from collections.abc import Mapping

from ..rollouts.records import Target
from ..verifiers.targets import TARGET_KEYS, read_target

__all__ = ["gold_text", "target_key"]


def target_key(target: Target | None) -> str:
    """A key that equal targets share."""
    return target if isinstance(target, str) else json.dumps(target, sort_keys=True, default=str)


def gold_text(target: Target | None) -> str | None:
    """The answer that `target` names, as text; None for specifications (tests, schemas) and for none.

    Example:
        >>> gold_text("3 * 6 = 18\\n#### 18"), gold_text(["1/2", "0.5"]), gold_text({"tests": []})
        ('18', '1/2', None)
    """
    if isinstance(target, Mapping):
        named = next((target[key] for key in TARGET_KEYS if key in target), None)
        return gold_text(named) if isinstance(named, str | list) else None
    if isinstance(target, list):
        return gold_text(target[0]) if target else None
    if target is None or not target.strip():
        return None
    return read_target(target).raw
