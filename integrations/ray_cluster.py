"""Ray itself: connected to, and asked to read, judge and write the blocks of files. The only file that runs Ray Data.

    file ─ read_rows (a task a file) ─▶ blocks of rows ─▶ Judging (actors) ─▶ Parquet; a line about each ─▶ the caller

Texts go from a reader to an actor through Ray's object store, never through the caller. An actor that dies is started
again and its block judged again; a reader that dies reads its file again and hands on only what is wanted.
"""

import logging
import os
import pickle
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, MissingExtraError, RewardgateError, UnavailableError, WorkerDiedError
from .ray_blocks import Opened, Question, table_of
from .ray_folder import RunFolder
from .ray_inputs import InputFile
from .ray_rows import FAILED, RowBlock, row_blocks, unpacked

__all__ = ["MOST_TRIALS", "BlockDone", "blocks_done", "connected", "enter", "n_processors", "told"]

MOST_TRIALS = 5
"""Times that a block is begun: its actor may have died of something else. Ray itself would begin it for ever."""


class BlockDone(NamedTuple):
    """What a block came to, or why there is none.

    Args:
        file, number: of the block; `FAILED` for a file that could not be read.
        n_rows: of the output.
        counts: of what was said, by name.
        problem: why the file could not be read, or the block not judged; empty where it is there.
    """

    file: int
    number: int
    n_rows: int
    counts: Mapping[str, int]
    problem: str


@contextmanager
def connected(num_workers: int | None) -> Iterator[Any]:
    """The module `ray`, connected: to where the caller is already, or RAY_ADDRESS says; else to one of our own.

    One of our own is on this machine, has a processor for each of `num_workers`, sends no usage statistics, opens no
    dashboard, and ends with the block.

    Raises:
        MissingExtraError: Ray is not installed.
        UnavailableError: it cannot be reached, or started.
    """
    try:
        ray = import_module("ray")
        import_module("ray.data")
    except ImportError as error:
        raise MissingExtraError("ray: expected Ray, which is not installed; pip install 'rewardgate[ray]'") from error
    if ray.is_initialized():
        yield ray
        return
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if os.environ.get("RAY_ADDRESS"):
            ray.init(**quiet)
        else:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            n_cpus = max(num_workers or 1, os.cpu_count() or 1)
            # "local": not one that somebody else runs on this machine, which Ray would find by itself.
            ray.init("local", num_cpus=n_cpus, include_dashboard=False, **quiet)
    except Exception as error:  # a bare one, where its own processes did not come up in time
        raise UnavailableError(f"ray: expected to reach it, or to start it here, got: {error}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def n_processors(ray: Any) -> int:
    """How many the cluster has."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def blocks_done(
    ray: Any,
    folder: RunFolder,
    files: Sequence[InputFile],
    question: Question,
    *,
    reading: Mapping[str, Any],
    block_rows: int,
    num_workers: int,
    resources: Mapping[str, Any],
) -> Iterator[BlockDone]:
    """Have every block of `files` that is not there judged and written; tells of each as it is done, in any order.

    Args:
        reading: options of `read_rows`.
        num_workers: actors.
        resources: what each takes, as `map_batches` names it: `num_cpus`, `num_gpus`, ….

    Raises:
        RewardgateError: what an actor raised of its own making, `UnavailableError` above all.
    """
    if not files:
        return
    root = Path.cwd()
    folder = RunFolder(root / folder.path)
    given = {"folder": folder, "reading": dict(reading), "root": root, "block_rows": block_rows}
    data = ray.data.from_items([{"file": pickle.dumps(file)} for file in files], override_num_blocks=len(files))
    data.context.target_max_block_size = 1  # of Ray's blocks: each of ours on its own, as soon as it is there
    data.context.enable_progress_bars = False
    # Readers take no processor: where each has an actor, they would wait for ever. Ray stops those that run ahead.
    data = data.map_batches(
        _read,
        batch_size=1,
        fn_kwargs=given,
        num_cpus=0,
        compute=ray.data.TaskPoolStrategy(size=min(num_workers, len(files))),
    )
    data = data.map_batches(
        Judging,
        batch_size=1,
        fn_constructor_kwargs={"question": question, "folder": folder, "root": root},
        compute=ray.data.ActorPoolStrategy(size=num_workers),
        **resources,
    )
    with _quiet():
        for row in data.iter_rows():
            done: BlockDone | RewardgateError = pickle.loads(row["done"])
            if isinstance(done, RewardgateError):
                raise done
            yield done


class Judging:
    """What an actor is: one verifier or scorer, held from block to block."""

    def __init__(self, question: Question, folder: RunFolder, root: Path) -> None:
        enter(root)
        self._question, self._schema = question, question.schema()
        self._folder = folder
        self._answers: Opened | None = None

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[bytes]]:
        blocks = (RowBlock(*values) for values in zip(*(batch[name] for name in RowBlock._fields), strict=True))
        return {"done": [pickle.dumps(self._done(block)) for block in blocks]}

    def _done(self, block: RowBlock) -> BlockDone | RewardgateError:
        try:
            return self._judged(block)
        except RewardgateError as error:  # as a value: of what is raised, Ray brings home the text
            return error
        except OSError as error:
            return InputError(f"{self._folder.path}: expected a folder to write to, got: {error.strerror or error}")

    def _judged(self, block: RowBlock) -> BlockDone:
        if block.number == FAILED:
            return BlockDone(block.file, FAILED, 0, {}, block.problem)
        if self._folder.begin(block.file, block.number) > MOST_TRIALS:
            problem = f"block {block.number}, from row {block.start}: {MOST_TRIALS} actors died of it"
            return BlockDone(block.file, block.number, 0, {}, problem)
        if self._answers is None:
            self._answers = self._question.opened()
        rows, counts = self._answers(unpacked(block))
        rows = [{**row, "file": block.path, "row": block.start + row["row"]} for row in rows]
        self._folder.write_part(block.file, block.number, table_of(rows, self._schema), counts)
        return BlockDone(block.file, block.number, len(rows), counts, "")


def _read(
    batch: Mapping[str, Any], *, folder: RunFolder, reading: Mapping[str, Any], root: Path, block_rows: int
) -> Iterator[dict[str, list[Any]]]:
    for file in map(pickle.loads, batch["file"]):
        path = str(root / file.path)
        for block in row_blocks(folder, file, reading, path=path, block_rows=block_rows):
            yield {name: [value] for name, value in block._asdict().items()}


def enter(root: Path) -> None:
    """Go, in an actor, where the caller is, as far as this machine has it: a user's functions are looked for there."""
    if root.is_dir():
        os.chdir(root)


@contextmanager
def told() -> Iterator[None]:
    """Turns what comes back from an actor into the error that was raised there."""
    try:
        yield
    except Exception as raised:
        cause: BaseException | None = raised
        while cause is not None:
            if isinstance(getattr(cause, "cause", None), RewardgateError):
                raise cause.cause from None  # pyright: ignore[reportAttributeAccessIssue]
            if type(cause).__name__ in {"RayActorError", "ActorDiedError"}:
                raise WorkerDiedError(f"ray: expected actors that live, got: {cause}") from raised
            cause = cause.__cause__
        raise


@contextmanager
def _quiet() -> Iterator[None]:
    """Ray Data tells of every run on stderr; what a user must know, we tell."""
    log = logging.getLogger("ray.data")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # It does not know that one file becomes many blocks, and thinks that most actors will have none.
            warnings.filterwarnings("ignore", message="The m.* number of concurrent", category=UserWarning)
            yield
    finally:
        log.setLevel(level)
