"""Answers in words that say the same: "the series diverges" and "divergent", "yes, it is" and "yes"."""

import re

__all__ = ["says_the_same"]

_SUBJECT = re.compile(
    r"^(?:(?:the|this|that|our) )?(?:(?:given|above) )?(?:limit|integral|series|sequence|function|graph|curve|number"
    r"|result|improper integral|infinite series|equation|system|triangle|quadrilateral|day|shape|conic|player who wins"
    r"|winner|it|this|that|they)(?: (?:is|are|has|will be))?(?: (?:a|an|the))? (?=\S)"
)
_VERDICT = re.compile(r"(?P<said>yes|no|true|false)(?: (?:it|they|we|he|she|you|this|that|there|such)\b.*)?")
_DENIAL = re.compile(r"\b(?:no|not|never|cannot|isn t|isn't|doesn't|false|but|unless|except|yes|true)\b")
_WINS = re.compile(r"^(?:the )?(?P<who>.+?)(?: (?:wins|always wins|has (?:a|the) winning strategy|will win))?$")
_SYNONYMS = {
    "not possible": "impossible",
    "cannot be done": "impossible",
    "convergent": "converges",
    "divergent": "diverges",
    "is convergent": "converges",
    "is divergent": "diverges",
    "converges absolutely": "absolutely converges",
    "absolutely convergent": "absolutely converges",
    "converges conditionally": "conditionally converges",
    "conditionally convergent": "conditionally converges",
    "neither even nor odd": "neither",
    "neither odd nor even": "neither",
}


def says_the_same(target: str, answer: str) -> bool:
    """Whether two answers in plain words (`plain_words`) say the same.

    Example:
        >>> says_the_same("diverges", "series is divergent"), says_the_same("yes", "yes it is")
        (True, True)
        >>> says_the_same("odd", "even")
        False
    """
    if not target or not answer:
        return False
    wanted, given = _VERDICT.fullmatch(target), _VERDICT.fullmatch(answer)
    if wanted is not None and given is not None:
        is_plain = given["said"] in ("no", "false") or _DENIAL.search(answer, len(given["said"])) is None
        return wanted["said"] == given["said"] and is_plain
    return _core(target) == _core(answer)


def _core(words: str) -> str:
    words = _SUBJECT.sub("", words, count=1)
    words = _SYNONYMS.get(words, words)
    found = _WINS.match(words)
    return words if found is None else found["who"]
