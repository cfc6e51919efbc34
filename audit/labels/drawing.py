"""The sample of a file of labels: drawn once, taken up again ever after, made larger when asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ...errors import ArgumentError, InputError
from ...rollouts.reading import Reading
from ...verifiers.base import Verifier
from .draws import Draw
from .sampling import DEFAULT_PROMPTS, draw, stratum_sizes
from .store import LabelStore
from .texts import file_digest
from .units import storable, units_of

__all__ = ["AS_LOGGED", "DrawOptions", "draw_for", "draw_of"]

T = TypeVar("T")

AS_LOGGED = "as logged"
"""What gave the verdicts where no verifier did."""


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """How to draw. None is "as it was drawn", and in a new file of labels the default.

    Args:
        scored_by: the spec of the verifier whose verdicts are labelled; default `AS_LOGGED`.
        correct_at: as in `audit`; default 1.
        seed, rollouts_per_prompt, within: as in `sampling.draw`; defaults 0, 1 and all.
        n_prompts: to draw; default 59. Fewer than were drawn change nothing.
    """

    scored_by: str | None = None
    correct_at: float | None = None
    seed: int | None = None
    rollouts_per_prompt: int | None = None
    within: str | None = None
    n_prompts: int | None = None


def draw_for(
    store: LabelStore,
    reading: Reading,
    path: str | Path,
    options: DrawOptions,
    *,
    load: Callable[[str], Verifier],
    referee: str = "auto",
    progress: bool = False,
) -> Draw:
    """The draw to label: the one there is, unless a larger one is asked for. Only a new one judges the file.

    Args:
        store: where it is kept.
        reading: of the file; iterated where something is drawn.
        path: of the file.
        options: how to draw.
        load: makes a verifier of its spec.
        referee: the spec of what doubts are drawn from.
        progress: whether a bar is drawn on stderr.

    Raises:
        ArgumentError: the options, or the file, are others than those of the labels there are; or a number is
            outside its range.
        InputError: the file cannot be read.
    """
    latest = store.latest_draw()
    if latest is not None:
        latest = draw_of(store, path)
        _refuse_other_options(latest, options)
        if options.n_prompts is None or options.n_prompts <= latest.n_prompts:
            return latest
    kept = latest or DrawOptions()
    scored_by = _chosen(options.scored_by, kept.scored_by, AS_LOGGED)
    correct_at = _chosen(options.correct_at, kept.correct_at, 1.0)
    seed = _chosen(options.seed, kept.seed, 0)
    per_prompt = _chosen(options.rollouts_per_prompt, kept.rollouts_per_prompt, 1)
    within = _chosen(options.within, kept.within, "")
    n_prompts = _chosen(options.n_prompts, None, DEFAULT_PROMPTS)
    suspect = None if scored_by == AS_LOGGED else load(scored_by)
    digest = file_digest(path)
    units = units_of(reading, suspect=suspect, referee=load(referee), correct_at=correct_at, progress=progress)
    sample = draw(units, n_prompts, seed=seed, rollouts_per_prompt=per_prompt, within=within)
    return store.add_draw(
        Draw(
            file=storable(str(path)),
            sha256=digest,
            scored_by=scored_by,
            version="" if suspect is None else suspect.version,
            correct_at=correct_at,
            seed=seed,
            n_prompts=n_prompts,
            rollouts_per_prompt=per_prompt,
            within=within,
            strata=stratum_sizes(units),
            sample=sample,
        )
    )


def draw_of(store: LabelStore, path: str | Path) -> Draw:
    """The newest draw of a file of labels, which must have been made from the rollouts at `path`.

    Raises:
        InputError: nothing was drawn yet, it was drawn from another file, or the file cannot be read.
    """
    latest = store.latest_draw()
    if latest is None:
        raise InputError(f"labels: expected a file of labels with a sample, got one without: {store.path}")
    if (digest := file_digest(path)) != latest.sha256:
        raise InputError(
            f"labels: expected labels of {path} (sha256 {digest[:12]}…), got labels of {latest.file} "
            f"({latest.sha256[:12]}…): {store.path}"
        )
    return latest


def _refuse_other_options(latest: Draw, options: DrawOptions) -> None:
    for name in ("scored_by", "correct_at", "seed", "rollouts_per_prompt", "within"):
        kept, given = getattr(latest, name), getattr(options, name)
        if given is not None and given != kept:
            raise ArgumentError(
                f"{name}: expected {kept!r}, as in the sample of these labels, got {given!r}; "
                "keep other labels in another file"
            )


def _chosen(given: T | None, kept: T | None, default: T) -> T:
    if given is not None:
        return given
    return default if kept is None else kept
