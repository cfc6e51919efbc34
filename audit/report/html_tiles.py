"""The four numbers below the headline of the HTML report."""

from typing import NamedTuple

from .html_text import seen
from .model import AuditReport, GroupTable
from .text import number, percent

__all__ = ["Tile", "html_tiles"]


class Tile(NamedTuple):
    """A number: what it counts, its value as scored and after repair (empty where it is the same), and of how many."""

    name: str
    value: str
    becomes: str
    of: str


def html_tiles(report: AuditReport) -> list[Tile]:
    """Dead groups, right answers scored wrong, the success rate, and the advantages that are wrong for it."""
    scored = next(table for table in report.groups if table.name == report.scored_by)
    repaired = next((table for table in report.groups if table.name == "after repair"), scored)
    return [_dead(scored, repaired), _refused(report), _rate(scored, repaired), _advantages(report)]


def _dead(scored: GroupTable, repaired: GroupTable) -> Tile:
    n, dead, still = _comparable(scored), *(str(_comparable(table) - table.mixed) for table in (scored, repaired))
    return Tile("groups that teach nothing", dead, still if still != dead else "", f"of {n} with two scored rollouts")


def _comparable(table: GroupTable) -> int:
    return table.all_wrong + table.mixed + table.all_correct + table.tied


def _refused(report: AuditReport) -> Tile:
    name = "right answers scored wrong"
    if report.stake is None:  # nobody could judge
        return Tile(name, "–", "", "not measured")
    refused = sum(count.rollouts for count in report.causes if count.cause.startswith("false_negative"))
    # Those whose target is at fault have that cause, and are in no other count.
    refused += 0 if report.golds is None else report.golds.n_right
    return Tile(name, str(refused), "", f"of {report.reading.n_rollouts} rollouts")


def _rate(scored: GroupTable, repaired: GroupTable) -> Tile:
    rate, then = number(scored.success_rate), number(repaired.success_rate)
    if rate == then:
        return Tile("success rate", rate, "", seen(scored.name, 60))
    return Tile("success rate", rate, then, f"{seen(scored.name, 60)} → {repaired.name}")


def _advantages(report: AuditReport) -> Tile:
    name, stake = "advantage missing or of the wrong sign", report.stake
    if stake is None:
        return Tile(name, "–", "", "not measured")
    units = (stake.missing_units or 0.0) + (stake.wrong_sign_units or 0.0)
    return Tile(name, percent(units), "", f"of the {stake.unit}")
