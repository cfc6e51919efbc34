"""An interpreter that a candidate could not reach is kept in reach by open folders.

Root's Python may lie below /root, closed to everybody else, or below the folder that a run's scratch hides. What was
opened beforehand stays open, and `/proc/self/fd/N/…` leads on from there without asking the folders above.
"""

import fcntl
import os
import stat
import sys

FIRST = 1000
"""Number of the first such descriptor; those below it are a candidate's to lose."""


def keep_in_reach(prefixes: list[str], hidden: list[str], *, closed: bool) -> int:
    """Lead every import from `prefixes` that will not be found through an open folder.

    Args:
        prefixes: what is imported from.
        hidden: folders over which another will be mounted.
        closed: whether closed folders matter: they do to whoever is about to drop root.

    Returns:
        How many descriptors that took.
    """
    lost = [prefix for prefix in prefixes if (closed and _is_closed(prefix)) or _is_below(prefix, hidden)]
    moved = {prefix: _opened(prefix, number) for number, prefix in enumerate(lost, FIRST)}
    if not moved:
        return 0

    def lead(path: str) -> str:
        for prefix, through in moved.items():
            if path == prefix or path.startswith(prefix + "/"):
                return through + path[len(prefix) :]
        return path

    sys.path[:] = map(lead, sys.path)
    for module in list(sys.modules.values()):
        folders = getattr(module, "__path__", None)
        if isinstance(folders, list):
            folders[:] = map(lead, folders)
    sys.path_importer_cache.clear()
    return len(moved)


def _is_below(path: str, folders: list[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def _is_closed(path: str) -> bool:
    """Whether some folder on the way to `path`, or `path` itself, does not let everybody through."""
    while path not in ("", "/"):
        if not os.stat(path).st_mode & stat.S_IXOTH:
            return True
        path = os.path.dirname(path)
    return False


def _opened(path: str, number: int) -> str:
    opened = os.open(path, os.O_PATH | os.O_DIRECTORY)
    kept = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, number)
    os.close(opened)
    return f"/proc/self/fd/{kept}"
