"""Modules of the jail's own folder, which a bare interpreter runs: loaded here as that interpreter would."""

import importlib
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from unittest.mock import patch

from library_tree import ROOT

FOLDER = ROOT / "verifiers" / "sandbox" / "jail"
_NAMES = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "__main__"}


@contextmanager
def loaded(name: str, *, machine: str | None = None) -> Iterator[ModuleType]:
    """A fresh copy of a module; `machine` is what it takes this machine for. Nothing of it stays in `sys.modules`."""
    before = {name: sys.modules.pop(name) for name in _NAMES & set(sys.modules)}
    sys.path.insert(0, str(FOLDER))
    try:
        with patch.object(platform, "machine", return_value=machine or platform.machine()):
            yield importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))
        for name in _NAMES & set(sys.modules):
            del sys.modules[name]
        sys.modules.update(before)
