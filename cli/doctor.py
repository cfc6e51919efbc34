"""`rewardgate doctor`: what this machine has of what rewardgate can use."""

import os
import platform
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import BaseModel

from .. import __version__

if TYPE_CHECKING:
    from ..verifiers.sandbox.jailer import Jail


class Part(StrEnum):
    """What `doctor` can look at."""

    SANDBOX = "sandbox"


class LayerReport(BaseModel):
    """One layer: whether it holds here, what its proof tried, and why it is missing."""

    name: str
    is_here: bool
    proof: str
    reason: str | None


class SandboxReport(BaseModel):
    """The jail that this machine makes; `tier` is None where not even the lowest is reached."""

    tier: str | None
    layers: list[LayerReport]
    missing_for: dict[str, list[str]]
    error: str | None


class DoctorReport(BaseModel):
    """What `doctor --json` writes."""

    schema_version: Literal[1] = 1
    rewardgate: str
    python: str
    executable: str
    platform: str
    user: str
    sandbox: SandboxReport


PROOFS = {
    "uid": "root is given up: becoming root again and reading /etc/shadow are refused",
    "userns": "a user namespace is made; the next four stand on it",
    "netns": "a connection to a listener of this machine is refused",
    "ipcns": "shared memory of a stranger is not found",
    "pidns": "the parent is out of sight, and a signal to everybody else finds nobody",
    "mountns": "a scratch folder of a fixed size: filling the disk is refused",
    "landlock": "reading /etc/passwd, and writing to /tmp and beside our own files, are refused",
    "seccomp": "a process, a program, a socket, a namespace, a signal, shared memory: each is refused",
    "rlimits": "more memory than allowed, and raising the limit, are refused",
}
"""What the child of each layer tries when a jail starts."""
_NOT_ROOT = "not needed: you are not root"


def doctor(
    part: Annotated[Part | None, typer.Argument(help="What to look at. Default: everything.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Write JSON to stdout.")] = False,
    require: Annotated[
        str | None, typer.Option(help="strict, standard or basic: end with 2 where the machine has less.")
    ] = None,
) -> None:
    """Say which layers hold a stranger's program on this machine, what proves each, and why others are missing."""
    from ..errors import ArgumentError
    from ..verifiers.sandbox.pool import TIERS, SandboxUnavailable

    if require is not None and require not in TIERS:
        raise ArgumentError(f"--require: expected one of {', '.join(TIERS)}, got {require!r}")
    report = DoctorReport(
        rewardgate=__version__,
        python=platform.python_version(),
        executable=sys.executable,
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        user="root" if os.geteuid() == 0 else f"user {os.geteuid()}",
        sandbox=_sandbox(),
    )
    typer.echo(report.model_dump_json(indent=2) if json_ else "\n".join(_lines(report)))
    if require is not None and (report.sandbox.error or report.sandbox.missing_for.get(require)):
        missing = report.sandbox.error or ", ".join(report.sandbox.missing_for[require])
        raise SandboxUnavailable(f"--require: expected the layers of {require!r}, this machine lacks {missing}")


def _sandbox() -> SandboxReport:
    from ..verifiers.sandbox.jailer import Jail
    from ..verifiers.sandbox.pool import TIERS, missing_layers
    from ..verifiers.sandbox.runs import JailError

    try:
        with Jail(slot=os.getpid()) as jail:
            missing_for = {tier: missing_layers(jail, tier) for tier in TIERS}
            layers = [
                LayerReport(name=name, is_here=name in jail.layers, proof=proof, reason=_reason(name, jail))
                for name, proof in PROOFS.items()
            ]
    except (JailError, OSError, AttributeError) as error:  # not Linux: some of what a jail needs is not there at all
        return SandboxReport(tier=None, layers=[], missing_for={}, error=str(error))
    tier = next((tier for tier, missing in missing_for.items() if not missing), None)
    return SandboxReport(
        tier=tier, layers=layers, missing_for={name: gone for name, gone in missing_for.items() if gone}, error=None
    )


def _reason(name: str, jail: "Jail") -> str | None:
    if name in jail.layers:
        return None
    if name == "uid" and os.geteuid() != 0:
        return _NOT_ROOT
    return jail.reasons.get(name, "needs userns")


def _lines(report: DoctorReport) -> list[str]:
    found = report.sandbox
    lines = [
        f"rewardgate {report.rewardgate} · Python {report.python} ({report.executable}) · {report.platform} · "
        f"{report.user}",
        "",
        f"sandbox: tier {found.tier}" if found.tier else f"sandbox: no tier is reached {found.error or ''}".rstrip(),
    ]
    for layer in found.layers:
        is_needed = layer.reason != _NOT_ROOT
        said = layer.proof if layer.is_here else f"missing: {layer.reason}" if is_needed else _NOT_ROOT
        lines.append(f"  {'yes' if layer.is_here else 'no' if is_needed else '-':3}  {layer.name:9} {said}")
    for tier, missing in found.missing_for.items():
        lines.append(f"  {tier} would need {', '.join(missing)}")
    return lines
