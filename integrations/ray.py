"""Ray: verdicts, step scores and audits of more rollouts than one machine judges.

    from rewardgate.integrations import ray as beyond

    done = beyond.verify("runs/*/rollouts-*.jsonl", "math", "verdicts/")

Inputs are globs of files as the local commands read them, and the rows are those that the local commands write, with
the column `file` before them: files in the order of their names (9 before 10), rows in the order of the file. They go
to a folder of Parquet files whose names sort in that order. A run that ended in the middle goes on where it was: give
the same call again, and only blocks that are not there are judged.

Inputs and output have to lie where every machine of the cluster sees them under the same path, and rewardgate has to
be installed on each. `docs/scale.md` says what it takes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import fspath
from pathlib import Path
from time import perf_counter
from typing import Any, get_args

from ..audit import AuditReport
from ..audit import audit as audit_groups
from ..audit.judging import Judgement
from ..errors import ArgumentError
from ..prm.base import StepScorer, step_scorers
from ..prm.steps import Rule
from ..rollouts.grouping import digest
from ..rollouts.reading import read
from ..verifiers.arguments import positive, whole
from ..verifiers.base import Verifier
from ..verifiers.functions import load_verifier
from .outcome_verifier import name_of
from .ray_audit import judged_by_actors
from .ray_blocks import Question, ScoreQuestion, VerdictQuestion
from .ray_cluster import blocks_done, connected, n_processors, told
from .ray_folder import RunFolder
from .ray_inputs import expanded
from .ray_rows import STRIDE
from .ray_total import Total

__all__ = ["BlocksJudged", "audit", "judging", "score", "verify"]

BLOCK_ROWS = 4096
Paths = str | Path | Sequence[str | Path]
READING = frozenset({"format", "prompt_key", "prompt_id_key", "response_key", "target_key"})
"""Options of `rollouts.reading.read_rows` that a run takes."""


@dataclass(frozen=True, slots=True)
class BlocksJudged:
    """What a run came to.

    Args:
        out: the folder.
        n_files: that were read.
        n_rows: of the output.
        n_blocks: of which `n_blocks_found` were there from an earlier run.
        counts: of all rows. `refused_rows`; of verdicts each outcome and `unscored`; of step scores `without_text`,
            `steps`, `steps_scored` and `steps_out_of_reach`.
        seconds: that this run took.
    """

    out: Path
    n_files: int
    n_rows: int
    n_blocks: int
    n_blocks_found: int
    counts: Mapping[str, int]
    seconds: float

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()) if count)
        found = f", {self.n_blocks_found} of them from before" if self.n_blocks_found else ""
        what = f"{self.n_rows} rows of {self.n_files} files in {self.n_blocks} blocks{found}"
        return f"{what}: {counts}; {self.seconds:.1f} s"


def verify(
    paths: Paths,
    verifier: str | Verifier,
    out: str | Path,
    *,
    options: Mapping[str, Any] | None = None,
    timeout_s: float = 30.0,
    num_workers: int | None = None,
    block_rows: int = BLOCK_ROWS,
    resources: Mapping[str, Any] | None = None,
    progress: Callable[[int], None] | None = None,
    **reading: str | None,
) -> BlocksJudged:
    """One verdict for each row of the files, refused rows included, as `rewardgate verify` writes them.

    Args:
        paths: files, folders or globs. What one of them names is read as the local command reads it: in a folder the
            dumps of a run are read as one, by one process; `folder/*.parquet` is read by many.
        verifier: a registered name, `pkg.mod:fn`, `path/file.py:fn`, or an object. A function, and an object, judge in
            killable processes that each actor starts.
        out: the folder, which need not exist.
        options: of a verifier given by name.
        timeout_s: seconds that one call of a function, or one row of an object, may take.
        num_workers: actors; None takes one a processor of the cluster.
        block_rows: rows judged and written together; what is lost when an actor or the run ends. A multiple of 64.
        resources: what an actor takes: `{"num_cpus": 1}` and the like.
        progress: is told after each block how many rows there are.
        reading: `format`, `prompt_key`, `prompt_id_key`, `response_key`, `target_key`, as `read_rows` takes them.

    Raises:
        ArgumentError: an option is out of range, or `out` holds another run.
        UnknownNameError: no verifier has that name.
        InputError: a file cannot be read. The others are judged before that is said, and stay.
        MissingExtraError: Ray is not installed.
        WorkerDiedError: a block ended its actor again and again.
    """
    question = VerdictQuestion(verifier, dict(options or {}), positive("timeout_s", timeout_s))
    name = verifier if isinstance(verifier, str) else name_of(verifier)
    asked = {"task": "verify", "name": name, "version": question.built().version, "options": question.options}
    if isinstance(verifier, str) and (file := Path(verifier.rpartition(":")[0])).is_file():
        asked["source"] = f"{digest(file.read_bytes()):016x}"  # a function that was edited is another one
    return _judged(paths, question, asked, out, num_workers, block_rows, resources, progress, reading)


def score(
    paths: Paths,
    scorer: str | StepScorer,
    out: str | Path,
    *,
    options: Mapping[str, Any] | None = None,
    split: Rule = "auto",
    batch: int = STRIDE,
    num_workers: int | None = None,
    block_rows: int = BLOCK_ROWS,
    resources: Mapping[str, Any] | None = None,
    progress: Callable[[int], None] | None = None,
    **reading: str | None,
) -> BlocksJudged:
    """The scores of every step of each row of the files, refused rows included, as `rewardgate score` writes them.

    Args:
        scorer: a registered name, or an object that pickles.
        options: of a scorer given by name.
        split: where steps begin, see `prm.steps.step_spans`.
        batch: rows that the scorer is asked about together; `block_rows` is a multiple of it.
        resources: what an actor takes; `{"num_gpus": 1}` for a learned scorer.
        paths, out, num_workers, block_rows, progress, reading: as in `verify`.

    Raises:
        ArgumentError: an option is out of range, `out` holds another run, or the scorer was out of reach of every step.
        UnknownNameError: no scorer has that name.
        InputError, MissingExtraError, WorkerDiedError: as in `verify`.
    """
    if split not in get_args(Rule):
        raise ArgumentError(f"split: expected one of {', '.join(get_args(Rule))}, got {split!r}")
    if whole("batch", batch, at_least=1) and block_rows % batch:
        raise ArgumentError(f"batch: expected a divisor of block_rows = {block_rows}, got {batch}")
    if isinstance(scorer, str):
        step_scorers.factory(scorer)  # that there is one is asked here, and it is built where it scores
    question = ScoreQuestion(scorer, dict(options or {}), split, batch)
    name = scorer if isinstance(scorer, str) else type(scorer).__name__
    asked = {"task": "score", "name": name, "options": question.options, "split": split}
    done = _judged(paths, question, asked, out, num_workers, block_rows, resources, progress, reading)
    if done.counts["steps"] and done.counts["steps_out_of_reach"] == done.counts["steps"]:
        raise ArgumentError(f"scorer: expected an answer from {name}, got none; see the details in {out}")
    return done


def audit(
    path: str | Path,
    *,
    suspect: str | Verifier | None = None,
    referee: str | Verifier | None = None,
    num_workers: int | None = None,
    reading: Mapping[str, Any] | None = None,
    **options: Any,
) -> AuditReport:
    """The report that `rewardgate.audit.audit` makes, its verdicts and facts of texts made by actors.

    The rows are read, and what they come to is put together, by this process: its memory grows with the number of
    rollouts and not with their length, as a local audit's does. `docs/scale.md` says how much.

    Args:
        path: a file, or a run's folder, which this process reads.
        suspect, referee: as in `audit`; a function as `pkg.mod:fn` too. Objects have to pickle.
        num_workers: actors; None takes one a processor of the cluster.
        reading: options of `rollouts.reading.read`.
        options: the others of `audit`.

    Raises:
        MissingExtraError: Ray is not installed.
        RewardgateError: as `audit` does.
    """
    rollouts = read(path, **(reading or {}))
    by_name = {"suspect": suspect, "referee": referee}
    judges = {name: load_verifier(spec, workers=1) if isinstance(spec, str) else spec for name, spec in by_name.items()}
    with judging(num_workers) as judged_by:
        return audit_groups(rollouts, judged_by=judged_by, **judges, **options)


@contextmanager
def judging(num_workers: int | None = None) -> Iterator[Callable[..., Judgement]]:
    """The `judged_by` of `rewardgate.audit.audit` that has actors judge; connected while the block lasts.

    Args:
        num_workers: as in `audit`.

    Raises:
        MissingExtraError: Ray is not installed.
    """
    if num_workers is not None:
        num_workers = whole("num_workers", num_workers, at_least=1)
    with connected(num_workers) as ray, told():
        yield partial(judged_by_actors, ray, num_workers or n_processors(ray))


def _judged(
    paths: Paths,
    question: Question,
    asked: Mapping[str, Any],
    out: str | Path,
    num_workers: int | None,
    block_rows: int,
    resources: Mapping[str, Any] | None,
    progress: Callable[[int], None] | None,
    reading: Mapping[str, str | None],
) -> BlocksJudged:
    started = perf_counter()
    if unknown := sorted(reading.keys() - READING):
        raise ArgumentError(f"{unknown[0]}: expected one of {', '.join(sorted(READING))}")
    if whole("block_rows", block_rows, at_least=STRIDE) % STRIDE:
        raise ArgumentError(f"block_rows: expected a multiple of {STRIDE}, got {block_rows}")
    if num_workers is not None:
        num_workers = whole("num_workers", num_workers, at_least=1)
    folder = RunFolder(Path(fspath(out)))
    with connected(num_workers) as ray:
        read = {name: value for name, value in reading.items() if value is not None}
        files = folder.open({**asked, "block_rows": block_rows, "reading": read}, expanded(paths))
        total = Total(folder, progress)
        files = [total.found(file) for file in files]
        blocks = blocks_done(
            ray,
            folder,
            [file for file in files if not folder.is_whole(file)],
            question,
            reading=read,
            block_rows=block_rows,
            num_workers=num_workers or n_processors(ray),
            resources={"num_cpus": 1, **(resources or {})},
        )
        for block in blocks:
            total.add(*block)
    total.check(files)
    return BlocksJudged(
        folder.path, len(files), total.n_rows, total.n_blocks, total.n_found, total.counts, perf_counter() - started
    )
