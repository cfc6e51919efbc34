"""Findings about right answers that prove little, and about signals that the outcome never gave."""

from collections.abc import Iterator

from .report.model import Duplicates, Finding, Permissive, Phantom
from .report.text import percent

__all__ = ["suspicions"]

COPIES = 0.01
LOW_DIVERSITY = 0.2
OVERLAP = 0.05
PHANTOM = 0.05


def suspicions(
    copies: Duplicates | None, permissive: Permissive | None, phantom: Phantom | None, n_groups: int
) -> Iterator[Finding]:
    """Findings of what was asked; None where a question was not."""
    if permissive is not None and permissive.n_accepted:
        kinds = ", ".join(f"{kind} {hit} of {asked}" for kind, (hit, asked) in permissive.by_kind.items() if hit)
        yield Finding(
            section="all correct",
            severity="fail",
            sentence=f"the verifier accepts {permissive.n_accepted} of {permissive.n_offered} wrong answers that it "
            f"was offered ({kinds})",
            threshold="fail from one",
        )
    if phantom is not None and (n := phantom.n_all_wrong_but_signal + phantom.n_all_correct_but_signal):
        yield Finding(
            section="groups",
            severity="fail" if n / max(1, phantom.n_groups) >= PHANTOM else "warn",
            sentence=f"{n} groups get advantages though all their outcomes ({phantom.outcome}) are equal "
            f"({phantom.n_all_wrong_but_signal} all wrong): whatever else is in the sum is learned from",
            threshold=f"fail from {percent(PHANTOM)} of the groups, else warn",
        )
    if copies is not None:
        yield from _of_copies(copies, n_groups)


def _of_copies(copies: Duplicates, n_groups: int) -> Iterator[Finding]:
    n = copies.pairs.get("exact", 0) + copies.pairs.get("near", 0)
    if n:
        yield Finding(
            section="all correct",
            severity="warn" if n / max(1, n_groups) >= COPIES else "ok",
            sentence=f"{n} prompts are copies of another ({copies.pairs.get('exact', 0)} exact): they count twice in "
            "every rate",
            threshold=f"warn from {percent(COPIES)} of the groups",
        )
    right = max(1, copies.n_all_correct)
    if copies.n_overlapping:
        yield Finding(
            section="all correct",
            severity="warn" if copies.n_overlapping / right >= OVERLAP else "ok",
            sentence=f"{copies.n_overlapping} of {copies.n_all_correct} groups that are all right have a response that "
            "largely stands in the traces: suspicion of memory, no proof",
            threshold=f"warn from {percent(OVERLAP)} of those groups",
        )
    if copies.n_low_diversity:
        yield Finding(
            section="all correct",
            severity="warn" if copies.n_low_diversity / right >= LOW_DIVERSITY else "ok",
            sentence=f"{copies.n_low_diversity} of {copies.n_all_correct} groups that are all right are nearly one "
            "text: memory, or sampling without chance",
            threshold=f"warn from {percent(LOW_DIVERSITY)} of those groups",
        )
    if copies.n_target_in_prompt > 2 * copies.by_chance_in_prompt:
        yield Finding(
            section="all correct",
            severity="warn" if copies.n_target_in_prompt / right >= OVERLAP else "ok",
            sentence=f"{copies.n_target_in_prompt} prompts of such groups hold their own target, and "
            f"{copies.by_chance_in_prompt} that of another",
            threshold=f"warn from {percent(OVERLAP)} of those groups",
        )
