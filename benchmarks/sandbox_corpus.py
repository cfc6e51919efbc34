"""Attacks and tricky-but-right programs through the code verifier, layer by layer.

    python benchmarks/sandbox_corpus.py CORPUS [--without LAYER …] [--only TEXT …]

CORPUS holds cases.jsonl and programs/. Run it as root and as a user: what holds differs. A row of the table is the
whole corpus with the layers named taken away on top of `--without`; each cell is the number of cases with a wrong
verdict (or none) and of those that left something behind / the number of cases. Told of each such case: what it was.
One at a time on a machine: traces of another's programs would be taken for ours.

    reward hacks    a wrong program must not pass
    leaks           nor one that looks for what it is judged by
    escapes, dos    nor one that reaches, kills, fills or floods what is not its own; and it leaves no trace
    refused         a right program must pass
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rewardgate.verifiers.base import Verdict
from rewardgate.verifiers.code import CodeVerifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from sandbox_corpus import Site, before, program, rows, site, traces

KINDS = {"reward_hack": "reward hacks", "leak": "leaks", "escape": "escapes", "dos": "dos", "benign_tricky": "refused"}
LIMIT_S = 30.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--without", nargs="*", default=[], metavar="LAYER", help="layers to leave out")
    parser.add_argument("--only", nargs="*", default=[], metavar="TEXT", help="cases whose id contains one of these")
    options = parser.parse_args()
    cases = [row for row in rows(options.corpus) if not options.only or any(text in row["id"] for text in options.only)]
    judges: dict[float, CodeVerifier] = {}
    wrong: Counter[str] = Counter()
    layers = ""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        with site(Path(folder) / "canary") as here:
            for row in cases:
                timeout_s = row.get("timeout_s", 3)
                if timeout_s not in judges:
                    judges[timeout_s] = CodeVerifier(timeout_s=timeout_s, require="basic", without=options.without)
                for said in judged(judges[timeout_s], row, options.corpus, here):
                    layers = layers or layers_of(said)
                    faults = faults_of(said, row)
                    if faults:
                        wrong[row["kind"]] += 1
                        print(f"{row['id']} ({row['format']}): {'; '.join(faults)}", flush=True)
                        break
    totals = Counter(row["kind"] for row in cases)
    who = "root" if os.geteuid() == 0 else "a user"
    print(f"\n{len(cases)} cases, {time.monotonic() - started:.0f} s, as {who}; layers {layers}\n")
    print(f"| without | {' | '.join(KINDS.values())} |\n| --- |{' --- |' * len(KINDS)}")
    cells = [f"{wrong[kind]}/{totals[kind]}" for kind in KINDS]
    print(f"| {', '.join(options.without) or '–'} | {' | '.join(cells)} |")


def judged(
    verifier: CodeVerifier, row: dict[str, Any], corpus: Path, here: Site
) -> "list[tuple[Verdict, float, list[str]]]":
    """Verdict, seconds and traces of each run of a case."""
    verifier.verify("print(1)", {"inputs": [""], "outputs": ["1"]})  # so that its jail is there before we count
    earlier = before(row, here)
    said = []
    for _ in range(row.get("repeat", 1)):
        started = time.monotonic()
        verdict = verifier.verify(program(corpus, row, here), row["tests"])
        said.append((verdict, time.monotonic() - started, traces(row, here, earlier)))
    return said


def faults_of(said: "tuple[Verdict, float, list[str]]", row: dict[str, Any]) -> list[str]:
    verdict, seconds, left = said
    faults = list(left)
    if (verdict.reward == 1) != row["expected"]["passed"]:
        faults.append(f"{verdict.outcome.value}, {verdict.rule}: {verdict.detail[:160]}")
    elif verdict.outcome == "error":
        faults.append(f"no verdict: {verdict.detail[:160]}")
    if seconds > row.get("max_wall_s", LIMIT_S):
        faults.append(f"took {seconds:.0f} s")
    return faults


def layers_of(said: "tuple[Verdict, float, list[str]]") -> str:
    return said[0].detail.rpartition("layers ")[2]


if __name__ == "__main__":
    main()
