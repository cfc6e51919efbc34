"""Programs judged by tests: the reference must pass, and an empty response and each small mutant of it must fail.

A target is a specification: a mapping with tests, in whatever shape the verifier reads, and a reference program among
its values. What the tests let through is what the verifier pays for.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from .asking import Asker
from .model import CaseVerdict, Controls, Expectation, KindRow, ProbeCase
from .program_mutants import program_mutants

__all__ = ["ProgramPlay", "ProgramTarget", "offered", "program_controls", "program_play", "program_target"]

_MOST_MUTANTS = 20
_SHARE = 0.3  # of the budget, for each of two stages
_KEYS = ("reference", "reference_solution", "canonical_solution", "solution", "solutions", "code")


@dataclass(frozen=True, slots=True)
class ProgramTarget:
    """A specification, the program that is known to meet it, and the task where there is one."""

    specification: Mapping[str, Any]
    reference: str
    prompt: str | None = None

    @property
    def target(self) -> str:
        """The specification as JSON, as it stands in reports."""
        return json.dumps(self.specification, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ProgramPlay:
    """What was said: on references, on empty responses and on mutants.

    Args:
        verdicts: one a case.
        readable: targets whose reference passed.
        n_targets: all of them.
        n_foreign: references that passed and are no Python, which cannot be mutated here.
    """

    verdicts: Sequence[CaseVerdict]
    readable: Sequence[ProgramTarget]
    n_targets: int
    n_foreign: int


def program_target(specification: Mapping[str, Any], *, prompt: str | None = None) -> ProgramTarget | None:
    r"""The target that a specification is; None where it holds no reference program.

    The reference is the first that is there of `reference`, `reference_solution`, `canonical_solution`, `solution`,
    `solutions` (the first of them) and `code`. One that is the body of a function only, as HumanEval's are, is put
    behind the `prompt` beside it.

    Example:
        >>> program_target({"tests": [], "prompt": "def f(n):\n", "canonical_solution": "    return n + 1"}).reference
        'def f(n):\n    return n + 1'
        >>> program_target({"tests": []}) is None
        True
    """
    for key in _KEYS:
        found = specification.get(key)
        if isinstance(found, list | tuple) and found:
            found = found[0]
        if isinstance(found, str) and found.strip():
            head = specification.get("prompt")
            if isinstance(head, str) and not _is_python(found) and _is_python(head + found):
                found = head + found
            return ProgramTarget(specification, found, prompt)
    return None


def offered(program: str) -> str:
    """A response that is nothing but this program."""
    return f"```python\n{program.strip(chr(10))}\n```"


def program_play(asker: Asker, targets: Sequence[ProgramTarget], *, seed: int) -> ProgramPlay:
    """Ask for each reference; where it passes, for nothing and for its mutants.

    Args:
        asker: the verifier.
        targets: any number.
        seed: of the draw where a reference has more than 20 mutants.
    """
    references = [_case(one, "reference_program", "accept", offered(one.reference)) for one in targets]
    said = asker.ask_ahead(references, share=_SHARE)
    readable = [target for target, one in zip(targets, said, strict=True) if one.accepted]
    cases: list[ProbeCase] = []
    n_foreign = 0
    for target in readable:
        cases.append(_case(target, "no_program", "reject", ""))
        try:
            mutants = program_mutants(target.reference, most=_MOST_MUTANTS, seed=seed)
        except InputError:
            n_foreign += 1
            continue
        for mutant in mutants:
            change = f"line {mutant.line}: {mutant.before} → {mutant.after}"
            cases.append(_case(target, f"mutant_{mutant.operator}", "reject", offered(mutant.source), change))
    return ProgramPlay([*said, *asker.ask_ahead(cases, share=_SHARE)], readable, len(targets), n_foreign)


def program_controls(play: ProgramPlay) -> Controls:
    """The controls of an audit whose targets are all programs."""
    empty = [one for one in play.verdicts if one.probe == "no_program"]
    pays_nothing = any(one.accepted is False for one in play.verdicts if one.expectation == "reject")
    reason = ""
    if not play.readable:
        reason = "no reference program passes its own tests"
    elif not pays_nothing:
        reason = "it pays references, empty responses and mutants alike"
    n_readable = len(play.readable)
    return Controls(
        separates=n_readable > 0 and pays_nothing,
        form=None,
        forms=(),
        kinds=(KindRow(kind="program", n=play.n_targets, n_accepted=n_readable),),
        n_references=play.n_targets,
        n_references_accepted=n_readable,
        n_empty=sum(one.accepted is not None for one in empty),
        n_empty_accepted=sum(one.accepted is True for one in empty),
        reason=reason,
    )


def _case(
    target: ProgramTarget, probe: str, expectation: Expectation, response: str, change: str | None = None
) -> ProbeCase:
    recipe = (probe,) if change is None else (probe, change)
    return ProbeCase(probe, expectation, target.target, response, target.prompt, recipe, is_specification=True)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
