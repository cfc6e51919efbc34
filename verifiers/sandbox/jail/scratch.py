"""Where a run works when no tmpfs can be mounted: a folder made for it, and removed whatever was left in it."""

import os
import stat
import tempfile
from itertools import count


def made() -> str:
    """A fresh folder."""
    return tempfile.mkdtemp(prefix="rewardgate-run-")


def remove(folder: str) -> None:
    """Remove `folder`: nests of any depth, closed folders, names that are no text. Nobody works in it any more."""
    os.chmod(folder, 0o700)
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        names = map(os.fsencode, map(str, count()))
        left = [_moved(root, entry, root, names) for entry in os.listdir(root)]
        # A nest is taken apart from above: what lies in a folder moves up, so that no path grows long.
        while left:
            inner = left.pop()
            if inner is None:
                continue
            opened = os.open(inner, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=root)
            try:
                left += [_moved(opened, entry, root, names) for entry in os.listdir(opened)]
            finally:
                os.close(opened)
            os.rmdir(inner, dir_fd=root)
    finally:
        os.close(root)
    os.rmdir(folder)


def _moved(parent: int, entry: str, root: int, names: "map[bytes]") -> bytes | None:
    """A folder moves to `root` under a name that is returned, anything else is removed."""
    if not stat.S_ISDIR(os.stat(entry, dir_fd=parent, follow_symlinks=False).st_mode):
        os.unlink(entry, dir_fd=parent)
        return None
    os.chmod(entry, 0o700, dir_fd=parent)
    new = b".rewardgate-" + next(names)
    os.rename(entry, new, src_dir_fd=parent, dst_dir_fd=root)
    return new
