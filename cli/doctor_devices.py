"""What `doctor` says of devices: asked of torch in a process of its own, which may take its time, crash or hang."""

from pathlib import Path
from typing import TYPE_CHECKING

from .doctor_packages import asked_of

if TYPE_CHECKING:
    from .doctor_report import DeviceReport, PackageReport

__all__ = ["device"]

_ASKING = """
import json, torch
found = {"build": "CPU", "kind": "cpu", "names": [], "threads": torch.get_num_threads()}
if torch.version.cuda: found["build"] = "CUDA " + torch.version.cuda
if getattr(torch.version, "hip", None): found["build"] = "ROCm " + torch.version.hip
if torch.cuda.is_available():
    found["kind"] = "cuda"
    for place in range(torch.cuda.device_count()):
        about = torch.cuda.get_device_properties(place)
        found["names"].append(f"{about.name}, {about.total_memory / 2**30:.0f} GiB")
elif getattr(torch.backends, "mps", None) and torch.backends.mps.is_available():
    found["kind"] = "mps"
elif getattr(torch, "xpu", None) and torch.xpu.is_available():
    found["kind"] = "xpu"
print(json.dumps(found))
"""
_NVIDIA = Path("/dev/nvidiactl")


def device(packages: "list[PackageReport]", *, timeout_s: float = 30.0) -> "DeviceReport | None":
    """What torch computes on; None where it is not installed, or does not import.

    That it does not is written into its row of `packages`.
    """
    from .doctor_report import DeviceReport

    torch = next((one for one in packages if one.name == "torch"), None)
    if torch is None or torch.state != "here":
        return None
    found, error = asked_of(_ASKING, timeout_s=timeout_s)
    torch.was_imported = True
    if error:
        torch.state, torch.error, torch.fix = "broken", error, "pip install --force-reinstall torch"
        return None
    hint = ""
    if found["kind"] == "cpu" and _NVIDIA.exists():
        is_for_gpus = found["build"] != "CPU"
        hint = "its driver does not answer: nvidia-smi" if is_for_gpus else "this build of torch cannot use it"
        hint = f"an NVIDIA GPU is here, but {hint}"
    names = found["names"] or ([f"{found['threads']} threads"] if found["kind"] == "cpu" else [])
    return DeviceReport(kind=found["kind"], names=names, build=found["build"], hint=hint)
