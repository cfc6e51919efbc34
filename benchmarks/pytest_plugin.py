"""What the pytest plug-in adds to collecting tests that have nothing to do with it.

    python benchmarks/pytest_plugin.py [--runs 15] [--tests 1000]

Runs `pytest --collect-only` on a folder of plain tests, with the plug-in and with `-p no:rewardgate`, taking turns, and
prints the processor time of each (user and system, of the process and its children) with the median of the differences
of neighbouring runs. pytest loads both as it loads them for a user, by their entry points; other plug-ins that are
large are left out of both, so that the figure is not lost in their noise.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

CHILDREN = resource.RUSAGE_CHILDREN
LEFT_OUT = [f"-pno:{name}" for name in ("cacheprovider", "xdist", "timeout", "hypothesispytest", "anyio")]


def processor_seconds(folder: Path, *options: str) -> float:
    before = resource.getrusage(CHILDREN)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", *LEFT_OUT, *options]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--tests", type=int, default=1000)
    arguments = parser.parse_args()
    ways: dict[str, tuple[str, ...]] = {"with": (), "without": ("-p", "no:rewardgate")}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for place in range(10):
            tests = "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(arguments.tests // 10))
            (folder / f"test_{place}.py").write_text(tests, encoding="utf-8")
        spent: dict[str, list[float]] = {way: [] for way in ways}
        for run in range(arguments.runs + 1):
            for way in sorted(ways, reverse=bool(run % 2)):
                seconds = processor_seconds(folder, *ways[way])
                if run:  # the first writes bytecode
                    spent[way].append(seconds)
    for way, seconds in spent.items():
        print(f"{way:8} median {1000 * median(seconds):7.1f} ms, least {1000 * min(seconds):7.1f} ms")
    differences = [one - other for one, other in zip(spent["with"], spent["without"], strict=True)]
    least = min(spent["with"]) - min(spent["without"])
    print(
        f"{arguments.tests} tests: the plug-in adds {1000 * median(differences):.1f} ms (median), {1000 * least:.1f} ms"
    )


if __name__ == "__main__":
    main()
