"""One group on the terminal: what it is, what it answers, and the rollout that shows its cause."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from .indent import Indented
from .model import Evidence, GroupCard
from .text import number, shown

__all__ = ["card_lines", "evidence_line"]

_ANSWERS = 4
_EVIDENCE = 1


def card_lines(card: GroupCard) -> Iterator[RenderableType]:
    """The lines of one card."""
    becomes = f" → {card.repaired_kind}" if card.repaired_kind != card.kind else ""
    yield Text.assemble(
        (shown(card.group_id, 60), "bold"),
        f"  {card.successes}/{card.scored}  {card.kind}{becomes}  ",
        (card.cause, "cyan"),
        f"  target {shown(card.target, 60)}",
    )
    if card.answers:
        tally = ", ".join(f"{shown(answer.answer, 40)} ×{answer.count}" for answer in card.answers[:_ANSWERS])
        yield _indented(f"answers: {tally}")
    if card.support is not None:
        more = card.support.more_samples
        needed = (
            f"{', '.join(map(str, more.values()))} more failures would exclude p = {', '.join(more)}" if more else ""
        )
        bound = f"p ≤ {number(card.support.upper_bound)} at 95 % after {card.support.successes}/{card.support.scored}"
        yield _indented(bound + (f"; {needed}" if needed else ""))
    for evidence in card.evidence[:_EVIDENCE]:
        yield evidence_line(evidence)


def evidence_line(evidence: Evidence) -> RenderableType:
    """One rollout: where, what was extracted, who said what."""
    extracted = "nothing" if evidence.extracted is None else shown(evidence.extracted, 80)
    pieces = [f"{shown(evidence.source)}: extracted {extracted}", shown(evidence.why, 160)]
    if evidence.referee_detail:
        pieces.append(f"referee: {evidence.referee}, {shown(evidence.referee_detail, 160)}")
    if evidence.suspect_detail:
        pieces.append(f"suspect: {shown(evidence.suspect_detail, 120)}")
    return _indented(" · ".join(piece for piece in pieces if piece))


def _indented(line: str) -> Indented:
    return Indented(Text(line, style="dim"), 4)
