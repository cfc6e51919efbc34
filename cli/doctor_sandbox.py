"""What `doctor` says of the sandbox: a jail is made, and what its layers' proofs said is told."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..verifiers.sandbox.jailer import Jail
    from .doctor_report import SandboxReport

__all__ = ["PROOFS", "sandbox", "sandbox_lines"]

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


def sandbox() -> "SandboxReport":
    """The layers of a jail that is made here, now."""
    from ..verifiers.sandbox.jailer import Jail
    from ..verifiers.sandbox.pool import TIERS, missing_layers
    from ..verifiers.sandbox.runs import JailError
    from .doctor_report import LayerReport, SandboxReport

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


def sandbox_lines(found: "SandboxReport") -> Iterator[str]:
    """For a terminal."""
    yield f"sandbox: tier {found.tier}" if found.tier else f"sandbox: no tier is reached {found.error or ''}".rstrip()
    for layer in found.layers:
        is_needed = layer.reason != _NOT_ROOT
        said = layer.proof if layer.is_here else f"missing: {layer.reason}" if is_needed else _NOT_ROOT
        yield f"  {'yes' if layer.is_here else 'no' if is_needed else '-':3}  {layer.name:9} {said}"
    for tier, missing in found.missing_for.items():
        yield f"  {tier} would need {', '.join(missing)}"


def _reason(name: str, jail: "Jail") -> str | None:
    if name in jail.layers:
        return None
    if name == "uid" and os.geteuid() != 0:
        return _NOT_ROOT
    return jail.reasons.get(name, "needs userns")
