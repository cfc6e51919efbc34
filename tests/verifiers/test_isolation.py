import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rewardgate.errors import ArgumentError, WorkerDiedError, WorkerError, WorkerMemoryError, WorkerTimeoutError
from rewardgate.verifiers.isolation import Workers

SUPPORT = str(Path(__file__).resolve().parents[1] / "support")


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(2, search_path=(SUPPORT,)) as made:
        yield made


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until_gone(pid: int, seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while is_running(pid):
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.005)
    return True


def test_a_call_returns_plain_data(workers: Workers) -> None:
    assert workers.call("math:factorial", 5, timeout_s=30) == 120
    assert workers.call("json:loads", '{"a": [1, null, "\\ud83d"]}', timeout_s=30) == {"a": [1, None, "\ud83d"]}


def test_a_callable_is_shipped_by_value(workers: Workers) -> None:
    factor = 3
    assert workers.call(lambda value: value * factor, 14, timeout_s=30) == 42


def test_a_coroutine_is_run_to_its_end(workers: Workers) -> None:
    async def answer() -> int:
        return 42

    assert workers.call(answer, timeout_s=30) == 42


@pytest.mark.parametrize("function", ["misbehaving:hang", "misbehaving:hang_in_c"])
def test_a_hanging_call_is_killed_at_its_limit_and_the_worker_replaced(workers: Workers, function: str) -> None:
    started = time.monotonic()
    with pytest.raises(WorkerTimeoutError, match=r"ran past 0\.3 s"):
        workers.call(function, timeout_s=0.3)
    assert time.monotonic() - started < 10
    assert workers.call("operator:add", 1, 2, timeout_s=30) == 3


def test_a_call_that_ends_its_worker_says_how(workers: Workers) -> None:
    with pytest.raises(WorkerDiedError, match="exit code 3"):
        workers.call("misbehaving:die", 3, timeout_s=30)
    with pytest.raises(WorkerDiedError, match="signal 6"):
        workers.call("os:abort", timeout_s=30)
    assert workers.call("operator:add", 1, 2, timeout_s=30) == 3


def test_a_worker_that_somebody_killed_is_replaced() -> None:
    with Workers(search_path=(SUPPORT,)) as single:
        pid = single.call("misbehaving:process_id", timeout_s=30)
        os.kill(pid, signal.SIGKILL)
        # The kernel closes a dying process's channel at its own pace: the call may still meet the old worker, once.
        try:
            replaced = single.call("misbehaving:process_id", timeout_s=30)
        except WorkerDiedError:
            replaced = single.call("misbehaving:process_id", timeout_s=30)
        assert replaced != pid


def test_a_worker_killed_during_its_call_is_an_error_and_not_a_hang(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with Workers(search_path=(SUPPORT,)) as single, ThreadPoolExecutor(1) as threads:
        pid = single.call("misbehaving:process_id", timeout_s=30)
        call = threads.submit(single.call, "misbehaving:touch_and_hang", str(begun), timeout_s=60)
        while not begun.exists():
            threading.Event().wait(0.002)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerDiedError, match="signal 9"):
            call.result(timeout=30)


@pytest.mark.skipif(sys.platform != "linux", reason="NOT RUN: only Linux enforces an address-space limit")
def test_a_call_that_eats_memory_is_stopped_by_its_limit(workers: Workers) -> None:
    with pytest.raises(WorkerMemoryError):
        workers.call("misbehaving:eat_memory", timeout_s=30)


def test_an_exception_comes_back_as_its_name_and_message(workers: Workers) -> None:
    with pytest.raises(WorkerError, match="ZeroDivisionError: division by zero"):
        workers.call("operator:truediv", 1, 0, timeout_s=30)
    with pytest.raises(WorkerError, match="SystemExit: 2"):
        workers.call("sys:exit", 2, timeout_s=30)
    with pytest.raises(WorkerError, match=r"UnprintableError: .*cannot be printed"):
        workers.call("misbehaving:raise_unprintable", timeout_s=30)


def test_what_is_not_plain_data_does_not_come_back(workers: Workers) -> None:
    with pytest.raises(WorkerError, match=r"TypeError.*not JSON serializable"):
        workers.call("builtins:object", timeout_s=30)


def test_a_worker_that_prints_megabytes_does_not_block(workers: Workers) -> None:
    assert workers.call("misbehaving:print_much", timeout_s=30) == 1


def test_a_function_that_writes_on_the_channel_forges_no_answer() -> None:
    with Workers(search_path=(SUPPORT,)) as single:
        for _ in range(5):
            with pytest.raises(WorkerError, match="an answer to no question"):
                single.call("misbehaving:speak_unasked", timeout_s=30)
            assert single.call("operator:add", 1, 2, timeout_s=30) == 3


def test_a_killed_worker_takes_the_processes_that_it_started_along(workers: Workers, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with pytest.raises(WorkerTimeoutError):
        workers.call("misbehaving:start_grandchild_and_hang", str(note), timeout_s=2.0)
    assert wait_until_gone(int(note.read_text()))


def test_many_threads_share_few_workers(workers: Workers) -> None:
    with ThreadPoolExecutor(16) as threads:
        squares = threads.map(lambda value: workers.call("operator:mul", value, value, timeout_s=30), range(200))
        assert list(squares) == [value * value for value in range(200)]


def test_a_large_argument_goes_through(workers: Workers) -> None:
    assert workers.call("builtins:len", "x" * 5_000_000, timeout_s=30) == 5_000_000


def test_the_callers_alarm_is_not_touched(workers: Workers) -> None:
    signal.setitimer(signal.ITIMER_REAL, 1_000)
    try:
        with pytest.raises(WorkerTimeoutError):
            workers.call("misbehaving:hang", timeout_s=0.1)
        assert 990 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="NOT RUN: reads /proc")
@pytest.mark.parametrize("function", ["misbehaving:hang", "misbehaving:hang_in_c"])
def test_workers_end_when_their_caller_is_killed_even_in_the_middle_of_c_code(function: str) -> None:
    program = (
        "import sys\nfrom rewardgate.verifiers.isolation import Workers\n"
        f"workers = Workers(search_path=({SUPPORT!r},))\n"
        "print(workers.call('misbehaving:process_id', timeout_s=60), flush=True)\n"
        f"workers.call({function!r}, timeout_s=600)\n"
    )
    caller = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert caller.stdout is not None
        pid = int(caller.stdout.readline())
        caller.kill()
        caller.wait()
        assert wait_until_gone(pid)
    finally:
        caller.kill()
        caller.wait()
        if caller.stdout is not None:
            caller.stdout.close()


def test_a_forked_child_of_the_caller_gets_workers_of_its_own(workers: Workers) -> None:
    workers.call("operator:add", 1, 2, timeout_s=30)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if workers.call("operator:add", 20, 22, timeout_s=60) == 42 else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert workers.call("operator:add", 1, 2, timeout_s=30) == 3


def test_a_closed_set_ends_its_processes_and_can_be_used_again() -> None:
    single = Workers(search_path=(SUPPORT,))
    pid = single.call("misbehaving:process_id", timeout_s=30)
    single.close()
    assert not is_running(pid)
    assert single.call("operator:add", 1, 2, timeout_s=30) == 3
    single.close()


def test_a_set_that_is_closed_for_good_takes_no_call() -> None:
    single = Workers()
    single.close(for_good=True)
    with pytest.raises(WorkerDiedError, match="closed"):
        single.call("operator:add", 1, 2, timeout_s=30)


def test_started_workers_are_warm_without_having_been_waited_for() -> None:
    with Workers(2) as pair:
        pair.start()
        assert pair.call("operator:add", 1, 2, timeout_s=30) == 3
        assert pair.start_seconds > 0


def test_a_worker_that_starts_too_late_is_no_time_out_of_the_call() -> None:
    # A time-out would be read as the fault of what was asked.
    with (
        Workers(search_path=(SUPPORT,), start_timeout_s=0.3, warm_up=("misbehaving:hang",)) as late,
        pytest.raises(WorkerDiedError, match=r"start within 0\.3 s"),
    ):
        late.call("operator:add", 1, 2, timeout_s=30)


def test_a_warm_up_that_raises_is_told_by_the_call() -> None:
    with (
        Workers(warm_up=("operator:truediv", 1, 0)) as cold,
        pytest.raises(WorkerError, match="did not start: ZeroDivisionError"),
    ):
        cold.call("operator:add", 1, 2, timeout_s=30)


def test_closing_ends_a_call_that_is_under_way() -> None:
    single = Workers(search_path=(SUPPORT,))
    single.call("operator:add", 1, 2, timeout_s=30)
    with ThreadPoolExecutor(2) as threads:
        call = threads.submit(single.call, "misbehaving:hang", timeout_s=600)
        while single._idle:
            threading.Event().wait(0.002)
        waiting = threads.submit(single.call, "misbehaving:hang", timeout_s=600)
        single.close(for_good=True)
        for ended in (call, waiting):
            with pytest.raises(WorkerDiedError):
                ended.result(timeout=30)


@pytest.mark.skipif(sys.platform != "linux", reason="NOT RUN: reads /proc")
def test_a_forgotten_set_leaves_no_process_and_no_open_line() -> None:
    single = Workers(search_path=(SUPPORT,))
    pid = single.call("misbehaving:process_id", timeout_s=30)
    gc.collect()  # what other tests forgot is not to be closed between the two counts
    before = len(os.listdir("/proc/self/fd"))
    del single
    gc.collect()
    assert not is_running(pid)
    assert len(os.listdir("/proc/self/fd")) == before - 2  # the channel and the life line


def test_a_pickled_set_is_another_set_built_alike(workers: Workers) -> None:
    with pickle.loads(pickle.dumps(workers)) as copy:
        assert copy.size == workers.size
        assert copy.call("misbehaving:process_id", timeout_s=30) > 0


def test_a_module_in_the_current_folder_is_not_the_one_that_a_worker_starts_with(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)\n")
    program = (
        "from rewardgate.verifiers.isolation import Workers\n"
        "print(Workers().call('operator:add', 1, 2, timeout_s=60))\n"
    )
    command = [sys.executable, "-P", "-c", program]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == "3\n"


@pytest.mark.skipif(sys.platform != "linux", reason="NOT RUN: only Linux kills a process group with its caller")
def test_what_a_worker_started_ends_when_the_caller_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = (
        "from rewardgate.verifiers.isolation import Workers\n"
        f"workers = Workers(search_path=({SUPPORT!r},))\n"
        f"workers.call('misbehaving:start_grandchild_and_hang', {str(note)!r}, timeout_s=600)\n"
    )
    caller = subprocess.Popen([sys.executable, "-c", program])
    deadline = time.monotonic() + 60
    while not (note.exists() and note.read_text()) and time.monotonic() < deadline:
        threading.Event().wait(0.005)
    caller.kill()
    caller.wait()
    assert wait_until_gone(int(note.read_text()))


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, float("inf"), float("nan")])
def test_a_time_limit_that_is_none_is_refused(workers: Workers, timeout_s: float) -> None:
    with pytest.raises(ArgumentError, match="timeout_s: expected a positive number"):
        workers.call("operator:add", 1, 2, timeout_s=timeout_s)


def test_a_set_of_no_workers_is_refused() -> None:
    with pytest.raises(ArgumentError, match="size: expected a whole number >= 1, got 0"):
        Workers(0)
