"""Copies, and right answers that prove little, on the terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from .model import AuditReport, Duplicates, Permissive, Phantom
from .text import number, percent, shown

__all__ = ["all_correct_lines", "phantom_lines"]

MOST_PAIRS = 3
MOST_IDS = 5


def all_correct_lines(report: AuditReport) -> Iterator[RenderableType]:
    """The section on groups that are all right."""
    if report.duplicates is not None:
        yield from _copies(report.duplicates)
    if report.permissive is not None:
        yield from _permissive(report.permissive)


def phantom_lines(phantom: Phantom) -> Iterator[RenderableType]:
    """Groups whose outcome is one, and whose sums differ."""
    for name, n, ids in (
        ("all wrong", phantom.n_all_wrong_but_signal, phantom.all_wrong_but_signal),
        ("all right", phantom.n_all_correct_but_signal, phantom.all_correct_but_signal),
    ):
        if n:
            yield Text(f"{name} by {shown(phantom.outcome)}, and mixed by the sum: {n} ({_listed(ids, n)})")


def _copies(copies: Duplicates) -> Iterator[RenderableType]:
    pairs = ", ".join(f"{copies.pairs.get(kind, 0)} {kind}" for kind in ("exact", "near", "variant"))
    yield Text(f"{copies.n_prompts} prompts · copies: {pairs} (a variant is the same text with other numbers)")
    for kind in ("exact", "near"):
        for pair in [pair for pair in copies.prompt_pairs if pair.kind == kind][:MOST_PAIRS]:
            alike = "" if pair.similarity in (None, 1.0) else f" (Jaccard {number(pair.similarity)})"
            yield Text(f"  {kind}: {shown(pair.group_id, 40)} and {shown(pair.other_id, 40)}{alike}", style="dim")
    right = copies.n_all_correct
    if right:
        yield Text(
            f"{right} groups all or nearly all right: {copies.n_low_diversity} nearly one text "
            f"(median similarity of all {number(copies.median_similarity)}), {copies.n_target_in_prompt} with their "
            f"target in the prompt ({copies.by_chance_in_prompt} with another's)"
        )
    if copies.traces is not None:
        yield Text(
            f"{copies.n_overlapping} of them overlap with {copies.n_traces} texts of {shown(copies.traces, 60)}: "
            f"{_listed([one.group_id for one in copies.overlaps], copies.n_overlapping) or 'none'}"
        )
    if copies.n_same_rollouts:
        yield Text(
            f"{copies.n_same_rollouts} long rollouts in {copies.n_groups_with_same_rollouts} groups copy another of "
            "their group"
        )


def _permissive(permissive: Permissive) -> Iterator[RenderableType]:
    yield Text(
        f"wrong answers offered to the verifier: {permissive.n_accepted} of {permissive.n_offered} accepted "
        f"(≤ {percent(permissive.upper_bound)} at 95 %)"
    )
    for case in permissive.cases[:MOST_PAIRS]:
        answer = "nothing" if not case.answer else shown(case.answer, 40)
        yield Text(f"  {case.kind}: {answer} for {shown(case.target, 40)}", style="dim")


def _listed(ids: Sequence[str], n: int) -> str:
    names = [shown(one, 40) for one in ids[:MOST_IDS]]
    return ", ".join(names) + (f" … {n - MOST_IDS} more" if n > MOST_IDS else "")
