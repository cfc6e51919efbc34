"""A target as a key to count by, and as the answer that it names."""

import json

from ...rollouts.records import Target
from ...verifiers.target_texts import target_texts
from ...verifiers.targets import read_target

__all__ = ["gold_text", "target_key"]


def target_key(target: Target | None) -> str:
    """A key that equal targets share."""
    return target if isinstance(target, str) else json.dumps(target, sort_keys=True, default=str)


def gold_text(target: Target | None) -> str | None:
    """The first answer that `target` names, as text; None for specifications (tests, schemas) and for none.

    Example:
        >>> gold_text("3 * 6 = 18\\n#### 18"), gold_text(["1/2", "0.5"]), gold_text({"tests": []})
        ('18', '1/2', None)
    """
    texts = [] if target is None else target_texts(target)
    return read_target(texts[0]).raw if texts and texts[0].strip() else None
