"""Real tasks through the code verifier: do right programs pass, how fast, and does memory stay where it is.

    python benchmarks/sandbox_tasks.py DATA [--programs 1000] [--cases 10]

DATA holds HumanEval.jsonl.gz (openai/human-eval) and code_eval_mbpp.jsonl and code_eval_shadow_humaneval_python.jsonl
(bytedance/SandboxFusion's samples); what is not there is said and left out.

    HumanEval      all canonical solutions, and the same as continuations of their prompts
    MBPP           the canonical solutions of the sample
    shadow         references of which some fail their own tests: each verdict must be that of a plain `python -I`
    memory         PROGRAMS programs with CASES cases of standard input each, through `iter_verdicts`: proportional
                   memory of this process and all that it started, from 10 % of the rows on
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rewardgate.verifiers.batch import iter_verdicts
from rewardgate.verifiers.code import CodeVerifier

SECONDS_HUMAN_EVAL = 10
MOST_GROWTH_MB = 50
PLAIN_S = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=10)
    options = parser.parse_args()
    print(f"{'root' if os.geteuid() == 0 else 'a user'}, load {os.getloadavg()[0]:.1f} before\n")
    verifier = CodeVerifier(timeout_s=10)
    print(verifier.verify("print(1)", {"inputs": [""], "outputs": ["1"]}).detail + "\n")
    human_eval(verifier, options.data / "HumanEval.jsonl.gz")
    mbpp(verifier, options.data / "code_eval_mbpp.jsonl")
    shadow(verifier, options.data / "code_eval_shadow_humaneval_python.jsonl")
    memory(verifier, options.programs, options.cases)


def lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        print(f"{path.name}: NOT THERE, left out")
        return []
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def human_eval(verifier: CodeVerifier, path: Path) -> None:
    rows = lines(path)
    whole = [(row["prompt"] + row["canonical_solution"], row) for row in rows]
    continued = [(row["canonical_solution"], row) for row in rows]
    for name, pairs in (("HumanEval", whole), ("HumanEval, continuations", continued)):
        passed, seconds = judged(verifier, pairs)
        if rows:
            print(f"{name}: {passed} of {len(pairs)} pass, {seconds:.1f} s (at most {SECONDS_HUMAN_EVAL} when idle)")


def mbpp(verifier: CodeVerifier, path: Path) -> None:
    rows = lines(path)
    passed, seconds = judged(verifier, [(row["canonical_solution"], row) for row in rows])
    if rows:
        print(f"MBPP: {passed} of {len(rows)} pass, {seconds:.1f} s")


def judged(verifier: CodeVerifier, pairs: list[tuple[str, dict[str, Any]]]) -> tuple[int, float]:
    """How many pass, and the seconds for all; those that do not are told."""
    started = time.perf_counter()
    verdicts = list(iter_verdicts(verifier, pairs))
    seconds = time.perf_counter() - started
    for verdict, (_, row) in zip(verdicts, pairs, strict=True):
        if verdict.reward != 1:
            print(f"  {row.get('task_id', row.get('id'))}: {verdict.rule}: {verdict.detail}")
    return sum(verdict.reward == 1 for verdict in verdicts), seconds


def shadow(verifier: CodeVerifier, path: Path) -> None:
    rows = lines(path)
    agree = 0
    for row in rows:
        program = row["content"] + row["canonical_solution"]
        plain = passes_plainly(program, row)
        verdict = verifier.verify(program, row)
        agree += (verdict.reward == 1) == plain
        if (verdict.reward == 1) != plain:
            print(f"  {row['id']}: plain execution {'passes' if plain else 'fails'}, {verdict.rule}: {verdict.detail}")
    if rows:
        print(f"shadow: {agree} of {len(rows)} as plain execution says")


def passes_plainly(program: str, row: dict[str, Any]) -> bool:
    """Whether reference and tests, which are the data set's own, exit with 0 in one interpreter."""
    entry_point = json.loads(row["labels"])["entry_point"]
    whole = f"{program}\n{row['test']}\ncheck({entry_point})\n"
    command = [sys.executable, "-I", "-"]
    return subprocess.run(command, input=whole, text=True, capture_output=True, timeout=PLAIN_S).returncode == 0


def memory(verifier: CodeVerifier, programs: int, cases: int) -> None:
    readings = []
    started = time.perf_counter()
    passed = 0
    for number, verdict in enumerate(iter_verdicts(verifier, sums(programs, cases)), 1):
        passed += verdict.reward == 1
        if number % max(1, programs // 10) == 0:
            readings.append(proportional_mb())
    seconds = time.perf_counter() - started
    growth = readings[-1] - readings[0]
    print(
        f"memory: {passed} of {programs} programs × {cases} cases pass, {programs * cases / seconds:.0f} runs/s; "
        f"{readings[0]:.1f} MB at 10 %, {readings[-1]:.1f} MB at 100 %: {growth:+.1f} MB (at most {MOST_GROWTH_MB})"
    )


def sums(programs: int, cases: int) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Programs that add what they read, each in its own words, and their tests."""
    for number in range(programs):
        code = f"offset = {number}\nprint(sum(map(int, input().split())) + offset)\n"
        inputs = [f"{case} {case * case}\n" for case in range(cases)]
        yield code, {"inputs": inputs, "outputs": [f"{case + case * case + number}\n" for case in range(cases)]}


def proportional_mb() -> float:
    """Megabytes of this process and its descendants, shared pages counted once."""
    kilobytes = 0
    for process in process_tree(os.getpid()):
        with suppress(OSError):
            text = Path("/proc", str(process), "smaps_rollup").read_text()
            kilobytes += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return kilobytes / 1024


def process_tree(root: int) -> list[int]:
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            parents[int(name)] = int(Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1])
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


if __name__ == "__main__":
    main()
