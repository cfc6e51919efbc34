"""What the pytest plug-in adds to a session that has no test of ours, in milliseconds of the processor.

    python benchmarks/pytest_plugin.py [--runs 40] [--tests 1000]

Three parts, which a session pays one after the other:

- *file list*: pytest reads the list of the files of every distribution that has a plug-in, `-p no:rewardgate` or not
  (an editable install lists a handful, a wheel all);
- *import* of the plug-in, in a fresh interpreter that has imported pytest;
- *hooks*: `pytest --collect-only` on plain tests with and without the plug-in, taking turns in one process; the median
  of the differences of neighbouring runs. Large plug-ins of others are left out of both.
"""

import argparse
import contextlib
import io
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from statistics import median
from time import process_time

import pytest

LEFT_OUT = [f"-pno:{name}" for name in ("cacheprovider", "xdist", "timeout", "hypothesispytest")]
IMPORT = """
import time, pytest
started = time.process_time()
import rewardgate.integrations.pytest_plugin
print(time.process_time() - started)
"""


def collecting(*options: str) -> float:
    for name in [name for name in sys.modules if name.startswith("test_")]:
        del sys.modules[name]
    started = process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["--collect-only", "-qq", *LEFT_OUT, *options])
    return process_time() - started


def hooks(runs: int, tests: int) -> float:
    differences = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for place in range(10):
            text = "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(tests // 10))
            Path(f"test_{place}.py").write_text(text, encoding="utf-8")
        for run in range(runs + 1):
            ways: list[tuple[str, ...]] = [(), ("-pno:rewardgate",)]
            spent = {way: collecting(*way) for way in (ways if run % 2 else reversed(ways))}
            if run:  # the first writes bytecode
                differences.append(spent[ways[0]] - spent[ways[1]])
    return median(differences)


def file_list() -> float:
    started = process_time()
    list(distribution("rewardgate").files or ())
    return process_time() - started


def importing() -> float:
    command = [sys.executable, "-P", "-c", IMPORT]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--tests", type=int, default=1000)
    arguments = parser.parse_args()
    parts = {
        "file list": median(file_list() for _ in range(5)),
        "import": median(importing() for _ in range(5)),
        f"hooks, {arguments.tests} tests": hooks(arguments.runs, arguments.tests),
    }
    for name, seconds in parts.items():
        print(f"{name:20} {1000 * seconds:6.1f} ms")
    print(f"{'together':20} {1000 * sum(parts.values()):6.1f} ms")


if __name__ == "__main__":
    main()
