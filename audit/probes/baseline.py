"""What is new since an earlier probe of the same verifier: on a known fault a build need not stop every day."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ...errors import InputError
from .model import SCHEMA_VERSION, SEVERITIES, ProbeFinding, ProbeReport

__all__ = ["new_findings", "read_model", "read_report"]

Stored = TypeVar("Stored", bound=BaseModel)


def new_findings(report: ProbeReport, baseline: ProbeReport | None) -> tuple[ProbeFinding, ...]:
    """The findings that `baseline` does not have, or has in a milder form; all of them without a baseline.

    Args:
        report: of the verifier as it is now.
        baseline: an earlier report. Findings are the same where their fingerprints are: whatever the seed, the
            targets and the counts.
    """
    known = {} if baseline is None else {finding.fingerprint: finding.severity for finding in baseline.findings}
    return tuple(
        finding
        for finding in report.findings
        if finding.fingerprint not in known
        or SEVERITIES.index(finding.severity) > SEVERITIES.index(known[finding.fingerprint])
    )


def read_report(path: str | Path) -> ProbeReport:
    """A report that `probe` wrote as JSON.

    Raises:
        InputError: the file cannot be read, or is no probe report of this version.
    """
    return read_model(path, ProbeReport, SCHEMA_VERSION)


def read_model(path: str | Path, model: type[Stored], version: str) -> Stored:
    """A model that was written as JSON under a schema version.

    Raises:
        InputError: the file cannot be read, or holds no such model, or one of another version.
    """
    try:
        # Not pydantic's own parser: it refuses the lone surrogates that a target may hold.
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"{path}: expected a readable file, got: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: expected JSON, got: {error}") from None
    found = data.get("schema_version") if isinstance(data, dict) else None
    if found != version:
        raise InputError(f"{path}: schema_version: expected {version}, got {found}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: {place}: expected what {version} holds, got: {first['msg']}") from None
