"""Learned step scores through transformers: what computing a prompt once saves, and whether memory stays flat.

    python benchmarks/scoring.py [--rollouts FILE.jsonl] [--rounds 9] [--responses 1000] [--threads 1]

The model is a random one of the `qwen` family (4 layers of 256, 4 M weights) unless --model FOLDER names another
checkpoint (and --family its family); what is saved does not depend on what weights say. Prints

    eight responses   of one prompt: CPU seconds, scored together with `reuse` and without, relative to one by one;
                      rounds interleaved, quartiles of the ratios within a round. Prompts and responses are words, of
                      several lengths; with --rollouts (`question`, `code`: a list of responses) also its first problems
    difference        the largest between the step probabilities of the three; must be at most 1e-5
    memory            megabytes resident while --responses responses of eight a prompt are scored, with a progress
                      bar, at each tenth of the time; growth: the highest reading from 10 % on, less the one at 10 %
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from statistics import mean
from threading import Event, Thread
from time import perf_counter, process_time

import torch
from paired import Figures, interleaved, quartiles, ratios, verdict

from rewardgate.prm import StepRow, step_spans
from rewardgate.prm.hf.scorer import HfScorer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from tiny_prms import save_tiny_prm

RESPONSES = 8
SHAPES = ((200, 125), (200, 400), (50, 125))  # tokens of a prompt, mean tokens of a response
PROBLEMS = 3
BAR = 0.65
GROWTH_BAR = 50
WORDS = (
    "the",
    "sum",
    "of",
    "two",
    "odd",
    "numbers",
    "is",
    "even",
    "so",
    "we",
    "add",
    "three",
    "to",
    "both",
    "sides",
    "x = 7",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rollouts", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--responses", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1, help="of torch; several, waiting, would be counted as work")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--family", default="auto")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or Path(folder)
        if options.model is None:
            save_tiny_prm(model, "qwen", hidden_size=256, intermediate_size=1024, num_hidden_layers=4)
        scorers = {
            "one by one": HfScorer(model, family=options.family, reuse=False),
            "together": HfScorer(model, family=options.family, reuse=False),
            "with reuse": HfScorer(model, family=options.family),
        }
    print(
        f"python {sys.version.split()[0]}, torch {torch.__version__} ({torch.get_num_threads()} threads), "
        f"transformers {version('transformers')}, load {os.getloadavg()[0]:.1f} before\n"
    )
    print(f"eight responses of one prompt, CPU time relative to one by one: lower / median / upper of {options.rounds}")
    print(f"{'prompt, mean response (tokens)':<32}{'together':>22}{'with reuse':>22}   difference")
    groups = {f"{prompt}, {response}": group(scorers["with reuse"], prompt, response) for prompt, response in SHAPES}
    if options.rollouts:
        groups |= dict(recorded(options.rollouts))
    passed = [compared(name, rows, scorers, options.rounds) for name, rows in groups.items()]
    print(f"\n{passed[0]}\n")
    memory(scorers["with reuse"], options.responses)


def group(scorer: HfScorer, prompt: int, response: int, *, seed: int = 0) -> list[StepRow]:
    """Eight responses in steps of some forty tokens, from half to one and a half times the mean length."""
    generator = random.Random(seed)
    problem = words(scorer, prompt, generator)
    lengths = [round(response * (0.5 + number / (RESPONSES - 1))) for number in range(RESPONSES)]
    return [
        StepRow(problem, tuple(words(scorer, min(40, length - start), generator) for start in range(0, length, 40)))
        for length in lengths
    ]


def words(scorer: HfScorer, tokens: int, generator: random.Random) -> str:
    """Words of `tokens` tokens, or one or two more."""
    text = generator.choice(WORDS)
    while len(scorer.tokenizer(text, add_special_tokens=False)["input_ids"]) < tokens:
        text += f" {generator.choice(WORDS)}"
    return text


def recorded(path: Path) -> Iterator[tuple[str, list[StepRow]]]:
    """The first problems of a file, and their responses as they were sampled."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(islice(lines, PROBLEMS)):
            row = json.loads(line)
            responses = row["code"][:RESPONSES]
            yield (
                f"problem {number} of the file",
                [
                    StepRow(row["question"], tuple(text[slice(*span)] for span in step_spans(text)))
                    for text in responses
                ],
            )


def compared(name: str, rows: Sequence[StepRow], scorers: dict[str, HfScorer], rounds: int) -> str:
    """Prints one line of the table; returns the line that says whether reuse meets the bar."""
    values: dict[str, list[float]] = {}

    def measure(which: str) -> Figures:
        started = process_time()
        if which == "one by one":
            scores = [scorers[which].score([row])[0] for row in rows]
        else:
            scores = scorers[which].score(rows)
        spent = process_time() - started
        values[which] = [score.value for row in scores for score in row if score.value is not None]
        return {"cpu_s": spent}

    interleaved(tuple(scorers), measure, 1)  # first calls pay for what later ones find ready
    figures = interleaved(tuple(scorers), measure, rounds)
    alone = values["one by one"]
    difference = max(
        abs(one - other)
        for which in ("together", "with reuse")
        for one, other in zip(values[which], alone, strict=True)
    )
    shown = {which: ratios(figures, which, "one by one") for which in ("together", "with reuse")}
    print(f"{name:<32}{quartiles(shown['together']):>22}{quartiles(shown['with reuse']):>22}   {difference:.1e}")
    return verdict(f"reuse, prompt and response of {name}", shown["with reuse"], BAR)


def memory(scorer: HfScorer, count: int) -> None:
    """Scores `count` responses under a progress bar and prints what was resident meanwhile."""
    rows = [row for number in range(-(-count // RESPONSES)) for row in group(scorer, 200, 125, seed=number)][:count]
    scorer.progress = True
    readings: list[tuple[float, float]] = []
    done = Event()

    def watch() -> None:
        while not done.wait(0.05):
            readings.append((perf_counter(), resident_mb()))

    watcher = Thread(target=watch)
    watcher.start()
    started = perf_counter()
    scores = scorer.score(rows)
    seconds = perf_counter() - started
    done.set()
    watcher.join()
    if [len(row) for row in scores] != [len(row.steps) for row in rows]:
        raise SystemExit("not one score a step")
    print(
        f"{count:,} responses, {sum(map(len, scores)):,} steps in {seconds:.0f} s; steps scored per second: "
        f"{sum(map(len, scores)) / seconds:,.0f}"
    )
    late = [megabytes for at, megabytes in readings if at - started >= seconds / 10]
    tenths = [late[round(place * (len(late) - 1) / 9)] for place in range(10)]
    print("resident, MB: " + ", ".join(f"{10 * (place + 1)} %: {tenths[place]:.0f}" for place in range(10)))
    growth = max(late) - late[0]
    met = "pass" if growth <= GROWTH_BAR else "FAIL"
    print(f"growth {growth:.1f} MB, mean {mean(late):.0f} MB   at most {GROWTH_BAR}: {met}")


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


if __name__ == "__main__":
    main()
