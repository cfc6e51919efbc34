"""How often Python looks for unreachable cycles while a command runs that keeps nearly all that it makes."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["rare_collections"]

_NEW_OBJECTS = 200_000


@contextmanager
def rare_collections() -> Iterator[None]:
    """Every 200,000 new objects instead of every 700: an audit makes records and no cycles, and Python would walk over
    all records again and again, for a twelfth of its time, to find nothing. What was set before is set again.

    Example:
        >>> import gc
        >>> before = gc.get_threshold()
        >>> with rare_collections():
        ...     gc.get_threshold()[0]
        200000
        >>> gc.get_threshold() == before
        True
    """
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
