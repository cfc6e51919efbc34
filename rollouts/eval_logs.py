"""The samples of an Inspect log as rows: `.eval` archives and `.json` files.

A log holds far more than its samples (every event of every run); each sample is cut down to what a rollout can
hold before it is kept. Source: UKGovernmentBEIS/inspect_ai, log/_log.py and log/_recorders.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from ..errors import InputError
from .archives import Archive, member_bytes, members_of
from .opening import Damage
from .rows import Row, RowFile, iter_objects, parse_row
from .tables import SpooledRows, TableRow

_KEPT = ("id", "epoch", "input", "target", "messages", "output", "scores", "metadata", "error", "limit", "uuid")
_JSON_LOG = re.compile(r'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_ATTACHMENT = "attachment://"
_SAMPLE_DEPTH = 2  # {"samples": [{...}]}


def archive_rows(stream: IO[bytes], path: Path, notes: tuple[str, ...]) -> RowFile:
    """The samples of the `.eval` archive in `stream`, in the order in which they were finished.

    Raises:
        InputError: it is another kind of archive.
    """
    archive = members_of(stream)
    names = [member.name for member in archive.members]
    if any(name.endswith("data.pkl") for name in names):
        raise InputError(
            f"{path}: expected rollouts, got a PyTorch file, whose pickle could run code when loaded; load it "
            "yourself where you trust it, and write its samples as JSON lines (slime: rollout_data['samples'])"
        )
    if not any(name.startswith(("samples/", "_journal/")) for name in names):
        raise InputError(
            f"{path}: expected JSON lines, a JSON array, CSV, Parquet or an Inspect log, got a zip archive"
        )
    if not archive.is_whole:
        notes += (Damage("the archive is cut short: the samples before that point were read"),)
    if "header.json" not in names:
        notes += ("the log has no header: its evaluation was stopped or still runs; groups may be incomplete",)
    return SpooledRows("Inspect log", lambda: _samples_in(stream, archive), source=stream, notes=notes)


def is_json_log(head: str) -> bool:
    """Whether a file that begins with `head` is a log in JSON."""
    return _JSON_LOG.match(head) is not None


def json_log_rows(stream: IO[bytes], notes: tuple[str, ...]) -> RowFile:
    """The samples of the JSON log in `stream`."""
    return SpooledRows("Inspect log in JSON", lambda: _samples_in_json(stream), source=stream, notes=notes)


def _samples_in(stream: IO[bytes], archive: Archive) -> Iterator[TableRow]:
    samples = (member for member in archive.members if member.name.startswith("samples/"))
    for number, member in enumerate(samples, start=1):
        try:
            value, problem = parse_row(member_bytes(stream, member))
        except ValueError as error:
            value, problem = None, str(error)
        yield number, None if value is None else _cut_down(value), problem


def _samples_in_json(stream: IO[bytes]) -> Iterator[TableRow]:
    number = 0
    for _, _, data, is_whole in iter_objects(stream, depth=_SAMPLE_DEPTH):
        value, problem = parse_row(data) if is_whole else (None, "expected a whole sample, got the end of the file")
        if value is None or _is_sample(value):
            number += 1
            yield number, None if value is None else _cut_down(value), problem


def _is_sample(value: Mapping[str, Any]) -> bool:
    return {"id", "epoch", "input"} <= value.keys()


def _cut_down(sample: Row) -> Row:
    kept = {name: sample[name] for name in _KEPT if name in sample}
    attachments = sample.get("attachments")
    return _attached(kept, attachments) if isinstance(attachments, dict) and attachments else kept


def _attached(value: Any, attachments: Mapping[str, Any]) -> Any:
    """`value` with long texts, which a log may hold apart, put back in their places."""
    if isinstance(value, str):
        return attachments.get(value.removeprefix(_ATTACHMENT), value) if value.startswith(_ATTACHMENT) else value
    if isinstance(value, list):
        return [_attached(item, attachments) for item in value]
    if isinstance(value, dict):
        return {name: _attached(item, attachments) for name, item in value.items()}
    return value
