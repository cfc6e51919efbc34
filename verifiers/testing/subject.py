r"""What a law is asked of: a verifier, an extractor or a reward function, all behind `verify`.

An extractor accepts a completion where it finds what the completion commits to, compared as text (or as one exact
number) without the marks around it: no other verifier has a say in it.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from ...errors import ArgumentError
from ...rollouts.messages import Completion, Prompt
from ..base import Extracted, Extractor, Outcome, Target, Verdict, Verifier, extractors, verifiers
from ..functions import load_verifier
from ..rows import Triple, row_verdict
from ..target_texts import target_texts
from ..workers.user_function import UserFunction, verdicts
from ..workers.user_signature import TARGET_NAMES, read_signature
from .answers import Number, read_answer

__all__ = ["Subject", "as_subject"]

SubjectLike = str | Verifier | Extractor | Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is under test.

    Args:
        name: for messages.
        verifier: judges the rows.
        is_extractor: the target of a row is then every text that it may find.
    """

    name: str
    verifier: Verifier
    is_extractor: bool = False

    def judge(self, completion: Completion, target: str, committed: str | None = None) -> Verdict:
        """The verdict on one completion that commits to `committed`, the target where that is None."""
        wanted = [target, committed] if self.is_extractor and committed is not None else target
        return row_verdict(self.verifier, (completion, wanted, None))

    def judge_batch(self, rows: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One verdict a row: of one batch where the subject takes batches, else one after another."""
        triples: list[Triple] = [(completion, target, None) for completion, target in rows]
        if (verify_batch := getattr(self.verifier, "verify_batch", None)) is not None:
            return list(verify_batch(triples))
        return [row_verdict(self.verifier, triple) for triple in triples]


def as_subject(subject: SubjectLike, *, correct_at: float = 1.0) -> Subject:
    """`subject` behind one interface.

    Args:
        subject: a registered name (of a verifier before an extractor's), `pkg.mod:fn` or `path/file.py:fn`; an
            object with `verify` or `extract`; a function with TRL's, verl's or a plain `(completion, target)`
            signature; or, with one required parameter, one from a completion to the answer in it.
        correct_at: what a function returns for a right answer, at least.

    Raises:
        ArgumentError: none of these.
        UnknownNameError: nobody registered that name.
        InputError: the function named cannot be imported.

    Example:
        >>> as_subject("math").judge("The answer is 5.", "5").outcome
        <Outcome.CORRECT: 'correct'>
        >>> as_subject(lambda text: text.split()[-1]).judge("The answer is 5", "5").outcome
        <Outcome.CORRECT: 'correct'>
    """
    if isinstance(subject, str):
        if subject in extractors and subject not in verifiers:
            return Subject(subject, _OfExtractor(extractors.create(subject).extract), is_extractor=True)
        return Subject(subject, load_verifier(subject))
    name = str(getattr(subject, "__name__", None) or getattr(subject, "name", None) or type(subject).__name__)
    if inspect.isclass(subject):
        raise ArgumentError(f"subject: expected an object, got the class {name}; call it first")
    if isinstance(subject, Verifier):
        return Subject(name, subject)
    if isinstance(subject, Extractor):
        return Subject(name, _OfExtractor(subject.extract), is_extractor=True)
    if _is_from_text(subject):
        return Subject(name, _OfExtractor(subject), is_extractor=True)
    try:
        signature = read_signature(subject, name)
    except TypeError as error:
        raise ArgumentError(f"subject: expected a verifier, an extractor or a reward function: {error}") from None
    return Subject(name, _OfFunction(UserFunction(subject, signature), correct_at))


def _is_from_text(function: object) -> TypeGuard[Callable[..., Any]]:
    """Whether a function has one required parameter, and none for a target: it extracts."""
    if not callable(function):
        return False
    parameters = inspect.signature(function).parameters.values()
    required = [one for one in parameters if one.default is one.empty and one.kind not in _VARIABLE]
    names = {one.name for one in parameters}
    return len(required) == 1 and not names & {*TARGET_NAMES, "completions"}


_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class _OfFunction:
    """A reward function in this process; what it raises is in its verdict."""

    version = "user function"

    def __init__(self, found: UserFunction, correct_at: float) -> None:
        self._found = found
        self._correct_at = correct_at

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        return self.verify_batch([(completion, target, prompt)])[0]

    def verify_batch(self, rows: Sequence[Triple]) -> list[Verdict]:
        return verdicts(self._found, rows, self._correct_at)


class _OfExtractor:
    """An extractor that accepts a completion where it finds one of the target's texts in it."""

    version = "extractor"

    def __init__(self, extract: Callable[..., Any]) -> None:
        self._extract = extract

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        found = self._extract(completion)
        if found is None:
            return Verdict(Outcome.NO_ANSWER, 0.0, rule="no_answer", detail="it found no answer")
        if isinstance(found, Extracted):
            if found.outcome is not None:
                return Verdict(found.outcome, 0.0, found.text, rule=found.rule, detail=f"{found.outcome}: {found.rule}")
            found = found.text
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            raise TypeError(f"expected a text, a number or None, got {type(found).__name__}")
        text = str(found)
        is_found = any(_same(text, wanted) for wanted in target_texts(target))
        outcome, rule = (Outcome.CORRECT, "found") if is_found else (Outcome.INCORRECT, "other_text")
        return Verdict(outcome, float(is_found), text, rule=rule, detail=f"it found {text[:200]!r}")


_MARKS = re.compile(
    r"\$+(.*?)\$+|\\\((.*)\\\)|\\\[(.*)\\\]|\{(.*)\}|\*\*(.*)\*\*"
    r"|\\(?:text|textbf|mathbf|mathrm|textrm|boxed)\{([^{}]*)\}",
    re.DOTALL,
)
_SPACES = re.compile(r"(?:\s|\\[,;!: ])+")


def _same(found: str, wanted: str) -> bool:
    """Whether two texts are one but for spaces, a full stop and marks around them, or are one number.

    Example:
        >>> _same(r"$\\text{5}$.", "5"), _same("1234", "1,234"), _same("5", "-5"), _same("b", "B")
        (True, True, False, False)
    """
    one, other = _bare(found), _bare(wanted)
    if one == other:
        return True
    first, second = read_answer(one), read_answer(other)
    return isinstance(first, Number) and isinstance(second, Number) and first.value == second.value


def _bare(text: str) -> str:
    bare = _SPACES.sub("", text).removesuffix(".")
    while (marked := _MARKS.fullmatch(bare)) is not None:
        inside = next(group for group in marked.groups() if group is not None)
        if inside.count("{") != inside.count("}") or "$" in inside:
            break
        bare = inside.removesuffix(".")
    return bare
