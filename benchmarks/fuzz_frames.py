"""Random, truncated and lying frames against the supervisor's side of the sandbox's protocol.

    python benchmarks/fuzz_frames.py [--minutes 10] [--seed 0] [--show NUMBER]

Half of the time goes to streams of bytes, read in pieces as the supervisor reads them: every one is messages, an
incomplete message or `FrameError`, every message a value or `NotAValueError`, and every value can be compared and
shown. The other half goes to candidates that write such streams to their channel, before, between and instead of
answers, against function and assert tests whose expected value nobody can guess: each must get reward 0, soon.

Prints what was tried and what came of it; then each failure by its number (`--show` prints its program). Exit code 1
where anything raised, hung, passed or broke the machinery.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from typing import Any

from rewardgate.verifiers.code import CodeVerifier
from rewardgate.verifiers.sandbox import values
from rewardgate.verifiers.sandbox.jail import frames

_SLOW_S = 1.0
_HANG_S = 20.0
_TIMEOUT_S = 0.25
_TOKEN = 0x5E2F9C1AB7D04E6F
_TAGS = (
    "int", "float", "complex", "bytes", "bytearray", "dict", "list", "tuple", "set", "frozenset", "opaque", "ref",
    "own", "str", "", "__class__",
)  # fmt: skip
_FIELDS = ("op", "value", "raised", "text", "missing", "loaded", "target", "args", "kwargs", "name", "after", "stop",
           "results", "passed", "run", "error", "status")  # fmt: skip
_WORDS = ("answer", "call", "next", "iter", "attribute", "done", "f", "check", "AssertionError", "SystemExit",
          "KeyboardInterrupt", "StopIteration", "0", "1f", "-0x1p3", "nan", "inf", "\ud800", "é" * 40)  # fmt: skip


def hostile(chance: random.Random, depth: int = 0) -> Any:
    """Data that looks like an answer, more or less."""
    draw = chance.random()
    if depth > 4 or draw < 0.3:
        return chance.choice((None, True, False, 0, -1, 1, 2**62, 1e308, float("nan"), "", *_WORDS))
    if draw < 0.6:
        return [chance.choice(_TAGS), *(hostile(chance, depth + 1) for _ in range(chance.randint(0, 3)))]
    if draw < 0.7:
        return [hostile(chance, depth + 1) for _ in range(chance.randint(0, 6))]
    if draw < 0.72:
        return _nested(chance.choice((60, 81, 500, 20_000)))
    if draw < 0.74:
        return ["set", [["int", format(k * (2**61 - 1), "x")] for k in range(chance.randint(1, 300))]]
    return {chance.choice(_FIELDS): hostile(chance, depth + 1) for _ in range(chance.randint(0, 4))}


def _nested(depth: int) -> Any:
    data: Any = None
    for _ in range(depth):
        data = ["list", [data]]
    return data


def stream(chance: random.Random) -> bytes:
    """A few frames, whole or not, with noise in and between them."""
    parts = []
    is_clean = chance.random() < 0.5  # garbage ends the talk: half of the streams hold none
    for _ in range(chance.randint(1, 5)):
        draw = 1.0 if is_clean else chance.random()
        if draw < 0.1:
            parts.append(chance.randbytes(chance.randint(0, 40)))
            continue
        if draw < 0.15:
            parts.append(chance.choice((b"\xff\xff\xff\xff", b"\x00\x00\x00\x04", b"\x00\x00\x00\x00")))
            continue
        try:
            body = json.dumps(hostile(chance)).encode()
        except RecursionError:
            body = b"[" * 100_000
        if draw < 0.3 and body:
            at = chance.randrange(len(body))
            body = body[:at] + chance.randbytes(chance.randint(0, 3)) + body[at + chance.randint(0, 3) :]
        length = len(body) + (chance.randint(-3, 3) if draw < 0.25 else 0)
        parts.append(max(0, length).to_bytes(4, "little") + body)
    whole = b"".join(parts)
    return whole[: chance.randint(0, len(whole))] if not is_clean and chance.random() < 0.4 else whole


def read(data: bytes, chance: random.Random, counts: Counter[str]) -> None:
    """Read a stream as the supervisor does; raises what the supervisor does not expect."""
    buffer, rest = bytearray(), data
    while rest:
        size = chance.randint(1, max(1, len(rest)))
        buffer += rest[:size]
        rest = rest[size:]
        while True:
            try:
                message = frames.unpacked(buffer)
            except frames.FrameError:
                counts["no frame"] += 1
                return
            if message is None:
                break
            counts["messages"] += 1
            _value(message[0], counts)
            try:
                frames.packed(message[0])  # an assert test's messages are written anew
            except frames.FrameError:
                counts["not written anew"] += 1
    counts["incomplete" if buffer else "read to the end"] += 1


def _value(message: Any, counts: Counter[str]) -> None:
    candidates = [message, *message.values()] if isinstance(message, dict) else [message]
    for data in candidates:
        try:
            value = values.to_value(data)
        except values.NotAValueError:
            counts["no value"] += 1
            continue
        counts["values"] += 1
        values.equal([_TOKEN, {"a": 1.5}], value, rel_tol=1e-6)
        values.equal(value, value)
        values.shown(value)


def program(chance: random.Random) -> str:
    """A candidate that writes streams of its own where answers are expected."""
    lie = f"os.write(3, bytes.fromhex({stream(chance).hex()!r}))"
    loops = f"for _ in range({chance.choice((1, 1, 1, 3, 2_000))}): "
    ending = chance.choice(("pass", "os._exit(0)", "os.close(3)", "raise SystemExit", "import time; time.sleep(9)"))
    place = chance.random()
    before = f"{loops}{lie}\n" if place < 0.5 else ""
    loaded = 'os.write(3, b"\\x0f\\0\\0\\0" + b\'{"loaded":true}\')\n' if chance.random() < 0.3 else ""
    inside = f"    {loops}{lie}\n    {ending}\n" if place > 0.4 else ""
    top = f"{ending}\n" if chance.random() < 0.1 else ""
    return (
        f"import os\n{loaded}{before}{top}def f(x):\n{inside}    return {chance.choice(('x', 'f', 'object()', '1'))}\n"
    )


def target(chance: random.Random) -> dict[str, Any]:
    """Tests that nobody passes who has not read them."""
    if chance.random() < 0.5:
        cases = [{"args": [number, [1]], "expected": _TOKEN} for number in range(2)]
        return {"fn_name": "f", "cases": [{**case, "args": case["args"][:1]} for case in cases]}
    code = f"def check(candidate):\n    assert candidate([1, 2]) == {_TOKEN}\n    assert candidate(3) == {_TOKEN}\n"
    return {"entry_point": "f", "test_code": code}


def main() -> int:
    """Fuzz, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int)
    options = parser.parse_args()
    if options.show is not None:
        chance = random.Random(f"{options.seed} candidate {options.show}")
        print(program(chance), target(chance), sep="\n")
        return 0
    counts, failures, slowest = Counter[str](), [], 0.0
    half_s = options.minutes * 30
    started, number = time.monotonic(), 0
    while time.monotonic() - started < half_s:
        chance = random.Random(f"{options.seed} stream {number}")
        data, at = stream(chance), time.process_time()
        try:
            read(data, chance, counts)
        except BaseException as error:
            failures.append(f"stream {number}: {type(error).__name__}: {error}"[:300])
        slowest = max(slowest, time.process_time() - at)
        number += 1
    if slowest > _SLOW_S:
        failures.append(f"streams: the slowest took {slowest:.1f} s")
    print(f"{number} streams in {half_s:.0f} s, the slowest {1000 * slowest:.0f} ms: {dict(counts)}", flush=True)
    verifier = CodeVerifier(timeout_s=_TIMEOUT_S)
    started, number, slowest, rules, said_at = time.monotonic(), 0, 0.0, Counter[str](), 0.0
    while time.monotonic() - started < half_s:
        chance = random.Random(f"{options.seed} candidate {number}")
        code, tests, at = program(chance), target(chance), time.monotonic()
        try:
            verdict = verifier.verify(code, tests)
            rules[verdict.rule] += 1
            if verdict.reward != 0:
                failures.append(f"candidate {number}: reward {verdict.reward}, {verdict.rule}: {verdict.detail}"[:300])
        except BaseException as error:
            failures.append(f"candidate {number}: {type(error).__name__}: {error}"[:300])
        slowest = max(slowest, time.monotonic() - at)
        if time.monotonic() - at > _HANG_S:
            failures.append(f"candidate {number}: took {time.monotonic() - at:.0f} s")
        number += 1
        if time.monotonic() - said_at > 30:
            said_at = time.monotonic()
            print(f"{number} candidates, {len(failures)} failures", flush=True)
    verifier.close()
    print(f"{number} lying candidates in {half_s:.0f} s, the slowest {slowest:.1f} s: {dict(rules)}")
    print(f"failures: {len(failures)}", *failures[:30], sep="\n")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
