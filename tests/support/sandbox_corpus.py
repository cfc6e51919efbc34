"""The corpus of attacks and tricky programs that lies beside the checkout.

Its rows, the listeners that they want opened, and what is looked for after a run.
"""

import contextlib
import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandboxed import descendants, until


@dataclass(frozen=True)
class Site:
    """Where a program is told to leave its mark, and what it is told to reach."""

    folder: Path
    tcp: socket.socket
    udp: socket.socket
    abstract: socket.socket

    def text(self, text: str) -> str:
        """`text` with its marks replaced."""
        for mark, value in (
            ("@CANARY_DIR@", str(self.folder)),
            ("@PORT@", str(self.tcp.getsockname()[1])),
            ("@UDPPORT@", str(self.udp.getsockname()[1])),
            ("@ABSTRACT@", self.abstract.getsockname().lstrip(b"\0").decode()),
        ):
            text = text.replace(mark, value)
        return text


@contextlib.contextmanager
def site(folder: Path) -> Iterator[Site]:
    """A folder that everybody may write to, and listeners on all that a program might reach."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)
    with (
        socket.socket() as tcp,
        socket.socket(type=socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(("127.0.0.1", 0))
        abstract.bind(f"\0rlsbx-{os.getpid()}-{threading.get_native_id()}".encode())
        abstract.listen()
        yield Site(folder, tcp, udp, abstract)


def rows(folder: Path) -> list[dict[str, Any]]:
    """Every row of a corpus."""
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]


def program(folder: Path, row: dict[str, Any], here: Site) -> str:
    """The program of a row; sets up what it wants to find."""
    for name, text in row.get("setup", {}).get("files", {}).items():
        (here.folder / name).write_text(text)
    with (folder / row["file"]).open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return here.text(file.read())


def traces(row: dict[str, Any], here: Site, before: "Before") -> list[str]:
    """What a run has left behind, in words; nothing where it left nothing."""
    family, post = before.family, row.get("post", {})
    changed = {path for path, moment in _moments(row, here).items() if moment != before.moments[path]}
    found = [f"{path} is there" for path in sorted(changed)]
    if "absent_after" in post:
        seconds, path = post["absent_after"]
        found += [f"{path} came later"] if until(lambda: _exists(path, here), seconds) else []
    # A keeper that stands ready is new, and is no survivor: it sleeps in its own session and has nothing of the run.
    if not until(lambda: not _survivors(family), 3.0):
        found.append(f"processes {_survivors(family)} are there still")
    if "no_sysv" in post:
        keys = {int(line.split()[0]) & 0xFFFFFFFF for line in _lines("/proc/sysvipc/shm")}
        found += ["a SysV segment is there"] if post["no_sysv"] in keys else []
    here.udp.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        found.append(f"a packet came: {here.udp.recv(100)!r}")
    for listener in (here.tcp, here.abstract):
        listener.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            listener.accept()[0].close()
            found.append("a connection came")
    if post.get("no_leftover_rundir") and not until(lambda: set(_folders()) <= set(before.folders), 3.0):
        found.append("the folder of a run is there still")
    found += ["sys.path has changed"] if sys.path != _PATH else []
    return found


_PATH = list(sys.path)


@dataclass(frozen=True)
class Before:
    """What there was before a run.

    Args:
        family: processes of ours.
        folders: of runs that cannot mount one of their own, which others may be doing.
        moments: the marks of the row that somebody else has left, and when.
    """

    family: set[int]
    folders: list[str]
    moments: dict[str, int | None]


def before(row: dict[str, Any], here: Site) -> Before:
    """What there is now."""
    family = {pid for pid, _ in descendants(os.getpid())}
    return Before(family, _folders(), _moments(row, here))


def _moments(row: dict[str, Any], here: Site) -> dict[str, int | None]:
    """When each file that must not be there was changed; None where it is not."""
    found: dict[str, int | None] = {}
    for path in row.get("post", {}).get("absent", ()):
        found[path] = None
        with contextlib.suppress(OSError):
            found[path] = os.lstat(os.path.expanduser(here.text(path))).st_mtime_ns
    return found


def _folders() -> list[str]:
    return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("rewardgate-run")]


def _exists(path: str, here: Site) -> bool:
    return os.path.lexists(os.path.expanduser(here.text(path)))


def _survivors(family: set[int]) -> list[int]:
    return [pid for pid, depth in descendants(os.getpid()) if pid not in family and depth != 2 and depth != 0]


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()[1:]
