"""The parts of the report that speak of copies, of right answers that prove little, and of signals that are none."""

from collections.abc import Mapping

from .evidence import Number, Part

__all__ = [
    "Duplicates",
    "LowDiversity",
    "Overlap",
    "Permissive",
    "PermissiveCase",
    "Phantom",
    "PromptPair",
    "TargetInPrompt",
]


class PromptPair(Part):
    """Two groups whose prompts are copies: `exact`, `near` (the shingles' Jaccard similarity) or `variant`.

    A variant is the same text with other numbers: one template, not one task.
    """

    kind: str
    group_id: str
    other_id: str
    similarity: Number
    both_all_correct: bool


class LowDiversity(Part):
    """A group whose rollouts, most of them scored right, are nearly one text: memory, or sampling without chance."""

    group_id: str
    median_similarity: float
    n_rollouts: int


class Overlap(Part):
    """A group with a response whose word 8-grams largely stand in the training traces or reference solutions."""

    group_id: str
    source: str
    containment: float
    n_rollouts: int


class TargetInPrompt(Part):
    """A group whose prompt holds its own target, word for word."""

    group_id: str
    target: str


class Duplicates(Part):
    """Copies in the file, and what makes right answers suspicious: grounds to look, never proof.

    Counts are of all that was found, lists are cut. `n_all_correct` counts groups of which all, or all but `near`,
    rollouts were scored right; diversity, overlap and targets in prompts are asked of those only.
    `by_chance_in_prompt` is how many of their prompts hold the target of the next such group instead.
    """

    n_prompts: int
    n_all_correct: int
    pairs: Mapping[str, int]
    prompt_pairs: tuple[PromptPair, ...] = ()
    n_low_diversity: int = 0
    median_similarity: Number = None
    low_diversity: tuple[LowDiversity, ...] = ()
    n_same_rollouts: int = 0
    n_groups_with_same_rollouts: int = 0
    traces: str | None = None
    n_traces: int = 0
    n_overlapping: int = 0
    overlaps: tuple[Overlap, ...] = ()
    n_target_in_prompt: int = 0
    by_chance_in_prompt: int = 0
    targets_in_prompts: tuple[TargetInPrompt, ...] = ()


class PermissiveCase(Part):
    """A wrong answer that the verifier under audit accepted for a target."""

    kind: str
    target: str
    answer: str


class Permissive(Part):
    """Answers of all-correct groups offered for another prompt's target, and changed ones for their own.

    `upper_bound` is one-sided, at 95 %, on the share accepted of such offers.
    """

    n_offered: int
    n_accepted: int
    upper_bound: Number
    by_kind: Mapping[str, tuple[int, int]]
    cases: tuple[PermissiveCase, ...] = ()


class Phantom(Part):
    """Groups that are all wrong (or all right) by the reward named for the outcome, and not by the sum learned from.

    Their advantages are made of length, format or whatever else is in the sum.
    """

    outcome: str
    n_groups: int
    all_wrong_but_signal: tuple[str, ...] = ()
    all_correct_but_signal: tuple[str, ...] = ()
    n_all_wrong_but_signal: int = 0
    n_all_correct_but_signal: int = 0
