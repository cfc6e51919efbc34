"""One exchange with a real server that does what it likes; nothing here needs vLLM."""

import socket
from threading import Event, Timer
from time import monotonic
from typing import Any

import pytest
from stand_in_vllm import stand_in

from rewardgate.errors import ArgumentError
from rewardgate.prm.vllm.endpoint import Endpoint
from rewardgate.prm.vllm.failures import NoAnswerError

BODY = {"model": "prm", "task": "token_classify", "input": [1, 2, 3]}


def asked(endpoint: Endpoint, *, timeout_s: float = 5.0, stop: Event | None = None) -> Any:
    return endpoint.answer("/pooling", BODY, timeout_s=timeout_s, stop=stop or Event())


def failure(endpoint: Endpoint, **options: Any) -> NoAnswerError:
    with pytest.raises(NoAnswerError) as failed:
        asked(endpoint, **options)
    return failed.value


def test_an_answer_is_the_json_that_came() -> None:
    with stand_in() as server:
        assert len(asked(Endpoint(server.address))["data"][0]["data"]) == 3
        assert server.requests == [("/pooling", BODY)]


def test_an_openai_base_url_leads_to_the_same_routes_and_a_path_before_them_stays() -> None:
    with stand_in() as server:
        asked(Endpoint(f"{server.address}/v1"))
        asked(Endpoint(f"{server.address}/v1/"))
        assert failure(Endpoint(f"{server.address}/team/v1")).detail.startswith("status 404")
        assert [path for path, _ in server.requests] == ["/pooling", "/pooling", "/team/pooling"]


def test_the_key_is_sent_as_a_bearer_token_and_never_shown() -> None:
    with stand_in(api_key="secret") as server:
        assert asked(Endpoint(server.address, api_key="secret"))
        refused = failure(Endpoint(server.address, api_key="wrong one"))
        assert (refused.rule, refused.again, refused.was_heard) == ("refused", False, True)
        assert "401" in refused.detail
        assert "wrong one" not in f"{refused} {Endpoint(server.address, api_key='wrong one')!r}"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_that_fails_may_be_asked_again(status: int) -> None:
    with stand_in(faults=[status]) as server:
        error = failure(Endpoint(server.address))
    assert (error.rule, error.again, error.was_heard) == ("server_error", True, True)
    assert error.detail == f"status {status}: on purpose"


@pytest.mark.parametrize("status", [301, 400, 404, 422])
def test_a_refusal_is_final(status: int) -> None:
    with stand_in(faults=[status]) as server:
        error = failure(Endpoint(server.address))
    assert (error.rule, error.again, error.detail) == ("refused", False, f"status {status}: on purpose")


def test_an_answer_that_is_not_json_is_unreadable() -> None:
    for data in (b"", b"<html>busy</html>", b"[" * 100_000, b'{"data": ' + b"9" * 5_000):
        with stand_in(faults=[data]) as server:
            assert failure(Endpoint(server.address)).rule == "unreadable_answer"


def test_no_more_is_read_than_allowed() -> None:
    with stand_in(faults=["endless"]) as server:
        error = failure(Endpoint(server.address, max_answer_bytes=1_000_000))
    assert (error.rule, error.detail) == ("unreadable_answer", "an answer of more than 1000000 bytes")


def test_an_answer_that_breaks_off_is_no_answer() -> None:
    for fault in ("half", "closed"):
        with stand_in(faults=[fault]) as server:
            error = failure(Endpoint(server.address))
        assert (error.rule, error.again, error.was_heard) == ("unreachable", True, False)


@pytest.mark.parametrize("fault", ["hang", "dribble"])
def test_the_time_limit_is_one_for_the_whole_exchange(fault: str) -> None:
    started = monotonic()
    with stand_in(faults=[fault]) as server:
        error = failure(Endpoint(server.address), timeout_s=0.3)
    assert (error.rule, error.again) == ("timeout", True)
    assert 0.3 <= monotonic() - started < 3


def test_a_port_where_nobody_listens_is_unreachable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        error = failure(Endpoint(f"http://127.0.0.1:{free.getsockname()[1]}"))
    assert (error.rule, error.again, error.was_heard) == ("unreachable", True, False)


def test_a_name_that_no_host_can_have_is_final() -> None:
    error = failure(Endpoint(f"http://{'a' * 64}.example"))
    assert (error.rule, error.again) == ("refused", False)


def test_a_server_that_accepts_nobody_is_given_up_after_the_time_to_connect() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        error = failure(Endpoint(f"http://127.0.0.1:{address[1]}", connect_timeout_s=0.2))
        for one in waiting:
            one.close()
    assert error.rule == "unreachable"


def test_a_caller_who_breaks_off_does_not_wait_for_the_server() -> None:
    stop, started = Event(), monotonic()
    with stand_in(faults=["hang"]) as server:
        Timer(0.1, stop.set).start()
        failure(Endpoint(server.address), timeout_s=60.0, stop=stop)
    assert monotonic() - started < 5


def test_a_server_that_reads_nothing_costs_the_time_limit_and_no_more() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(1)
        endpoint, body = Endpoint(f"http://127.0.0.1:{deaf.getsockname()[1]}"), ["x" * (64 << 20)]
        started = monotonic()
        with pytest.raises(NoAnswerError, match="timeout"):
            endpoint.answer("/pooling", body, timeout_s=0.5, stop=Event())
        stop = Event()
        Timer(0.1, stop.set).start()
        with pytest.raises(NoAnswerError, match="no longer wanted"):
            endpoint.answer("/pooling", body, timeout_s=60.0, stop=stop)
    assert monotonic() - started < 10


NO_ADDRESSES = """
localhost:8000 ftp://host http:// http://host:port http://u:p@host http://h/?q=1 http://host:0 http://höst:8000 http://[::1
"""


@pytest.mark.parametrize("address", [*NO_ADDRESSES.split(), "", "http://h\n", "http://h h", None, 8000])
def test_what_is_no_address_is_refused(address: Any) -> None:
    with pytest.raises(ArgumentError, match="address: expected an address like"):
        Endpoint(address)


def test_a_key_that_would_end_its_header_is_refused_unseen() -> None:
    for key in ("", "a\r\nX-Other: b", "ключ", 5):
        with pytest.raises(ArgumentError, match=r"^api_key: expected printable ASCII characters, got something else$"):
            Endpoint("http://host", api_key=key)  # type: ignore[arg-type]


def test_limits_are_positive() -> None:
    for options in ({"connect_timeout_s": 0}, {"max_answer_bytes": 0}, {"connect_timeout_s": float("nan")}):
        with pytest.raises(ArgumentError):
            Endpoint("http://host", **options)
