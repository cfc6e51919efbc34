"""The reliability of the verdicts, as a terminal shows it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .reliability import Conclusion, LabelledStratum, Rate, Reliability
from .text import number, shown

__all__ = ["reliability_lines"]


def reliability_lines(found: Reliability) -> Iterator[RenderableType]:
    """What people's labels say of the verdicts: the headline, the rates, the strata, and what would change them."""
    yield Text(found.headline, style="bold")
    yield Text(
        f"{found.n_labelled} of {found.n_drawn} drawn rollouts settled, {found.n_unsure} unsure, {found.n_disputed} "
        f"disputed · verdicts: {shown(found.scored_by)}",
        style="dim",
    )
    rates = _table("rate", "labelled", "with it", "estimate", f">{100 * found.confidence:g} %, two-sided")
    for rate in found.rates:
        rates.add_row(rate.name, str(rate.n), f"{rate.x:g}", number(rate.value), _bounds(rate))
    yield rates
    strata = _table(
        "stratum", "rollouts", "prompts", "labelled", "verdict right", ">interval", "misjudged", ">interval"
    )
    for stratum in found.strata:
        strata.add_row(*_stratum_row(stratum))
    yield strata
    yield from (Text(_sentence(one)) for one in found.conclusions)
    yield Text(_agreement(found), style="dim")
    for note in found.notes:
        yield Text(f"note: {note}", style="dim")
    yield Text(f"unit: {found.unit} · {found.method}", style="dim")


def _bounds(rate: Rate) -> str:
    if rate.not_estimable:
        return f"not estimable: {rate.not_estimable}"
    interval = f"{number(rate.low)} … {number(rate.high)}"
    return interval if rate.bound is None else f"{interval}; {rate.bound_side} {number(rate.bound)} one-sided, exact"


def _stratum_row(stratum: LabelledStratum) -> tuple[str, ...]:
    sizes = (stratum.name, str(stratum.n_rollouts), str(stratum.n_prompts), str(stratum.n))
    if not stratum.n:
        return (*sizes, "–", "not measured", "–", "not measured")
    return (
        *sizes,
        number(stratum.agrees),
        f"{number(stratum.low)} … {number(stratum.high)}",
        number(stratum.misjudged),
        f"{number(stratum.misjudged_low)} … {number(stratum.misjudged_high)}",
    )


def _sentence(one: Conclusion) -> str:
    at = f"{one.threshold:g}"
    if one.side != "open":
        return f"{one.name}: {one.side} {at}; {one.more_to_overturn} prompts more, all against it, would leave it open"
    if one.more_to_decide is None:
        return f"{one.name}: open whether above or below {at}; no number of prompts at this rate would decide it"
    return (
        f"{one.name}: open whether above or below {at}; {one.more_to_decide} prompts more at this rate would decide it"
    )


def _agreement(found: Reliability) -> str:
    people = ", ".join(f"{shown(name, 40)} {count}" for name, count in found.agreement.annotators.items()) or "nobody"
    both = found.agreement
    if not both.n_items:
        return f"labels by: {people} · agreement: not measured, nothing was labelled by two"
    alpha = "not defined, all labels are the same" if both.alpha is None else number(both.alpha)
    return f"labels by: {people} · {both.n_items} labelled by several: raw agreement {number(both.raw)}, alpha {alpha}"


def _table(*columns: str) -> Table:
    """A table without lines; a column whose name begins with `>` holds text and is set flush left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        is_text = column.startswith(">")
        table.add_column(column.removeprefix(">"), justify="left" if is_text else "right", overflow="fold")
    return table
