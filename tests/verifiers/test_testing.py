"""Our own verifiers and extractors keep the laws of the public kit."""

from collections.abc import Callable
from typing import Any

import pytest

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
EXAMPLES = pytest.mark.parametrize("max_examples", [200, pytest.param(10_000, marks=pytest.mark.slow)])


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
