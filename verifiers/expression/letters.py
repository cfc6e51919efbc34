r"""Choice letters as answers of a maths question: `B`, `\text{(E)}`, `E: A polygenic risk score`."""

import re

__all__ = ["compare_letters"]

_TARGET = re.compile(r"\(?([A-Z])\)?")
_ANSWER = re.compile(r"\(?([A-Za-z])(?:\)|(?=$|[.:,\s]))(?:[.:,)]?\s*[:.]?\s*(?:\\text\{)?[^\W\d_](?:[^+*/^=]*))?")


def compare_letters(target: str, answer: str) -> bool | None:
    r"""Whether `answer` names the choice that the single capital `target` is; None where `target` is no choice.

    The words after the letter may follow it ("E: A polygenic risk score"); another letter alone is another
    choice. An answer that is no letter at all is left to the other rules (None).

    Example:
        >>> compare_letters("B", "(b)"), compare_letters("B", "(D)"), compare_letters("x", "y")
        (True, False, None)
    """
    wanted = _TARGET.fullmatch(target)
    given = _ANSWER.fullmatch(answer)
    if wanted is None or given is None:
        return None
    return wanted.group(1) == given.group(1).upper()
