"""The filter's instructions, run by an interpreter of our own: what they answer to each call, on both machines."""

from collections.abc import Iterator
from types import ModuleType

import pytest
from jail_modules import loaded

OWN_PID = 4711
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, NOTHING, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050000, 0x00050001, 0x00050026, 0x80000000
CLONE_THREAD = 0x00010000
THREAD_FLAGS = 0x003D0F00
"""What glibc's pthread_create passes."""
NEW_NAMESPACES = [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x00000080]


@pytest.fixture(params=["x86_64", "aarch64"], scope="module")
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def seccomp(machine: str) -> Iterator[ModuleType]:
    with loaded("seccomp", machine=machine) as module:
        yield module


def answer(
    seccomp: ModuleType,
    machine: str,
    number: int,
    *arguments: int,
    processes: bool = False,
    attributes: bool = True,
    arch: int = 0,
) -> int:
    """What the kernel would do: one instruction after another, as linux/Documentation/networking/filter.rst says."""
    program = seccomp._filter(processes=processes, own_pid=OWN_PID, attributes=attributes)
    assert len(program) <= 4096  # BPF_MAXINSNS
    data = {0: number & 0xFFFFFFFF, 4: arch or AUDIT_ARCH[machine]}
    for position, argument in enumerate((*arguments, 0, 0, 0, 0, 0, 0)[:6]):
        data[16 + 8 * position] = argument & 0xFFFFFFFF
        data[20 + 8 * position] = argument >> 32 & 0xFFFFFFFF
    accumulator, at = 0, 0
    while True:
        one = program[at]
        at += 1
        if one.code == 0x20:  # BPF_LD | BPF_W | BPF_ABS
            accumulator = data[one.k]
        elif one.code == 0x06:  # BPF_RET | BPF_K
            return one.k
        else:
            is_true = {
                0x15: accumulator == one.k,
                0x35: accumulator >= one.k,
                0x45: bool(accumulator & one.k),
            }[one.code]
            at += one.jt if is_true else one.jf


def test_every_refused_call_is_refused(seccomp: ModuleType, machine: str) -> None:
    names = [name for name in seccomp.REFUSED + seccomp.PROCESSES if name in seccomp.NUMBERS]
    assert len(names) > 70
    assert {name for name in names if answer(seccomp, machine, seccomp.NUMBERS[name]) != EPERM} == set()


def test_calls_of_io_uring_userns_bpf_keys_perf_and_userfaultfd_are_among_them(
    seccomp: ModuleType, machine: str
) -> None:
    names = ("io_uring_setup", "unshare", "bpf", "keyctl", "perf_event_open", "userfaultfd", "socket", "ptrace")
    assert [answer(seccomp, machine, seccomp.NUMBERS[name]) for name in names] == [EPERM] * len(names)


def test_every_other_call_of_the_table_is_allowed(seccomp: ModuleType, machine: str) -> None:
    by_arguments = {"clone", "clone3", "kill", "tgkill", "prctl", *seccomp.OF_ITSELF}
    refused = {seccomp.NUMBERS[name] for name in seccomp.REFUSED + seccomp.PROCESSES if name in seccomp.NUMBERS}
    refused |= {seccomp.NUMBERS[name] for name in by_arguments}
    wrong = [n for n in range(seccomp.LAST_KNOWN + 1) if n not in refused and answer(seccomp, machine, n) != ALLOW]
    assert wrong == []


def test_a_call_newer_than_the_table_does_not_exist(seccomp: ModuleType, machine: str) -> None:
    assert answer(seccomp, machine, seccomp.LAST_KNOWN + 1) == ENOSYS
    assert answer(seccomp, machine, 0xFFFFFFFF) == ENOSYS


def test_a_call_with_the_x32_bit_does_not_exist(seccomp: ModuleType, machine: str) -> None:
    assert [answer(seccomp, machine, 0x40000000 | number) for number in (0, 1, 59, 520)] == [ENOSYS] * 4


def test_a_call_of_another_architecture_kills(seccomp: ModuleType, machine: str) -> None:
    others = [0x40000003, 0x40000028, *(arch for name, arch in AUDIT_ARCH.items() if name != machine)]
    assert [answer(seccomp, machine, 1, arch=arch) for arch in others] == [KILL] * 3


def test_clone3_does_not_exist_so_that_flags_can_be_seen(seccomp: ModuleType, machine: str) -> None:
    assert answer(seccomp, machine, seccomp.NUMBERS["clone3"], processes=True) == ENOSYS
    assert answer(seccomp, machine, seccomp.NUMBERS["clone3"]) == ENOSYS


def test_a_thread_is_allowed_and_a_process_is_not(seccomp: ModuleType, machine: str) -> None:
    clone = seccomp.NUMBERS["clone"]
    assert answer(seccomp, machine, clone, THREAD_FLAGS) == ALLOW
    assert answer(seccomp, machine, clone, 17) == EPERM  # SIGCHLD: what fork passes
    assert answer(seccomp, machine, clone, THREAD_FLAGS & ~CLONE_THREAD) == EPERM


def test_signals_go_to_the_program_itself_alone(seccomp: ModuleType, machine: str) -> None:
    for name in ("kill", "tgkill"):
        number = seccomp.NUMBERS[name]
        assert answer(seccomp, machine, number, OWN_PID) == ALLOW
        assert [answer(seccomp, machine, number, other) for other in (1, OWN_PID + 1, 0, 2**32 - 1)] == [EPERM] * 4


def test_a_program_cannot_outlive_who_started_it(seccomp: ModuleType, machine: str) -> None:
    prctl = seccomp.NUMBERS["prctl"]
    assert answer(seccomp, machine, prctl, 1, 0) == EPERM  # PR_SET_PDEATHSIG
    assert answer(seccomp, machine, prctl, 15) == ALLOW  # PR_SET_NAME: threads are named by it


def test_limits_and_processors_are_its_own_alone(seccomp: ModuleType, machine: str) -> None:
    for name in seccomp.OF_ITSELF:
        number = seccomp.NUMBERS[name]
        assert [answer(seccomp, machine, number, pid) for pid in (0, OWN_PID)] == [ALLOW] * 2
        assert [answer(seccomp, machine, number, pid) for pid in (1, OWN_PID + 1)] == [EPERM] * 2


def test_where_processes_are_allowed_namespaces_are_not(seccomp: ModuleType, machine: str) -> None:
    clone = seccomp.NUMBERS["clone"]
    assert answer(seccomp, machine, clone, 17, processes=True) == ALLOW
    assert answer(seccomp, machine, seccomp.NUMBERS["execve"], processes=True) == ALLOW
    assert [answer(seccomp, machine, clone, 17 | flag, processes=True) for flag in NEW_NAMESPACES] == [EPERM] * 8
    names = [name for name in seccomp.REFUSED if name in seccomp.NUMBERS]
    wrong = [name for name in names if answer(seccomp, machine, seccomp.NUMBERS[name], processes=True) != EPERM]
    assert wrong == []


def test_every_jump_lands_inside_the_program(seccomp: ModuleType) -> None:
    for processes in (False, True):
        program = seccomp._filter(processes=processes, own_pid=OWN_PID)
        jumps = [(at, one) for at, one in enumerate(program) if one.code in (0x15, 0x35, 0x45)]
        assert all(at + 1 + max(one.jt, one.jf) < len(program) for at, one in jumps)
        assert program[-1].code == 0x06


def test_every_refused_name_has_a_number_somewhere() -> None:
    known: set[str] = set()
    for machine in AUDIT_ARCH:
        with loaded("syscalls", machine=machine) as syscalls:
            known |= set(syscalls.NUMBERS)
    with loaded("seccomp") as seccomp:
        assert set(seccomp.REFUSED + seccomp.PROCESSES) - known == set()


def test_an_architecture_without_a_table_gets_no_filter_but_an_error() -> None:
    with loaded("seccomp", machine="riscv64") as seccomp, pytest.raises(OSError, match="no table for riscv64"):
        seccomp.refuse_calls(processes=False)


def test_files_of_its_user_keep_their_modes_where_nothing_else_keeps_them(seccomp: ModuleType, machine: str) -> None:
    names = [name for name in seccomp.ATTRIBUTES if name in seccomp.NUMBERS]
    assert {"fchmod", "fchmodat", "fchownat", "utimensat", "setxattr"} <= set(names)
    for allowed, expected in ((True, ALLOW), (False, NOTHING)):
        answers = {answer(seccomp, machine, seccomp.NUMBERS[name], attributes=allowed) for name in names}
        assert answers == {expected}


def test_limits_and_processors_are_changed_of_oneself_alone(seccomp: ModuleType, machine: str) -> None:
    for name in seccomp.OF_ITSELF:
        number = seccomp.NUMBERS[name]
        assert [answer(seccomp, machine, number, pid) for pid in (0, OWN_PID)] == [ALLOW] * 2
        assert [answer(seccomp, machine, number, pid) for pid in (1, OWN_PID + 1)] == [EPERM] * 2
