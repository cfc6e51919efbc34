r"""The stages of `fuzz.py` under atheris, which looks for texts that reach code no text has reached before.

    pip install atheris
    python benchmarks/fuzz_atheris.py -max_total_time=600 -timeout=10 [any other option of libFuzzer]

The first byte picks the stage, the second the target, the others are the text in UTF-8. Starts from the answers and
tokens of `fuzz_texts.py`. Stops at the first text that raises, is judged ERROR, or takes longer than the timeout, and
writes it to `crash-…` or `timeout-…` in the working directory.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["rewardgate.verifiers"]):
    from fuzz import TARGETS, problem
    from fuzz_texts import ANSWERS, MATHS

    from rewardgate.verifiers.testing.floods import TOKENS

STAGES = ("tokens", "parse", "comparison", "extraction")
MOST_BYTES = 4_096


def look(data: bytes) -> None:
    """Raises where the stage fails on the text."""
    if len(data) < 3:
        return
    name, target = STAGES[data[0] % len(STAGES)], ANSWERS[data[1] % len(ANSWERS)]
    text = data[2:].decode("utf-8", errors="replace")
    if told := problem(TARGETS[name], text, target):
        raise AssertionError(f"{name} raised {told}\n  target {target!r}\n  text   {text!r}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate((*ANSWERS, *MATHS, *TOKENS)):
            for stage in range(len(STAGES)):
                seed = bytes((stage, number % len(ANSWERS))) + text.encode("utf-8", errors="replace")
                (Path(folder) / f"{number}-{stage}").write_bytes(seed)
        atheris.Setup([*sys.argv, f"-max_len={MOST_BYTES}", folder], look)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
