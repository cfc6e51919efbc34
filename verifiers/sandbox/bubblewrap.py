"""Jails within bubblewrap: a second wall around the zygote, for machines where only `bwrap` may make namespaces.

Bubblewrap is started once a worker, not once a run. Inside it a jail takes on every layer of its own that it still
can; what it cannot have there is told by `layers`, as everywhere.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

__all__ = ["NAMESPACES", "bubblewrap_wall", "why_no_bubblewrap"]

NAMESPACES = ("pid", "net", "ipc", "uts", "mnt")
"""What bubblewrap keeps apart; that it did is proved inside, by comparison with the caller's."""

_READABLE = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime")
_SCRATCH_BYTES = 256 << 20
_PROBE_S = 20.0


def bubblewrap_wall(command: Sequence[str], readable: Sequence[str]) -> list[str]:
    """`command` as bubblewrap is to start it, with an interpreter and `readable` to see and nothing else.

    Raises:
        FileNotFoundError: there is no `bwrap` on the path.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise FileNotFoundError("bwrap: expected it on the path; install bubblewrap")
    arguments = [program, "--die-with-parent", "--new-session"]
    arguments += [f"--unshare-{name}" for name in NAMESPACES if name != "mnt"]
    if os.geteuid() == 0:
        # No user namespace: root in one would be root outside. The zygote drops its user itself, and needs this for it.
        arguments += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    arguments += [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(_SCRATCH_BYTES),
        "--perms",
        "1777",
        "--tmpfs",
        "/tmp",
    ]
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    for path in (*_READABLE, *sorted(prefixes - {"/", "/usr"}), *readable):
        arguments += ["--ro-bind-try", path, path]
    return [*arguments, "--", *command]


def why_no_bubblewrap() -> str:
    """What bubblewrap says when it is to start a program that does nothing; empty where it does."""
    try:
        command = bubblewrap_wall([shutil.which("true") or "/bin/true"], ())
        ended = subprocess.run(command, capture_output=True, timeout=_PROBE_S, check=False, text=True)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return "" if ended.returncode == 0 else ended.stderr.strip() or f"exit code {ended.returncode}"
