"""What a policy may have been tuned on: the texts of a file, by their 8-grams of words."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import NoUsableRowsError
from ...rollouts.containers import open_rows
from ...rollouts.fields import PROMPT
from ...rollouts.messages import message_text
from .shingles import ngrams

__all__ = ["TRACE_WORDS", "Traces"]

TRACE_WORDS = 8
MOST_GRAMS = 20_000_000
"""About 2 GB of them; a file that has more is read so far and says so."""


class Traces:
    """Training traces or reference solutions, for asking how much of a response stands in them.

    Every text of a row counts that is no prompt and at least eight words long; of messages, the assistant's.

    Attributes:
        path: the file.
        n_texts: how many texts it holds.
        is_whole: whether all of it was read.

    Raises:
        InputError: the file cannot be opened.
        NoUsableRowsError: it holds no such text.
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self.n_texts, self.is_whole = str(path), 0, True
        self._lines: dict[int, int] = {}
        rows = open_rows(Path(path), tokens=False, columns=())
        for row in rows.scan():
            if len(self._lines) >= MOST_GRAMS:
                self.is_whole = False
                break
            for text in _texts(row.value or {}):
                self.n_texts += 1
                for gram in ngrams(text, TRACE_WORDS):
                    self._lines.setdefault(hash(gram), row.line)
        if not self._lines:
            raise NoUsableRowsError(f"{path}: expected texts of at least {TRACE_WORDS} words, got none")

    def containment(self, text: str) -> tuple[float, str]:
        """The share of the 8-grams of `text` that stand in the traces, and the line that has most of them.

        A text of fewer than eight words says nothing: its share is 0.
        """
        grams = ngrams(text, TRACE_WORDS)
        if len(grams) <= 1:
            return 0.0, ""
        lines = Counter(line for gram in grams if (line := self._lines.get(hash(gram))) is not None)
        if not lines:
            return 0.0, ""
        return lines.total() / len(grams), f"{self.path}:{lines.most_common(1)[0][0]}"


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """Texts of at least eight words in a row, prompts and other people's turns left out."""
    if isinstance(value, str):
        if name not in PROMPT and value.count(" ") >= TRACE_WORDS - 1:
            yield value
    elif isinstance(value, Mapping):
        if "role" in value:
            if value["role"] == "assistant":
                yield from _texts(message_text(value))
            return
        for key, inner in value.items():
            yield from _texts(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, name)
