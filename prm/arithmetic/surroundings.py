"""The words around an equality: whether they take it back, round it, or give its signs another sense.

A false equality may be one that its author denies, corrects, supposes, quotes, or means in another arithmetic.
Everything here asks whether a careful reader could say so; a "perhaps" is a yes.
"""

import re

__all__ = [
    "MAX_AROUND",
    "has_other_arithmetic",
    "is_estimated",
    "is_in_degrees",
    "is_taken_back",
    "may_be_rounded",
    "speaks_of_percent",
]

MAX_AROUND = 200
"""Characters on either side of an equality that are searched."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SENTENCE_END = re.compile(r"(?<!\.)[.!?]+[\s\"”)]+|\n\s*")

# A question or a denial, in the same clause or in one that points to it.
_DENIAL = re.compile(
    r"[^.,;\n=]{0,40}?(?:,\s*(?:which|this|that|but|a)\b[^.,;\n=]{0,40}?)?"
    r"(?:\?|n't\b|\b(?:not|false|wrong|incorrect|impossible|contradict\w*)\b)",
    re.IGNORECASE,
)
# What gives the number another sense: a remainder, a rounding, a choice, a digit carried over.
_REMAINDER = re.compile(
    r"[^.\n=]{0,60}?\b(?:remainder|nearest|round(?:ed|ing| up| down| to)|truncat\w*|discard\w*"
    r"|carry|carried|borrowing|borrow 1)\b|\s*(?:or|to)\s+[0-9$]"
    r"|\s*,?\s*\(?(?:rem|r)\b\.?\s*[0-9]|\s*(?:\.{3,9}|…{1,3})\s*[0-9]",
    re.IGNORECASE,
)
# A correction or a contradiction, up to the end of the next sentence.
_RETRACTION = re.compile(
    r"\b(?:wait(?=\W*(?:$|[,.!…—–-]|that|this|it|i|no|let))|oops|whoops|hmm+|scratch that|sorry|correction|incorrect\w*"
    r"|wrong\w*|false|mistak\w*|erroneous\w*|errors?|contradict\w*|impossible|absurd\w*|nonsens\w*|invalid|actually"
    r"|re-?(?:check|calculat|comput|do\b)\w*|i mean|or rather|instead of|should (?:be|have been)|fail(?:s|ed)?"
    r"|never|differs?|unequal|too (?:small|large|big|low|high)|would (?:need|require|have to)"
    r"|but the (?:correct|right|actual|real|true)|no\s+(?:\w+\s+){0,2}(?:solutions?|such|roots?|values?|way))\b"
    r"|(?:^|[\s(])no(?=\s*(?:$|[,.!;)]|wait))"
    r"|(?:\bnot|n't|\bnever|\bcannot|\bneither)\b[^.\n]{0,40}?\b(?:match\w*|holds?|work\w*|true|right|correct\w*|possible"
    r"|valid|equal\w*|satisf\w*|solutions?|agree\w*|consistent|sense|solv\w*|same|exists?|happen\w*|allowed|accurate"
    r"|adds? up|integers?|whole|check\w*|equation|case|be)\b|[≠✗❌✘✖❎🚫☒]|\\neq?(?![a-z])",
    re.IGNORECASE,
)
# A supposition, a quotation or a denial before it in the same sentence.
_DISTANCE = re.compile(
    r"\b(?:suppos\w*|assum\w*|imagin\w*|pretend\w*|hypothe\w*|whether|unless|otherwise|what if"
    r"|not (?:true|the case|possible|equal|correct|right|that)|false\w*|wrong\w*|incorrect\w*|mistak\w*|erroneous\w*"
    r"|errors?|impossible|(?:never|cannot|can not) (?:have|be|equal|get)"
    r"|(?:ca|is|are|does|do|did|could|would)n[’']t (?:have|be|equal|say|get|mean)|tempt\w*|absurd\w*|contradict\w*"
    r"|round(?:ed|ing|s to|s off)|nearest|truncat\w*|significant|decimals?|fallac\w*"
    r"|would imply|might (?:write|say|think|try)|(?:would|[’']d) (?:need|require|have to))\b"
    r"|\b(?:claim(?:s|ed)?|thinks?|thought|believ\w*|says?|said|students? (?:wrote|writes?|got))(?: that)?\W*$"
    r"|\b(?:wrote|writes?)(?: that\b|:|\s*[\"“'`])\W*$"
    r"|\bif\b(?:(?!\bthen\b)[^,;:])*$|\bwith(?:out)? carr",
    re.IGNORECASE,
)
_ROUNDED_BEFORE = re.compile(
    r"\b(?:floor|ceil\w*|integer|round\w*|truncat\w*|whole|nearest|ignor\w*|quotient|complete\w*|full|at (?:most|least)"
    r"|div|python|java|in c)\b|c\+\+|(?<!\\)\[\s*$|[⌊⌈]",
    re.IGNORECASE,
)
_ROUNDED_AFTER = re.compile(
    r"\b(?:integer|whole|complete\w*|full|remain\w*|leav\w*|left|extra|over|spare|each|ignor\w*)\b", re.IGNORECASE
)
_DEGREES = re.compile(r"\s?(?:°|\^\s?\{?\\circ|degrees\b)")
_PERCENT = re.compile(r"%|\bpercent", re.IGNORECASE)
_ABOUT = re.compile(r"\b(?:estimat\w*|approximat\w*|roughly|about|nearly|almost|close to)\b", re.IGNORECASE)
_NUMBER_BASE = r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen)\b"
# An arithmetic that does not come out as with decimal numbers, named beside the equality: 7 + 8 = 3 on a clock.
_OTHER_BESIDE = re.compile(rf"\bbase[- ~$]*(?:[0-9]|{_NUMBER_BASE})|\bo[’']clock\b|[0-9] ?[ap]\.?m\b", re.IGNORECASE)
# The same, said once for all that follows: by such a word alone,
_ARITHMETICS = _words(
    """mod modulo modular modulus bmod pmod equiv congruence binary octal hexadecimal duodecimal dozenal ternary xor
    oplus bitwise semiring tropical saturating overflow overflows cryptarithm alphametic boolean ≡ ⊕"""
)
# or in a phrase with one of these. "base 8" alone may be that of a triangle.
_HINTS = _words(
    """base clock field gf z f mathbb mathbf bit remainder day days repeat repeats operation operations operator define
    defines defined logical digit digits ends"""
)
_WORD = re.compile(r"[a-z]+|[≡⊕]")
_PHRASE = re.compile(
    rf"\b(?:in|to|into|from|number) (?:the )?base\b|\bbase-[0-9]|\bbase[- ]{_NUMBER_BASE}|[0-9]-bit\b"
    r"|\b(?:12|24|twelve|five)[ -]hour clock|\bclock (?:face|with|arithmetic)|\bon (?:the|a) (?:\w+ )?clock"
    r"|\blogical (?:or|and)\b|\b(?:last|units?|ones|final) (?:two )?digits?\b|\bends (?:in|with) [0-9]"
    r"|\b(?:finite|prime) field|\bfield (?:with|of) \w+ elements|\b(?:GF|Z_|F_)\W{0,2}[0-9pqn]|\bZ/[0-9n]"
    r"|\\(?:mathbb|mathbf)\{?\s*[ZF]\}?\s*(?:_|/)"
    r"|\bremainder (?:when|of|on|upon|after)|(?<!every )(?<!each )\bday of the week|\bdays? repeat|\brepeats? every\b",
    re.IGNORECASE,
)
_SYMBOL = r"(?:[*+@#&⊕⊗∗★☆◦∘△◇□♠♣-]|\\[a-z]{3,})"
# An operation of the problem's own: "the operation * is defined by",
_OPERATION = re.compile(
    r"(?<!order of )\boperat(?:ion|or)s?\W{1,4}(?:[*+@#&∗★☆◦∘△◇□♠♣-]|\\[a-z]{3,}|(?:is|are) (?:defined|given)"
    r"|such that|where)"
    r"|\b(?:new|binary|strange|special|custom|following|this|an) operat(?:ion|or)\b"
    rf"|\bdefin\w*[^=\n]{{0,60}}?[a-z0-9)]\s?{_SYMBOL}\s?[a-z0-9(]\W{{0,3}}=",
    re.IGNORECASE,
)
# or "let a * b = a + b + ab"; "A = a * b = a * 5" and "\sqrt{a * b} =" only multiply.
_RULE = re.compile(
    r"(?<![=({])(?<![=({] )\b([a-z])\s?(?:[*@#&∗★◦∘]|\\(?:ast|star|cdot|times|circ|diamond|bullet))\s?([a-z])"
    r"[\s$)]{0,3}=[^=\n.;]{0,60}?(?:\1|\2)",
    re.IGNORECASE,
)


def has_other_arithmetic(text: str) -> bool:
    """Whether `text` speaks of an arithmetic in which what follows it may be meant.

    Example:
        >>> has_other_arithmetic("We work modulo 7."), has_other_arithmetic("Let a * b = a + b + ab.")
        (True, True)
        >>> has_other_arithmetic("By the order of operations, a triangle of base 8 has area 8 * 3 / 2.")
        False
    """
    words = set(_WORD.findall(text.lower()))
    if words & _ARITHMETICS or _RULE.search(text):
        return True
    return bool(words & _HINTS and (_PHRASE.search(text) or _OPERATION.search(text)))


def is_taken_back(text: str, start: int, end: int) -> bool:
    """Whether the words of `text` around `text[start:end]` may take it back or give it another sense.

    Example:
        >>> [is_taken_back(text, 0, 9) for text in ("2 + 2 = 5, impossible", "2 + 2 = 5. Wait, 4.", "2 + 2 = 5 eggs")]
        [True, True, False]
    """
    before, behind = text[max(0, start - MAX_AROUND) : start], text[end : end + MAX_AROUND]
    return bool(
        _DENIAL.match(behind)
        or _REMAINDER.match(behind)
        or _RETRACTION.search(_two_sentences(behind))
        or _DISTANCE.search(_last_sentence(before))
        or _OTHER_BESIDE.search(before)
        or _OTHER_BESIDE.search(behind)
    )


def may_be_rounded(text: str, start: int, end: int) -> bool:
    """Whether the words around `text[start:end]` speak of whole numbers or of what is left over.

    Example:
        >>> may_be_rounded("By integer division 10/4 = 2", 20, 28), may_be_rounded("so 10/4 = 2", 3, 11)
        (True, False)
    """
    before, behind = text[max(0, start - MAX_AROUND) : start + 1], text[end : end + MAX_AROUND]
    first = _SENTENCE_END.split(behind, maxsplit=1)[0]
    return bool(_ROUNDED_BEFORE.search(_last_sentence(before)) or _ROUNDED_AFTER.search(first))


def is_estimated(text: str, start: int, end: int) -> bool:
    """Whether the words around `text[start:end]` call it an estimate.

    Example:
        >>> is_estimated("Roughly 312 + 489 = 300 + 500", 8, 29), is_estimated("3 * 4 = 13 are left", 0, 10)
        (True, False)
    """
    first = _SENTENCE_END.split(text[end : end + MAX_AROUND], maxsplit=1)[0]
    return bool(_ABOUT.search(_last_sentence(text[max(0, start - MAX_AROUND) : start])) or _ABOUT.search(first))


def is_in_degrees(text: str, end: int) -> bool:
    """Whether the number that ends at `end` is an angle in degrees."""
    return _DEGREES.match(text, end) is not None


def speaks_of_percent(text: str, start: int, end: int) -> bool:
    """Whether a percentage is spoken of around `text[start:end]`.

    Example:
        >>> speaks_of_percent("The percent change is (6 - 5)/5 = 20.", 22, 36)
        True
    """
    return _PERCENT.search(text, max(0, start - MAX_AROUND), end + MAX_AROUND) is not None


def _two_sentences(text: str) -> str:
    ends = list(_SENTENCE_END.finditer(text))
    return text[: ends[1].start()] if len(ends) > 1 else text


def _last_sentence(text: str) -> str:
    return _SENTENCE_END.split(text)[-1]
