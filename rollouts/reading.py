"""Read rollouts from a file or a run's folder: the format is recognised, groups stream, no row is dropped in silence.

A file is passed over twice. The first pass settles its columns and notes where each group's rows lie
(40 bytes a row); the second reads one group after the other, contiguous or scattered, and holds no more
than one group at a time. A file that cannot be read in place (compressed, CSV, Parquet) is first unpacked
into a temporary file. So nothing is yielded before the whole file was seen once: a group that is scattered
over the file could not be complete earlier.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from .consistency import Consistency
from .fields import ReadOptions
from .grouping import Identity, Place, digest
from .opening import Damage
from .records import Group, Rollout
from .refusals import MAX_REFUSALS_KEPT, Refusal, RowRefusedError, Summary, Tally, warning_notes
from .survey import Survey, nothing_usable, row_value, survey_file


def read(
    path: str | Path,
    *,
    format: str = "auto",
    prompt_key: str | None = None,
    prompt_id_key: str | None = None,
    response_key: str | None = None,
    target_key: str | None = None,
    reward_key: str | None = None,
    group_key: str | None = None,
    tokens: bool = False,
) -> "Reading":
    """The rollouts of a file, or of a run's folder, group by group. It is passed over once before this returns.

    Args:
        path: JSON lines, a JSON array, CSV or Parquet; plain, gzip or Zstandard, whatever its name; an Inspect log;
            or a folder, whose dumps are read in order as one.
        format: a name known to `formats`, or "auto".
        prompt_key: the column of the prompt; dots lead into objects. Like the other keys it replaces the
            search for the usual names, and makes "auto" mean "columns".
        prompt_id_key: the column of the prompt's id.
        response_key: the column of the response, or of the list of responses.
        target_key: the column of the target (gold answer).
        reward_key: the column of the reward; of a tool's own format, one of its rewards by name.
        group_key: the column of the group's id.
        tokens: whether to load token ids and the sampler's log-probabilities, as numpy arrays.

    Raises:
        InputError: the file cannot be read.
        NoUsableRowsError: no row of it can be used; the message quotes the first refusals.
        ArgumentError: a key names no column of the file.
        UnknownNameError: no such format.

    Example:
        >>> import json, tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        ...     for reward in (1.0, 0.0):
        ...         row = {"prompt": "2+2?", "response": "4", "answer": "4", "reward": reward}
        ...         print(json.dumps(row), file=file, flush=True)
        ...     reading = read(file.name)
        ...     [[rollout.reward for rollout in group.rollouts] for group in reading]
        [[1.0, 0.0]]
        >>> reading.fields["target"], reading.summary.group_sizes
        ('answer', {2: 1})
    """
    options = ReadOptions(prompt_key, prompt_id_key, response_key, target_key, reward_key, group_key, tokens)
    return Reading(survey_file(Path(path), format, options))


def read_rows(
    path: str | Path,
    *,
    format: str = "auto",
    prompt_key: str | None = None,
    prompt_id_key: str | None = None,
    response_key: str | None = None,
    target_key: str | None = None,
    reward_key: str | None = None,
    group_key: str | None = None,
    tokens: bool = False,
) -> Iterator[Rollout | Refusal]:
    """The rows of a file in its order: a rollout each (several for a row of lists), or its refusal.

    Arguments and errors as for `read`. Rows need neither prompt nor group. A compressed file that is damaged ends
    with a refusal that says so.
    """
    options = ReadOptions(prompt_key, prompt_id_key, response_key, target_key, reward_key, group_key, tokens)
    return _iter_rows(survey_file(Path(path), format, options))


class Reading:
    """The groups of one file; iterate over it, as often as you like.

    Iterating raises NoUsableRowsError at the end of a file that turned out to hold nothing usable.

    Attributes:
        format: the name of the format that the file was read as.
        container: what the file is (`"JSON lines"`, `"CSV"`, ...).
        fields: which column became what: role -> column.
        files: the files that are read, more than one for a folder.
        step_metrics: what the trainer logged a step (KL, clip fraction, entropy, lengths), by its own names, where
            its log was found beside the rollouts.
    """

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._summary: Summary | None = None
        self.format = survey.format_name
        self.container = survey.rows.container
        self.fields: Mapping[str, str] = dict(survey.reader.fields)
        self.files = tuple(survey.files.paths)
        self.step_metrics = survey.reader.step_metrics

    def with_tokens(self) -> "Reading":
        """The same, with token ids and log-probabilities; the file is passed over once more."""
        survey = self._survey
        return Reading(survey_file(survey.path, survey.format_name, replace(survey.options, tokens=True)))

    @property
    def summary(self) -> Summary:
        """What the last whole iteration found; the first use iterates if nobody has."""
        if self._summary is None:
            for _ in self:
                pass
        assert self._summary is not None
        return self._summary

    def __iter__(self) -> Iterator[Group]:
        survey = self._survey
        tally, refusals = Tally(survey.index.warnings), list(survey.refusals)
        n_refused, sizes = survey.n_refused, Counter[int]()
        consistency = Consistency(tally)
        ids_given: set[int] = set()
        is_usable = False
        for places in survey.index.groups():
            rollouts: list[Rollout] = []
            identity: Identity | None = None
            for place in places:
                try:
                    found, identity = _rollouts_at(survey, place, tally)
                    rollouts += found
                except (RowRefusedError, RecursionError) as refused:
                    n_refused += 1
                    if len(refusals) < 2 * MAX_REFUSALS_KEPT:
                        refusals.append(survey.refusal(place.line, refused))
            rollouts = [survey.chosen(rollout, tally) for rollout in survey.reader.settle(rollouts)]
            if not rollouts or identity is None:
                continue
            is_usable = is_usable or any(map(_says_something, rollouts))
            group = Group(group_id=_group_id(identity, rollouts[0], ids_given), rollouts=tuple(rollouts))
            sizes[len(group)] += 1
            consistency.check(group)
            yield group
        order = {str(path): place for place, path in enumerate(survey.files.paths)}
        refusals.sort(key=lambda refusal: (order.get(refusal.file, 0), refusal.line))
        if not is_usable:
            raise nothing_usable(survey.path, survey.n_rows, refusals)
        warnings = {kind: count for kind, count in tally.items() if count}
        self._summary = Summary(
            n_rows=survey.n_rows,
            n_rollouts=sum(size * count for size, count in sizes.items()),
            n_groups=sizes.total(),
            group_sizes=dict(sorted(sizes.items())),
            n_refused=n_refused,
            refusals=tuple(refusals[:MAX_REFUSALS_KEPT]),
            warnings=warnings,
            notes=(*survey.notes, *consistency.notes, *warning_notes(warnings)),
        )


def _iter_rows(survey: Survey) -> Iterator[Rollout | Refusal]:
    tally, refusals, is_usable, n_rows, line = Tally(), list[Refusal](), False, 0, 0
    for row in survey.rows.scan():
        n_rows, line = n_rows + 1, row.line
        try:
            value = row_value(row)
            found = survey.reader.rollouts(value, survey.reader.identity(value), survey.source(row.line), tally)
            is_usable = is_usable or any(map(_says_something, found))
            yield from (survey.chosen(rollout, tally) for rollout in found)
        except (RowRefusedError, RecursionError) as refused:
            refusal = survey.refusal(row.line, refused)
            if len(refusals) < MAX_REFUSALS_KEPT:
                refusals.append(refusal)
            yield refusal
    for damage in survey.notes:
        if isinstance(damage, Damage):
            yield Refusal(file=str(survey.path), line=line + 1, field="file", reason=str(damage))
    if not is_usable:
        raise nothing_usable(survey.path, n_rows, refusals)


def _rollouts_at(survey: Survey, place: Place, tally: Tally) -> tuple[list[Rollout], Identity]:
    value = survey.rows.at(place.offset, place.length)
    identity = survey.reader.identity(value)
    return survey.reader.rollouts(value, identity, survey.source(place.line), tally), identity


def _group_id(identity: Identity, first: Rollout, ids_given: set[int]) -> str:
    """The explicit group id, else step and prompt id; a repeated one is numbered, so that ids are unique."""
    name = identity.group
    if name is None:
        name = first.prompt_id if identity.step is None else f"{identity.step}/{first.prompt_id}"
    candidate, number = name, 1
    while digest(candidate) in ids_given:
        number += 1
        candidate = f"{name}#{number}"
    ids_given.add(digest(candidate))
    return candidate


def _says_something(rollout: Rollout) -> bool:
    return rollout.response is not None or any(reward is not None for reward in rollout.rewards.values())
