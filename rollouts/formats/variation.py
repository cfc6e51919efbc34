"""Which column is the gold: one that is the same in all rows of a prompt.

The extracted answer of a model often stands under `answer`, the gold under another name; a choice by names
alone would verify every response against itself. A gold belongs to the prompt, a prediction to the
response, so a column that varies inside prompts is a prediction.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..fields import STRONG_TARGET
from ..grouping import digest
from ..values import target_value

MAX_PROMPTS_COMPARED = 20_000
PREDICTION_SHARE = 0.5
"""A column that varies in this share of the prompts with several rows is a prediction, whatever its name."""

_VARIES = -1
_UNKNOWN = -2


class TargetVariation:
    """Compares candidate columns over the rows of each prompt, for the first 20,000 prompts."""

    def __init__(self, candidates: Sequence[str]) -> None:
        self._candidates = candidates
        self._prompts: dict[int, list[int]] = {}  # prompt -> [rows seen, a digest or _VARIES a candidate]

    def add(self, prompt_id: str, row: Mapping[str, Any], *, width: int | None) -> None:
        """Take note of one row; `width`: how many responses it holds, None for a row of one."""
        if not self._candidates:
            return
        prompt = digest(prompt_id)
        seen = self._prompts.get(prompt)
        if seen is None:
            if len(self._prompts) < MAX_PROMPTS_COMPARED:
                marks = [self._mark(row.get(name), width) for name in self._candidates]
                self._prompts[prompt] = [width or 1, *marks]
            return
        seen[0] += width or 1
        for place, name in enumerate(self._candidates, start=1):
            mark = self._mark(row.get(name), width)
            if seen[place] == _UNKNOWN:
                seen[place] = mark
            elif mark not in (_UNKNOWN, seen[place]):
                seen[place] = _VARIES

    def choose(self, candidates: Sequence[str]) -> tuple[str | None, list[str]]:
        """The target among `candidates` (likeliest name first), None if all are predictions; and notes."""
        several = [marks for marks in self._prompts.values() if marks[0] > 1]
        varying = Counter(
            name for marks in several for name, mark in zip(self._candidates, marks[1:], strict=True) if mark == _VARIES
        )
        limit = PREDICTION_SHARE * len(several)
        predictions = [name for name in candidates if several and varying[name] >= limit > 0]
        strong = [name for name in candidates if name in STRONG_TARGET and name not in predictions]
        steady = [name for name in candidates if name not in STRONG_TARGET and not varying[name]]
        others = [name for name in candidates if name not in predictions and name not in steady and name not in strong]
        chosen = next(iter((*strong, *steady, *others)), None)
        if chosen is None:  # a gold that nobody else could be, unless its name allows a prediction
            chosen = next((name for name in predictions if name in STRONG_TARGET), None)
        notes = [
            f"{name} differs between rows of one prompt in {varying[name]} of {len(several)} prompts: read as the "
            f"model's answer, not as the target; target_key={name} would overrule that"
            for name in candidates
            if varying[name] and name != chosen
        ]
        return chosen, notes

    @staticmethod
    def _mark(cell: object, width: int | None) -> int:
        if isinstance(cell, list) and width is not None and len(cell) == width:
            if any(item != cell[0] for item in cell):
                return _VARIES
            cell = cell[0] if cell else None
        target = target_value(cell)  # 18 and 18.0 are one gold
        return _UNKNOWN if target is None else digest(json.dumps(target, default=str, sort_keys=True))
