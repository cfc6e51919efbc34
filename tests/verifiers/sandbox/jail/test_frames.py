"""Frames: whole, in pieces, too long, too deep, of too many parts, or no frames at all."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.sandbox.jail import frames

messages = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=6,
)


def framed(body: bytes) -> bytearray:
    return bytearray(len(body).to_bytes(4, "little") + body)


@given(st.lists(messages, max_size=3), st.integers(1, 9))
def test_messages_come_out_as_they_went_in_however_they_are_cut(sent: list[object], size: int) -> None:
    stream = b"".join(map(frames.packed, sent))
    buffer, received = bytearray(), []
    for start in range(0, len(stream), size):
        buffer += stream[start : start + size]
        while (message := frames.unpacked(buffer)) is not None:
            received.append(message[0])
    assert received == sent
    assert not buffer


@given(messages, st.data())
def test_a_frame_that_is_cut_short_is_not_there_yet(message: object, data: st.DataObject) -> None:
    whole = frames.packed(message)
    buffer = bytearray(whole[: data.draw(st.integers(0, len(whole) - 1))])
    before = bytes(buffer)
    assert frames.unpacked(buffer) is None
    assert buffer == before


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_not_yet_or_no_frame(stream: bytes) -> None:
    buffer = bytearray(stream)
    try:
        while frames.unpacked(buffer) is not None:
            pass
    except frames.FrameError:
        pass


@pytest.mark.parametrize(
    ("stream", "why"),
    [
        (bytearray(b"\xff\xff\xff\xff"), "at most 67108864 bytes"),
        (bytearray(b"\x01\x00\x00\x04"), "at most 67108864 bytes"),  # 64 MiB and 1
        (framed(b"[" * 100_000), "RecursionError"),
        (framed(b"[" * 100_000 + b"]" * 100_000), "RecursionError"),
        (framed(b'{"a":' * 50_000), "RecursionError"),
        (framed(b"9" * 5_000), "ValueError"),  # more digits than Python reads
        (framed(b"\xc3\x28"), "UnicodeDecodeError"),
        (framed(b"{} {}"), "JSONDecodeError"),
        (framed(b"os.system('ls')"), "JSONDecodeError"),
        (framed(b""), "JSONDecodeError"),
        (framed(b"[" + b"[]," * 9_000_000 + b"[]]"), "at most 16000000 parts"),  # 18 million brackets and commas
    ],
)
def test_what_is_no_frame_is_refused(stream: bytearray, why: str) -> None:
    with pytest.raises(frames.FrameError, match=why):
        frames.unpacked(stream)


def test_the_largest_frame_is_read_and_one_byte_more_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_BYTES", 1_000)
    text = "x" * 998  # and two quotation marks
    assert frames.unpacked(bytearray(frames.packed(text))) == (text,)
    with pytest.raises(frames.FrameError, match="at most 1000 bytes, got 1001"):
        frames.packed(text + "x")
    with pytest.raises(frames.FrameError, match="at most 1000 bytes, got 1001"):
        frames.unpacked(bytearray((1_001).to_bytes(4, "little")))


def test_a_message_too_deep_to_write_is_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(frames.FrameError, match="RecursionError"):
        frames.packed(deep)


def test_lone_surrogates_cross() -> None:
    assert frames.unpacked(bytearray(frames.packed("\ud800"))) == ("\ud800",)


def test_a_message_is_sent_and_received_over_a_pipe_in_pieces() -> None:
    reads, writes = os.pipe()
    try:
        os.write(writes, frames.packed({"a": 1}) + frames.packed([2])[:3])
        buffer = bytearray()
        assert frames.receive(reads, buffer) == {"a": 1}
        os.write(writes, frames.packed([2])[3:])
        assert frames.receive(reads, buffer) == [2]
        frames.send(writes, "end")
        os.close(writes)
        writes = -1
        assert frames.receive(reads, buffer) == "end"
        with pytest.raises(EOFError):
            frames.receive(reads, buffer)
    finally:
        os.close(reads)
        if writes >= 0:
            os.close(writes)


def test_a_frame_is_four_bytes_of_length_and_json() -> None:
    assert (
        frames.packed({"a": [1, None]})
        == b"\x0e\x00\x00\x00" + json.dumps({"a": [1, None]}, separators=(",", ":")).encode()
    )
