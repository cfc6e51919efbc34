"""Thousands of programs through the sandbox, attacks and crashes among them, while its processes are killed at random.

    python benchmarks/sandbox_soak.py [--runs 20000] [--threads 4] [--corpus FOLDER] [--seconds 1500]

Every row must get its right verdict, or ERROR where its own run may have been killed; descriptors and processes must
be back where they began. Exit code 1 where one of them is not. `--corpus` adds the programs of a folder with a
`cases.jsonl`. Kills are of our own descendants alone: a zygote, a candidate, a keeper of a PID namespace or the
maker of keepers.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardgate.verifiers.code import CodeVerifier

_KILL_EVERY_S = 0.7
_AFTERMATH_S = 0.2
"""A row that begins so soon after a kill may meet what is about to be noticed dead."""
_SHORT_S = 0.2

_SUM = {"inputs": ["1 2\n", "10 20\n"], "outputs": ["3\n", "30\n"]}
_ADD = {"fn_name": "add", "cases": [{"args": [1, 2], "expected": 3}, {"args": [10, 20], "expected": 30}]}
_ASSERTS = {"entry_point": "add", "asserts": ["assert add(1, 2) == 3", "assert add(10, 20) == 30"]}
_READ = "a, b = map(int, input().split())\n"
_DEF = "def add(a, b):\n    "


@dataclass(frozen=True)
class Kind:
    """One kind of row: a program, its tests, and the rules that its verdict may have."""

    name: str
    code: str
    target: dict[str, Any]
    rules: frozenset[str]
    weight: float
    is_slow: bool = False


def kind(name: str, code: str, target: dict[str, Any], rules: str, weight: float, *, is_slow: bool = False) -> Kind:
    target = {**target, "timeout_s": _SHORT_S} if is_slow else target
    return Kind(name, code, target, frozenset(rules.split()), weight, is_slow)


KINDS = (
    kind("right stdin", _READ + "print(a + b)", _SUM, "tests_passed", 25),
    kind("right function", _DEF + "return a + b", _ADD, "tests_passed", 20),
    kind("right asserts", _DEF + "return a + b", _ASSERTS, "tests_passed", 10),
    kind("right, threads", "import threading\n" + _READ + "threading.Thread(target=lambda: print(a + b)).start()", _SUM,
         "tests_passed", 3),
    kind("right, files", _READ + "open('x', 'w').write(str(a + b))\nprint(open('x').read())", _SUM, "tests_passed", 3),
    kind("wrong stdin", _READ + "print(a - b)", _SUM, "wrong_output", 10),
    kind("wrong function", _DEF + "return a - b", _ADD, "wrong_value", 8),
    kind("wrong asserts", _DEF + "return a - b", _ASSERTS, "wrong_value", 4),
    kind("raises", _DEF + "raise ValueError(a)", _ADD, "raised", 2),
    kind("exits with 3", "raise SystemExit(3)", _SUM, "exit_code", 2),
    kind("no syntax", "def add(:", _ADD, "raised", 1),
    kind("aborts", "import os\nos.abort()", _SUM, "signal", 1),
    kind("kills itself", "import os\nos.kill(os.getpid(), 9)", _SUM, "signal", 1),
    kind("exits in a call", _DEF + "import os\n    os._exit(0)", _ASSERTS, "ended", 1),
    kind("spins", _DEF + "\n    while True: pass", _ADD, "timeout", 1, is_slow=True),
    kind("sleeps", "import time\ntime.sleep(60)", _SUM, "timeout", 0.5, is_slow=True),
    kind("memory", "x = bytearray(3 << 30)", _SUM, "memory", 1),
    kind("floods", "while True: print('x' * 100_000)", _SUM, "output_limit timeout", 0.3, is_slow=True),
    kind("lies on the wire", "import os\nos.write(3, b'\\xff' * 64)\n" + _DEF + "return 3", _ADD, "garbage", 1),
)  # fmt: skip


def corpus_kinds(folder: Path) -> list[Kind]:
    """The programs of a corpus that must not pass, at a short time limit."""
    found = []
    for line in (folder / "cases.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["expected"]["passed"] or row.get("danger") or row.get("extract") or row["tests"].get("cases") == []:
            continue
        code = (folder / row["file"]).read_text(encoding="utf-8", errors="surrogateescape")
        for mark in ("@CANARY_DIR@", "@ABSTRACT@"):
            code = code.replace(mark, "/nowhere")
        code = code.replace("@PORT@", "9").replace("@UDPPORT@", "9")
        found.append(kind(row["id"], code, row["tests"], "", 14, is_slow=True))
    return [Kind(one.name, one.code, one.target, one.rules, 14 / len(found), is_slow=True) for one in found]


@dataclass
class Soak:
    """What is under way, what was killed, and what came of it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    under_way: dict[int, int] = field(default_factory=dict)
    """Row -> kills since it began."""
    kills: Counter[str] = field(default_factory=Counter)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    killed_at: float = 0.0
    wrong: list[str] = field(default_factory=list)
    done: int = 0


def main() -> int:
    """Run the soak, print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1_500.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=Path)
    options = parser.parse_args()
    kinds = [*KINDS, *(corpus_kinds(options.corpus) if options.corpus else ())]
    chance = random.Random(options.seed)
    rows = chance.choices(kinds, [one.weight for one in kinds], k=options.runs)
    # A child is waited for once, so that whatever the interpreter opens once is open before we count.
    verifier = CodeVerifier(workers=options.threads, timeout_s=2.0)
    verifier.verify(KINDS[0].code, KINDS[0].target)
    verifier.close()
    before = state()
    soak, started, stop = Soak(), time.monotonic(), threading.Event()
    killer = threading.Thread(target=kill_at_random, args=(soak, stop, random.Random(options.seed)))
    killer.start()
    with ThreadPoolExecutor(options.threads) as pool:
        waiting = [pool.submit(judge, verifier, soak, number, row) for number, row in enumerate(rows)]
        while soak.done < len(rows) and time.monotonic() - started < options.seconds:
            time.sleep(10)
            print(progress(soak, started), flush=True)
        for one in waiting:
            one.cancel()
    stop.set()
    killer.join()
    verifier.close()
    return report(soak, before, time.monotonic() - started)


def judge(verifier: CodeVerifier, soak: Soak, number: int, row: Kind) -> None:
    """One row: its verdict against what is right."""
    with soak.lock:
        soak.under_way[number] = int(time.monotonic() - soak.killed_at < _AFTERMATH_S)
    said, is_right = "raised", False
    try:
        verdict = verifier.verify(row.code, row.target)
        with soak.lock:
            n_kills = soak.under_way[number]
        said = verdict.rule
        if verdict.reward is None:
            is_right = n_kills > 0
        elif row.rules:
            # Killed twice, a program is taken for one that kills itself.
            is_right = said in row.rules or (said in ("signal", "ended") and n_kills > 1)
        else:
            is_right = verdict.reward == 0
        detail = verdict.detail
    except BaseException as error:
        detail = f"{type(error).__name__}: {error}"
    with soak.lock:
        del soak.under_way[number]
        soak.done += 1
        name = row.name if row.rules else "attacks"
        soak.counts.setdefault(name, Counter())[said if row.rules or said == "sandbox" else "refused"] += 1
        if not is_right:
            soak.wrong.append(f"row {number}, {row.name}: {said}: {detail[:200]}")
            print(soak.wrong[-1], flush=True)


def kill_at_random(soak: Soak, stop: threading.Event, chance: random.Random) -> None:
    """Kill one of our descendants every now and then."""
    while not stop.wait(chance.expovariate(1 / _KILL_EVERY_S)):
        by_kind: dict[str, list[int]] = {}
        for pid, depth in descendants(os.getpid()):
            is_parent = bool(descendants(pid))
            name = {0: "zygote", 1: "maker of keepers" if is_parent else "candidate"}.get(depth, "keeper")
            by_kind.setdefault(name, []).append(pid)
        level = chance.choice(("zygote", "candidate", "candidate", "keeper", "maker of keepers"))
        if level not in by_kind:
            continue
        with soak.lock, contextlib.suppress(OSError):
            # Whatever is under way may be what is killed.
            for number in soak.under_way:
                soak.under_way[number] += 1
            os.kill(chance.choice(by_kind[level]), signal.SIGKILL)
            soak.kills[level] += 1
            soak.killed_at = time.monotonic()


def descendants(pid: int, depth: int = 0) -> list[tuple[int, int]]:
    """(pid, depth) of every child, grandchild and so on."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                found += [(int(child), depth), *descendants(int(child), depth + 1)]
    return found


def state() -> dict[str, Any]:
    """What a run might leave behind."""
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(descendants(os.getpid())),
        "threads": threading.active_count(),
        "shared memory": sorted(os.listdir("/dev/shm")),
        "SysV segments": len(Path("/proc/sysvipc/shm").read_text().splitlines()),
    }


def resident_mb(pid: int) -> float:
    """Of one process, 0 where it is gone."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6
    return 0.0


def progress(soak: Soak, started: float) -> str:
    family = [pid for pid, _ in descendants(os.getpid())]
    with soak.lock:
        done, wrong, kills = soak.done, len(soak.wrong), sum(soak.kills.values())
    seconds = time.monotonic() - started
    tree_mb = sum(map(resident_mb, [os.getpid(), *family]))
    return (
        f"{seconds:6.0f} s {done:6d} rows {done / seconds:5.1f}/s {wrong} wrong {kills} kills "
        f"{len(os.listdir('/proc/self/fd'))} descriptors {len(family)} processes "
        f"{resident_mb(os.getpid()):.0f} MB here {tree_mb:.0f} MB in the tree"
    )


def report(soak: Soak, before: dict[str, Any], seconds: float) -> int:
    """Print the table; 1 where a verdict or the state after is wrong."""
    deadline = time.monotonic() + 5
    while not is_back(after := state(), before) and time.monotonic() < deadline:
        time.sleep(0.1)
    print("\n| kind of row | rows | verdicts |\n| --- | ---: | --- |")
    for name, counts in soak.counts.items():
        print(f"| {name} | {counts.total()} | {', '.join(f'{rule} {n}' for rule, n in counts.most_common())} |")
    kills = ", ".join(f"{n} of a {level}" for level, n in soak.kills.items())
    print(f"\n{soak.done} rows in {seconds:.0f} s; killed at random: {kills}; wrong verdicts: {len(soak.wrong)}")
    print(f"before: {before}\nafter:  {after}")
    return int(bool(soak.wrong) or not is_back(after, before))


def is_back(after: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether what belongs to this process is as it was; shared memory is everybody's, and is told beside it."""
    return all(after[key] == before[key] for key in ("descriptors", "processes", "threads"))


if __name__ == "__main__":
    sys.exit(main())
