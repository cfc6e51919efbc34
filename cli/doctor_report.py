"""What `rewardgate doctor --json` writes. Apart from the command, so that no other command loads pydantic for it."""

from typing import Literal

from pydantic import BaseModel

__all__ = ["DeviceReport", "DoctorReport", "LayerReport", "PackageReport", "SandboxReport"]


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


class PackageReport(BaseModel):
    """One package, or program, that a part of rewardgate uses.

    `state`: `here`; `missing`; `broken`, where it is installed and cannot be imported. `was_imported`: whether that was
    tried; where it was not, `here` says that its files are. `tested`: the version that our own tests ran with; None
    where none did. `fix`: a command, empty where nothing is to be done.
    """

    name: str
    part: str
    purpose: str
    state: Literal["here", "missing", "broken"]
    version: str | None
    tested: str | None
    was_imported: bool
    error: str | None
    fix: str


class DeviceReport(BaseModel):
    """What torch computes on: `build` is what it was built for (`CPU`, `CUDA 12.8`), `hint` why that is not used."""

    kind: Literal["cpu", "cuda", "mps", "xpu"]
    names: list[str]
    build: str
    hint: str


class DoctorReport(BaseModel):
    """The whole report; what was not looked at is None."""

    schema_version: Literal[1] = 1
    rewardgate: str
    python: str
    executable: str
    platform: str
    user: str
    sandbox: SandboxReport
    packages: list[PackageReport] | None = None
    device: DeviceReport | None = None
