"""What a program is tested by: the one form that the verifier knows, whatever shape the tests came in (`shapes`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["AssertTests", "FunctionCase", "Specification", "StdinCase"]


@dataclass(frozen=True, slots=True)
class StdinCase:
    """A program reads `stdin` and prints `expected`."""

    stdin: str
    expected: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class FunctionCase:
    """A function takes `args` and `kwargs`, plain data, and returns `expected`."""

    args: tuple[Any, ...]
    expected: Any
    weight: float = 1.0
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AssertTests:
    """Python that tests the program from outside of it: assert statements, or `check(candidate)`.

    Args:
        code: run in a process of its own, where the candidate's functions are proxies.
        calls_check: whether `check` is called with the candidate.
    """

    code: str
    calls_check: bool


@dataclass(frozen=True, slots=True)
class Specification:
    """Tests of one program. Exactly one of `stdin`, `function` and `asserts` holds something.

    Args:
        entry_point: the function under test; empty for a program.
        setup: put before the candidate's code.
        prompt: code that the completion may continue (HumanEval).
        checker: source of `check(input, output, expected)`, which decides instead of a comparison.
        float_tolerance: for numbers written with a point in an expected output, and for floats that are returned.
        timeout_s: processor seconds of one case; None for the verifier's own.
    """

    stdin: tuple[StdinCase, ...] = ()
    function: tuple[FunctionCase, ...] = ()
    asserts: AssertTests | None = None
    entry_point: str = ""
    setup: str = ""
    prompt: str = ""
    checker: str = ""
    float_tolerance: float | None = None
    timeout_s: float | None = None

    @property
    def n_cases(self) -> int:
        """How many there are; asserts are counted when they run."""
        return len(self.stdin) + len(self.function)
