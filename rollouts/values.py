"""One cell of a rollout file -> target, reward, id or flag, by the same rules for every format.

The rules that matter: what is not known is None, never 0 and never a gold; a number keeps the text that a
person would write for it (18 and 18.0 are both "18"); an odd reward is None and counted, never guessed.
"""

import json
import math
from typing import TYPE_CHECKING, Any

from .records import Target
from .refusals import Tally

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_META_CHARS = 4096
MAX_EXACT_FLOAT = 2.0**53

_CUT_REASONS = frozenset({"length", "max_tokens", "max_length", "max_new_tokens", "truncated", "model_length"})
"""Finish reasons by which servers and trainers say that the length limit cut a response off."""

_END_REASONS = frozenset(
    {"stop", "eos", "eos_token", "end_turn", "stop_sequence", "tool_calls", "tool_use", "complete"}
)


def target_value(cell: object, tally: Tally | None = None) -> Target | None:
    """A target: text, a list of texts (any of them is right) or a specification; None where it is unknown.

    Example:
        >>> target_value(18), target_value(18.0), target_value("#### 18"), target_value("")
        ('18', '18', '#### 18', None)
        >>> target_value({"style": "rule", "ground_truth": 18})
        '18'
    """
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if isinstance(cell, (bool, int, float)):
        return number_text(cell)
    if isinstance(cell, dict):
        return target_value(cell["ground_truth"], tally) if "ground_truth" in cell else (cell or None)
    if isinstance(cell, list):
        known = [item for item in cell if item is not None and item != ""]
        texts = [item if isinstance(item, str) else number_text(item) for item in known]
        found = [text for text in texts if text is not None]
        if len(found) == len(known):
            return found or None
    if cell is not None and tally is not None:
        tally["target_not_text"] += 1
    return None


def reward_value(cell: object, tally: Tally) -> float | None:
    """A reward as a finite float, or None with the reason counted in `tally`.

    Example:
        >>> from collections import Counter
        >>> [reward_value(cell, Counter()) for cell in (True, "0.5", "false", "correct", float("nan"), [1.0], 10**400)]
        [1.0, 0.5, 0.0, None, None, None, None]
    """
    if cell is None:
        return None
    if isinstance(cell, str):
        word = cell.strip().lower()
        if word in ("true", "false"):
            return float(word == "true")
        try:
            cell = float(word)
        except ValueError:
            tally["reward_not_a_number"] += 1
            return None
    if not isinstance(cell, (bool, int, float)):
        tally["reward_not_scalar"] += 1
        return None
    try:
        reward = float(cell)
    except OverflowError:
        reward = math.inf
    if math.isfinite(reward):
        return reward
    tally["reward_nan" if math.isnan(reward) else "reward_infinite"] += 1
    return None


def truncated_value(flag: object, finish_reason: str | None) -> bool | None:
    """Whether a response was cut off: the file's own flag, else its finish reason; None where neither says."""
    if isinstance(flag, bool):
        return flag
    if isinstance(flag, (int, float)) and flag in (0, 1):
        return bool(flag)
    if isinstance(flag, str) and flag.strip().lower() in ("true", "false"):
        return flag.strip().lower() == "true"
    reason = (finish_reason or "").strip().lower()
    if reason in _CUT_REASONS:
        return True
    return False if reason in _END_REASONS else None


def integer_value(cell: object) -> int | None:
    """A whole number, also written as a float or as text; None for anything else."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, str):
        try:
            return int(cell.strip())
        except ValueError:
            return None
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() else None
    return cell if isinstance(cell, int) else None


def number_value(cell: object) -> float | None:
    """A finite number or a flag as a float; None for anything else.

    Example:
        >>> number_value(True), number_value(2), number_value(float("nan")), number_value("2")
        (1.0, 2.0, None, None)
    """
    if not isinstance(cell, (bool, int, float)):
        return None
    try:
        number = float(cell)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def name_value(cell: object) -> str | None:
    """An id or a name as text; None for null, empty text and anything that names nothing."""
    if isinstance(cell, (str, bool, int, float)):
        return (cell if isinstance(cell, str) else number_text(cell)) or None
    return None


def array_value(cell: object, dtype: str, tally: Tally) -> "npt.NDArray[Any] | None":
    """A list of numbers as a numpy array, shape (T,); None, counted in `tally`, for any other list."""
    import numpy as np

    if cell is None:
        return None
    try:
        array = np.asarray(cell, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None or array.ndim != 1:
        tally["tokens_not_aligned"] += 1
        return None
    return array


def is_small(cell: object) -> bool:
    """Whether `cell` is small enough to be carried along."""
    if cell is None or isinstance(cell, (bool, int, float)):
        return True
    if isinstance(cell, str):
        return len(cell) <= MAX_META_CHARS
    try:
        return len(json.dumps(cell, default=str)) <= MAX_META_CHARS
    except (ValueError, RecursionError):
        return False


def number_text(number: object) -> str | None:
    """The text that a person would write for a number; None for what is not finite, is no number or is too long.

    Example:
        >>> number_text(18.0), number_text(0.1), number_text(float("nan")), number_text("18")
        ('18', '0.1', None, None)
    """
    if isinstance(number, float):
        if not math.isfinite(number):
            return None
        # Beyond 2^53 a float no longer says which integer was meant.
        return str(int(number)) if number.is_integer() and abs(number) < MAX_EXACT_FLOAT else float.__repr__(number)
    try:
        return str(number) if isinstance(number, int) else None
    except ValueError:  # more digits than the interpreter prints
        return None
