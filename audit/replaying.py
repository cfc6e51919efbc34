r"""Frozen cases: what a verifier must accept and what it must reject, as lines of a file that a test replays.

    def test_the_reward_keeps_what_the_audit_found():
        assert str(replay("tests/faults.jsonl", my_reward)) == ""

`audit.freezing` makes them from an audit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from .. import __version__
from ..errors import ArgumentError, InputError, NoUsableRowsError
from ..rollouts.messages import completion_text
from ..rollouts.opening import iter_lines, open_bytes
from ..rollouts.records import Target
from ..rollouts.refusals import clip
from ..rollouts.rows import parse_row
from ..rollouts.writing import row_text
from ..verifiers.base import Outcome, Verdict, Verifier
from ..verifiers.batch import verify_many
from ..verifiers.functions import load_verifier
from ..verifiers.workers.user_function import UserFunction, verdicts
from ..verifiers.workers.user_signature import read_signature
from .report.evidence import Part

__all__ = ["Broken", "Expected", "FrozenCase", "Replay", "frozen_text", "read_cases", "replay"]

Expected = Literal["accept", "reject"]


class FrozenCase(Part):
    """One completion and what a verifier must say of it.

    Args:
        expected: `"accept"`: the reward of a right answer; `"reject"`: a number below it.
        prompt, target, response: as the verifier is given them.
        cause: the finding: one of the audit's causes, or `"paid_but_wrong"`.
        why: what shows it, in a sentence.
        extracted: the answer that the referee read; None where it read none.
        source: where the rollout stood; empty where the case is a target offered to itself.
        rewardgate_version: of the audit that found it.
    """

    schema_version: Literal["rewardgate.fault/1"] = "rewardgate.fault/1"
    expected: Expected
    prompt: str | list[dict[str, Any]] | None = None
    target: Target
    response: str | list[dict[str, Any]]
    cause: str
    why: str
    extracted: str | None = None
    source: str = ""
    rewardgate_version: str = __version__


@dataclass(frozen=True, slots=True)
class Broken:
    """A case that the verifier does not keep, and what it said."""

    case: FrozenCase
    verdict: Verdict

    def __str__(self) -> str:
        said = f"{self.verdict.outcome} ({self.verdict.rule}) {self.verdict.detail}".rstrip()
        response = clip(completion_text(self.case.response)[-60:])
        target = clip(self.case.target)
        return f"expected {self.case.expected}, got {said}; target {target}, response …{response}: {self.case.why}"


@dataclass(frozen=True, slots=True)
class Replay:
    """What a verifier said of frozen cases; as text, what it broke: nothing where it keeps them all."""

    n_cases: int
    broken: tuple[Broken, ...]

    def __str__(self) -> str:
        if not self.broken:
            return ""
        return "\n".join([f"{len(self.broken)} of {self.n_cases} cases are broken", *map(str, self.broken)])


def frozen_text(cases: Iterable[FrozenCase]) -> str:
    """`cases` as JSON lines, as `read_cases` reads them."""
    return "".join(row_text(case.model_dump()) + "\n" for case in cases)


def read_cases(path: str | Path) -> list[FrozenCase]:
    """The cases in a file.

    Raises:
        InputError: the file, or a line of it, cannot be read.
        NoUsableRowsError: it holds no case: a test of nothing would always pass.
    """
    cases = []
    with open_bytes(path).stream as stream:
        for line in iter_lines(stream):
            if line.data.isspace() or not line.data:
                continue
            value, problem = parse_row(line.data)
            try:
                cases.append(FrozenCase.model_validate(value))
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                name = str(first["loc"][0]) if first["loc"] else "row"
                reason = problem or f"expected a frozen case: {first['msg'].lower()}"
                raise InputError(f"{path}:{line.number}: {name}: {reason}") from None
    if not cases:
        raise NoUsableRowsError(f"{path}: expected at least one frozen case, got none")
    return cases


def replay(
    cases: str | Path | Iterable[FrozenCase], verifier: str | Verifier | Callable[..., Any], *, correct_at: float = 1.0
) -> Replay:
    """What `verifier` says of frozen cases. No verdict (an error, None, NaN) keeps no case.

    Args:
        cases: a file of them, or the cases.
        verifier: a registered name, `pkg.mod:fn` or `path/file.py:fn`; an object with `verify`; or a function with
            TRL's, verl's or a plain `(completion, target)` signature, which is called in this process.
        correct_at: what a function returns for a right answer, at least.

    Raises:
        ArgumentError: `verifier` is none of these.
        InputError: the file, or the function named, cannot be read.
        NoUsableRowsError: there is no case.

    Example:
        >>> why = {"cause": "false_negative:format", "why": "a decimal"}
        >>> case = FrozenCase(expected="accept", target="1/2", response="so 0.5", **why)
        >>> replay([case], "math").broken
        ()
        >>> print(replay([case], lambda completion, target: float(target in completion)))
        1 of 1 cases are broken
        expected accept, got incorrect (returned) the function returned 0; target "1/2", response …"so 0.5": a decimal
    """
    found = read_cases(cases) if isinstance(cases, (str, Path)) else list(cases)
    if not found:
        raise NoUsableRowsError("cases: expected at least one frozen case, got none")
    rows = [(case.response, case.target, case.prompt) for case in found]
    if isinstance(verifier, str):
        said = verify_many(load_verifier(verifier, correct_at=correct_at), rows)
    elif isinstance(verifier, Verifier):
        said = verify_many(verifier, rows)
    else:
        name = getattr(verifier, "__name__", type(verifier).__name__)
        try:
            function = UserFunction(verifier, read_signature(verifier, name))
        except TypeError as error:
            raise ArgumentError(f"verifier: expected a verifier or a reward function: {error}") from None
        said = verdicts(function, rows, correct_at)
    broken = [Broken(case, verdict) for case, verdict in zip(found, said, strict=True) if not _keeps(case, verdict)]
    return Replay(len(found), tuple(broken))


def _keeps(case: FrozenCase, verdict: Verdict) -> bool:
    if case.expected == "accept":
        return verdict.outcome is Outcome.CORRECT
    return verdict.reward is not None and verdict.outcome is not Outcome.CORRECT
