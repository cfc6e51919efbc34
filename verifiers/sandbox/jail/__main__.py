"""The zygote: a small interpreter, started fresh, that forks one jailed process a run and says how each ended.

It never holds an expected value, for what a process has held, its children can find. Descriptor 0 is the control
channel (SOCK_SEQPACKET, JSON): a request carries the descriptors of one run beside it, an answer tells its end.
"""

import contextlib
import gc
import json
import os
import resource
import signal
import socket
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import candidate
import proofs
from serving import Zygote

_PRELOADED = (
    "abc", "array", "ast", "bisect", "calendar", "cmath", "collections", "contextlib", "copy", "dataclasses",
    "datetime", "decimal", "enum", "fractions", "functools", "heapq", "io", "itertools", "json", "math", "numbers",
    "operator", "queue", "random", "re", "statistics", "string", "struct", "textwrap", "threading", "time", "typing",
)  # fmt: skip
_OPEN_FILES = 4096


def main() -> None:
    """Prepare, prove, announce; then serve until the control channel closes."""
    settings = json.loads(sys.argv[1])
    sys.argv[:] = [""]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stand_first_in_line()
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    try:
        _preload(settings)
        jail = proofs.prepare(settings)
    except BaseException:
        control.send(json.dumps({"error": traceback.format_exc(limit=-3)}).encode())
        return
    control.send(json.dumps({"ready": True, "layers": jail.names, "reasons": jail.reasons}).encode())
    candidate.forget_ourselves(jail.scratch)
    gc.collect()
    gc.freeze()
    gc.disable()
    Zygote(control, jail).serve()


def _stand_first_in_line() -> None:
    """A kernel that is short of memory takes a program's rather than the caller's; and files enough can be open."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def _preload(settings: dict) -> None:
    sys.path.extend(settings["paths"])
    import _sitebuiltins
    import builtins

    builtins.exit, builtins.quit = _sitebuiltins.Quitter("exit", "Ctrl-D"), _sitebuiltins.Quitter("quit", "Ctrl-D")  # type: ignore[assignment]
    for name in (*_PRELOADED, *settings["modules"]):
        __import__(name)


main()
