"""The audit on a terminal: numbered sections in the order in which repairs pay, the headline last.

Everything a stranger wrote goes through `text.shown` and into rich as `Text`, which reads no markup.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from .cards import card_lines, evidence_line
from .copies import all_correct_lines, phantom_lines
from .gate_lines import gate_lines
from .indent import Indented
from .ladder_lines import ladder_lines
from .model import SEVERITIES, AuditReport, FailingGold, Golds, GroupCard, GroupTable, Stake
from .printing import STYLES, print_parts, verdict_lines
from .reliability_lines import reliability_lines
from .run_lines import run_lines
from .text import number, percent, shown

__all__ = ["render"]

MOST_GOLDS = 5
MOST_CARDS_A_CAUSE = 2
MOST_REVIEWED = 5
MOST_NOTES = 8
MOST_IDS = 8
_BAR_WIDTH = 16


def render(report: AuditReport, console: Console | None = None) -> None:
    """Print `report`.

    Args:
        report: what `audit` returned.
        console: where; by default stdout, at least 100 columns wide where that is no terminal.
    """
    print_parts(_parts(report), console)


def _parts(report: AuditReport) -> Iterator[RenderableType]:
    yield from _reading(report)
    sections = (
        ("GOLDS", _golds),
        ("GROUPS", _groups),
        ("CAUSES", _causes),
        ("BEFORE → AFTER", _repair),
        ("STAKE", _stake),
        ("MIXED GROUPS", _mixed),
        ("ALL CORRECT", all_correct_lines),
        ("RELIABILITY", _reliability),
        ("NOT MEASURED", _not_measured),
    )
    for position, (name, section) in enumerate(sections, start=1):
        yield _heading(position, name, report)
        # Indented as a block, so that wrapped lines keep the indent.
        yield from (Indented(part, 2) for part in section(report))
    if report.run is not None:
        yield Text("\nTHE RUN", style="bold")
        yield from (Indented(line, 2) for line in run_lines(report.run))
    if report.ladder is not None:
        yield Text("\nTHE LADDER: which layer to change first", style="bold")
        yield from (Indented(line, 2) for line in ladder_lines(report.ladder))
    yield from verdict_lines(report.findings, report.severity, report.headline)


def _reliability(report: AuditReport) -> Iterator[RenderableType]:
    if report.reliability is None:
        yield Text("not measured: no labels by people · rewardgate label run FILE draws a sample", style="dim")
    else:
        yield from reliability_lines(report.reliability)


def _heading(position: int, name: str, report: AuditReport) -> Text:
    severities = [finding.severity for finding in report.findings if finding.section.upper() == name]
    heading = Text(f"\n{position} {name}", style="bold")
    if severities:
        worst = max(severities, key=SEVERITIES.index)
        heading.append(f"  {worst.upper()}", style=STYLES[worst])
    return heading


def _reading(report: AuditReport) -> Iterator[RenderableType]:
    reading = report.reading
    sizes = ", ".join(f"{count} of {size}" for size, count in list(reading.group_sizes.items())[:6])
    sizes += ", …" if len(reading.group_sizes) > 6 else ""
    fields = ", ".join(
        role if role == column else f"{role} = {shown(column)}" for role, column in reading.fields.items()
    )
    yield Text(
        f"{reading.n_rollouts} rollouts · {reading.n_groups} groups ({sizes}) · {reading.n_rows} rows read as "
        f"{reading.format}, {reading.n_refused} refused"
    )
    yield Text(f"fields: {fields}", style="dim")
    opinion = f" · second opinion: {report.second_opinion}" if report.second_opinion else ""
    yield Text(f"scored: {shown(report.scored_by)} · referee: {shown(report.referee)}{opinion}", style="dim")
    for refusal in reading.refusals[:3]:
        yield Text(f"refused: {shown(refusal)}", style="yellow")
    for note in reading.notes[:MOST_NOTES]:
        yield Text(f"note: {shown(note)}", style="dim")


def _golds(report: AuditReport) -> Iterator[RenderableType]:
    golds = report.golds
    if golds is None:
        yield _absent()
        return
    by = shown(report.scored_by) if golds.tested_with == "suspect" else f"{shown(report.referee)}, the referee"
    yield Text(
        f"{golds.n_failing}/{golds.n_targets} targets do not verify against themselves (asked {by}, offered as "
        f"{golds.form})"
    )
    if golds.failing:
        yield from _failing_golds(golds)
    for note in golds.notes[:MOST_NOTES]:
        yield Text(f"note: {shown(note)}", style="dim")


def _failing_golds(golds: Golds) -> Iterator[RenderableType]:
    yield Text(
        f"{golds.n_rollouts} rollouts in {golds.n_groups} groups have such a target; {golds.n_right} right answers "
        "among them were not scored right"
    )
    table = _table("target", "rollouts", ">asked as", ">after the fix")
    for gold in golds.failing[:MOST_GOLDS]:
        after = {None: "–", True: "accepted", False: "still refused"}[gold.accepted_after_fix]
        table.add_row(Text(shown(gold.target, 60)), str(gold.n_rollouts), Text(_forms(gold)), after)
    yield table
    if golds.n_failing > MOST_GOLDS:
        yield Text(f"… {golds.n_failing - MOST_GOLDS} more in the JSON report", style="dim")
    for position, fix in enumerate(golds.fixes):
        line = "fix" if position == 0 else "also tried"
        line += f": {fix.name} → {fix.still_failing}/{fix.n_targets} fail (tested)"
        if fix.answers_tested:
            line += f"; {fix.answers_accepted}/{fix.answers_tested} of the right answers accepted after it"
        yield Text(line, style="default" if position == 0 else "dim")


def _forms(gold: FailingGold) -> str:
    return ", ".join(f"{form.form} {'accepted' if form.accepted else shown(form.outcome)}" for form in gold.forms)


def _groups(report: AuditReport) -> Iterator[RenderableType]:
    table = _table("", "all wrong", f"≤{report.near} right", "mixed", "all right", "other", "p", "ACR", "A≠0")
    for row in report.groups:
        table.add_row(*_group_row(row))
    yield table
    rates = (
        f"{shown(row.name)} {number(row.success_rate)} [{number(row.success_low)}, {number(row.success_high)}]"
        for row in report.groups
        if row.success_rate is not None
    )
    yield Text(f"p with its 95 % interval by prompt: {', '.join(rates)}", style="dim")
    if report.phantom is not None:
        yield from phantom_lines(report.phantom)
    found = report.prediction
    if found is not None and found.observed_no_success is not None:
        yield Text(
            f"without a success: observed {number(found.observed_no_success)}, (1-p)^G {number(found.iid_no_success)}, "
            f"beta-binomial {number(found.fitted_no_success)} · without a failure: observed "
            f"{number(found.observed_all_success)}, p^G {number(found.iid_all_success)}, beta-binomial "
            f"{number(found.fitted_all_success)} · rho {number(found.rho)}",
            style="dim",
        )


def _group_row(row: GroupTable) -> tuple[str | Text, ...]:
    other = row.tied + row.singleton + row.unscorable
    counts = (row.all_wrong, row.near_all_wrong, row.mixed, row.all_correct, other)
    rates = (row.success_rate, row.acr, row.nonzero_advantage_rate)
    return (Text(shown(row.name)), *map(str, counts), *map(number, rates))


def _causes(report: AuditReport) -> Iterator[RenderableType]:
    found = [count for count in report.causes if count.rollouts or count.groups or count.near_groups]
    if found:
        table = _table("cause", "rollouts", "groups", "nearly dead", ">")
        most = max(count.rollouts for count in found)
        for count in found:
            bar = "█" * max(1, round(_BAR_WIDTH * count.rollouts / most)) if count.rollouts else ""
            table.add_row(count.cause, str(count.rollouts), str(count.groups), str(count.near_groups), bar)
        yield table
        none = ", ".join(count.cause for count in report.causes if count not in found)
        if none:
            yield Text(f"none: {none}", style="dim")
    else:
        yield Text("no rollout was scored wrong, or there was nothing to explain it by", style="dim")
    cards = list(_some_cards(report.cards))
    for card in cards:
        yield from card_lines(card)
    left = report.n_cards_left_out + len(report.cards) - len(cards)
    if left:
        yield Text(f"… {left} more groups in the JSON report", style="dim")
    yield from _paid(report)
    yield from _review(report)


def _some_cards(cards: Iterable[GroupCard]) -> Iterator[GroupCard]:
    """The first cards of each cause, so that one frequent cause does not hide the others."""
    seen: Counter[str] = Counter()
    for card in cards:
        seen[card.cause] += 1
        if seen[card.cause] <= MOST_CARDS_A_CAUSE:
            yield card


def _paid(report: AuditReport) -> Iterator[RenderableType]:
    paid = report.paid_but_wrong
    if paid is not None and paid.n_rollouts:
        rules = ", ".join(f"{shown(rule)} {count}" for rule, count in list(paid.by_rule.items())[:6])
        yield Text(f"paid, though the referee refuses: {paid.n_rollouts} rollouts in {paid.n_groups} groups ({rules})")
        for example in paid.examples[:2]:
            yield evidence_line(example)


def _review(report: AuditReport) -> Iterator[RenderableType]:
    if not report.review.counts:
        return
    counts = ", ".join(f"{reason} {count}" for reason, count in report.review.counts.items())
    yield Text(f"for a person to look at, in no cause: {counts}")
    for item in report.review.items[:MOST_REVIEWED]:
        extracted = "nothing" if item.extracted is None else shown(item.extracted, 60)
        line = f"{shown(item.source)}: {item.reason} · target {shown(item.target, 60)} · extracted {extracted}"
        yield Indented(Text(line + (f" · {shown(item.detail, 120)}" if item.detail else ""), style="dim"), 4)


def _repair(report: AuditReport) -> Iterator[RenderableType]:
    repair = report.repair
    if repair is None:
        yield _absent()
        return
    changes = ", ".join(f"{change} {count}" for change, count in repair.changes.items())
    yield Text(f"{repair.n_rollouts_flipped} rewards change · {changes.replace('->', '→')}")
    for name, ids in (
        ("mixed", repair.become_mixed),
        ("all correct", repair.become_all_correct),
        ("unscorable", repair.become_unscorable),
    ):
        if ids:
            more = f" … {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
            yield Text(f"become {name}: {', '.join(shown(one, 60) for one in ids[:MOST_IDS])}{more}")


def _stake(report: AuditReport) -> Iterator[RenderableType]:
    stake = report.stake
    if stake is None:
        yield _absent()
        return
    yield _stake_table(stake)
    why = "" if stake.unit == "tokens" else ", as no token counts are logged"
    yield Text(
        f"of {stake.n_rollouts} rollouts and {stake.n_units} {stake.unit}{why}; the same for R − mean (Dr. GRPO) and "
        f"(R − mean)/std (GRPO). Mean |A as scored − A repaired|: {number(stake.mean_error_dr_grpo)} and "
        f"{number(stake.mean_error_grpo)}",
        style="dim",
    )


def _stake_table(stake: Stake) -> Table:
    table = _table("advantage as scored", "of rollouts", f"of {stake.unit}")
    for name, rollouts, units in (
        ("missing (not 0 after repair)", stake.missing_rollouts, stake.missing_units),
        ("of the wrong sign", stake.wrong_sign_rollouts, stake.wrong_sign_units),
        ("spurious (0 after repair)", stake.spurious_rollouts, stake.spurious_units),
    ):
        table.add_row(name, percent(rollouts), percent(units))
    return table


def _mixed(report: AuditReport) -> Iterator[RenderableType]:
    yield from _differences(report)
    if report.gate_trust is not None:
        yield from gate_lines(report.gate_trust)


def _differences(report: AuditReport) -> Iterator[RenderableType]:
    mixed = report.mixed_groups
    if mixed is None:
        yield _absent()
        return
    yield Text(f"{mixed.n_groups} groups, {mixed.n_correct} rollouts scored right and {mixed.n_wrong} wrong")
    if not mixed.differences:
        return
    table = _table("", "right", "wrong", "difference", ">95 %, by prompt")
    for row in mixed.differences:
        interval = "–" if row.low is None else f"{number(row.low)} … {number(row.high)}"
        table.add_row(row.name, number(row.correct), number(row.wrong), number(row.difference), interval)
    yield table


def _not_measured(report: AuditReport) -> Iterator[RenderableType]:
    for entry in report.not_measured:
        yield Text(f"{entry.what}: {entry.why}; {entry.enable}", style="dim")


def _absent() -> Text:
    return Text("not measured: see 9", style="dim")


def _table(*columns: str) -> Table:
    """A table without lines; a column whose name begins with `>` holds text and is set flush left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        is_text = column.startswith(">")
        table.add_column(column.removeprefix(">"), justify="left" if is_text else "right", overflow="fold")
    return table
