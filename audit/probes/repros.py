"""Findings written down so that they can be asked again after a patch: one JSON file a finding, and a script beside it.

The JSON is what `verify_fix` reads; it is data and is never run. The script is for the person who fixes the verifier,
or for a bug report: one file that asks the same cases of the same verifier and needs rewardgate alone.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import InputError
from ..report.evidence import Part
from .baseline import read_model
from .forms import FORMS, Form
from .model import CaseVerdict, ProbeFinding, ProbeReport, Severity
from .programs import offered, program_target

__all__ = ["Repro", "read_repros", "repros_of", "write_repros"]

SCHEMA_VERSION = "rewardgate.repro/1"

# A verifier that goes by chance, by what it was asked before or by where it runs may judge any one case right.
_OF_CONDUCT = frozenset({"random", "order_dependence", "thread", "event_loop"})


class Repro(Part):
    """One finding, and the cases that show it.

    Args:
        verifier: what was probed, as it was named.
        correct_at: the reward from which a case counts as accepted.
        cases: those that went wrong. Empty for a fault of behaviour (chance, state between calls), which no case
            shows by itself.
        references: responses that give each case's target in the format that the verifier reads: a patch that
            refuses them too has fixed nothing. Empty where no format is known.
        refused_empty: whether an empty response was refused for every target.
    """

    schema_version: str = SCHEMA_VERSION
    verifier: str
    correct_at: float
    fingerprint: str
    fault: str
    severity: Severity
    sentence: str
    recipe: tuple[str, ...] = ()
    cases: tuple[CaseVerdict, ...]
    references: tuple[tuple[str, str], ...] = ()
    refused_empty: bool = False


def repros_of(report: ProbeReport) -> tuple[Repro, ...]:
    """One repro a finding that warns or fails, in the report's order."""
    return tuple(_repro(report, finding) for finding in report.findings if finding.severity != "info")


def write_repros(report: ProbeReport, folder: str | Path) -> list[Path]:
    """Write a repro of every finding that warns or fails; the paths of the JSON files, in the report's order.

    Files of the same names are replaced, others are left. The script is run where the probe was: the verifier's path
    is the one that was given.

    Raises:
        InputError: the folder or a file cannot be written.
    """
    folder, written = Path(folder), []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, repro in enumerate(repros_of(report), start=1):
            name = re.sub(r"\W+", "_", f"{number:02d}_{repro.fault}_{repro.fingerprint[:8]}")
            path = folder / f"{name}.json"
            path.write_text(json.dumps(repro.model_dump(mode="python"), indent=1) + "\n", encoding="utf-8")
            path.with_suffix(".py").write_text(_script(repro), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise InputError(f"{error.filename or folder}: expected to be writable, got: {error.strerror}") from error
    return written


def read_repros(folder: str | Path) -> tuple[Repro, ...]:
    """The repros that `write_repros` left in a folder, or those of one file, by name.

    Raises:
        InputError: nothing is there, or a JSON file there is no repro.
    """
    place = Path(folder)
    paths = sorted(place.glob("*.json")) if place.is_dir() else [place]
    if not paths:
        raise InputError(f"{place}: expected the .json files of repros, got none")
    return tuple(read_model(path, Repro, SCHEMA_VERSION) for path in paths)


def _repro(report: ProbeReport, finding: ProbeFinding) -> Repro:
    is_of_conduct = finding.fault in _OF_CONDUCT
    cases = () if is_of_conduct else tuple(case for case in finding.evidence if _went_wrong(case))
    form = FORMS.get(report.controls.form or "")
    return Repro(
        verifier=report.verifier,
        correct_at=report.correct_at,
        fingerprint=finding.fingerprint,
        fault=finding.fault,
        severity=finding.severity,
        sentence=finding.sentence,
        recipe=finding.recipe,
        cases=cases,
        references=tuple(_references(cases, form)),
        refused_empty=report.controls.n_empty > 0 and report.controls.n_empty_accepted == 0,
    )


def _references(cases: Sequence[CaseVerdict], form: Form | None) -> Iterator[tuple[str, str]]:
    for target, is_specification in dict.fromkeys((case.target, case.is_specification) for case in cases):
        if is_specification:
            program = program_target(json.loads(target))
            if program is not None:
                yield target, offered(program.reference)
        elif form is not None:
            yield target, form.offer(target)


def _went_wrong(case: CaseVerdict) -> bool:
    return case.accepted is not (case.expectation == "accept")


_SCRIPT = '''\
"""A finding of `rewardgate probe`, to be run where the probe was. Exit 1: it is still there."""

from rewardgate.verifiers import get
from rewardgate.verifiers.functions import FunctionVerifier

VERIFIER = {verifier!r}
CORRECT_AT = {correct_at!r}
FINDING = {sentence!r}
CASES = [
    # (response, target, prompt, whether it must be accepted)
{cases}]

if __name__ == "__main__":
    print(FINDING)
    verifier = FunctionVerifier(VERIFIER, correct_at=CORRECT_AT) if ":" in VERIFIER else get(VERIFIER)
    n_wrong = 0
    for response, target, prompt, must_accept in CASES:
        verdict = verifier.verify(response, target, prompt=prompt)
        is_wrong = verdict.reward is None or (verdict.reward == 1) != must_accept
        n_wrong += is_wrong
        print("WRONG" if is_wrong else "right", "|", verdict.outcome, "|", repr(target), "|", repr(response[:200]))
    print(f"{{n_wrong}} of {{len(CASES)}} cases go wrong")
    raise SystemExit(n_wrong > 0)
'''


def _script(repro: Repro) -> str:
    rows = [
        (
            case.response,
            json.loads(case.target) if case.is_specification else case.target,
            case.prompt,
            case.expectation == "accept",
        )
        for case in repro.cases
    ]
    return _SCRIPT.format(
        verifier=repro.verifier,
        correct_at=repro.correct_at,
        sentence=repro.sentence,
        # `repr` is the only way into the file for texts that others wrote.
        cases="".join(f"    {row!r},\n" for row in rows),
    )
