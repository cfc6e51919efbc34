"""Step scores kept on disk: a row that was scored before costs nothing again, in this process or in another.

One SQLite file in WAL mode: many processes read and write it at once, and a writer that is killed leaves it whole. It
has to lie on a file system of this machine: SQLite's locks do not hold over NFS. What goes wrong with it costs time
and never a score: a full disk, a lock that is held too long, an entry that was damaged.
"""

import json
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import ArgumentError, InputError
from ..verifiers.arguments import whole
from .base import StepRow, StepScore, StepScorer
from .scoring import step_scores

__all__ = ["CacheCounts", "CachedScorer"]

FILE_NAME = "step_scores.sqlite3"

_PATIENCE_S = 30.0
_PATIENCE_AFTER_A_PROBLEM_S = 1.0
_TABLE = "CREATE TABLE IF NOT EXISTS scores (key BLOB NOT NULL UNIQUE, said BLOB NOT NULL, digest BLOB NOT NULL)"
_MANY = 500
"""Keys asked for in one query; SQLite takes 999 in its oldest form."""


@dataclass(frozen=True, slots=True)
class CacheCounts:
    """What became of the rows of one `CachedScorer` so far.

    Args:
        hits: found, or the same as another row of the same call.
        misses: sent to the scorer.
        kept: of those, written.
        passing: of those, with a score that its scorer calls transient, and so not written.
        damaged: entries that could not be read as they were written; scored again, and written anew.
        problem: the last thing that went wrong with the file; "" while nothing has.
    """

    hits: int = 0
    misses: int = 0
    kept: int = 0
    passing: int = 0
    damaged: int = 0
    problem: str = ""

    def __str__(self) -> str:
        damaged = f", {self.damaged} damaged entries scored again" if self.damaged else ""
        problem = f"; {self.problem}" if self.problem else ""
        return f"{self.hits} rows found, {self.misses} scored, {self.kept} of them kept{damaged}{problem}"


class CachedScorer:
    """A step scorer whose answers are kept in a folder, by content.

    The key holds the prompt, the steps, the target, what the scorer is, its version and its options. A row with a
    score that passes (the scorer's `transient_rules`: a time-out, an endpoint that is away) is not kept. A scorer
    that samples says the same of equal rows from its first answer on.

    Args:
        scorer: asked about the rows that are not there, each once.
        folder: of the cache; made where it does not exist. Many scorers, and many processes, may share one.
        name: what the scorer is, for the key. Default: its class.
        options: of the scorer, where its version does not tell them; they go into the key.
        transient_rules: further rules whose rows are not kept.
        max_rows: how many rows are kept at most, the oldest being dropped first; None keeps all.
        rows_at_once: that the scorer is asked about, and that are kept, together: what a run that is broken off loses.

    Raises:
        ArgumentError: options that JSON cannot hold, or a number of rows below 1.
        InputError: the folder cannot be written, or its file is no cache.

    Example:
        >>> import tempfile
        >>> from rewardgate.prm import get
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     scorer = CachedScorer(get("arithmetic"), folder)
        ...     rows = [StepRow("", ("1 + 1 = 3",))] * 2
        ...     scores = [scorer.score(rows), scorer.score(rows)]
        >>> [score.value for row in scores[1] for score in row], scorer.counts.misses
        ([0.0, 0.0], 1)
    """

    def __init__(
        self,
        scorer: StepScorer,
        folder: str | Path,
        *,
        name: str | None = None,
        options: Mapping[str, Any] | None = None,
        transient_rules: Iterable[str] = (),
        max_rows: int | None = None,
        rows_at_once: int = 256,
    ) -> None:
        self.scorer = scorer
        self.version = scorer.version
        self.transient_rules = frozenset(transient_rules) | frozenset(getattr(scorer, "transient_rules", ()))
        self._max_rows = None if max_rows is None else whole("max_rows", max_rows, at_least=1)
        self._rows_at_once = whole("rows_at_once", rows_at_once, at_least=1)
        name = f"{type(scorer).__module__}:{type(scorer).__qualname__}" if name is None else name
        try:
            self._scorer_key = _canonical([name, scorer.version, dict(options or {})])
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"options: expected what JSON can hold, got: {error}") from None
        self._path = Path(folder) / FILE_NAME
        self._counts = CacheCounts()
        self._lock = Lock()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._connected() as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"cache: expected a writable folder, got {folder}: {error}") from error

    @property
    def counts(self) -> CacheCounts:
        """What became of the rows so far."""
        return self._counts

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row, in order.

        Raises:
            ArgumentError: the scorer does not answer with one score in [0, 1] or None for each step.
        """
        keys = [self._key(row) for row in rows]
        found = self._found({key: len(row.steps) for key, row in zip(keys, rows, strict=True) if key is not None})
        first: dict[bytes | int, int] = {}  # of equal rows; one without a key is equal to none
        for number, key in enumerate(keys):
            if key is None or key not in found:
                first.setdefault(number if key is None else key, number)
        asked = list(first.values())
        answers: dict[int, list[StepScore]] = {}
        for start in range(0, len(asked), self._rows_at_once):
            some = asked[start : start + self._rows_at_once]
            said = dict(zip(some, step_scores(self.scorer, [rows[number] for number in some]), strict=True))
            self._keep({key: scores for number, scores in said.items() if (key := keys[number]) is not None})
            answers |= said
        self._count(hits=len(rows) - len(asked), misses=len(asked))
        return [
            found[key] if key in found else list(answers[first[number if key is None else key]])
            for number, key in enumerate(keys)
        ]

    def _key(self, row: StepRow) -> bytes | None:
        """What the row's scores are kept under; None for what JSON cannot hold, which is not kept."""
        try:
            content = _canonical([row.prompt, row.steps, row.target])
        except (TypeError, ValueError, RecursionError):
            return None
        return sha256(f"{self._scorer_key}\n{content}".encode("ascii")).digest()

    def _found(self, n_steps: Mapping[bytes, int]) -> dict[bytes, list[StepScore]]:
        """The scores of those keys that are there, whole, with as many scores as steps."""
        found: dict[bytes, list[StepScore]] = {}
        keys = list(n_steps)
        with self._told(), self._connected() as connection:
            for start in range(0, len(keys), _MANY):
                some = keys[start : start + _MANY]
                marks = ",".join("?" * len(some))
                for key, said, digest in connection.execute(
                    f"SELECT key, said, digest FROM scores WHERE key IN ({marks})", some
                ):
                    scores = _read(key, said, digest, n_steps[key])
                    if scores is None:
                        self._count(damaged=1)
                    else:
                        found[key] = scores
        return found

    def _keep(self, scored: Mapping[bytes, Sequence[StepScore]]) -> None:
        lasting = {
            key: scores for key, scores in scored.items() if not any(one.rule in self.transient_rules for one in scores)
        }
        self._count(passing=len(scored) - len(lasting))
        entries = [(key, said := _canonical(scores).encode(), _digest(key, said)) for key, scores in lasting.items()]
        if not entries:
            return
        with self._told(), self._connected() as connection:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO scores (key, said, digest) VALUES (?, ?, ?)", entries)
                if self._max_rows is not None:  # row ids grow, so that the oldest rows have the lowest
                    connection.execute(
                        "DELETE FROM scores WHERE rowid <= (SELECT max(rowid) FROM scores) - ?", [self._max_rows]
                    )
            self._count(kept=len(entries))

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        # One connection a use: they belong to the thread that made them, and do not survive a fork.
        patience_s = _PATIENCE_AFTER_A_PROBLEM_S if self._counts.problem else _PATIENCE_S
        with closing(sqlite3.connect(self._path, timeout=patience_s)) as connection:
            connection.execute("PRAGMA synchronous=NORMAL")  # what a dead machine loses is scored again
            yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turns what goes wrong with the file into a warning, once for each scorer."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            is_first = not self._counts.problem
            self._count(problem=f"the cache {self._path} cannot be used: {error}")
            if is_first:
                warnings.warn(f"{self._counts.problem}; rows are scored without it", RuntimeWarning, stacklevel=4)

    def _count(self, *, problem: str = "", **more: int) -> None:
        with self._lock:
            counts = {name: getattr(self._counts, name) + count for name, count in more.items()}
            self._counts = replace(self._counts, problem=problem or self._counts.problem, **counts)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(key: bytes, said: bytes) -> bytes:
    return sha256(key + said).digest()[:8]


def _read(key: bytes, said: object, digest: object, n_steps: int) -> list[StepScore] | None:
    """The scores of an entry; None where it is not what was written."""
    if not isinstance(said, bytes) or digest != _digest(key, said):
        return None
    scores = [StepScore(*one) for one in json.loads(said)]
    return scores if len(scores) == n_steps else None
