"""The texts of the rollouts that were drawn, read from their file once the sample is known."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ...errors import InputError
from ...rollouts.messages import completion_text, prompt_text
from ...rollouts.reading import Reading
from ...rollouts.records import Rollout
from ...verifiers.base import extractors
from ..golds.texts import target_key
from .sampling import Drawn
from .units import unit_key

__all__ = ["LabelItem", "file_digest", "label_items"]

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LabelItem:
    """What a labeller is shown of one rollout, and what is told only afterwards.

    Args:
        key: what the label is filed under.
        prompt, target, response: as texts, whole.
        span: (start, end) of the committed answer in `response`; None where none is found.
        drawn: the rollout's place in the sample; its stratum says the verdict, so it is not shown before the label.
    """

    key: str
    prompt: str
    target: str
    response: str
    span: tuple[int, int] | None
    drawn: Drawn

    @property
    def extracted(self) -> str:
        """The committed answer as it stands in the response; empty where none is found."""
        return "" if self.span is None else self.response[slice(*self.span)]


def label_items(reading: Reading, sample: Iterable[Drawn]) -> list[LabelItem]:
    """The items to label, in the order of `sample`.

    Args:
        reading: of the file that was drawn from; iterated once.
        sample: what was drawn.

    Raises:
        InputError: the file does not hold what was drawn: it was read with other options.
    """
    sample = list(sample)
    wanted = {drawn.key: drawn for drawn in sample}
    found: dict[str, LabelItem] = {}
    for group in reading:
        for position, rollout in enumerate(group.rollouts):
            drawn = wanted.get(unit_key(group.group_id, position))
            if drawn is not None:
                found[drawn.key] = _item(rollout, drawn)
    missing = [key for key in wanted if key not in found]
    if missing:
        raise InputError(
            f"labels: expected the file that was drawn from, got one without {missing[0]!r} and {len(missing) - 1} "
            "others; read it with the options of the first time"
        )
    return [found[drawn.key] for drawn in sample]


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        InputError: it cannot be read.
    """
    digest = sha256()
    try:
        with Path(path).open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        raise InputError(f"{path}: expected a readable file, got: {error.strerror}") from error
    return digest.hexdigest()


def _item(rollout: Rollout, drawn: Drawn) -> LabelItem:
    response = "" if rollout.response is None else completion_text(rollout.response)
    # Not the verdict's own span: where the verifier looked is a hint at what it said.
    found = extractors.create("auto").extract(response, prompt=rollout.prompt)
    return LabelItem(
        key=drawn.key,
        prompt="" if rollout.prompt is None else prompt_text(rollout.prompt),
        target="" if rollout.target is None else target_key(rollout.target),
        response=response,
        span=None if found is None else found.span,
        drawn=drawn,
    )
