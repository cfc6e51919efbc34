"""A callable or object as bytes for a worker, where pickle alone cannot ship it (lambdas, classes of a script)."""

import io
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["dilled"]


def dilled(thing: Any) -> bytes:
    """`thing` by dill, with the globals that it uses and no others; modules go by name.

    dill would ship the *contents* of every module outside site-packages, the caller's own package for one.

    Raises:
        Exception: whatever dill or the object raises where it does not ship.
    """
    import dill

    class Pickler(dill.Pickler):
        dispatch = dill.Pickler.dispatch.copy()

    def save_module(pickler: Any, module: ModuleType) -> None:
        pickler.save_reduce(import_module, (module.__name__,), obj=module)

    Pickler.dispatch[ModuleType] = save_module
    shipped = io.BytesIO()
    Pickler(shipped, recurse=True).dump(thing)
    return shipped.getvalue()
