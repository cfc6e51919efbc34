"""The cards of the HTML report, as the words that stand on them.

They are worded here once: the template prints the first of them, and the script of the page fills a copy of the
same markup with the others. Nothing in them is markup.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .evidence import Evidence, GroupCard, Support
from .html_text import anchor, seen
from .text import number

__all__ = ["BLANK", "evidence_words", "html_cards", "kind_words"]

_ID, _TARGET, _PROMPT, _FACT, _EXCERPT = 160, 400, 400, 600, 1_000

BLANK: Mapping[str, Any] = {
    **dict.fromkeys(("id", "anchor", "score", "becomes", "cause", "target", "prompt", "causes", "support"), ""),
    "answers": [{"answer": "", "count": ""}],
    "evidence": [
        {**dict.fromkeys(("source", "reward", "before", "mark", "after"), ""), "facts": [{"name": "", "text": ""}]}
    ],
}
"""A card with one of everything that a card may have several of, and no words: the markup to copy."""


def html_cards(cards: Sequence[GroupCard], causes: Sequence[str]) -> list[dict[str, Any]]:
    """All cards in the order of repair: by cause as `causes` has them, then as in the file.

    Args:
        cards: in the file's order.
        causes: every cause in the order in which repairs pay.
    """
    rank = {cause: position for position, cause in enumerate(causes)}
    words = [
        {**_card(card), "at": position, "rank": rank.get(card.cause, len(rank))} for position, card in enumerate(cards)
    ]
    return sorted(words, key=lambda card: (card["rank"], card["at"]))


def evidence_words(evidence: Evidence) -> dict[str, Any]:
    """One rollout: where it stands, its text around the answer with the answer apart, and who said what."""
    before, mark, after = _marked(evidence.excerpt, evidence.extracted)
    facts = (
        ("extracted", "nothing" if evidence.extracted is None else evidence.extracted),
        ("referee", _said(evidence.referee, evidence.referee_rule, evidence.referee_detail)),
        ("verifier", evidence.suspect_detail),
        ("cause", ": ".join(filter(None, (evidence.cause, evidence.why)))),
    )
    return {
        "source": seen(evidence.source, _ID),
        "reward": "no reward" if evidence.reward is None else f"reward {evidence.reward:g}",
        "before": before,
        "mark": mark,
        "after": after,
        "facts": [{"name": name, "text": seen(text, _FACT)} for name, text in facts if text],
    }


def kind_words(kind: str) -> str:
    """A kind of group in words.

    Example:
        >>> kind_words("near_all_wrong")
        'nearly all wrong'
    """
    return kind.replace("near_", "nearly ").replace("_", " ")


def _card(card: GroupCard) -> dict[str, Any]:
    becomes = f" → {kind_words(card.repaired_kind)}" if card.repaired_kind != card.kind else ""
    several = len(card.rollout_causes) > 1
    return {
        "id": seen(card.group_id, _ID),
        "anchor": anchor(card.group_id),
        "right": card.successes,
        "scored": card.scored,
        "score": f"{card.successes}/{card.scored}",
        "kind": card.kind,
        "becomes": kind_words(card.kind) + becomes,
        "cause": card.cause,
        "target": seen(card.target, _TARGET),
        "prompt": seen(card.prompt, _PROMPT),
        "causes": ", ".join(f"{cause} ×{count}" for cause, count in card.rollout_causes.items()) if several else "",
        "answers": [{"answer": seen(one.answer, 80), "count": f"×{one.count}"} for one in card.answers],
        "support": "" if card.support is None else _support(card.support),
        "evidence": [evidence_words(one) for one in card.evidence],
    }


def _support(support: Support) -> str:
    bound = f"p ≤ {number(support.upper_bound)} at 95 % after {support.successes} of {support.scored}"
    if not support.more_samples:
        return f"{bound}."
    more = ", ".join(f"{samples} more would exclude p = {rate}" for rate, samples in support.more_samples.items())
    return f"{bound}. If they all fail too: {more}."


def _said(outcome: str, rule: str, detail: str) -> str:
    return f"{outcome}: {detail}" if detail else f"{outcome} ({rule})" if rule else outcome


def _marked(excerpt: str, extracted: str | None) -> tuple[str, str, str]:
    """The excerpt cut at the last place that reads as what was extracted; all of it first where none does."""
    excerpt = excerpt[-_EXCERPT:]
    if not extracted or (start := excerpt.rfind(extracted)) < 0:
        return seen(excerpt), "", ""
    end = start + len(extracted)
    return seen(excerpt[:start]), seen(extracted), seen(excerpt[end:])
