r"""Choice letters as answers of a maths question: `B`, `\text{(E)}`, `E: A polygenic risk score`."""

import re

__all__ = ["compare_letters", "without_letter"]

_TARGET = re.compile(r"\(?([A-Z])\)?")
_ANSWER = re.compile(r"\(?([A-Za-z])(?:\)|(?=$|[.:,\s]))(?:[.:,)]?\s*[:.]?\s*(?:\\text\{)?[^\W\d_](?:[^+*/^=]*))?")

_VALUE = r"(?:[-+$]{0,2}\.?\d|\\(?:frac|sqrt|pi)(?![a-z])).*"
_LETTER_AND_VALUE = re.compile(rf"\(([A-Z])\) ?({_VALUE})")
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
    wanted = _TARGET.fullmatch(target) or _LETTER_AND_VALUE.fullmatch(target)
    if wanted is not None and wanted.lastindex == 2 and _TARGET.fullmatch(answer) is None:
        return None  # "(C) 12" is chosen by its letter, or given by its value
    given = _ANSWER.fullmatch(answer) or _LETTER_AND_VALUE.fullmatch(answer)
    if wanted is None or given is None or _TWO_LETTERS.fullmatch(answer) is not None:
        return None
    return wanted.group(1) == given.group(1).upper()


def without_letter(target: str, answer: str) -> str:
    r"""`answer` without the choice letter before its value, unless the target has a use for that letter.

    Example:
        >>> without_letter("42", "(C)42"), without_letter("3C", "(C)3"), without_letter("42", "(C)")
        ('42', '(C)3', '(C)')
    """
    labelled = _LETTER_AND_VALUE.fullmatch(answer) if answer.startswith("(") else None
    return answer if labelled is None or labelled.group(1) in target else labelled.group(2)
