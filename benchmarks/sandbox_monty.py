"""pydantic-monty, an interpreter of a part of Python, against a jail: do their verdicts agree, and what does each cost.

    pip install pydantic-monty
    python benchmarks/sandbox_monty.py DATA

DATA holds HumanEval.jsonl.gz (openai/human-eval) and humaneval_model_solutions.jsonl (bytedance/SandboxFusion's
Multi-PLE/open_humaneval_python.jsonl). The function cases are the calls that HumanEval's own tests make, with what the
canonical solution answers.

    agreement   canonical solutions, a model's solutions, and the called programs of tests/verifiers/sandbox/programs:
                the same verdict, refused (monty raised: a jail would have to decide), a false pass or a false fail
    ms          a program with all its cases, median, interleaved, where both pass it
    language    expressions that are answered without an exception, and otherwise than by this Python
"""

import argparse
import copy
import gzip
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pydantic_monty

from rewardgate.verifiers.code import CodeVerifier, program_in
from rewardgate.verifiers.sandbox import values
from rewardgate.verifiers.sandbox.jail import plain

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "verifiers" / "sandbox" / "programs"
MAX_CALLS = 20
EXPRESSIONS = (
    "round(2.675, 2)", "[round(x, 1) for x in (0.25, 0.35, -0.05)]", "list({10, 1, 5, 33, 8, 17})", "list({3.5, 1, 2})",
    "[float('nan')] == [float('nan')]", "{True: 'a', 1: 'b', 1.0: 'c'}", "hash('')", "-7 // 2, -7 % 2, divmod(-7.5, 2)",
    "repr(1e16), repr(0.1 + 0.2), f'{1234567.891:,.2f}'", "'%.3g|%5d|%e' % (3.14159, 42, 12345.678)",
    "'ß'.upper(), 'İ'.lower(), 'Straße'.casefold()", "'a\\x1cb'.split(), 'a\\u2028b'.splitlines()",
    "sorted([3, -1, 2, -2], key=abs)", "sum([0.1] * 10), sum([1e100, 1.0, -1e100])", "10**25 // 3, pow(2, 100, 13)",
    "2**53 + 1 == float(2**53)", "int(-3.9), round(2.5), round(-2.5), round(1234567, -2)",
    "ord('€'), chr(97), hex(-255)",
)  # fmt: skip
FUNCTIONS = ("exp", "log", "sin", "tan", "atan", "tanh", "gamma", "lgamma", "erf", "sqrt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    tally: Counter[tuple[str, str]] = Counter()
    times: list[tuple[float, float]] = []
    verifier = CodeVerifier()
    verifier.verify("def f(): pass", {"fn_name": "f", "cases": [{"args": [], "expected": 1}]})  # starts a jail
    with pydantic_monty.Monty() as pool:
        for kind, name, code, entry, cases in jobs(parser.parse_args().data):
            started = time.perf_counter()
            jailed = verifier.verify(code, {"fn_name": entry, "cases": cases}).reward == 1
            between = time.perf_counter()
            found, why = monty_verdict(pool, code, entry, cases)
            ended = time.perf_counter()
            how = "refused" if found is None else "same" if found is jailed else "false pass" if found else "false fail"
            tally[kind, how] += 1
            if how.startswith("false"):
                print(f"{how}: {name}: {why}")
            if found and jailed:
                times.append((between - started, ended - between))
        for (kind, how), count in sorted(tally.items()):
            print(f"{kind:10} {how:10} {count}")
        jail, monty = (median(column) * 1e3 for column in zip(*times, strict=True))
        print(
            f"{len(times)} programs that both pass: jail {jail:.1f} ms, monty {monty:.1f} ms, ratio {jail / monty:.1f}"
        )
        compare_language(pool)


def jobs(data: Path) -> Iterator[tuple[str, str, str, str, list[dict[str, Any]]]]:
    """(kind, name, program, entry point, cases)."""
    cases_of: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(data / "HumanEval.jsonl.gz", "rt") as file:
        for row in map(json.loads, file):
            program = row["prompt"] + row["canonical_solution"]
            if cases := recorded(program, row):
                cases_of[row["task_id"]] = cases
                yield "canonical", row["task_id"], program, row["entry_point"], cases
    with open(data / "humaneval_model_solutions.jsonl", encoding="utf-8") as file:
        for row in map(json.loads, file):
            found = program_in(row.get("gpt_solution") or "")
            if found and row["task_id"] in cases_of:
                yield "model", row["task_id"], found[0], row["entry_point"], cases_of[row["task_id"]]
    for path in sorted(PROGRAMS.glob("*.py")):
        head, _, program = path.read_text(encoding="utf-8").partition("# --- the program ---\n")
        names: dict[str, Any] = {}
        exec(head, names)
        cases = names["TARGET"].get("cases", [])
        if cases and "OPTIONS" not in names and all("expected" in case for case in cases):
            yield "programs", path.stem, program, names["TARGET"]["fn_name"], cases


def recorded(program: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that the tests make of the canonical solution, as far as plain data goes in and comes out."""
    names: dict[str, Any] = {}
    exec(program, names)
    found: list[dict[str, Any]] = []

    def called(*args: Any) -> Any:
        before = copy.deepcopy(args)
        answer = names[row["entry_point"]](*args)
        try:
            values.as_plain([*before, answer])
        except values.NotAValueError:
            return answer
        if len(found) < MAX_CALLS:
            found.append({"args": list(before), "expected": copy.deepcopy(answer)})
        return answer

    exec(row["test"], names)
    names["check"](called)
    return found


def monty_verdict(pool: Any, code: str, entry: str, cases: list[dict[str, Any]]) -> tuple[bool | None, str]:
    try:
        with pool.checkout(limits={"max_feed_duration_secs": 4.0, "max_memory": 1 << 30}) as session:
            session.feed_run(code, print_callback=pydantic_monty.CollectString())
            for case in cases:
                got = answer(session, f"{entry}(*args_, **kwargs_)", args_=case["args"], kwargs_=case.get("kwargs", {}))
                if not values.equal(case["expected"], got):
                    return False, f"expected {values.shown(case['expected'])}, got {values.shown(got)}"
    except pydantic_monty.MontyError as error:
        return None, str(error)
    return True, ""


def answer(session: Any, code: str, **inputs: Any) -> Any:
    return crossed(session.feed_run(code, inputs=inputs, print_callback=pydantic_monty.CollectString()))


def crossed(value: Any) -> Any:
    return values.to_value(json.loads(json.dumps(plain.encoded(value))))


def compare_language(pool: Any) -> None:
    rng = random.Random(1)
    numbers = [rng.uniform(0.1, 50) for _ in range(1000)]
    differ = []
    with pool.checkout() as session:
        session.feed_run("import math")
        for code in EXPRESSIONS:
            wanted, got = crossed(eval(code)), answer(session, code)
            if not values.equal(wanted, got):
                differ.append(f"{code}: {wanted!r} here, {got!r} there")
        for name in FUNCTIONS:
            got = answer(session, f"[math.{name}(x) for x in xs]", xs=numbers)
            wrong = sum(here != there for here, there in zip(map(getattr(math, name), numbers), got, strict=True))
            if wrong:
                differ.append(f"math.{name}: {wrong} of {len(numbers)} values")
    print(
        f"{len(differ)} of {len(EXPRESSIONS) + len(FUNCTIONS)} differ from Python {sys.version.split()[0]}:",
        *differ,
        sep="\n  ",
    )


main()
