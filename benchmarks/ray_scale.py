"""Verdicts over Ray: the same as of one process, none lost when an actor is killed; and rows a second of a core.

    python benchmarks/ray_scale.py kill [--data ../shared/data] [--rollouts 100000] [--workers 2]
    python benchmarks/ray_scale.py rates [--data ../shared/data] [--rows 20000] [--programs 400] [--repeat 1]

Needs Ray (`pip install '.[ray]'`) and starts one of its own on this machine.

kill    100,000 rollouts, resampled from real files as audit_scale.py does, in 8 files (the last is Parquet, one line of
        each of the others cannot be read), are judged by `math` in one process, as `rewardgate verify` does. Then by
        Ray, block by block; when a third of the blocks is there, an actor gets SIGKILL. Every row of the two outputs is
        compared. Prints rows, blocks, seconds of both, the process that was killed, and lost, repeated and different
        rows. Exits with 1 unless these are 0.
rates   of each verifier: rows a second of processor time, reading included, of `rewardgate verify`, and in blocks: what
        Ray's reader and actor do, in one process, without Ray's own part; all processes counted, less what 64 rows cost
        with the start; medians of interleaved runs. Ray's own part stands in the processor seconds of `kill`.
        `exact`, `numeric`, `math` and `auto` judge the same rollouts (0.8 KB each), `choice` the same texts with a
        letter at their end, `code` programs of five asserts each in the sandbox. The last table is 10^6 and 10^9 rows
        in core-hours in blocks.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from audit_cost import process_tree
from audit_scale import write
from processor_meter import Meter

from rewardgate.integrations import ray as beyond
from rewardgate.integrations.ray_blocks import VerdictQuestion
from rewardgate.integrations.ray_cluster import Judging
from rewardgate.integrations.ray_folder import RunFolder
from rewardgate.integrations.ray_rows import row_blocks
from rewardgate.rollouts.reading import read_rows
from rewardgate.verifiers import get
from rewardgate.verifiers.verdict_rows import verdict_rows

FILES = 8
BLOCK_ROWS = 1024
FEW_ROWS = 64
VERIFIERS = ("exact", "choice", "numeric", "math", "auto", "code")
SIZES = (10**6, 10**9)
VERIFY = (
    "import os, sys; from rewardgate.cli import main; name, path = sys.argv[1:]; "
    "sys.argv[1:] = ['verify', path, '--verifier', name, '--out', os.devnull]; main()"
)
BLOCKS = (
    f"import sys; sys.path.append({str(Path(__file__).parent)!r}); from pathlib import Path; "
    "from ray_scale import in_blocks; in_blocks(sys.argv[1], Path(sys.argv[2]))"
)
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("kill", "rates"))
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--rollouts", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--programs", type=int, default=400)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.what == "kill":
            with started(options.workers):
                code = kill(Path(folder), options.data, options.rollouts, options.workers)
            sys.exit(code)
        rates(Path(folder), options.data, options.rows, options.programs, options.repeat)


@contextmanager
def started(num_cpus: int) -> Iterator[None]:
    """A Ray of our own, of so many processors."""
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init("local", num_cpus=num_cpus, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 29)
    yield
    ray.shutdown()


def kill(folder: Path, data: Path, n: int, workers: int) -> int:
    """The table of `kill`; 0 where nothing was lost."""
    print(f"load {os.getloadavg()[0]:.1f}")
    paths = files_of(folder / "in", data, n)
    meter = Meter()
    begun, before = perf_counter(), process_time()
    expected = list(local("math", paths))
    local_s, local_processor_s = perf_counter() - begun, process_time() - before
    out, killed = folder / "out", list[int]()
    n_blocks = sum(-(-len([row for row in expected if row["file"] == str(path)]) // BLOCK_ROWS) for path in paths)
    threading.Thread(target=kill_one, args=(out, n_blocks // 3, killed), daemon=True).start()
    before, last = meter.seconds(), [0.0]

    def note(_: int) -> None:
        last[0] = meter.seconds()

    given = [*map(str, paths)]
    done = beyond.verify(given, "math", out, num_workers=workers, block_rows=BLOCK_ROWS, progress=note)
    found = rows_in(out)
    by_place = {(row["file"], row["row"]): row for row in found}
    repeated = len(found) - len(by_place)
    lost = sum((row["file"], row["row"]) not in by_place for row in expected)
    differing = sum(plain(by_place.get((row["file"], row["row"]), {})) != plain(row) for row in expected)
    in_order = [(row["file"], row["row"]) for row in found] == [(row["file"], row["row"]) for row in expected]
    print(f"{len(expected):,} rows, {done.counts['refused_rows']} of them refused, in {done.n_blocks} blocks")
    print(f"one process {local_s:.0f} s; Ray with {workers} actors {done.seconds:.0f} s; killed: process {killed}")
    print(f"processor seconds: {local_processor_s:.0f}; with all of Ray, its start too, {last[0] - before:.0f}")
    print(f"lost {lost}, repeated {repeated}, different {differing}, in the same order: {in_order}")
    print(f"load {os.getloadavg()[0]:.1f}")
    return 0 if killed and in_order and not (lost or repeated or differing) else 1


def files_of(folder: Path, data: Path, n: int) -> list[Path]:
    """`n` rollouts in files: JSON lines with a bad one in each, and Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    whole = folder.parent / "whole.jsonl"
    write(whole, data, n)
    lines = whole.read_text().splitlines()[:n]
    paths = []
    for number in range(FILES):
        part = lines[number * n // FILES : (number + 1) * n // FILES]
        if number == FILES - 1:
            paths.append(folder / f"step_{number}.parquet")
            pq.write_table(pa.Table.from_pylist([json.loads(line) for line in part]), paths[-1])
            continue
        part[len(part) // 2] = '{"prompt": "a line that was cut'
        paths.append(folder / f"step_{number}.jsonl")
        paths[-1].write_text("\n".join(part) + "\n")
    return paths


def local(name: str, paths: Sequence[Path], **options: Any) -> Iterator[Row]:
    """What the local command writes, file by file."""
    verifier = get(name, **options)
    for path in paths:
        yield from ({"file": str(path), **row} for row in verdict_rows(read_rows(path), verifier, name=name))


def rows_in(out: Path) -> list[Row]:
    import pyarrow.parquet as pq

    return [row for part in sorted(out.glob("*.parquet")) for row in pq.read_table(part).to_pylist()]


def plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "seconds"}


def kill_one(out: Path, n_blocks: int, killed: list[int]) -> None:
    """SIGKILL to the first actor of ours that is found once `n_blocks` are there."""
    pause = threading.Event()
    while len([*out.glob("*.parquet")]) < n_blocks:
        pause.wait(0.05)
    while not killed:
        for process in process_tree(os.getpid()):
            with suppress(OSError):
                # Ray names a process after the task that it runs.
                if b"MapBatches(Judging" in (Path("/proc") / str(process) / "cmdline").read_bytes():
                    os.kill(process, 9)
                    killed.append(process)
                    return
        pause.wait(0.01)


def rates(folder: Path, data: Path, n: int, n_programs: int, repeat: int) -> None:
    """The tables of `rates`."""
    print(f"load {os.getloadavg()[0]:.1f}")
    paths = {name: sample(folder, data, name, n_programs if name == "code" else n) for name in VERIFIERS}
    commands = {"`rewardgate verify`": VERIFY, "in blocks": BLOCKS}
    found: dict[str, dict[str, list[float]]] = {name: {way: [] for way in commands} for name in VERIFIERS}
    for _ in range(repeat):
        for name, path in paths.items():
            for way, program in commands.items():
                found[name][way].append(rate(path, [sys.executable, "-c", program, name]))
    print(f"| verifier | {' | '.join(commands)} | blocks over one process |\n|{' --- |' * (len(commands) + 2)}")
    for name in VERIFIERS:
        one, blocks = found[name].values()
        ratio = median(there / here for here, there in zip(one, blocks, strict=True))
        print(f"| `{name}` | {median(one):,.0f} | {median(blocks):,.0f} | {ratio:.2f} |")
    columns = ["verifier", *(f"core-hours for {size:,} rows" for size in SIZES)]
    print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for name in VERIFIERS:
        hours = [size / median(found[name]["in blocks"]) / 3600 for size in SIZES]
        print(f"| `{name}` | {' | '.join(f'{hour:,.2f}' for hour in hours)} |")
    print(f"load {os.getloadavg()[0]:.1f}")


def rate(path: Path, command: Sequence[str]) -> float:
    """Rows a processor second of `command` with a file: of `path`, less what its first rows cost with the start."""
    cost = []
    for rows in (few_of(path), path):
        process = subprocess.Popen([*command, str(rows)])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
        cost.append(usage.ru_utime + usage.ru_stime)
    return (n_lines(path) - FEW_ROWS) / (cost[1] - cost[0])


def in_blocks(name: str, path: Path) -> None:
    """What Ray's reader and actor do with a file, in one process."""
    with tempfile.TemporaryDirectory() as out:
        folder = RunFolder(Path(out) / "out")
        (file,) = folder.open({}, [str(path)])
        actor = Judging(VerdictQuestion(name), folder, Path.cwd())
        for block in row_blocks(folder, file, {}, path=str(path), block_rows=BLOCK_ROWS):
            actor({field: [value] for field, value in block._asdict().items()})


def few_of(path: Path) -> Path:
    few = path.with_name(f"few-{path.name}")
    with path.open() as file:
        few.write_text("".join(islice(file, FEW_ROWS)))
    return few


def n_lines(path: Path) -> int:
    with path.open() as file:
        return sum(1 for _ in file)


def sample(folder: Path, data: Path, name: str, n: int) -> Path:
    """`n` rows for a verifier."""
    path = folder / f"{name}.jsonl"
    if name == "code":
        rows = [program(number) for number in range(n)]
    else:
        write(path, data, n)
        rows = [json.loads(line) for line in path.read_text().splitlines()[:n]]
        if name == "choice":
            letters = "ABCD"
            for number, row in enumerate(rows):
                row["target"] = letters[number % 4]
                row["response"] += f"\nThe answer is ({letters[number % 3]})."
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def program(number: int) -> Row:
    """A function of a few lines with its five asserts; every third is wrong."""
    added = number + (number % 3 == 0)
    code = f"```python\ndef shifted(values):\n    return sorted(value + {added} for value in values)\n```"
    cases = [[3, 1, 2], [], [0], [5, 5], [-1, 4]]
    asserts = [f"assert shifted({case}) == {sorted(value + number for value in case)}" for case in cases]
    return {"prompt": "Write shifted(values).", "response": code, "target": {"asserts": asserts}}


if __name__ == "__main__":
    main()
