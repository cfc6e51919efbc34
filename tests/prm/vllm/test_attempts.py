"""Which failures are asked again, how often, and when a server is given up; nothing here needs vLLM."""

import socket
from threading import Thread
from time import monotonic
from typing import Any

import pytest
from stand_in_vllm import StandInProcess, stand_in

from rewardgate.errors import ArgumentError
from rewardgate.prm.vllm.attempts import Call, Patience
from rewardgate.prm.vllm.endpoint import Endpoint
from rewardgate.prm.vllm.failures import NoAnswerError

BODY = {"model": "prm", "task": "token_classify", "input": [1, 2, 3]}
QUICK = Patience(timeout_s=2.0, patience_s=10.0, first_wait_s=0.01)


def failure(call: Call) -> NoAnswerError:
    with pytest.raises(NoAnswerError) as failed:
        call.answer("/pooling", BODY)
    return failed.value


def nobody_listens() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.parametrize("fault", [500, 503, 429, "half", "closed"])
def test_a_passing_fault_costs_an_attempt_and_no_row(fault: Any) -> None:
    with stand_in(faults=[fault, fault]) as server:
        assert Call(Endpoint(server.address), QUICK).answer("/pooling", BODY)["object"] == "list"
        assert len(server.requests) == 3


def test_a_time_out_is_tried_again() -> None:
    patience = Patience(timeout_s=0.3, patience_s=10.0, first_wait_s=0.01)
    with stand_in(faults=["hang"]) as server:
        assert Call(Endpoint(server.address), patience).answer("/pooling", BODY)["object"] == "list"


def test_waits_double_and_are_jittered_between_half_and_whole() -> None:
    with stand_in(faults=[500, 500, 500, 500]) as server:
        Call(Endpoint(server.address), Patience(first_wait_s=0.1)).answer("/pooling", BODY)
        waits = [later - sooner for sooner, later in zip(server.at, server.at[1:], strict=False)]
    assert all(wait >= least for wait, least in zip(waits, (0.05, 0.1, 0.2, 0.4), strict=True))


def test_errors_of_a_server_that_is_there_end_the_row_after_the_attempts() -> None:
    with stand_in(faults=[500] * 9) as server:
        error = failure(Call(Endpoint(server.address), Patience(attempts=3, first_wait_s=0.01)))
        assert (error.rule, error.detail) == ("server_error", "status 500: on purpose (3 attempts)")
        assert len(server.requests) == 3


def test_a_refusal_is_not_asked_again() -> None:
    with stand_in(faults=[400]) as server:
        assert failure(Call(Endpoint(server.address), QUICK)).detail == "status 400: on purpose"
        assert len(server.requests) == 1


def test_a_row_is_given_up_when_its_patience_is_over() -> None:
    started = monotonic()
    call = Call(Endpoint(nobody_listens()), Patience(timeout_s=0.2, patience_s=0.5, first_wait_s=0.05))
    assert failure(call).rule == "unreachable"
    assert monotonic() - started < 3


def test_once_the_server_was_silent_for_so_long_the_other_rows_are_given_up_untried() -> None:
    call = Call(Endpoint(nobody_listens()), Patience(timeout_s=0.2, patience_s=0.3, first_wait_s=0.2))
    failure(call)
    while "given up" not in failure(call).detail:
        pass
    started = monotonic()
    assert all("given up" in failure(call).detail for _ in range(100))
    assert monotonic() - started < 0.3


def test_a_server_that_comes_back_is_used_again() -> None:
    with StandInProcess() as server:
        server.start(dies_after=1)
        assert server.process is not None
        first = server.process

        def start_again() -> None:
            first.wait()
            server.start()

        again = Thread(target=start_again)
        again.start()
        answer = Call(Endpoint(server.address), Patience(patience_s=120.0)).answer("/pooling", BODY)
        again.join()
        assert len(answer["data"][0]["data"]) == 3
        assert first.returncode == -9
        assert first.stdout is not None
        first.stdout.close()


def test_who_breaks_off_waits_for_nothing() -> None:
    call = Call(Endpoint(nobody_listens()), Patience())
    call.stop()
    assert failure(call).rule == "stopped"


@pytest.mark.parametrize("name", ["timeout_s", "patience_s", "first_wait_s", "attempts"])
def test_every_number_is_positive(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"{name}: expected"):
        Patience(**{name: 0})


def test_patience_that_ends_before_one_answer_may_come_is_refused() -> None:
    with pytest.raises(ArgumentError, match="patience_s: expected at least timeout_s, 120"):
        Patience(patience_s=60.0)
