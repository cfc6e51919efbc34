"""The contracts of a verifier: outcomes, verdicts, extractions, the two protocols and their registries.

Nothing here judges an answer. Importing it loads no numpy, scipy or sympy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from ..errors import ArgumentError
from ..registry import Registry
from ..rollouts.messages import Completion, Prompt

Target = str | Sequence[str] | Mapping[str, Any] | float
"""A string, a sequence of strings (any of them is right) or a mapping (a specification, e.g. tests). A number stands
for the text that a person would write for it, also within a sequence or a mapping."""


class Outcome(StrEnum):
    """What a verifier found out; a closed set.

    CORRECT       the committed answer equals the target
    INCORRECT     it does not (also: negated, a partial reward)
    NO_ANSWER     the completion commits to no answer (also: an empty box, an echoed prompt, a quotation)
    HEDGED        it commits to several that exclude one another
    UNSUPPORTED   an answer, or a target, of a kind that this verifier cannot read
    BUDGET        reading or comparing would cost more than the verifier may spend
    BAD_TARGET    the caller's target cannot be used: nothing is said of the completion
    ERROR         our machinery failed: nothing is said of the completion
    """

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NO_ANSWER = "no_answer"
    HEDGED = "hedged"
    UNSUPPORTED = "unsupported"
    BUDGET = "budget"
    BAD_TARGET = "bad_target"
    ERROR = "error"


UNSCORED_OUTCOMES = frozenset({Outcome.BAD_TARGET, Outcome.ERROR})
"""Outcomes whose reward is always None. BUDGET and UNSUPPORTED are unscored only when the target alone
triggers them too; otherwise a policy would be paid to exhaust the verifier."""

_CORRECT = Outcome.CORRECT
"""Looking up a member of an enum takes a fifth of a microsecond, in every verdict."""
_MAYBE_UNSCORED = UNSCORED_OUTCOMES | {Outcome.BUDGET, Outcome.UNSUPPORTED}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verifier's answer about one completion, with the reason.

    Args:
        outcome: what was found out.
        reward: 1.0 iff CORRECT; otherwise below 1, and None when the target or our machinery is at
            fault. Unknown is never 0.
        extracted: the committed answer as it was read, None where there is none.
        span: (start, end) of it in the completion's text, in characters; None where it is not one
            contiguous piece of that text.
        rule: which rule decided, a short snake_case name (`"exact_number"`, `"negated"`).
        detail: one line for a person: both parsed forms, or the bound that was missed. Lines are joined.
        seconds: wall-clock time spent; left out of comparisons.

    Raises:
        ArgumentError: outcome and reward contradict each other.
    """

    outcome: Outcome
    reward: float | None
    extracted: str | None = None
    span: tuple[int, int] | None = None
    rule: str = ""
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        detail = " ".join(self.detail.splitlines())  # an exception's message may have several
        if detail != self.detail:
            object.__setattr__(self, "detail", detail)
        if self.reward is None:
            if self.outcome not in _MAYBE_UNSCORED:
                raise ArgumentError(f"reward: expected a number for outcome {self.outcome}, got None")
        elif self.outcome in UNSCORED_OUTCOMES:
            raise ArgumentError(f"reward: expected None for outcome {self.outcome}, got {self.reward}")
        elif (self.outcome is _CORRECT) != (self.reward == 1):
            raise ArgumentError(f"reward: expected 1 if and only if correct, got {self.reward} for {self.outcome}")


@dataclass(frozen=True, slots=True)
class Extracted:
    """The answer that a completion commits to, and where it stands.

    Args:
        text: the answer as written (LaTeX, a letter, a number, ...); parts of a list joined by ", ",
            alternatives by " or ". Empty where `outcome` says that there is none.
        span: (start, end) in the completion's text (`completion_text(completion)`), or None.
        method: what found it: `"boxed"`, `"answer_tag"`, `"hash"`, `"phrase"`, `"last_number"`, ...
        outcome: None in the ordinary case. NO_ANSWER, HEDGED or INCORRECT where the text around the
            answer already decides, whatever the target (an empty box, stacked answers that differ,
            "not 5"); a verifier returns it as it is.
        rule: names that decision (`"negated"`, `"unclosed_think"`); empty where outcome is None.
        alternatives: the single answers where several boxes or lines were joined into `text`.
    """

    text: str
    span: tuple[int, int] | None
    method: str
    outcome: Outcome | None = None
    rule: str = ""
    alternatives: tuple[str, ...] = ()


@runtime_checkable
class Extractor(Protocol):
    """Finds the answer that a completion commits to."""

    def extract(self, completion: Completion, *, prompt: Prompt | None = None) -> Extracted | None:
        """The committed answer; None where the extractor's pattern does not occur. Never raises on any text."""
        ...


@runtime_checkable
class Verifier(Protocol):
    """Judges a completion against a target. Implementations need not inherit from this.

    `verifiers.batch` looks for two optional attributes, which are no part of what every verifier must have:

    `verify_batch(rows: Sequence[tuple[Completion, Target, Prompt | None]]) -> list[Verdict]`
        One verdict a row, in order; asked instead of `verify` where many rows are judged in this process.
    `runs_in_workers: bool`
        True says that `verify_batch` brings killable processes and a time limit of its own: it is asked
        whatever `workers` and `budget_s` say, and from an event loop it is called in a thread.
    """

    version: str

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; never raises on any completion or target."""
        ...


extractors: Registry[Extractor] = Registry("extractor", entry_point_group="rewardgate.extractors")
verifiers: Registry[Verifier] = Registry("verifier", entry_point_group="rewardgate.verifiers")


def get(name: str, **options: Any) -> Verifier:
    """The verifier registered under `name`, built with `options`.

    Raises:
        UnknownNameError: no verifier has that name; the message lists the known ones.
        ArgumentError: an option breaks the verifier's rules.

    Example:
        >>> import rewardgate.verifiers as verifiers
        >>> verifiers.get("math").verify(r"so \\boxed{1/2}", "0.5").outcome
        <Outcome.CORRECT: 'correct'>
    """
    return verifiers.create(name, **options)


def as_extractor(extractor: str | Extractor) -> Extractor:
    """`extractor` itself, or the one registered under that name.

    Raises:
        UnknownNameError: nobody registered that name.
        ArgumentError: neither a name nor an extractor.
    """
    found = extractors.create(extractor) if isinstance(extractor, str) else extractor
    if not isinstance(found, Extractor):
        raise ArgumentError(f"extractor: expected a registered name or an extractor, got {type(found).__name__}")
    return found


_BUILT_IN_EXTRACTORS = ("boxed", "answer_tag", "hash", "phrase", "last_number", "choice", "code_block", "auto")
_BUILT_IN_VERIFIERS = {
    "all_of": "rewardgate.verifiers.compose:AllOf",
    "auto": "rewardgate.verifiers.auto:AutoVerifier",
    "choice": "rewardgate.verifiers.choice:ChoiceVerifier",
    "code": "rewardgate.verifiers.code:CodeVerifier",
    "exact": "rewardgate.verifiers.exact:ExactVerifier",
    "first_that_decides": "rewardgate.verifiers.compose:FirstThatDecides",
    "format": "rewardgate.verifiers.format:FormatVerifier",
    "math": "rewardgate.verifiers.math:MathVerifier",
    "numeric": "rewardgate.verifiers.numeric:NumericVerifier",
    "weighted": "rewardgate.verifiers.compose:Weighted",
}

for _name in _BUILT_IN_EXTRACTORS:
    extractors.register(_name, f"rewardgate.verifiers.extraction:{_name}")
for _name, _factory in _BUILT_IN_VERIFIERS.items():
    verifiers.register(_name, _factory)
