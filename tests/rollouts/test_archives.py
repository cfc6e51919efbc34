import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_dumps import zip_bytes

from rewardgate.rollouts.archives import DEFLATED, STORED, ZSTANDARD, member_bytes, members_of

MEMBERS = {"a.json": b'{"a": 1}' * 50, "b/c.json": b"", "d.json": b"\xff" * 3}
METHODS = pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])


@METHODS
def test_members_are_unpacked_whatever_packs_them(method: int) -> None:
    stream = io.BytesIO(zip_bytes(MEMBERS, method))
    archive = members_of(stream)
    assert archive.is_whole
    assert {member.name: member_bytes(stream, member) for member in archive.members} == MEMBERS


@METHODS
def test_without_the_table_of_contents_the_whole_members_are_found(method: int) -> None:
    data = zip_bytes(MEMBERS, method)
    directory = data.index(b"PK\x01\x02")
    last = data.rindex(b"PK\x03\x04", 0, directory)
    for cut, names in ((directory, list(MEMBERS)), (last + 35, list(MEMBERS)[:2]), (3, [])):
        stream = io.BytesIO(data[:cut])
        archive = members_of(stream)
        assert (archive.is_whole, [member.name for member in archive.members]) == (False, names)
        assert all(member_bytes(stream, member) == MEMBERS[member.name] for member in archive.members)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"flags": 1}, "got an encrypted member"),
        ({"method": 12}, "got compression method 12"),
        ({"n_bytes": 1 << 40}, "expected at most"),
        ({"n_bytes": 3}, "do not match their checksum"),
        ({"crc": 1}, "do not match their checksum"),
        ({"header_offset": 5}, "got other bytes"),
    ],
)
def test_a_member_that_cannot_be_trusted_is_refused(change: dict[str, Any], words: str) -> None:
    stream = io.BytesIO(zip_bytes(MEMBERS, DEFLATED))
    member = members_of(stream).members[0]
    with pytest.raises(ValueError, match=words):
        member_bytes(stream, member._replace(**change))


def test_more_bytes_than_announced_are_not_unpacked() -> None:
    bomb = zip_bytes({"a": b"\0" * 10_000_000}, ZSTANDARD)
    stream = io.BytesIO(bomb)
    member = members_of(stream).members[0]
    with pytest.raises(ValueError, match="do not match their checksum"):
        member_bytes(stream, member._replace(n_bytes=10))


@METHODS
@given(st.data())
def test_a_changed_byte_is_noticed_or_harmless(method: int, data: st.DataObject) -> None:
    original = zip_bytes(MEMBERS, method)
    place = data.draw(st.integers(0, len(original) - 1))
    changed = bytearray(original)
    changed[place] ^= data.draw(st.integers(1, 255))
    stream = io.BytesIO(bytes(changed))
    for member in members_of(stream).members:
        try:
            found = member_bytes(stream, member)
        except ValueError:
            continue
        assert found in MEMBERS.values()
