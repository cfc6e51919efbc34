"""The rows of a file and its refusals to rows of verdicts, in the order of the file."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from ..rollouts.records import Rollout
from ..rollouts.refusals import Refusal
from ..rollouts.writing import refusal_row, verdict_row
from .base import Verifier
from .batch import iter_verdicts

__all__ = ["verdict_rows"]


def verdict_rows(
    rows: Iterable[Rollout | Refusal], verifier: Verifier, *, name: str, progress: bool = False
) -> Iterator[dict[str, Any]]:
    """One row for each of `rows`, as `rewardgate verify` writes them: `rollouts.writing.VERDICT_FIELDS`.

    Args:
        rows: as `rollouts.reading.read_rows` gives them; consumed lazily, a few hundred ahead at most.
        verifier: judges the rollouts; a refused row is an error, unscored.
        name: the verifier's, as the user gave it.
        progress: show a bar on stderr.
    """
    # Refused rows wait between the rollouts that are being judged until it is their turn.
    waiting: deque[Rollout | Refusal] = deque()

    def judged() -> Iterator[Rollout]:
        for row in rows:
            waiting.append(row)
            if isinstance(row, Rollout):
                yield row

    numbers = count()

    def refused() -> Iterator[dict[str, Any]]:
        while waiting and isinstance(waiting[0], Refusal):
            yield refusal_row(waiting[0], row=next(numbers), verifier=name, version=verifier.version)
            waiting.popleft()

    for verdict in iter_verdicts(verifier, judged(), progress=progress):
        yield from refused()
        rollout = waiting.popleft()
        assert isinstance(rollout, Rollout)
        yield verdict_row(
            verdict,
            row=next(numbers),
            line=0 if rollout.source is None else rollout.source.line,
            prompt_id=rollout.prompt_id or None,
            verifier=name,
            version=verifier.version,
        )
    yield from refused()
