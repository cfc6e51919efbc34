"""The examples of docs/hosts, loaded with their host where it is installed, else with stand-ins for its modules."""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from library_tree import ROOT

__all__ = ["TEXT", "completion", "example"]

TEXT: dict[int, bytes | None] = {0: b"3 * 4 = 12.", 1: b"12 + 1 = 14.", 2: b"\n\n", 3: None}
"""A tokenizer of four tokens: a right step, a wrong one, the gap between steps, and the end."""


def completion(*, is_lost: bool) -> list[int]:
    """Token ids of a response with a wrong second step, or without one."""
    return [0, 2, 1, 3] if is_lost else [0, 3]


def example(monkeypatch: pytest.MonkeyPatch, name: str, stand_ins: Mapping[str, Mapping[str, Any]]) -> ModuleType:
    """`docs/hosts/name.py`.

    Args:
        stand_ins: module -> its members, in the place of a host whose top-level package is not installed.
    """
    here = {top for top in {module.split(".")[0] for module in stand_ins} if _is_installed(top)}
    for module, members in stand_ins.items():
        if module.split(".")[0] not in here:
            _stand_in(monkeypatch, module, members)
    file = ROOT / "docs" / "hosts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, loaded)
    spec.loader.exec_module(loaded)
    return loaded


def _is_installed(package: str) -> bool:
    spec = importlib.util.find_spec(package)
    # The folder `verifiers` of the checkout is ours, not the host's.
    return spec is not None and (spec.origin is None or Path(spec.origin).parent.parent != ROOT)


def _stand_in(monkeypatch: pytest.MonkeyPatch, name: str, members: Mapping[str, Any]) -> None:
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        dotted = ".".join(parts[:end])
        known = sys.modules.get(dotted)
        if known is None or not hasattr(known, "is_stand_in"):
            module = ModuleType(dotted)
            module.__dict__.update(is_stand_in=True, __path__=[])
            monkeypatch.setitem(sys.modules, dotted, module)
            if end > 1:
                setattr(sys.modules[".".join(parts[: end - 1])], parts[end - 1], module)
    sys.modules[name].__dict__.update(members)
