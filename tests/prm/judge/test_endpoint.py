import pytest

from rewardgate.errors import ArgumentError
from rewardgate.prm.judge.endpoint import Address, _seconds_until


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("http://host:8000/v1", ("host", 8000, "/v1/chat/completions", False)),
        ("http://host:8000/v1/", ("host", 8000, "/v1/chat/completions", False)),
        ("https://host/v1/chat/completions", ("host", None, "/v1/chat/completions", True)),
        ("https://host", ("host", None, "/chat/completions", True)),
        ("http://[::1]:8000/v1", ("::1", 8000, "/v1/chat/completions", False)),
        ("https://host/v1?api-version=1", ("host", None, "/v1/chat/completions?api-version=1", True)),
    ],
)
def test_the_path_follows_the_base(base_url: str, address: tuple[str, int | None, str, bool]) -> None:
    assert Address.of(base_url) == Address(*address)


@pytest.mark.parametrize("base_url", ["", "host", "ftp://host", "http://", "http://u:p@host", "http://h/a b", None])
def test_what_is_no_address_is_refused(base_url: object) -> None:
    with pytest.raises(ArgumentError, match="base_url: expected an address like http://host:8000/v1, got "):
        Address.of(base_url)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(
            ("2", 2.0),
            ("0.5", 0.5),
            ("-3", 0.0),
            ("100000", 60.0),
            ("", 0.0),
            ("soon", 0.0),
            ("inf", 60.0),
            ("nan", 0.0),
        ),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00", 0.0),
        ("Wed, 21 Oct 2999 07:28:00 GMT", 60.0),
    ],
)
def test_a_retry_after_is_seconds_or_a_date_and_never_more_than_a_minute(text: str, seconds: float) -> None:
    assert _seconds_until(text) == seconds
