"""Bytes of a file, decompressed and seekable, whatever its name says.

gzip (several members), Zstandard (several frames) and UTF-16 are recognised by their first bytes. Later
passes must seek, and a compressed stream cannot: such a file, and anything else that cannot seek (a
pipe), is unpacked once into an unnamed temporary file, in pieces of 1 MiB. Memory stays bounded, disk
space does not: the folder of `tempfile` must hold the unpacked bytes. A plain file is read in place.

Only `\\n` ends a line. `str.splitlines` would also break rows at U+2028 and its like, which JSON allows raw
inside strings and models write.
"""

import codecs
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from ..errors import InputError

CHUNK_BYTES = 1 << 20
MAX_ROW_BYTES = 1 << 28
"""A longer row is refused instead of being loaded: no rollout is a quarter of a gigabyte of text."""

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UNREADABLE_MAGICS = {
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\x00": "an xz file",
    b"\x80\x02": "a Python pickle, which could run code when loaded",
    b"\x80\x03": "a Python pickle, which could run code when loaded",
    b"\x80\x04": "a Python pickle, which could run code when loaded",
    b"\x80\x05": "a Python pickle, which could run code when loaded",
    b"ARROW1": "an Arrow IPC file",
    b"SQLite format 3\x00": "an SQLite database",
    b"7z\xbc\xaf": "a 7z archive",
}


class Opened(NamedTuple):
    """A seekable stream at its first byte, and what was odd about unpacking it."""

    stream: IO[bytes]
    notes: tuple[str, ...]


class Damage(str):
    """A note that says what is missing of a file; who reads row by row is told by a refusal in its place."""


class Line(NamedTuple):
    """One line: its 1-based number, where it starts in the stream, its bytes without the `\\n`.

    `data` is cut at `MAX_ROW_BYTES`; `is_too_long` says so.
    """

    number: int
    offset: int
    data: bytes
    is_too_long: bool = False


def open_bytes(path: str | Path) -> Opened:
    """The unpacked bytes of `path`.

    Raises:
        InputError: no such file, a folder, no permission, or a kind of file that is not read.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(
            f"{path}: expected a file, got a folder; give one of its files: JSON lines, a JSON array, CSV or "
            "Parquet, plain, gzip or Zstandard"
        )
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: expected a readable file, got: {error.strerror or error}") from error
    try:
        return _unpacked(stream, path)
    except OSError as error:
        stream.close()
        raise InputError(f"{path}: expected a readable file, got: {error.strerror or error}") from error
    except InputError:
        stream.close()
        raise


def iter_lines(stream: IO[bytes]) -> Iterator[Line]:
    """The lines of `stream` from its beginning; a UTF-8 byte order mark is no part of the first."""
    stream.seek(0)
    offset = len(codecs.BOM_UTF8) if stream.read(3) == codecs.BOM_UTF8 else 0
    number = 0
    stream.seek(offset)
    while data := stream.readline(MAX_ROW_BYTES):
        number += 1
        start = offset
        offset += len(data)
        if data.endswith(b"\n"):
            yield Line(number, start, data[:-1])
            continue
        is_too_long = False
        while len(data) == MAX_ROW_BYTES and (rest := stream.readline(CHUNK_BYTES)):
            is_too_long = True
            offset += len(rest)
            if rest.endswith(b"\n"):
                break
        yield Line(number, start, data, is_too_long)


def temporary_file() -> IO[bytes]:
    """An unnamed file that is gone when its owner lets go of it."""
    return tempfile.TemporaryFile()


def _unpacked(stream: IO[bytes], path: Path) -> Opened:
    if not stream.seekable():
        stream = _spooled(_chunks(stream))
    head = stream.read(16)
    stream.seek(0)
    for magic, kind in UNREADABLE_MAGICS.items():
        if head.startswith(magic):
            raise InputError(
                f"{path}: expected JSON lines, a JSON array, CSV or Parquet (plain, gzip or Zstandard), got {kind}"
            )
    if head.startswith(UTF16_BOMS):
        return Opened(_spooled(_utf8_chunks(stream)), ("the file is UTF-16; read as UTF-8",))
    if not head.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
        return Opened(stream, ())
    kind, chunks = (
        ("gzip", _gzip_chunks(stream)) if head.startswith(GZIP_MAGIC) else ("Zstandard", _zstd_chunks(stream))
    )
    notes: list[str] = []
    spool = temporary_file()
    try:
        for chunk in chunks:
            spool.write(chunk)
    except (EOFError, OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk, not the stream: Arrow's own complaints carry no number
        if spool.tell() == 0:
            raise InputError(f"{path}: expected a whole {kind} stream, got: {error}") from error
        damage = f"the {kind} stream is damaged or cut short ({error}): what stands before that point was read"
        notes.append(Damage(damage))
    stream.close()
    spool.seek(0)
    return Opened(spool, tuple(notes))


def _spooled(chunks: Iterator[bytes]) -> IO[bytes]:
    spool = temporary_file()
    for chunk in chunks:
        spool.write(chunk)
    spool.seek(0)
    return spool


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    with stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def _utf8_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")(errors="surrogatepass")
    for chunk in _chunks(stream):
        yield decoder.decode(chunk).encode("utf-8", "surrogatepass")


def _gzip_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    # By hand, not gzip.GzipFile: that one forgets what it has unpacked when the stream ends too early.
    member = zlib.decompressobj(wbits=31)
    while data := stream.read(CHUNK_BYTES):
        while data:
            if member.eof:
                data = data.lstrip(b"\0")  # padding between members and after the last
                if not data:
                    break
                member = zlib.decompressobj(wbits=31)
            before, size = member.copy(), CHUNK_BYTES
            while True:
                try:
                    unpacked = member.decompress(data, size)
                    break
                except zlib.error:
                    # What a failing call had unpacked is lost: again from before it, by smaller and smaller pieces.
                    member, size = before.copy(), size // 16
                    if not size:
                        raise
            yield unpacked
            data = member.unused_data if member.eof else member.unconsumed_tail
    while not member.eof:
        rest = member.decompress(b"", CHUNK_BYTES)
        if not rest:
            raise EOFError("no end-of-stream marker")
        yield rest


def _zstd_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    import pyarrow

    # Arrow's decompressor goes on to the next frame by itself; small reads lose little where one is cut.
    frames = pyarrow.CompressedInputStream(pyarrow.PythonFile(stream, mode="r"), "zstd")
    while chunk := frames.read(CHUNK_BYTES >> 4):
        yield chunk
