"""Numbers written as English words, up to the millions."""

from fractions import Fraction

__all__ = ["SCALES", "read_fraction_words", "read_words"]

_SMALL_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS)}
_TEN_WORDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS, 2)}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PART_WORDS = ("half", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PARTS = {word: value for value, word in enumerate(_PART_WORDS, 2)} | {"halve": 2, "quarter": 4}


def read_fraction_words(text: str) -> Fraction | None:
    """The fraction that all of `text` spells, or None. A mere "third" is a place and no fraction.

    Example:
        >>> read_fraction_words("two-thirds"), read_fraction_words("a half"), read_fraction_words("third")
        (Fraction(2, 3), Fraction(1, 2), None)
    """
    words = text.casefold().replace("-", " ").split() if len(text) <= 60 and text[:1].isalpha() else []
    if len(words) < 2 or (parts := _PARTS.get(words[-1].removesuffix("s"))) is None:
        return None
    count = 1 if words[:-1] in (["a"], ["an"]) else read_words(" ".join(words[:-1]))
    return None if count is None else Fraction(count, parts)


def read_words(text: str) -> int | None:
    """The integer that all of `text` spells, or None.

    Example:
        >>> read_words("twelve"), read_words("two hundred and five thousand thirty-one"), read_words("a dozen")
        (12, 205031, None)
    """
    if len(text) > 120 or not text[:1].isalpha():
        return None
    words = text.casefold().replace("-", " ").split()
    sign = 1
    if words and words[0] in {"minus", "negative"}:
        sign, words = -1, words[1:]
    total = 0
    group: int | None = None
    last_scale = 10**15
    for index, word in enumerate(words):
        if word in _SMALL and (group is None or _takes_small(group, _SMALL[word])):
            group = (group or 0) + _SMALL[word]
        elif word in _TENS and (group is None or (group and group % 100 == 0)):
            group = (group or 0) + _TENS[word]
        elif word == "hundred" and group is not None and 0 < group < 10:
            group *= 100
        elif word in SCALES and group and SCALES[word] < last_scale:
            last_scale = SCALES[word]
            total, group = total + group * last_scale, None
        elif not (word == "and" and 0 < index < len(words) - 1 and (total or (group and group % 100 == 0))):
            return None
    if group is None and not total:
        return None
    return sign * (total + (group or 0))


def _takes_small(group: int, small: int) -> bool:
    if group == 0 or small == 0:
        return False
    return group % 100 == 0 or (small < 10 and group % 10 == 0 and group % 100 >= 20)
