"""The candidate's own process: rights are taken away here, then a stranger's program runs."""

import builtins
import contextlib
import gc
import io
import os
import sys
import traceback
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import calls
import landlock
import reach
import seccomp
import together
from confine import Limits, die_with_parent, drop_capabilities, limit, mount_scratch, mount_shared_memory

import tests

_MAX_SOURCE_BYTES = 16 * 1024 * 1024
_OWN_MODULES = (
    "calls",
    "candidate",
    "confine",
    "family",
    "frames",
    "keepers",
    "landlock",
    "plain",
    "proofs",
    "reach",
    "remote",
    "scratch",
    "seccomp",
    "serving",
    "syscalls",
    "tests",
    "together",
)


@dataclass(frozen=True)
class Plan:
    """One run, as the supervisor asked for it.

    Args:
        kind: `program` (run as `__main__`), `calls` (loaded as a module, then called over descriptor 3), `tests` (which
            call over descriptor 3) or `together` (both in one process).
        limits: of the candidate.
        scratch: its working folder: where a tmpfs is mounted, or one that was made for it.
        has_mounts: whether a tmpfs can be mounted.
        source: the descriptor that the program is read from.
        descriptors: what becomes 0, 1, 2 and, where there is one more, 3.
        settings: for the candidate: what else its kind needs to know.
    """

    kind: str
    limits: Limits
    scratch: str
    has_mounts: bool
    source: int
    descriptors: tuple[int, ...]
    settings: dict


@dataclass(frozen=True)
class Layers:
    """What holds a candidate here.

    Args:
        landlock: the version; 0 for none.
        seccomp: whether calls are filtered.
        readable: O_PATH descriptors of what every program may read: the interpreter, its libraries, a few devices.
        attributes: whether something else keeps it from the modes, owners and times of its user's files.
        kept: how many descriptors from `reach.FIRST` on lead to the interpreter.
    """

    landlock: int
    seccomp: bool
    readable: Sequence[int]
    attributes: bool = False
    kept: int = 0


def become(plan: Plan, layers: Layers, report: int) -> NoReturn:
    """Turn this process into the candidate of `plan`. What keeps it from that is said on `report`, exit code 125."""
    try:
        die_with_parent()
        os.setsid()
        source = _source(plan)
        _enter_scratch(plan)
        confine(plan, layers)
        for wanted, given in enumerate(_above(plan.descriptors)):
            os.dup2(given, wanted)
    except BaseException:
        os.write(report, b'{"error": ' + _quoted(traceback.format_exc(limit=-2)) + b"}")
        os._exit(125)
    os.closerange(len(plan.descriptors), reach.FIRST)
    os.closerange(reach.FIRST + layers.kept, 1 << 16)
    sys.path.insert(0, plan.scratch)
    sys.modules["__main__"] = types.ModuleType("__main__")
    gc.enable()
    if plan.kind == "calls":
        _end(calls.serve, source, plan.settings)
    if plan.kind == "together":
        _end(together.serve, source, plan.settings)
    if plan.kind == "tests":
        _end(tests.run, source, plan.settings)
    _end(_run_as_main, source)


def confine(plan: Plan, layers: Layers) -> None:
    """Every layer that this machine has, the filter of calls last: it refuses what the others need."""
    limit(plan.limits)
    drop_capabilities()
    if layers.landlock:
        writable = [os.open(plan.scratch, os.O_PATH)]
        if plan.limits.processes and plan.has_mounts:
            writable.append(os.open("/dev/shm", os.O_PATH))
        executable = plan.limits.processes > 0
        landlock.restrict(layers.readable, writable, version=layers.landlock, executable=executable)
    if layers.seccomp:
        seccomp.refuse_calls(processes=plan.limits.processes > 0, attributes=layers.attributes)


def _above(descriptors: Sequence[int]) -> list[int]:
    """The same open files under numbers that none of the wanted ones can overwrite."""
    return [os.dup(descriptor) if descriptor < len(descriptors) else descriptor for descriptor in descriptors]


def _enter_scratch(plan: Plan) -> None:
    if plan.has_mounts:
        mount_scratch(plan.scratch, plan.limits.file_bytes)
        if plan.limits.processes:
            mount_shared_memory(plan.limits.file_bytes)
    else:
        _set_environment(plan.scratch)
        if "tempfile" in sys.modules:
            vars(sys.modules["tempfile"])["tempdir"] = None  # it remembers where the zygote made this folder
    os.chdir(plan.scratch)


def _source(plan: Plan) -> bytes:
    source = bytearray()
    while chunk := os.read(plan.source, 1 << 16):
        source += chunk
        if len(source) > _MAX_SOURCE_BYTES:
            # The program's fault, not ours: it ends as one that cannot be compiled.
            os.write(plan.descriptors[2], f"source: expected at most {_MAX_SOURCE_BYTES} bytes\n".encode())
            os._exit(1)
    return bytes(source)


def _quoted(text: str) -> bytes:
    import json

    return json.dumps(text).encode()


def forget_ourselves(scratch: str) -> None:
    """What every candidate starts with is prepared once, in the zygote.

    A program sees what `python solution.py` would show it, and none of these modules.
    """
    _standard_streams()
    for name in _OWN_MODULES:
        sys.modules.pop(name, None)
    sys.argv[:] = ["solution.py"]
    # That of a virtual environment may be hidden; what a program starts anew is a plain interpreter.
    sys.executable = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    sys.path[:] = [entry for entry in sys.path if entry != os.path.dirname(os.path.abspath(__file__))]
    _set_environment(scratch)


def _standard_streams() -> None:
    """Fresh ones, made over pipes, as a candidate's are: a stream remembers whether it can be sought in."""
    kept = [os.dup(descriptor) for descriptor in range(3)]
    reads, writes = os.pipe()
    for descriptor, end in enumerate((reads, writes, writes)):
        os.dup2(end, descriptor)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r")), "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), "utf-8", "surrogateescape")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w")), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    for descriptor, back in enumerate(kept):
        os.dup2(back, descriptor)
    for descriptor in (*kept, reads, writes):
        os.close(descriptor)


def _set_environment(scratch: str) -> None:
    os.environ.clear()
    os.environ.update(
        {"HOME": scratch, "TMPDIR": scratch, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
         "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    )  # fmt: skip


def _run_as_main(source: bytes) -> None:
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__="solution.py", __builtins__=builtins)
    sys.modules["__main__"] = module
    exec(compile(source, "solution.py", "exec", dont_inherit=True), module.__dict__)


def _end(run: object, *arguments: object) -> NoReturn:
    """Run and exit as an interpreter would: wait for threads, run exit functions and destructors, flush."""
    code = 0
    try:
        try:
            run(*arguments)  # type: ignore[operator]
        except SystemExit as end:
            code = _exit_code(end.code)
        except BaseException as error:
            code = 1
            _print_error(error)
        code = _finish(code)
    except BaseException:
        code = code or 1
    os._exit(code)


def _exit_code(code: object) -> int:
    if code is None:
        return 0
    if type(code) is int:
        return code & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _print_error(error: BaseException) -> None:
    own = error.__traceback__
    while own is not None and own.tb_frame.f_code.co_filename != "solution.py":
        own = own.tb_next
    traceback.print_exception(type(error), error, own, limit=20)


def _finish(code: int) -> int:
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    main = sys.modules.pop("__main__", None)
    if isinstance(main, types.ModuleType):
        main.__dict__.clear()
    del main
    gc.collect()  # the zygote's objects are frozen: this looks at the program's alone
    try:
        sys.stdout.flush()
    except BaseException:
        code = code or 120
    with contextlib.suppress(BaseException):
        sys.stderr.flush()
    return code
