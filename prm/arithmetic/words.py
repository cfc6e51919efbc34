"""The words beside a number: which are its unit, what they multiply it by, which make it another number."""

from fractions import Fraction

from ...verifiers.expression.words import SCALES as _LARGE
from .tokens import measure_of

__all__ = ["CHANGING", "LINKING", "SCALES", "factor_of", "is_cjk", "is_unit_word", "label_of"]

SCALES = {"hundred": 100, "dozen": 12, "dozens": 12, "pair": 2, "pairs": 2, "couple": 2, "couples": 2, **_LARGE}
_MEASURES_CJK = {
    "小时": ("time", 3600), "分钟": ("time", 60), "秒": ("time", 1), "天": ("time", 86400), "周": ("time", 604800),
    "公里": ("length", 1000), "千米": ("length", 1000), "厘米": ("length", "1/100"), "毫米": ("length", "1/1000"),
    "分米": ("length", "1/10"), "米": ("length", 1), "千克": ("mass", 1000), "公斤": ("mass", 1000), "克": ("mass", 1),
    "吨": ("mass", 10**6), "毫升": ("volume", "1/1000"), "升": ("volume", 1), "元": ("yuan", 1), "角": ("yuan", "1/10"),
    "万": ("", 10**4), "亿": ("", 10**8), "千": ("", 1000), "百": ("", 100),
    "打": ("", 12), "双": ("", 2), "对": ("", 2),
}  # fmt: skip
_ONE = Fraction(1)
_UNIT_LETTERS = frozenset("msghlLkKM")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The number beside such a word is another number, or none.
CHANGING = _words(
    """squared cubed factorial half halves third thirds quarter quarters fourth fourths fifth fifths twice double
    triple thrice mod modulo choose am pm o'clock th st nd rd remainder log ln sin cos tan exp sqrt gcd lcm root
    base off rem tens ones tenths hundreds hundredths thousands thousandths"""
)
# What follows such a word is another part of the sentence.
LINKING = _words(
    """is are was were be been has have had so then and or but if when which that who gets get makes make we i he she
    they it you because since where thus hence therefore means not gives"""
)
# What is counted is not among these.
_SMALL = _words(
    """a an the of for as than more less fewer left much many per each every in on at to from with total all other extra
    additional remaining"""
)


def is_unit_word(word: str, *, is_first: bool, is_glued: bool) -> bool:
    """Whether `word` can be (part of) the unit of the number before it.

    Args:
        word: as written.
        is_first: it stands right behind the number.
        is_glued: without a space between.
    """
    if len(word) == 1 and not is_cjk(word) and word != "¢":
        return (word == "a" and not is_glued) or (is_first and word in _UNIT_LETTERS)
    lower = word.casefold()
    return lower not in CHANGING and lower not in LINKING and not (is_first and lower == "of")


def factor_of(word: str) -> Fraction:
    """What a unit may multiply its number by: 12 for a dozen, 3600 for an hour, 1 for an apple or a letter.

    Example:
        >>> factor_of("million"), factor_of("minutes"), factor_of("apples")
        (Fraction(1000000, 1), Fraction(60, 1), Fraction(1, 1))
    """
    if is_cjk(word):
        return next((Fraction(factor) for name, (_, factor) in _MEASURES_CJK.items() if word.startswith(name)), _ONE)
    scale = SCALES.get(word.casefold())
    measure = None if len(word) == 1 and word.isascii() else measure_of(word)
    return Fraction(scale) if scale else measure.factor if measure else _ONE


def label_of(word: str) -> str | None:
    """What a word of a unit counts: the dimension of a measure, the stem of another word; None of a small word.

    Example:
        >>> label_of("hours"), label_of("batches"), label_of("batch"), label_of("than")
        ('time', 'batch', 'batch', None)
    """
    if is_cjk(word):
        return (
            next((dimension for name, (dimension, _) in _MEASURES_CJK.items() if word.startswith(name)), word) or None
        )
    unit = measure_of(word)
    if unit is not None:
        return unit.dimension
    lower = word.casefold()
    return None if lower in _SMALL else lower.rstrip("s").rstrip("e").rstrip("iy") or None


def is_cjk(word: str) -> bool:
    """Whether `word` is of a script that puts no space between words and numbers."""
    return word[-1] >= "\u2e80"
