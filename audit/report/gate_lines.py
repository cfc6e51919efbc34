"""Whether a gate would speak truly here, on a terminal: the credits of a step scorer on mixed groups."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .gate_trust import CreditRanking, GateTrust
from .text import number, percent, shown

__all__ = ["credit_name", "gate_lines"]


def gate_lines(found: GateTrust) -> Iterator[RenderableType]:
    """What was asked, and a table of the AUC of every credit in every stratum."""
    yield Text(f"\nWould a gate with {shown(found.scorer, 60)} speak truly here?", style="bold")
    drawn = "" if found.n_groups == found.n_mixed else f", {found.n_groups} of them drawn (seed {found.seed})"
    share = found.n_scored / found.n_steps if found.n_steps else None
    yield Text(
        f"{found.n_mixed} groups with right and wrong rollouts {shown(found.rewards)}{drawn}: {found.n_asked} rollouts "
        f"scored, {percent(share)} of their steps, {found.n_silent} rollouts not at all"
    )
    strata: dict[str, list[CreditRanking]] = {}
    for row in found.credits:
        strata.setdefault(row.credit, []).append(row)
    if not found.n_scored or not strata:
        yield Text("not measured: nothing was said of any step, or there was none", style="dim")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("AUC within groups, by", overflow="fold")
    for row in next(iter(strata.values())):
        table.add_column(f"{row.stratum} ({row.n_groups} groups)")
    for credit, rows in strata.items():
        table.add_row(credit_name(credit), *(_auc(row) for row in rows))
    yield table
    yield Text(
        "95 % intervals by prompt; 0.5 is chance; silent rollouts have no aggregate, and gate credit 0", style="dim"
    )


def credit_name(credit: str) -> str:
    """What a reader calls it: the gate's credits by their mode.

    Example:
        >>> credit_name("rules"), credit_name("min")
        ('gate, rules', 'min')
    """
    return f"gate, {credit}" if credit in ("rules", "verigate") else credit


def _auc(row: CreditRanking) -> str:
    if row.auc is None:
        return "–"
    ends = "" if row.low is None or row.high is None else f" [{row.low:.2f}, {row.high:.2f}]"
    return f"{number(row.auc)}{ends}"
