r"""How an answer is offered to a verifier: alone, in the form in which the responses commit to theirs."""

from collections.abc import Iterable, Mapping

__all__ = ["BOXED", "FORMS", "by_use", "form_of_place", "offered"]

BOXED = "\\boxed{}"

FORMS: Mapping[str, tuple[str, str]] = {
    BOXED: ("\\boxed{", "}"),
    "$…$": ("$", "$"),
    "bare": ("", ""),
    "<answer>": ("<answer>", "</answer>"),
    "####": ("#### ", ""),
    "The answer is": ("The answer is ", "."),
}
"""Name of a form -> what stands before and after the answer; likeliest first."""

_PLACES = {"boxed": BOXED, "answer_tag": "<answer>", "hash": "####", "phrase": "The answer is"}


def form_of_place(place: str) -> str:
    """The form that matches where an extractor found an answer; everything without an anchor is bare.

    Example:
        >>> form_of_place("hash"), form_of_place("last_number")
        ('####', 'bare')
    """
    return _PLACES.get(place, "bare")


def offered(answer: str, form: str) -> str:
    r"""A completion that is nothing but `answer` in `form`.

    Example:
        >>> offered("x^2", "$…$"), offered("18", "####")
        ('$x^2$', '#### 18')
    """
    before, after = FORMS[form]
    return f"{before}{answer.strip().strip('$') if form == '$…$' else answer}{after}"


def by_use(places: Iterable[tuple[str, int]]) -> list[str]:
    """All forms: those that the responses use first, by how often, then the rest.

    Args:
        places: where answers stand, and how often.
    """
    uses = dict.fromkeys(FORMS, 0)
    for place, count in places:
        uses[form_of_place(place)] += count
    return sorted(FORMS, key=lambda form: -uses[form])
