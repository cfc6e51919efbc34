"""Which layers hold here. Each is tried by a child that does the forbidden thing; one that was not refused is no layer.

The order in which they are taken on is the order of `LAYERS`, from the outermost.
"""

import ctypes
import errno
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import confine
import landlock
import seccomp
from candidate import Layers
from keepers import Keepers
from reach import keep_in_reach
from syscalls import checked, libc, syscall

LAYERS = ("bwrap", "uid", "userns", "netns", "ipcns", "pidns", "mountns", "landlock", "seccomp", "rlimits")

_PROOF_BYTES = 1 << 20
_READABLE = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/urandom",
    "/dev/random",
)  # fmt: skip
_IPC_CREAT, _IPC_RMID, _IPC_STAT = 0o1000, 0, 2


@dataclass
class Jail:
    """What was prepared, and proved.

    Args:
        scratch: where a run works, where a tmpfs can be mounted there; empty where each needs a folder of its own.
        layers: for the candidate.
        keepers: of PID namespaces, where there are any.
        has_mounts: whether a tmpfs can be mounted.
        names: the layers that were proved, in the order of `LAYERS`.
        reasons: why the others are missing.
    """

    scratch: str
    layers: Layers
    keepers: Keepers | None = None
    has_mounts: bool = False
    names: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)


def prepare(settings: dict) -> Jail:
    """Take on, and prove, every layer that this process may, except those in `settings["without"]`."""
    without = set(settings["without"])
    readable = [os.open(path, os.O_PATH) for path in _readable(settings)]
    jail = Jail("", Layers(0, False, readable))
    listener = _listener()
    was_root = os.geteuid() == 0

    def add(name: str, take: Callable[[], object], proof: Callable[[], None] | None = None) -> bool:
        if name in without:
            jail.reasons[name] = "left out on purpose"
            return False
        try:
            take()
            if proof is not None:
                _in_child(proof)
        except (OSError, ProofError) as error:
            jail.reasons[name] = str(error)
            return False
        jail.names.append(name)
        return True

    if settings["outside"]:
        add("bwrap", lambda: None, partial(_behind_a_wall, settings["outside"]))
    hidden = ["/tmp"] if "mountns" not in without else []
    jail.layers = Layers(0, False, readable, kept=keep_in_reach(_prefixes(settings), hidden, closed=was_root))
    if was_root:
        add("uid", lambda: confine.drop_root(settings["uid"]), _no_way_back)
    segment, address = _attached_segment()
    if add("userns", confine.enter_user_namespace):
        add("netns", confine.enter_network_namespace, lambda: _no_connection(listener))
        add("ipcns", confine.enter_ipc_namespace, partial(_no_shared_segment, segment))
        add("pidns", partial(_keep, jail), _sees_itself_alone)
        jail.has_mounts = add("mountns", confine.enter_mount_namespace, _has_a_quota)
        jail.scratch = "/tmp" if jail.has_mounts else ""
    _detach(address)
    listener.close()
    version = landlock.abi()
    has_landlock = partial(_needs, version > 0, "the kernel has none")
    if add("landlock", has_landlock, partial(_files_are_out_of_reach, jail, version)):
        jail.layers = replace(jail.layers, landlock=version)
    if add("seccomp", seccomp.prepare, _calls_are_refused):
        jail.layers = replace(jail.layers, seccomp=True)
    jail.layers = replace(jail.layers, attributes=jail.has_mounts or "uid" in jail.names)
    add("rlimits", lambda: None, _limits_hold)
    confine.bound_capabilities()
    jail.names.sort(key=LAYERS.index)
    return jail


class ProofError(Exception):
    """A forbidden thing was not refused."""


class NoProofError(Exception):
    """Whether it is refused cannot be found out."""


def _readable(settings: dict) -> list[str]:
    """Without what lies below another of them: each is a rule more for every candidate."""
    real = {os.path.realpath(path) for path in (*_READABLE, *_prefixes(settings)) if os.path.exists(path)}
    return sorted(path for path in real if not any(path.startswith(f"{other}/") for other in real))


def _prefixes(settings: dict) -> list[str]:
    prefixes = {sys.base_prefix, sys.base_exec_prefix, *settings["paths"]}
    return sorted(path for path in prefixes if path not in ("/", "/usr"))


def _in_child(attempt: Callable[[], None]) -> None:
    """Run `attempt` in a child; raises ProofError with what it said where it failed.

    A child that somebody killed has proved nothing, neither way: it is tried once more, then this zygote does not
    start. A machine is not said to lack a layer because it was short of memory.
    """
    for _ in range(2):
        if not _is_killed(attempt):
            return
    raise NoProofError("the child that should prove a layer was killed")


def _is_killed(attempt: Callable[[], None]) -> bool:
    ours, theirs = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        raise NoProofError(f"no child to prove a layer: {error}") from error
    if pid == 0:
        _tell(attempt, theirs)
    return _told(pid, ours, theirs)


def _tell(attempt: Callable[[], None], descriptor: int) -> None:
    said = ""
    try:
        attempt()
    except (OSError, ProofError) as error:
        said = str(error) or type(error).__name__
    except BaseException:
        said = traceback.format_exc(limit=-1)
    os.write(descriptor, json.dumps(said).encode())
    os._exit(0)


def _told(pid: int, ours: int, theirs: int) -> bool:
    os.close(theirs)
    with open(ours, "rb") as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    if not said and os.waitstatus_to_exitcode(status) == -signal.SIGKILL:
        return True
    if error := json.loads(said) if said else "the child that should prove it died":
        raise ProofError(error)
    return False


def _needs(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ProofError(otherwise)


def _refused(what: str, attempt: Callable[[], object]) -> None:
    try:
        attempt()
    except OSError:
        return
    raise ProofError(f"{what} was not refused")


def _no_way_back() -> None:
    _refused("becoming root again", lambda: os.setresuid(0, 0, 0))
    if os.path.exists("/etc/shadow"):
        _refused("reading /etc/shadow", lambda: os.open("/etc/shadow", os.O_RDONLY))


def _listener() -> socket.socket:
    listener = socket.socket()
    try:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
    except OSError:
        pass  # no loopback: then there is nothing to reach either
    return listener


def _no_connection(listener: socket.socket) -> None:
    try:
        address = listener.getsockname()
    except OSError:
        return
    _refused("a connection to this machine", lambda: socket.create_connection(address, timeout=1))


def _attached_segment() -> tuple[int, int | None]:
    """Number and address of shared memory that is gone as soon as nobody has it attached; -1 where there is none."""
    libc.shmat.restype = ctypes.c_void_p
    segment = libc.shmget(0, 4096, _IPC_CREAT | 0o600)
    if segment < 0:
        return -1, None
    address = libc.shmat(segment, None, 0)
    libc.shmctl(segment, _IPC_RMID, None)
    return segment, address


def _no_shared_segment(segment: int) -> None:
    described = ctypes.create_string_buffer(512)
    _refused("a stranger's shared memory", lambda: checked(libc.shmctl(segment, _IPC_STAT, described), "shmctl"))


def _detach(address: int | None) -> None:
    libc.shmdt(ctypes.c_void_p(address))


def _keep(jail: Jail) -> None:
    """From here on the children of this process are born in the PID namespace of a keeper."""
    jail.keepers = Keepers()
    jail.keepers.leave(jail.keepers.enter(), is_empty=True)


def _behind_a_wall(outside: dict) -> None:
    for name, link in outside.items():
        _needs(os.readlink(f"/proc/self/ns/{name}") != link, f"the {name} namespace is the caller's")
    _refused("writing outside of /tmp", lambda: os.open("/usr/proof", os.O_WRONLY | os.O_CREAT))
    _refused("reading /etc/passwd", lambda: os.open("/etc/passwd", os.O_RDONLY))


def _sees_itself_alone() -> None:
    _needs(os.getppid() == 0, "the parent is in sight")
    _refused("a signal to everybody else", lambda: os.kill(-1, 0))


def _has_a_quota() -> None:
    try:
        os.utime("/usr")
    except OSError as error:
        _needs(error.errno == errno.EROFS, f"the files of this machine can be changed ({error})")
    else:
        raise ProofError("changing the time of a file was not refused")
    confine.mount_scratch("/tmp", _PROOF_BYTES)
    _needs(os.listdir("/tmp") == [], "the scratch folder is not empty")
    with open("/tmp/proof", "wb", buffering=0) as file:
        _refused("filling the disk", lambda: [file.write(b"0" * _PROOF_BYTES) for _ in range(3)])


def _files_are_out_of_reach(jail: Jail, version: int) -> None:
    outside = os.path.abspath(__file__)
    landlock.restrict(jail.layers.readable, [], version=version)
    _refused("reading /etc/passwd", lambda: os.open("/etc/passwd", os.O_RDONLY))
    for folder in (os.path.dirname(outside), "/tmp"):
        path = os.path.join(folder, f"proof-{os.getpid()}")
        _refused(f"writing to {folder}", partial(os.open, path, os.O_WRONLY | os.O_CREAT))


def _calls_are_refused() -> None:
    seccomp.refuse_calls(processes=False)
    _refused("a new process", _fork_and_end)
    _refused("another program", lambda: os.execv(sys.executable, [sys.executable, "-c", ""]))
    _refused("a socket", socket.socket)
    _refused("a namespace", lambda: syscall("unshare", 0x10000000))
    _refused("a signal to the parent", lambda: os.kill(os.getppid(), 0))
    _refused("shared memory", lambda: syscall("shmget", 0, 4096, _IPC_CREAT | 0o600))


def _fork_and_end() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _limits_hold() -> None:
    import mmap
    import resource

    memory = 512 * _PROOF_BYTES
    confine.limit(confine.Limits(cpu_s=1, memory_bytes=memory, file_bytes=_PROOF_BYTES, processes=0))
    _refused("more memory than allowed", lambda: mmap.mmap(-1, 2 * memory))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard * 2))
    except (ValueError, OSError):
        return
    raise ProofError("raising a hard limit was not refused")
