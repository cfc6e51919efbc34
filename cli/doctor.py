"""`rewardgate doctor`: what this machine has of what rewardgate can use, and what the rest would need."""

import os
import platform
import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__

if TYPE_CHECKING:
    from .doctor_report import DeviceReport, DoctorReport, PackageReport


class Part(StrEnum):
    """What `doctor` can look at alone."""

    SANDBOX = "sandbox"


def doctor(
    part: Annotated[Part | None, typer.Argument(help="What to look at. Default: everything.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Write JSON to stdout.")] = False,
    imports: Annotated[
        bool, typer.Option("--imports", help="Import every optional package, each in a process of its own: slow.")
    ] = False,
    require: Annotated[
        str | None, typer.Option(help="strict, standard or basic: end with 2 where the machine has less.")
    ] = None,
) -> None:
    """Say what is installed, what each missing part would need, and which layers hold a stranger's program here."""
    from ..errors import ArgumentError
    from ..verifiers.sandbox.pool import TIERS, SandboxUnavailable
    from .doctor_devices import device
    from .doctor_packages import packages
    from .doctor_report import DoctorReport
    from .doctor_sandbox import sandbox, sandbox_lines

    if require is not None and require not in TIERS:
        raise ArgumentError(f"--require: expected one of {', '.join(TIERS)}, got {require!r}")
    is_everything = part is None
    found = packages(imports=imports) if is_everything else None
    report = DoctorReport(
        rewardgate=__version__,
        python=platform.python_version(),
        executable=sys.executable,
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        user="root" if os.geteuid() == 0 else f"user {os.geteuid()}",
        device=None if found is None else device(found),
        packages=found,
        sandbox=sandbox(),
    )
    lines = [_heading(report), "", *sandbox_lines(report.sandbox)]
    if report.packages is not None:
        lines += _package_lines(report.packages, report.device)
    typer.echo(report.model_dump_json(indent=2) if json_ else "\n".join(lines))
    if require is not None and (report.sandbox.error or report.sandbox.missing_for.get(require)):
        missing = report.sandbox.error or ", ".join(report.sandbox.missing_for[require])
        raise SandboxUnavailable(f"--require: expected the layers of {require!r}, this machine lacks {missing}")


def _heading(report: "DoctorReport") -> str:
    return (
        f"rewardgate {report.rewardgate} · Python {report.python} ({report.executable}) · {report.platform} · "
        f"{report.user}"
    )


def _package_lines(found: "list[PackageReport]", device: "DeviceReport | None") -> Iterator[str]:
    for part, group in groupby(sorted(found, key=_place), key=lambda one: one.part):
        yield f"\n{part}"
        for one in group:
            mark = {"here": "yes", "missing": "no", "broken": "bad"}[one.state]
            yield f"  {mark:3}  {one.name:12} {_told(one)}"
        if part == "models" and device is not None:
            yield f"  {'yes':3}  {'device':12} {_device_told(device)}"


def _place(one: "PackageReport") -> int:
    return ["core", "models", "hosts", "scale", "tests", "logs"].index(one.part)


def _told(one: "PackageReport") -> str:
    if one.state == "missing":
        return f"missing, for {one.purpose}: {one.fix}"
    if one.state == "broken":
        return f"{one.version}, cannot be imported: {one.error}; {one.fix}"
    if one.tested is None:
        return str(one.version)
    is_tested = str(one.version).partition("+")[0] == one.tested
    return f"{one.version}, as tested" if is_tested else f"{one.version}, tested with {one.tested}"


def _device_told(device: "DeviceReport") -> str:
    names = f" ({'; '.join(device.names)})" if device.names else ""
    return f"{device.kind}{names}, {device.build} build" + (f"; {device.hint}" if device.hint else "")
