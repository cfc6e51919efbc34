r"""Which choice letters a text names: `B`, `(B)`, `\text{(E)}`, `E: A polygenic risk score`, `B, not C`.

A letter counts where it stands alone: the article of "A reasonable person" and the pronoun of "I think" do
not. In a label with its option's text ("E: A polygenic …") only the label counts.
"""

import re
from typing import NamedTuple

from ..patterns import lazy_pattern
from ..unicode_text import half_width
from .denials import is_denied

LETTERS = "ABCDEFGHIJ"

_LONE = r"(?<![A-Za-z0-9\\'’])[({\[]?(?P<letter>[A-J])(?![A-Za-z0-9'’])"
_LETTER = lazy_pattern(_LONE)
_WHOLE = lazy_pattern(r"[\W_]{0,8}(?P<letter>[A-Ja-j])[\W_]{0,8}\Z")
_LABEL = lazy_pattern(
    r"[\W_]{0,8}(?:(?:option|choice|answer)\s{0,2})?[(\[*]{0,3}(?P<letter>[A-J])(?:[)\]*]{0,3}\s{0,2}[:.–—]"
    r"|[)\]*]{1,3})\s{0,3}(?=\S)",
    re.IGNORECASE,
)
_LIST = lazy_pattern(
    r"(?:[\W_]|(?<![A-Za-z])(?:and|or|und|oder|ou|y|et|both|either|option|options|text)(?![A-Za-z])"
    r"|(?<![A-Za-z])[A-Ja-j](?![A-Za-z]))+\Z",
    re.IGNORECASE,
)
_FUSED = lazy_pattern(r"[\W_]{0,4}(?P<letters>A?B?C?D?E?F?G?H?)[\W_]{0,4}\Z")
_ARTICLE = lazy_pattern(r"(?:A|I)\s+(?!(?:and|or|is|was|because|since|as|not|nor|but)\b)[a-z]")
_REJECTION = lazy_pattern(
    r"(?:\b(?:not|nor|neither|never|than|instead\s+of|except|unlike|eliminates?|eliminated|excludes?|rules?\s+out"
    r"|ruled\s+out|reject(?:s|ed)?)|n['’]t(?:\s+be)?|不是|不选|排除)"
    r"\s{0,2}(?:the\s+)?(?:(?:option|choice|answer)s?\s+)?[\W_]{0,6}\Z",
    re.IGNORECASE,
)
_PASSED_OVER = lazy_pattern(r"[A-J][)\]*_]{0,3}\s+over\s+(?:the\s+)?(?:(?:option|choice|answer)\s+)?[(\[*]{0,3}\Z")
_LEADS_TO_REASON = lazy_pattern(
    r"(?:\b(?:because|since|as|for|while|whereas|but|and)\s+|[A-J][)\]*_]{0,3}\s{0,2}[:;,.(]\s{0,2})"
    r"(?:(?:the\s+)?(?:option|choice|answer)\s+)?[(\[*]{0,3}\Z",
    re.IGNORECASE,
)
_MARKED_WRONG = lazy_pattern(
    # "B. False" may be the option itself, so that more than the word has to follow.
    r"[)\]*_]{0,4}\s?[.:–—-]\s{0,2}(?:this\s+is\s+(?:wrong|incorrect|false|not\s+correct)\b"
    r"|(?:wrong|incorrect|not\s+correct)(?:,|\s+(?:because|since|as)\b))",
    re.IGNORECASE,
)
_NAMED = lazy_pattern(
    r"(?:\b(?:options?|choices?|answer|pick|picks|choose|chose|chosen|select|selected|selects|selection|go(?:es"
    r"|ing)?\s+with|letter|settle\s+on|vote\s+for)\b|选|選|選択肢|정답)"
    r"[\s*_\"'“:：(\[$\\]{0,6}(?:(?:is|would\s+be|should\s+be|option|choice|answer|text\{|boxed\{|mathbf\{"
    r"|textbf\{)[\s*_\"'“:：(\[$]{0,6}){0,3}"
    r"(?P<letter>[A-J])(?![A-Za-z0-9'’])",
    re.IGNORECASE,
)
_BOLD = lazy_pattern(r"\*\*[\s(]{0,2}(?P<letter>[A-J])(?:[).:]{0,2}\*\*|[).:]{1,2}\s[^*\n]{1,200}\*\*)")
_PREDICATE = lazy_pattern(
    _LONE
    + r"[)\]*]{0,3}\s+(?:is|seems|must\s+be|looks)\s+(?:the\s+|clearly\s+|most\s+)*"
    + r"(?:correct|right|best|answer|true|likely)"
)
_LINE = lazy_pattern(r"(?:\A|\n)[\s*_]{0,8}[(\[]?(?P<letter>[A-J])(?:[)\]*.:]{1,4}[^\n]{0,200}|[\s*_]{0,4})\Z")
_HENCE = lazy_pattern(
    r"\b(?:[Ss]o|[Tt]hus|[Hh]ence|[Tt]herefore|=>|⇒),?\s{1,3}(?:it\s+is\s+|it['’]s\s+)?" + _LONE + r"(?=[\s*).]{0,8}\Z)"
)
_MORE = lazy_pattern(
    r"[)\]*]{0,3}\s{0,2}(?:,\s{0,2}(?:and|or)?|/|&|\band\b|\bor\b)\s{0,2}(?:(?:option"
    r"|choice)s?\s+)?[(\[*]{0,3}(?P<letter>[A-J])(?![A-Za-z0-9'’])"
)
_MAX_CHARS = 400


class Letter(NamedTuple):
    """One named letter, upper-case, and where it stands."""

    name: str
    at: int


def named_letters(answer: str) -> list[Letter]:
    r"""The choice letters that a committed answer names, without those it rejects; each once, in order.

    Example:
        >>> [letter.name for letter in named_letters("E: A polygenic risk score")]
        ['E']
        >>> [letter.name for letter in named_letters("A or B")], named_letters("A reasonable person")
        (['A', 'B'], [])
    """
    text = half_width(answer[:_MAX_CHARS])
    whole = _WHOLE.match(text) or _WHOLE.match(_without_commands(text))
    if whole is not None:
        return [Letter(whole.group("letter").upper(), text.rfind(whole.group("letter")))]
    plain = _without_commands(text)
    if _LIST.match(plain) is not None:
        listed = [Letter(match.group("letter"), match.start("letter")) for match in _LETTER.finditer(plain)]
        if listed:
            return _distinct([letter for letter in listed if _REJECTION.search(plain, 0, letter.at) is None])
    fused = _FUSED.match(plain)
    if fused is not None and len(fused.group("letters")) > 1:
        return [Letter(letter, fused.start("letters") + place) for place, letter in enumerate(fused.group("letters"))]
    label = _LABEL.match(plain)
    if label is not None and not _ARTICLE.match(plain, label.start("letter")):
        return [Letter(label.group("letter").upper(), label.start("letter"))]
    found = [
        Letter(match.group("letter"), match.start("letter"))
        for match in _LETTER.finditer(plain)
        if _ARTICLE.match(plain, match.start("letter")) is None
        and not _is_rejected(plain, match.start("letter"), match.end("letter"))
        and not _is_reason(plain, match.start("letter"), match.end("letter"))
    ]
    return _distinct(found)


def last_named(text: str) -> list[Letter]:
    r"""The letter, or letters named in one breath, that a text without any other anchor ends up with.

    Read in the last 2,000 characters: "option B", "**B**", "(B) is correct", a last line "C. 42".

    Example:
        >>> [letter.name for letter in last_named("Option A looks tempting. Selected option: **B**")]
        ['B']
    """
    offset = max(0, len(text) - 2_000)
    tail = half_width(text[offset:])
    last = None
    for pattern in (_NAMED, _BOLD, _PREDICATE, _LINE, _HENCE):
        for match in pattern.finditer(tail):
            at = match.start("letter")
            name = match.group("letter")
            if (
                not name.isupper()
                or _ARTICLE.match(tail, at) is not None
                or _is_rejected(tail, match.start(), match.end("letter"))
            ):
                continue
            if last is None or at >= last.start("letter"):
                last = match
    if last is None:
        return []
    letters = [Letter(last.group("letter"), offset + last.start("letter"))]
    more = _MORE.match(tail, last.end("letter"))
    while more is not None:
        letters.append(Letter(more.group("letter"), offset + more.start("letter")))
        more = _MORE.match(tail, more.end("letter"))
    return _distinct(letters)


def _is_rejected(text: str, start: int, end: int) -> bool:
    """Whether the words just before `start`, or just after `end`, say that this letter is not the one."""
    return (
        _REJECTION.search(text, max(0, start - 48), start) is not None
        or _PASSED_OVER.search(text, max(0, start - 48), start) is not None
        or _MARKED_WRONG.match(text, end) is not None
    )


def _is_reason(text: str, start: int, end: int) -> bool:
    """Whether a letter is called wrong as the reason for another (`A, because B is wrong`).

    `B is wrong` by itself may be the answer to what is wrong.
    """
    return is_denied(text, end) and _LEADS_TO_REASON.search(text, max(0, start - 48), start) is not None


def _without_commands(text: str) -> str:
    """`text` of the same length, with blanks for LaTeX commands and braces."""
    if "\\" not in text:
        return text
    return _COMMAND.sub(lambda match: " " * len(match.group()), text)


_COMMAND = lazy_pattern(r"\\[a-zA-Z]+\s?|\\.|[{}$]")


def _distinct(letters: list[Letter]) -> list[Letter]:
    seen: dict[str, Letter] = {}
    for letter in letters:
        seen.setdefault(letter.name, letter)
    return list(seen.values())
