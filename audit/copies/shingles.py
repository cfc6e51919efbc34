"""Texts as sets of word sequences: exact, near and template copies, and how much of one stands in another.

Near copies are found by MinHash and banding, so that not every pair is compared, and each pair found is confirmed by
the true Jaccard similarity of its shingles. The hashes are fixed: the same file gives the same pairs.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np
import numpy.typing as npt

__all__ = ["SHINGLE_WORDS", "collapsed", "containment", "jaccard", "masked", "near_pairs", "ngrams", "shingle_hashes"]

SHINGLE_WORDS = 5
BANDS, ROWS = 20, 5
"""A pair of similarity .8 is missed with (1 - .8^5)^20 = .0004, one of .5 is compared with .47."""

_MOST_IN_A_BUCKET = 200
_PRIME = np.uint64((1 << 31) - 1)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

HashArray = npt.NDArray[np.uint64]


def collapsed(text: str) -> str:
    """`text` in NFKC with every run of whitespace as one space: what exact copies share.

    Example:
        >>> collapsed("４ +\\n  2")
        '4 + 2'
    """
    return " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).split())


def masked(text: str) -> str:
    """`collapsed(text)` with every number replaced: what variants of one template share.

    Example:
        >>> masked("3 apples at 1,200.50 each")
        '0 apples at 0 each'
    """
    return _NUMBER.sub("0", text)


def ngrams(text: str, n: int) -> set[tuple[str, ...]]:
    """The sequences of `n` words of `text`, lower case; of a shorter text the whole."""
    words = text.lower().split()
    if len(words) <= n:
        return {tuple(words)} if words else set()
    return set(zip(*(words[start:] for start in range(n)), strict=False))


def shingle_hashes(text: str) -> HashArray:
    """(K,) sorted distinct hashes of the 5-word shingles of `text`."""
    words = [word.encode("utf-8", "surrogatepass") for word in text.lower().split()]
    starts = range(max(1, len(words) - SHINGLE_WORDS + 1) if words else 0)
    hashes = {crc32(b" ".join(words[start : start + SHINGLE_WORDS])) for start in starts}
    return np.array(sorted(hashes), dtype=np.uint64)


def jaccard(first: HashArray, second: HashArray) -> float:
    """Shared shingles over all; 0 where both have none."""
    shared = len(np.intersect1d(first, second, assume_unique=True))
    either = len(first) + len(second) - shared
    return shared / either if either else 0.0


def containment(part: set[tuple[str, ...]], whole: set[int]) -> float:
    """The share of the n-grams of one text whose hashes are among those of others; 0 where it has none."""
    return sum(hash(gram) in whole for gram in part) / len(part) if part else 0.0


def near_pairs(texts: Sequence[HashArray], *, at_least: float) -> Iterator[tuple[int, int, float]]:
    """Positions of two texts and their true similarity, where that is at least `at_least`; each pair once.

    Source:
        Broder, "On the resemblance and containment of documents", 1997; banding: Leskovec, Rajaraman and Ullman,
        "Mining of Massive Datasets", section 3.4.
    """
    buckets: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for position, hashes in enumerate(texts):
        if len(hashes):
            signature = _signature(hashes).tobytes()
            width = len(signature) // BANDS
            for band in range(BANDS):
                buckets[band, signature[band * width : (band + 1) * width]].append(position)
    compared: set[tuple[int, int]] = set()
    for members in buckets.values():
        # A bucket that large holds copies of one text: each is compared with the first ones only.
        for index, second in enumerate(members[:_MOST_IN_A_BUCKET]):
            for first in members[:index]:
                if (first, second) in compared:
                    continue
                compared.add((first, second))
                if (similarity := jaccard(texts[first], texts[second])) >= at_least:
                    yield first, second, similarity


def _signature(hashes: HashArray) -> HashArray:
    """(BANDS * ROWS,) the least value of every permutation of the hashes."""
    return ((_FACTORS[:, None] * hashes[None, :] + _OFFSETS[:, None]) % _PRIME).min(axis=1)


_GENERATOR = np.random.default_rng(1997)
_FACTORS = _GENERATOR.integers(1, int(_PRIME), size=BANDS * ROWS, dtype=np.uint64)
_OFFSETS = _GENERATOR.integers(0, int(_PRIME), size=BANDS * ROWS, dtype=np.uint64)
