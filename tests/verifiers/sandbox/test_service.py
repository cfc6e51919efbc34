"""A service that is spoken to over HTTP: its failures are never the program's."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sandbox_service import StandIn, stand_in_service

from rewardgate.errors import ArgumentError
from rewardgate.verifiers.sandbox.judging import bad_end
from rewardgate.verifiers.sandbox.runs import JailError, Limits
from rewardgate.verifiers.sandbox.service import Service


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with stand_in_service() as state:
        yield state


def service(stand_in: StandIn, **options: float) -> Service:
    return Service(stand_in.address, first_wait_s=0.001, **{"attempts": 3, **options})  # type: ignore[arg-type]


def test_a_program_runs_with_its_input_and_its_limits(stand_in: StandIn) -> None:
    limits = Limits(cpu_s=2.0, memory_bytes=300 << 20)
    running = service(stand_in).run(b"print(input()[::-1])", stdin=b"abc\n", limits=limits)
    assert running.stdout == b"cba\n"
    assert running.ended is not None
    assert (running.ended.exit_code, running.ended.killed) == (0, None)
    asked = stand_in.requests[0]
    assert (asked["language"], asked["stdin"], asked["memory_limit_MB"]) == ("python", "abc\n", 300)
    assert asked["run_timeout"] == limits.wall_s


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_service_is_asked_again(stand_in: StandIn, status: int) -> None:
    stand_in.faults = [status, status]
    assert service(stand_in).run(b"print(3)", limits=Limits()).stdout == b"3\n"
    assert len(stand_in.requests) == 3


@pytest.mark.parametrize("fault", ["half", "closed", {"status": "SandboxError", "message": "no pod"}])
def test_what_breaks_off_is_asked_again(stand_in: StandIn, fault: object) -> None:
    stand_in.faults = [fault]
    assert service(stand_in).run(b"print(3)", limits=Limits()).stdout == b"3\n"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (404, "status 404"),
        (422, "status 422"),
        (b"<html>", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no known kind"),
        ({"status": "Success", "run_result": None}, "no known kind"),
        ({"status": "Success", "run_result": {"status": "Error", "stderr": "x"}}, "no known kind"),
        ({"status": "Success", "run_result": {"status": "Finished", "stdout": "3"}}, "ended with None"),
        ({"status": "Success", "run_result": {"status": "Finished", "return_code": True, "stdout": "3"}}, "True"),
        ({"status": "Success", "run_result": {"status": "Finished", "return_code": 0, "stdout": ["3"]}}, "no text"),
    ],
)
def test_an_answer_that_says_nothing_is_an_error_and_asked_for_once(
    stand_in: StandIn, fault: object, said: str
) -> None:
    stand_in.faults = [fault]
    with pytest.raises(JailError, match=said):
        service(stand_in).run(b"print(3)", limits=Limits())
    assert len(stand_in.requests) == 1


def test_it_is_given_up_after_some_attempts(stand_in: StandIn) -> None:
    stand_in.faults = [503] * 10
    with pytest.raises(JailError, match=r"status 503 \(3 times\)"):
        service(stand_in).run(b"print(3)", limits=Limits())
    assert len(stand_in.requests) == 3


def test_nobody_listens() -> None:
    with pytest.raises(JailError, match="refused"):
        Service("http://127.0.0.1:9", attempts=2, first_wait_s=0.001).run(b"", limits=Limits())


def test_an_answer_that_does_not_come_is_an_error(stand_in: StandIn) -> None:
    limits = Limits(cpu_s=5.0)
    with pytest.raises(JailError, match="no answer within"):
        service(stand_in, patience_s=-10.9).run(b"while True: pass", limits=limits)


def test_a_time_out_and_a_signal_are_the_programs_own(stand_in: StandIn) -> None:
    limits = Limits(cpu_s=0.2)
    late = service(stand_in).run(b"while True: pass", limits=limits)
    assert bad_end(late, limits) == ("timeout", "ran longer than 1.4 s (clock time)")
    dead = service(stand_in).run(b"import os; os.abort()", limits=limits)
    assert bad_end(dead, limits) == ("signal", "ended by SIGABRT")


def test_an_output_that_the_service_cuts_is_too_long(stand_in: StandIn) -> None:
    limits = Limits(output_bytes=1 << 20)
    running = service(stand_in).run(b"print('x' * (1 << 20))", limits=limits)
    assert bad_end(running, limits) == ("output_limit", "printed more than 1048576 bytes")


def test_input_that_is_no_text_cannot_be_sent(stand_in: StandIn) -> None:
    with pytest.raises(JailError, match="expected text"):
        service(stand_in).run(b"", stdin=b"\xff", limits=Limits())
    assert not stand_in.requests


def test_threads_do_not_get_each_others_answers(stand_in: StandIn) -> None:
    ours = service(stand_in)

    def ask(number: int) -> bytes:
        return bytes(ours.run(b"print(input())", stdin=b"%d" % number, limits=Limits()).stdout)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(24))) == [b"%d\n" % number for number in range(24)]


def test_closing_ends_the_waiting(stand_in: StandIn) -> None:
    stand_in.faults = [503] * 5
    ours = Service(stand_in.address, first_wait_s=60.0)
    ours.close()
    with pytest.raises(JailError, match="closed"):
        ours.run(b"", limits=Limits())


@pytest.mark.parametrize("address", ["ftp://host", "http://", "host:80", "http://h:x", "http://u@h", "http://h/?q=1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ArgumentError, match="expected an address"):
        Service(address)
