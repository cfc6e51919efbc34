"""A sample with all that its labels are weighed by, and how it is kept in a file of labels."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ...errors import ArgumentError
from .sampling import Drawn, StratumSize
from .units import LabelStratum

__all__ = ["Draw", "insert_draw", "latest_draw", "now", "refuse_another"]

_FACTS = (
    "file", "sha256", "scored_by", "version", "correct_at", "seed", "n_prompts", "rollouts_per_prompt", "within",
)  # fmt: skip
_MAY_DIFFER = {"file", "n_prompts"}


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample, and what it was drawn from.

    Args:
        file, sha256: of the rollouts; the name is for a person, the digest decides.
        scored_by: what gave the verdicts, and its `version`; `correct_at` as in `audit`.
        seed, n_prompts, rollouts_per_prompt, within: as in `sampling.draw`.
        strata: sizes of all strata of the file, those of which nothing was drawn too.
        sample: what to label, in order.
        number: its id in the file of labels; 0 before it is there.
    """

    file: str
    sha256: str
    scored_by: str
    version: str
    correct_at: float
    seed: int
    n_prompts: int
    rollouts_per_prompt: int
    within: str
    strata: Mapping[LabelStratum, StratumSize]
    sample: Sequence[Drawn]
    number: int = 0


def refuse_another(kept: Draw, given: Draw) -> None:
    """Refuse a draw whose labels could not be weighed together with those of `kept`.

    Raises:
        ArgumentError: it is of another file, of other verdicts, or drawn in another way.
    """
    for name in _FACTS:
        expected, got = getattr(kept, name), getattr(given, name)
        if expected != got and name not in _MAY_DIFFER:
            raise ArgumentError(
                f"{name}: expected {expected!r} as in the draw of the labels there are, got {got!r}; "
                "keep other labels in another file"
            )


def insert_draw(connection: sqlite3.Connection, draw: Draw, sample: Sequence[Drawn]) -> None:
    """Add `draw`, with `sample` in this order in the place of its own."""
    columns = ", ".join(("created", *_FACTS))
    marks = ", ".join("?" * (len(_FACTS) + 1))
    facts = (getattr(draw, name) for name in _FACTS)
    number = connection.execute(f"INSERT INTO draws ({columns}) VALUES ({marks})", (now(), *facts)).lastrowid
    connection.executemany(
        "INSERT INTO strata VALUES (?, ?, ?, ?)",
        [(number, str(name), size.n_rollouts, size.n_prompts) for name, size in draw.strata.items()],
    )
    connection.executemany(
        "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (number, place, one.key, one.group_id, one.position, one.prompt_id, str(one.stratum), one.probability)
            for place, one in enumerate(sample)
        ],
    )


def latest_draw(connection: sqlite3.Connection) -> Draw | None:
    """The draw that was added last."""
    columns = ", ".join((*_FACTS, "id"))
    found = connection.execute(f"SELECT {columns} FROM draws ORDER BY id DESC LIMIT 1").fetchone()
    if found is None:
        return None
    facts = dict(zip((*_FACTS, "number"), found, strict=True))
    strata = connection.execute(
        "SELECT stratum, n_rollouts, n_prompts FROM strata WHERE draw = ? ORDER BY stratum", (facts["number"],)
    )
    sample = connection.execute(
        "SELECT item, group_id, position, prompt_id, stratum, probability FROM sample WHERE draw = ? ORDER BY place",
        (facts["number"],),
    )
    return Draw(
        **facts,
        strata={LabelStratum.named(name): StratumSize(rollouts, prompts) for name, rollouts, prompts in strata},
        sample=[
            Drawn(key, group_id, position, prompt_id, LabelStratum.named(stratum), probability)
            for key, group_id, position, prompt_id, stratum, probability in sample
        ],
    )


def now() -> str:
    """The time in UTC, as it is kept."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
