"""Our own verifiers and extractors keep the laws of the public kit."""

from collections.abc import Callable
from typing import Any

import pytest

from rewardgate.verifiers import extractors
from rewardgate.verifiers.testing import laws, strategies

Law = Callable[..., None]

NUMBERS = ["integer", "fraction", "decimal"]
ANSWERS: list[tuple[str, list[str]]] = [
    ("math", list(strategies.MATHS)),
    ("auto", list(strategies.KINDS)),
    ("numeric", NUMBERS),
    ("exact", ["words"]),
    ("choice", ["choice"]),
]
"""Each verifier with the kinds of targets that it is made for."""

EVERY = pytest.mark.parametrize(("verifier", "kinds"), ANSWERS, ids=[name for name, _ in ANSWERS])
SLOW = [pytest.mark.slow, pytest.mark.timeout(3 * 3_600)]
EXAMPLES = pytest.mark.parametrize("max_examples", [40, pytest.param(10_000, marks=SLOW)])


@EVERY
@EXAMPLES
@pytest.mark.parametrize("law", [laws.never_raises, laws.target_accepts_itself], ids=lambda law: law.__name__)
def test_a_verifier_never_raises_and_accepts_its_targets(
    law: Law, verifier: str, kinds: list[str], max_examples: int
) -> None:
    law(verifier, kinds=kinds, max_examples=max_examples)


@EVERY
@EXAMPLES
@pytest.mark.parametrize("law", [laws.accepts_rewrites, laws.rejects_mutants], ids=lambda law: law.__name__)
def test_a_verifier_accepts_other_notations_and_nothing_else(
    law: Law, verifier: str, kinds: list[str], max_examples: int
) -> None:
    options: dict[str, Any] = {"conventions": True} if verifier in ("math", "auto") else {}
    law(verifier, kinds=kinds, max_examples=max_examples, **options)


@EVERY
@pytest.mark.parametrize("max_examples", [30, pytest.param(10_000, marks=SLOW)])
def test_a_verifier_minds_no_order(verifier: str, kinds: list[str], max_examples: int) -> None:
    laws.order_independent(verifier, kinds=kinds, max_examples=max_examples)


@EVERY
@pytest.mark.parametrize("max_examples", [5, pytest.param(1_000, marks=SLOW)])
def test_a_verifier_takes_no_text_too_long(verifier: str, kinds: list[str], max_examples: int) -> None:
    target = {"words": "even", "choice": "B"}.get(kinds[0], "42")
    # The first text that goes to math-verify starts its worker, which takes seconds on a busy machine.
    laws.bounded_time(verifier, target=target, max_examples=max_examples, limit_s=10)


ANCHORS_OF = {
    "boxed": ["boxed", "boxed_in_dollars", "boxed_in_display", "boxed_with_full_stop"],
    "hash": ["hash"],
    "answer_tag": ["answer_tag", "answer_tag_on_lines"],
    "phrase": ["answer_is", "answer_is_in_dollars", "answer_line", "bold", "bold_heading"],
}
"""Each extractor with the anchors that it is made for."""


@pytest.mark.parametrize("extractor", ANCHORS_OF)
@EXAMPLES
@pytest.mark.parametrize(
    "law", [laws.target_accepts_itself, laws.accepts_rewrites, laws.rejects_mutants], ids=lambda law: law.__name__
)
def test_an_extractor_finds_what_a_completion_commits_to_and_nothing_else(
    law: Law, extractor: str, max_examples: int
) -> None:
    law(extractors.create(extractor), anchors=ANCHORS_OF[extractor], max_examples=max_examples)
