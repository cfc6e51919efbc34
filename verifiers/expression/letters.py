r"""Choice letters as answers of a maths question: `B`, `\text{(E)}`, `E: A polygenic risk score`."""

import re

__all__ = ["compare_letters", "named_choices", "without_letter"]

_TARGET = re.compile(r"\(?([A-Z])\)?")
_ANSWER = re.compile(r"\(?([A-Za-z])(?:\)|(?=$|[.:,\s]))(?:[.:,)]?\s*+[:.]?\s*+(?:\\text\{)?[^\W\d_](?:[^+*/^=]*))?")

_COMPACT = re.compile(r"[A-J]{2,6}")
_SEPARATED = re.compile(r"(?:\\text\{)?\(?[A-J]\)?(?:(?:[, ]{1,2}(?:and ?)?|and)\(?[A-J]\)?){1,8}\}?")
_WORD_AND = re.compile(r"\\text|and")
_LETTER = re.compile(r"[A-J]")
_VALUE = r"(?:[-+$]{0,2}\.?\d|\\(?:frac|sqrt|pi)(?![a-z])).*"
_LETTER_AND_VALUE = re.compile(rf"\(([A-Z])\) ?({_VALUE})")
_DOTTED_LETTER = re.compile(r"\A([A-J])\. ?(?=[-$\d\\])")
_TWO_LETTERS = re.compile(r"\(?[A-Z]\)?[.,]? ?(?:or|and|/|,)[ (]*[A-Z](?![A-Za-z]).*")


def compare_letters(target: str, answer: str) -> bool | None:
    r"""Whether `answer` names the choice that the single capital `target` is; None where `target` is no choice.

    The option's words may follow its letter ("E: A polygenic risk score", "(C) 42"); another letter alone is
    another choice, and of two letters none is chosen. An answer that is no letter at all is left to the other
    rules (None).

    Example:
        >>> compare_letters("B", "(b)"), compare_letters("B", "(D)"), compare_letters("x", "y")
        (True, False, None)
    """
    if (several := named_choices(target)) and several == named_choices(answer):
        return True
    answer = _DOTTED_LETTER.sub(r"(\1)", answer)
    wanted = _TARGET.fullmatch(target) or _LETTER_AND_VALUE.fullmatch(target)
    if wanted is not None and wanted.lastindex == 2 and _TARGET.fullmatch(answer) is None:
        return None  # "(C) 12" is chosen by its letter, or given by its value
    if wanted is None:
        return None
    given = _ANSWER.fullmatch(answer) or _LETTER_AND_VALUE.fullmatch(answer)
    if given is None or _TWO_LETTERS.fullmatch(answer) is not None:
        return None
    return wanted.group(1) == given.group(1).upper()


def named_choices(text: str) -> frozenset[str]:
    r"""The letters of several choices, `A, C`, `(A) and (C)` or `AC` in their order; empty where there are none.

    Example:
        >>> sorted(named_choices(r"\text{(A) and (C)}")), sorted(named_choices("CA"))
        (['A', 'C'], [])
    """
    if _COMPACT.fullmatch(text) is not None:
        return frozenset(text) if list(text) == sorted(set(text)) else frozenset()
    if _SEPARATED.fullmatch(text) is None:
        return frozenset()
    return frozenset(_LETTER.findall(_WORD_AND.sub(",", text)))


def without_letter(target: str, answer: str) -> str:
    r"""`answer` without the choice letter before its value, unless the target has a use for that letter.

    Example:
        >>> without_letter("42", "(C)42"), without_letter("3C", "(C)3"), without_letter("42", "(C)")
        ('42', '(C)3', '(C)')
    """
    answer = _DOTTED_LETTER.sub(r"(\1)", answer)
    labelled = _LETTER_AND_VALUE.fullmatch(answer) if answer.startswith("(") else None
    return answer if labelled is None or labelled.group(1) in target else labelled.group(2)
