r"""Targets that are visibly not a bare answer: cut off, escaped, dressed in markup or in a sentence.

Asked only of targets whose rollouts were all scored wrong. What is broken for any reader (`\frac{3}{8`, `N/A`)
counts by itself; what a careful reader still understands (`The answer is 18.`) counts where right answers were refused
and where the grader accepted no other target that is dressed in the same way.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from ...rollouts.records import Target
from ..judging import JudgedGroup, Judgement
from .foreign import agreed_answer
from .texts import gold_text, target_key

__all__ = ["Damage", "damage", "damaged_targets"]

_PLACEHOLDER = re.compile(
    r"(?i)\s*(?:n/?a|none|null|nan|nil|todo|tbd|\?+|-+|unknown|error|see (?:the )?(?:solution|answer|figure|text)s?|"
    r"placeholder|missing|\[\]|\{\}|<[\w ]+>)\s*\.?\s*"
)
_MARKUP = re.compile(
    r"</?(?:b|i|p|u|br|em|td|tr|li|ul|sub|sup|div|span|strong|code|math|mi|mn)\b[^<>]*>|&(?:[a-z]{2,8}|#\d+);", re.I
)
_CONTROL = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]")
_LOST_BACKSLASH = re.compile(r"(?<![\\A-Za-z])(?:d?frac|rac|sqrt|qrt|text|ext|boxed|oxed|math(?:rm|bf)|overline)\{")
_REMARK = re.compile(r"(?i)\((?:see|cf)\b|\((?:figure|fig|table|note|page)\.?\s*\d*\)")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MOJIBAKE = re.compile("\ufffd|Ã[\u0080-\u00bf]|Â[\u0080-\u00bf°²³·]|â€|ï¼")
_CUT = re.compile(r"(?:[,=^_&<>]|(?<![\\\w+])[-+*/]|\\)\s*\Z")
_CHOICE = re.compile(r"\A\s*\(?\w\)")
_DATA_AS_TEXT = re.compile(r"""\s*(?:\[\s*(["']).*\1\s*\]|\{\s*(["'])\w+\2\s*:.*\})\s*""", re.DOTALL)
_DOUBLED = re.compile(r"(?<!\\)\\\\[A-Za-z]{2,}")
_SENTENCE = re.compile(r"(?i)\b(?:answer|solution|result|ans)\b\s*(?:is|:|=)|\A\s*a\s*:")
_WORD = re.compile(r"[A-Za-z]{2,}")
_PROSE_WORDS = 6


class Damage(NamedTuple):
    """What is wrong with a target's text.

    Args:
        what: for a person.
        is_broken: whether no task can mean it so; else a file of such targets may be as it should.
        is_readable: whether a careful reader still understands the answer.
    """

    what: str
    is_broken: bool = False
    is_readable: bool = False


def damage(text: str) -> Damage | None:
    r"""What shows that `text` is not a bare answer; None where nothing does.

    Example:
        >>> damage(r"\frac{3}{8").what, damage("[0, 1)"), damage("A: 18").what
        ('its brackets do not match', None, 'it is a sentence')
    """
    return next((found for found, shows in _SIGNS if shows(text)), None)


def _is_unbalanced(text: str) -> bool:
    """Whether brackets are left open; half-open intervals mix round and square ones, and `A) 4` names a choice."""
    braces = re.sub(r"\\\\|\\[{}]", "", text)
    counted = _CHOICE.sub("", re.sub(r"\\(?:left|right)\.", "", text))
    n_brackets = sum(map(counted.count, "()[]"))
    return braces.count("{") != braces.count("}") or n_brackets % 2 == 1


_SIGNS: tuple[tuple[Damage, Callable[[str], object]], ...] = (
    (Damage("it is empty", is_broken=True), lambda text: not text.strip()),
    (Damage("it is a placeholder", is_broken=True), _PLACEHOLDER.fullmatch),
    (Damage("it holds markup"), _MARKUP.search),
    (Damage("its encoding is broken"), _MOJIBAKE.search),
    (Damage("it holds control characters", is_broken=True), _CONTROL.search),
    (Damage("it lost a backslash", is_broken=True), _LOST_BACKSLASH.search),
    (Damage("it is data written as text"), _DATA_AS_TEXT.fullmatch),
    (Damage("it holds a remark"), _REMARK.search),
    (Damage("it is a worked solution", is_readable=True), lambda text: "####" in text or "\n" in text.strip()),
    (Damage("it is a sentence", is_readable=True), _SENTENCE.search),
    (Damage("its brackets do not match", is_broken=True), _is_unbalanced),
    (Damage("it is cut off", is_broken=True), _CUT.search),
    (Damage("it holds characters that nobody sees", is_readable=True), _UNSEEN.search),
    (Damage("it is escaped twice", is_readable=True), lambda text: _DOUBLED.search(text) and "\\begin" not in text),
    (Damage("it stands in a box", is_readable=True), lambda text: "\\boxed" in text or "\\fbox" in text),
)
"""What can be wrong, and what shows it; the first counts."""


def damaged_targets(judgement: Judgement, *, correct_at: float) -> dict[str, str]:
    """Target key -> what is wrong with the target, for targets whose rollouts were all scored wrong.

    What a grader may be able to read is accused only in a file in which bare targets are paid.

    Args:
        judgement: all rollouts.
        correct_at: reward from which a rollout counts as correct.
    """
    found: dict[str, Damage] = {}
    paid: set[str] = set()
    right: set[str] = set()
    pays_bare_ones = False
    for group in judgement.groups:
        text, key = _written(group.target), target_key(group.target)
        is_paid = any(one.scored is not None and one.scored >= correct_at for one in group.rollouts)
        if text is None or (seen := damage(text) or _around_the_answer(text, group)) is None:
            pays_bare_ones |= is_paid
            continue
        found[key] = seen
        paid |= {key} if is_paid else set()
        right |= {key} if any(one.is_right for one in group.rollouts) else set()
    # A grader that was seen to read targets of a kind reads them; one that pays nothing has another fault.
    read = {found[key].what for key in paid}
    return {
        key: f"the target is no bare answer: {seen.what}"
        for key, seen in found.items()
        if key not in paid
        and (seen.is_broken or (pays_bare_ones and seen.what not in read))
        and (key in right or not seen.is_readable)
    }


def _around_the_answer(text: str, group: JudgedGroup) -> Damage | None:
    """Prose about the answer on which the rollouts agree, though the referee does not find it there."""
    if len(_WORD.findall(text)) < _PROSE_WORDS or (answer := agreed_answer(group)) is None:
        return None
    is_there = re.search(rf"(?<![\w.]){re.escape(answer)}(?![\w]|\.\d)", text) is not None
    return Damage("it is prose about the answer") if is_there else None


def _written(target: Target | None) -> str | None:
    return target if isinstance(target, str) else gold_text(target)
