"""Finding what a user named, `pkg.mod:name` or `path/file.py:name`. Runs in a worker: it changes `sys.path`."""

import importlib
import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

__all__ = ["named_object"]


def named_object(spec: str) -> Any:
    """The object behind `spec`; its file is run once.

    Raises:
        FileNotFoundError: no such file.
        ImportError: no such module, or no Python file.
        AttributeError: no such name in it.
    """
    place, _, attribute = spec.rpartition(":")
    found: Any = _module(place)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found


class _FromSource(SourceFileLoader):
    """Reads a file as it stands.

    Bytecode that Python kept would speak for a file that was patched within a second to one of its own length.
    """

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = Path(place).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"no file {place}")
    sys.path.append(str(path.parent))
    # Under a name of our own: a user's random.py must not become everybody's `random`.
    name = f"rewardgate_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
