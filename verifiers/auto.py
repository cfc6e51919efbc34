r"""The verifier for targets of every kind: looks at the target, hands over, and says why in the detail.

A choice letter goes to `choice`, mathematics to `math`, plain words to `exact`, a mapping to what its keys
ask for: tests to `code`, a schema or tags to `format`, a named answer to the verifier of that answer.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter
from typing import Any

from ..errors import ArgumentError, UnknownNameError
from ..rollouts.messages import Completion, Prompt
from .base import Extractor, Outcome, Target, Verdict, Verifier, verifiers
from .expression.letters import named_choices
from .expression.nodes import SYMBOLS, Opaque, Text
from .expression.results import shown
from .target_texts import answer_key, target_texts
from .targets import INTEGER, read_target

__all__ = ["AutoVerifier"]

_CHOICE = re.compile(r"\s*(?:\\text\{)?\(?([A-J])\)?\}?\.?\s*")
_TEST_KEYS = (
    "tests", "test_cases", "unit_tests", "inputs", "assertions", "asserts", "test_list", "test_code", "test", "cases",
    "input_output", "public_test_cases", "private_test_cases", "public_tests", "private_tests",
)  # fmt: skip
"""The fields of the shapes that `sandbox.shapes` reads: ours, HumanEval's, MBPP's, APPS's, LiveCodeBench's, …"""
_FORMAT_KEYS = ("required_tags", "tags", "schema", "json_schema")
_MOST_NESTED = 8
"""Mappings that are followed into one another by their answers (`{"ground_truth": {"answer": "5"}}`)."""


class AutoVerifier:
    """Chooses a verifier by the target's kind, each built once and with the same extractor.

    Args:
        extractor: given to the verifiers that take one; None leaves each its own.

    Raises:
        UnknownNameError: nobody registered `extractor`.

    Example:
        >>> verdict = AutoVerifier().verify("The answer is 5.", "5")
        >>> verdict.outcome, verdict.detail
        (<Outcome.CORRECT: 'correct'>, 'math, because the target is mathematics: 5 = 5')
    """

    version = "1"

    def __init__(self, extractor: str | Extractor | None = None) -> None:
        self._options = {} if extractor is None else {"extractor": extractor}
        self._built: dict[str, Verifier] = {}
        if extractor is not None:
            self._verifier("math")

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The chosen verifier's verdict; never raises on any completion or target."""
        started = perf_counter()
        name, why, handed = _chosen(target)
        if name is None:
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=why, seconds=perf_counter() - started)
        try:
            verifier = self._verifier(name)
        except (UnknownNameError, ArgumentError) as error:
            detail = f"{why}: {error}"
            return Verdict(
                Outcome.BAD_TARGET, None, rule="no_verifier", detail=detail, seconds=perf_counter() - started
            )
        verdict = verifier.verify(completion, handed, prompt=prompt)
        if verdict.rule == "other_text":
            # "The series diverges" is "divergent" for a reader, and no text that is exactly the target's.
            said = self._verifier("math").verify(completion, handed, prompt=prompt)
            verdict = said if said.rule == "text" and said.reward == 1 else verdict
        return Verdict(
            verdict.outcome,
            verdict.reward,
            verdict.extracted,
            verdict.span,
            verdict.rule,
            f"{name}, because {why}: {verdict.detail}",
            perf_counter() - started,
        )

    def _verifier(self, name: str) -> Verifier:
        found = self._built.get(name)
        if found is None:
            options = {} if name in ("format", "code") else self._options
            found = self._built[name] = verifiers.create(name, **options)
        return found


def _chosen(target: Target) -> tuple[str | None, str, Target]:
    """The name of the verifier, why it was chosen, and the target to hand it."""
    for _ in range(_MOST_NESTED):
        if isinstance(target, str):
            target = _mapping_in(target) or target
        if not isinstance(target, Mapping):
            break
        for name, keys, why in (
            ("code", _TEST_KEYS, "the target holds tests"),
            ("format", _FORMAT_KEYS, "the target asks for a format"),
        ):
            if any(key in target for key in keys):
                return name, why, target
        key = answer_key(target)
        if key is None:
            keys = shown(list(target)[:8])
            return None, f"expected a mapping with tests, a schema or an answer, got the keys {keys}", target
        target = target[key]
    texts = target_texts(target)
    if not texts or (isinstance(target, list | tuple) and len(texts) < len(target)):
        return None, f"expected a string, strings, a number or a mapping, got {type(target).__name__}", target
    handed = texts[0] if len(texts) == 1 else texts
    if len({_for_text(text)[0] for text in texts}) == 1:
        return (*_for_text(texts[0]), handed)
    return "math", "the targets are of several kinds", handed


def _mapping_in(text: str) -> Mapping[str, Any] | None:
    """The tests that a text holds as JSON, as verl's and PRIME's data sets write them; None where it holds none."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and any(key in value for key in _TEST_KEYS) else None


@lru_cache(maxsize=4096)
def _for_text(target: str) -> tuple[str, str]:
    if INTEGER.fullmatch(target):
        return "math", "the target is mathematics"
    if _CHOICE.fullmatch(target):
        return "choice", "the target is a choice letter"
    if len(named_choices(target.strip())) > 1:
        return "math", "the target is several choice letters"
    read = read_target(target)
    if isinstance(read.node, Text) and not read.note and read.node.words not in SYMBOLS:
        return "exact", "the target is words"
    if isinstance(read.node, Opaque) and "\n" in target:
        return "exact", "the target is text of several lines"
    return "math", "the target is mathematics"
