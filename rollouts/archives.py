"""Members of a zip archive, also where Python's own reader gives up.

`zipfile` reads Zstandard (method 93) from Python 3.14 on only, and reads nothing of an archive whose table of
contents is missing because its writer was killed. So members are found by the table, else by walking over their
own headers, and unpacked here. Encrypted members and archives in several parts are refused.
"""

import struct
import zipfile
import zlib
from typing import IO, NamedTuple

from .opening import MAX_ROW_BYTES

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
"""How an archive begins: with its first member, or with an empty table of contents."""

STORED, DEFLATED, ZSTANDARD = 0, 8, 93

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_ENCRYPTED, _SIZES_FOLLOW = 1, 8
_IN_EXTRA_FIELD = 0xFFFFFFFF
_ZIP64 = 1


class Member(NamedTuple):
    """One file of an archive: where its header begins, how it is packed, and what its bytes must come to."""

    name: str
    header_offset: int
    method: int
    flags: int
    n_packed: int
    n_bytes: int
    crc: int


class Archive(NamedTuple):
    """The members of an archive in the order of their bytes; not `is_whole`: its table of contents is missing."""

    members: list[Member]
    is_whole: bool


def members_of(stream: IO[bytes]) -> Archive:
    """The members of the archive in `stream`; without a table of contents, those before the first damage."""
    try:
        with zipfile.ZipFile(stream) as archive:
            found = [
                Member(
                    info.filename,
                    info.header_offset,
                    info.compress_type,
                    info.flag_bits,
                    info.compress_size,
                    info.file_size,
                    info.CRC,
                )
                for info in archive.infolist()
            ]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError):
        return Archive(_walked(stream), is_whole=False)
    return Archive(sorted(found, key=lambda member: member.header_offset), is_whole=True)


def member_bytes(stream: IO[bytes], member: Member) -> bytes:
    """The unpacked bytes of `member`.

    Raises:
        ValueError: it cannot be unpacked, is damaged, or is larger than a row may be; the message says which.
    """
    if member.flags & _ENCRYPTED:
        raise ValueError(f"expected {member.name} to be readable, got an encrypted member")
    if max(member.n_bytes, member.n_packed) > MAX_ROW_BYTES:
        raise ValueError(f"expected at most {MAX_ROW_BYTES} bytes in {member.name}, got {member.n_bytes}")
    stream.seek(member.header_offset)
    header = stream.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(ZIP_MAGICS[0]):
        raise ValueError(f"expected {member.name} where the table of contents says, got other bytes")
    n_name, n_extra = _LOCAL_HEADER.unpack(header)[-2:]
    stream.seek(n_name + n_extra, 1)
    packed = stream.read(member.n_packed)
    try:
        data = _unpacked(packed, member)
    except (zlib.error, OSError) as error:
        raise ValueError(f"expected {member.name} to be whole, got: {error}") from error
    if len(data) != member.n_bytes or zlib.crc32(data) != member.crc:
        raise ValueError(f"expected {member.name} to be whole, got bytes that do not match their checksum")
    return data


def _unpacked(packed: bytes, member: Member) -> bytes:
    # One byte more than announced is enough to see that an announcement is wrong: a bomb is not unpacked.
    limit = member.n_bytes + 1
    if member.method == STORED:
        return packed
    if member.method == DEFLATED:
        return zlib.decompressobj(wbits=-15).decompress(packed, limit)
    if member.method == ZSTANDARD:
        import pyarrow

        stream = pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd")
        return bytes(stream.read(limit))
    raise ValueError(f"expected {member.name} stored, deflated or in Zstandard, got compression method {member.method}")


def _walked(stream: IO[bytes]) -> list[Member]:
    """The members whose headers stand one behind the other from the first byte on."""
    found: list[Member] = []
    end = stream.seek(0, 2)
    offset = 0
    while offset + _LOCAL_HEADER.size <= end:
        stream.seek(offset)
        magic, _, flags, method, _, _, crc, n_packed, n_bytes, n_name, n_extra = _LOCAL_HEADER.unpack(
            stream.read(_LOCAL_HEADER.size)
        )
        if magic != ZIP_MAGICS[0] or flags & _SIZES_FOLLOW:
            break  # where the sizes stand behind the bytes, the next header cannot be found
        name = stream.read(n_name).decode("utf-8", "replace")
        n_bytes, n_packed = _large_sizes(stream.read(n_extra), n_bytes, n_packed)
        next_offset = offset + _LOCAL_HEADER.size + n_name + n_extra + n_packed
        if next_offset > end:
            break
        found.append(Member(name, offset, method, flags, n_packed, n_bytes, crc))
        offset = next_offset
    return found


def _large_sizes(extra: bytes, n_bytes: int, n_packed: int) -> tuple[int, int]:
    """Sizes of 4 GiB and more, which a header's extra field holds."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == _ZIP64 and length >= 16 and _IN_EXTRA_FIELD in (n_bytes, n_packed):
            return struct.unpack_from("<QQ", extra, 4)
        extra = extra[4 + length :]
    return n_bytes, n_packed
