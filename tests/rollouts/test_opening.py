import gzip
import io
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import InputError
from rewardgate.rollouts import opening
from rewardgate.rollouts.opening import Damage, iter_lines, open_bytes

TEXT = b'{"a": 1}\n{"a": 2}\n' * 50


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "packed",
    [
        TEXT,
        gzip.compress(TEXT),
        gzip.compress(TEXT[:300]) + gzip.compress(TEXT[300:]),
        gzip.compress(TEXT) + b"\0" * 512,  # tape padding
        zstd(TEXT),
        zstd(TEXT[:300]) + zstd(TEXT[300:]),
        "\ufeff".encode("utf-16-le") + TEXT.decode().encode("utf-16-le"),
    ],
    ids=["plain", "gzip", "gzip, two members", "gzip, padded", "zstd", "zstd, two frames", "utf-16"],
)
def test_bytes_are_unpacked_whatever_the_name_says(tmp_path: Path, packed: bytes) -> None:
    path = tmp_path / "rollouts.txt"
    path.write_bytes(packed)
    stream, _ = open_bytes(path)
    with stream:
        assert stream.read() == TEXT
        assert stream.seekable()


@pytest.mark.parametrize("cut", [20, 5])
def test_a_gzip_stream_cut_short_keeps_what_stands_before_the_cut(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "rollouts.jsonl.gz"
    # Level 0 stores the bytes, so that the cut loses exactly the trailer (8 bytes) and what exceeds it.
    path.write_bytes(gzip.compress(TEXT, compresslevel=0)[:-cut])
    stream, notes = open_bytes(path)
    with stream:
        assert stream.read() == TEXT[: len(TEXT) - max(cut - 8, 0)]
    assert "cut short" in notes[0]


@pytest.mark.parametrize("size", [300, 3_000_000])
def test_a_gzip_stream_with_a_wrong_checksum_keeps_all_but_its_last_byte(tmp_path: Path, size: int) -> None:
    text = b"0123456789" * (size // 10)
    packed = bytearray(gzip.compress(text))
    packed[-8] ^= 1  # the checksum: 4 bytes, before the 4 of the length
    path = tmp_path / "rollouts.jsonl.gz"
    path.write_bytes(packed)
    stream, notes = open_bytes(path)
    with stream:
        unpacked = stream.read()
    assert text.startswith(unpacked)
    assert len(unpacked) >= len(text) - 1
    assert "data check" in notes[0]
    assert isinstance(notes[0], Damage)


def test_garbage_after_a_gzip_member_is_told_and_costs_nothing_before_it(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl.gz"
    path.write_bytes(gzip.compress(TEXT) + b"garbage")
    stream, notes = open_bytes(path)
    with stream:
        assert stream.read() == TEXT
    assert len(notes) == 1


def test_a_gzip_bomb_is_unpacked_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "CHUNK_BYTES", 1000)
    pieces = list(opening._gzip_chunks(io.BytesIO(gzip.compress(b"a" * 100_000))))
    assert b"".join(pieces) == b"a" * 100_000
    assert max(map(len, pieces)) <= 1000


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x80\x04\x95", "a Python pickle"),
        (b"BZh9", "a bzip2 file"),
        (b"SQLite format 3\x00", "an SQLite database"),
    ],
)
def test_a_kind_of_file_that_is_not_read_is_named(tmp_path: Path, head: bytes, kind: str) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(head + b"rest")
    with pytest.raises(InputError, match=f"got {kind}"):
        open_bytes(path)


def test_a_folder_and_a_missing_file_are_refused_with_what_is_possible(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got a folder; give one of its files"):
        open_bytes(tmp_path)
    with pytest.raises(InputError, match="No such file"):
        open_bytes(tmp_path / "nothing.jsonl")


def test_a_stream_that_is_no_gzip_at_all_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.gz"
    path.write_bytes(b"\x1f\x8b not a gzip header")
    with pytest.raises(InputError, match="expected a whole gzip stream"):
        open_bytes(path)


def test_only_a_newline_ends_a_line_and_offsets_lead_back_to_it() -> None:
    text = "\ufeffa\u2028b\x0b\x0c\x85c\r\n\n\u2029d".encode()
    stream = io.BytesIO(text)
    lines = list(iter_lines(stream))
    assert [line.data.decode() for line in lines] == ["a\u2028b\x0b\x0c\x85c\r", "", "\u2029d"]
    assert [line.number for line in lines] == [1, 2, 3]
    for line in lines:
        assert text[line.offset :].startswith(line.data)


def test_a_line_beyond_the_limit_is_cut_and_the_next_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MAX_ROW_BYTES", 10)
    lines = list(iter_lines(io.BytesIO(b"short\n" + b"x" * 25 + b"\nnext\n" + b"y" * 10)))
    assert [(line.number, line.data, line.is_too_long) for line in lines] == [
        (1, b"short", False),
        (2, b"x" * 10, True),
        (3, b"next", False),
        (4, b"y" * 10, False),
    ]
    assert [line.offset for line in lines] == [0, 6, 32, 37]


@given(st.binary(max_size=300))
def test_the_lines_of_any_bytes_are_those_between_newlines(data: bytes) -> None:
    expected = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert [line.data for line in iter_lines(io.BytesIO(data))] == expected


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=4), st.integers(1, 64))
def test_gzip_members_join_to_their_bytes_whatever_the_size_of_a_read(parts: list[bytes], size: int) -> None:
    packed = b"".join(map(gzip.compress, parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "CHUNK_BYTES", size)
        assert b"".join(opening._gzip_chunks(io.BytesIO(packed))) == b"".join(parts)


def test_an_empty_gzip_member_is_no_error() -> None:
    assert b"".join(opening._gzip_chunks(io.BytesIO(gzip.compress(b"")))) == b""
    with pytest.raises(zlib.error):
        list(opening._gzip_chunks(io.BytesIO(b"\x1f\x8bnonsense")))
