"""A probe report as SARIF 2.1.0, the format in which code hosts and editors show what a tool found.

A finding that warns or fails is a result on the line where the function under audit is defined; one that only explains
is a result of kind `informational`, which no viewer counts. An inconclusive probe, or a part that was not measured, is
a notification of the run: an empty list of results alone would read as clean.
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .baseline import new_findings
from .model import CaseVerdict, ProbeFinding, ProbeReport

__all__ = ["sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"fail": "error", "warn": "warning", "info": "none"}
_FINGERPRINT = "rewardgateProbe/v1"
_MOST_EVIDENCE = 3


def sarif(report: ProbeReport, *, baseline: ProbeReport | None = None) -> dict[str, Any]:
    """The report as a SARIF log of one run, ready for `json.dumps`.

    Args:
        report: what was found.
        baseline: an earlier report; each result then says whether it is `new` or `unchanged`, and findings that are
            gone are results that are `absent`.

    Source:
        OASIS, SARIF 2.1.0: kinds and levels (3.27.9, 3.27.10), baseline states (3.27.24), braces in messages (3.11.5).
    """
    gone = [] if baseline is None else _gone(report, baseline)
    findings = [*report.findings, *gone]
    faults = list(dict.fromkeys(finding.fault for finding in findings))
    driver = {
        "name": "rewardgate",
        "version": report.rewardgate_version,
        "rules": [_rule(fault, findings) for fault in faults],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": list(_notifications(report))}],
        "results": list(_results(report, findings, faults, baseline)),
        "columnKind": "unicodeCodePoints",
        "properties": {"verifier": report.verifier, "status": report.status, "told": report.told},
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _gone(report: ProbeReport, baseline: ProbeReport) -> list[ProbeFinding]:
    present = {finding.fingerprint for finding in report.findings}
    return [finding for finding in baseline.findings if finding.fingerprint not in present]


def _rule(fault: str, findings: Sequence[ProbeFinding]) -> dict[str, Any]:
    first = next(finding for finding in findings if finding.fault == fault)
    words = fault.replace("_", " ")
    return {
        "id": fault,
        "shortDescription": {"text": _message(words[:1].upper() + words[1:])},
        "help": {"text": _message(first.explanation or words)},
    }


def _results(
    report: ProbeReport, findings: Sequence[ProbeFinding], faults: Sequence[str], baseline: ProbeReport | None
) -> Iterator[dict[str, Any]]:
    new = {finding.fingerprint for finding in new_findings(report, baseline)} if baseline else set()
    present = {finding.fingerprint for finding in report.findings}
    locations = [_location(report.verifier)]
    for finding in findings:
        result: dict[str, Any] = {
            "ruleId": finding.fault,
            "ruleIndex": faults.index(finding.fault),
            "kind": "informational" if finding.severity == "info" else "fail",
            "level": _LEVELS[finding.severity],
            "message": {"text": _message(finding.sentence)},
            "locations": locations,
            "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
            "properties": {
                "probes": list(finding.probes),
                "recipe": list(finding.recipe),
                "evidence": [_evidence(case) for case in finding.evidence[:_MOST_EVIDENCE]],
            },
        }
        if baseline is not None:
            known = "unchanged" if finding.fingerprint in present else "absent"
            result["baselineState"] = "new" if finding.fingerprint in new else known
        yield result


def _evidence(case: CaseVerdict) -> dict[str, Any]:
    """A case as it was asked: data in a property bag, where nothing is a placeholder or a link."""
    return case.model_dump(include={"target", "response", "prompt", "expectation", "accepted", "reward", "outcome"})


def _notifications(report: ProbeReport) -> Iterator[dict[str, Any]]:
    if report.status == "inconclusive":
        yield {"level": "error", "message": {"text": _message(f"Inconclusive: {report.headline}")}}
    for part in report.not_measured:
        told = f"Not measured: {part.what}: {part.why}; {part.enable}"
        yield {"level": "note", "message": {"text": _message(told)}}


def _location(verifier: str) -> dict[str, Any]:
    place, _, name = verifier.rpartition(":")
    logical = {"fullyQualifiedName": verifier, "kind": "function"}
    if not place.endswith(".py"):
        return {"logicalLocations": [logical]}
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place)}}
    line = _line(place, name)
    if line is not None:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical, "logicalLocations": [logical]}


def _uri(place: str) -> str:
    """Relative to the current folder where it lies below it: hosts match files by their path in the checkout."""
    path = Path(place)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return path.as_uri()
        path = path.relative_to(Path.cwd())
    return quote(path.as_posix())


def _line(place: str, name: str) -> int | None:
    """Where the function is defined; the file is read, never run."""
    try:
        tree: ast.AST = ast.parse(Path(place).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    line = None
    for part in name.split("."):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = [node for node in ast.iter_child_nodes(tree) if isinstance(node, kinds) and node.name == part]
        if not found:
            return line
        tree, line = found[-1], found[-1].lineno
    return line


def _message(text: str) -> str:
    r"""Text for a message: braces doubled, or `\boxed{7}` asks for the eighth argument; no `](` that makes a link."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")
