"""The conformance table: public answer verifiers on one set of cases, each run as its own project runs it.

    python benchmarks/conformance.py PACKAGES --install            install every package into PACKAGES/NAME
    python benchmarks/conformance.py PACKAGES [--grader NAME ...]  run, and write benchmarks/conformance/results.json
    python benchmarks/conformance.py --tables                      print the tables of results.json, running nothing
    python benchmarks/conformance.py --misses NAME                 print the cases that NAME judged otherwise

The cases are conformance/cases.jsonl (id, kind, target, response, expected, note); the verifiers are PEERS of
conformance/peer_graders.py. Every verifier runs in a killable worker process, in an empty folder of its own. A pair
that runs past 10 s is killed and asked once more in a fresh worker; it counts as a hang if it does so again. A run with
--grader replaces those verifiers' results and keeps the others', if the cases are the same.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import distributions
from math import ceil
from pathlib import Path
from typing import Any

from accuracy import WARM_UP

from rewardgate.errors import WorkerError, WorkerTimeoutError
from rewardgate.verifiers.isolation import Workers

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "conformance"
sys.path.append(str(FOLDER))

from peer_graders import PEERS, Peer  # noqa: E402 (its folder is on the path only now)

CASES, RESULTS = FOLDER / "cases.jsonl", FOLDER / "results.json"
LIMIT_S = 10.0  # a pair
ACCEPTED, REFUSED, NONE, HANG, FAILED = "TFNHE"  # one letter a case in results.json
COLUMNS = (
    "verifier", "reads", "as expected", "in its form", "precision", "recall", "wrong accepted", "right refused",
    "no verdict", "hangs", "errors", "left files", "p50 ms", "p99 ms",
)  # fmt: skip
FORMS = {
    "any": "",
    "LaTeX": r"\\boxed|\\fbox|\$[^$]+\$|\\\(|\\\[",
    "box": r"\\boxed|\\fbox",
    "Answer: or box": r"(?i:answer)\s*:|\\boxed",
    "####": "####",
}
"""What stands in a response of the form that a verifier reads: the cases of its column `in its form`."""

Case = dict[str, Any]
Answer = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="?", type=Path, help="folder of the installed packages")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--grader", action="append", choices=list(PEERS), help="only this one; may be repeated")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--misses", choices=list(PEERS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    names = options.grader or list(PEERS)
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    if not (options.tables or options.misses):
        if options.packages is None:
            parser.error("PACKAGES: expected the folder of the installed packages, got none")
        packages = options.packages.absolute()
        if options.install:
            install(packages, names)
            return
        run(cases, packages, names, options.results.absolute())
    results = read_results(options.results)
    if options.misses:
        print("\n".join(misses(cases, results, options.misses)))
    else:
        print(overall(cases, results) + "\n" + by_kind(cases, results) + "\n" + side_effects(cases, results))


def install(packages: Path, names: Sequence[str]) -> None:
    """Each package of the named verifiers into its own folder, with what it pins and nothing else."""
    wanted = {peer.requirement: (peer.package, peer.needs) for peer in map(PEERS.__getitem__, names) if peer.package}
    for requirement, (package, needs) in wanted.items():
        target = ["--no-deps", "--upgrade", "--target", str(packages / package)]
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", *target, requirement, *needs], check=True)


def run(cases: Sequence[Case], packages: Path, names: Sequence[str], results: Path) -> None:
    """Ask each verifier for every case and write its results before the next begins."""
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            answers, files = asked(cases, name, packages, Path(scratch))
        times = sorted(answer["seconds"] for answer in answers if answer["seconds"] is not None)
        found = {
            "version": installed(packages, PEERS[name]),
            "verdicts": "".join(answer["letter"] for answer in answers),
            "left files": files,
            "p50 ms": round(1000 * times[ceil(0.5 * len(times)) - 1], 2),
            "p99 ms": round(1000 * times[ceil(0.99 * len(times)) - 1], 2),
        }
        kept = read_results(results)
        results.write_text(json.dumps(kept | {"cases": digest(), name: found}, indent=1) + "\n", encoding="utf-8")


def asked(cases: Sequence[Case], name: str, packages: Path, scratch: Path) -> tuple[list[Answer], dict[str, list[str]]]:
    """One verifier's answers in the order of the cases, and the files that it left, by case."""
    files: dict[str, list[str]] = {}
    answers = []
    with Workers(search_path=[str(HERE), str(FOLDER)]) as workers:
        places = (str(packages), str(scratch))
        _warm_up(workers, name, places)
        for position, case in enumerate(cases):
            answer = _answer(workers, name, places, case)
            if answer["letter"] == HANG:
                answer = _answer(workers, name, places, case)
            answers.append(answer)
            if left := sorted(entry.name for entry in scratch.iterdir()):
                files[case["id"]] = left
                for entry in left:
                    (scratch / entry).unlink()
            if sys.stderr.isatty():
                print(f"\r{name}: {position + 1}/{len(cases)}", end="", file=sys.stderr, flush=True)
    return answers, files


def _answer(workers: Workers, name: str, places: tuple[str, str], case: Case) -> Answer:
    pair = case["target"], case["response"]
    try:
        answer = workers.call("peer_graders:graded", name, *places, *pair, timeout_s=LIMIT_S)
        return answer | {"letter": {True: ACCEPTED, False: REFUSED, None: NONE}[answer["accepted"]]}
    except WorkerTimeoutError:
        answer = {"letter": HANG, "seconds": LIMIT_S}
    except WorkerError:
        answer = {"letter": FAILED, "seconds": None}
    # The next case must not pay for a new worker's imports.
    with suppress(WorkerError):
        _warm_up(workers, name, places)
    return answer


def _warm_up(workers: Workers, name: str, places: tuple[str, str]) -> None:
    for gold, response in WARM_UP:
        workers.call("peer_graders:graded", name, *places, gold, response, timeout_s=120.0)


def read_results(results: Path) -> dict[str, Any]:
    """What stands in the file, or nothing where it is absent or of other cases."""
    found = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
    return found if found.get("cases") == digest() else {}


def digest() -> str:
    """The cases' SHA-256: results are of these cases and no others."""
    return hashlib.sha256(CASES.read_bytes()).hexdigest()


def installed(packages: Path, peer: Peer) -> str:
    """The versions of the verifier's package and of what stands beside it, as their metadata tells."""
    path = {"path": [str(packages / peer.package)]} if peer.package else {}
    here = {_plain(item.metadata["Name"]): item.version for item in distributions(**path)}
    names = [_plain(requirement) for requirement in (peer.requirement, *peer.needs) if requirement]
    return ", ".join(f"{name} {here[name]}" for name in names)


def _plain(requirement: str) -> str:
    return requirement.partition("==")[0].lower().replace("_", "-")


def overall(cases: Sequence[Case], results: dict[str, Any]) -> str:
    """One line a verifier over every case but policy."""
    lines = [f"| | {' | '.join(COLUMNS)} |", "|" + " --- |" * (1 + len(COLUMNS))]
    for number, name in _numbered(results):
        found, peer = results[name], PEERS[name]
        pairs = [(c, v) for c, v in zip(cases, found["verdicts"], strict=True) if c["kind"] != "policy"]
        in_form = [(c, v) for c, v in pairs if re.search(FORMS[peer.reads], c["response"])]
        hits = sum(c["expected"] and v == ACCEPTED for c, v in pairs)
        accepted = sum(v == ACCEPTED for _, v in pairs)
        right = sum(c["expected"] for c, _ in pairs)
        verdicts = "".join(v for _, v in pairs)
        cells = [
            str(number),
            name,
            peer.reads,
            f"{_as_expected(pairs)} / {len(pairs)}",
            f"{_as_expected(in_form)} / {len(in_form)}",
            f"{hits / accepted:.3f}" if accepted else "-",
            f"{hits / right:.3f}",
            str(accepted - hits),
            str(sum(c["expected"] and v == REFUSED for c, v in pairs)),
            str(verdicts.count(NONE)),
            str(verdicts.count(HANG)),
            str(verdicts.count(FAILED)),
            str(len(found["left files"])),
            f"{found['p50 ms']:.2f}",
            f"{found['p99 ms']:.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def by_kind(cases: Sequence[Case], results: dict[str, Any]) -> str:
    """The share of each kind that was judged as expected, in percent; verifiers by their number."""
    columns = _numbered(results)
    lines = [f"| kind | cases | right | {' | '.join(str(number) for number, _ in columns)} |"]
    lines.append("|" + " --- |" * (3 + len(columns)))
    for kind in dict.fromkeys(case["kind"] for case in cases):
        chosen = [position for position, case in enumerate(cases) if case["kind"] == kind]
        shares = []
        for _, name in columns:
            verdicts = results[name]["verdicts"]
            good = _as_expected([(cases[position], verdicts[position]) for position in chosen])
            shares.append(f"{100 * good / len(chosen):.0f}")
        right = sum(cases[position]["expected"] for position in chosen)
        lines.append(f"| {kind} | {len(chosen)} | {right} | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


def side_effects(cases: Sequence[Case], results: dict[str, Any]) -> str:
    """The versions, and which verifier left a file on which cases."""
    lines = [f"{number}. {name}: {results[name]['version']}" for number, name in _numbered(results)]
    ran = [(name, list(results[name]["left files"])) for _, name in _numbered(results) if results[name]["left files"]]
    lines += ["", "Files left behind: " + ("; ".join(f"{name}: {', '.join(ids)}" for name, ids in ran) or "none")]
    return "\n".join(lines) + "\n"


def misses(cases: Sequence[Case], results: dict[str, Any], name: str) -> list[str]:
    """A line for each case that the verifier judged otherwise than expected, policy included."""
    pairs = zip(cases, results[name]["verdicts"], strict=True)
    missed = [(case, verdict) for case, verdict in pairs if not _as_expected([(case, verdict)])]
    return [f"{c['id']} {v} for {'TF'[not c['expected']]}: {c['target']!r} {c['response'][:160]!r}" for c, v in missed]


def _as_expected(pairs: Sequence[tuple[Case, str]]) -> int:
    return sum(verdict == (ACCEPTED if case["expected"] else REFUSED) for case, verdict in pairs)


def _numbered(results: dict[str, Any]) -> list[tuple[int, str]]:
    return [(number, name) for number, name in enumerate(PEERS, start=1) if name in results]


if __name__ == "__main__":
    main()
