"""The audit on a terminal: numbered sections in the order in which repairs pay, worst finding last.

Texts of prompts, targets and responses are a stranger's words: they reach the terminal as plain text, without
markup, escape sequences, or characters that reorder what is read.
"""

import unicodedata
from collections.abc import Iterable, Mapping

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .model import AuditReport, Evidence, FailingGold, Golds, GroupCard, GroupTable, Prediction, Stake

__all__ = ["render", "shown"]

MOST_GOLDS = 5
MOST_CARDS = 12
MOST_REVIEWED = 5
MOST_NOTES = 8
_BAR_WIDTH = 20
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def render(report: AuditReport, console: Console | None = None) -> None:
    """Print `report`.

    Args:
        console: where; default a new one on stdout, 100 columns wide where it is no terminal.
    """
    if console is None:
        console = Console(highlight=False)
    if not console.is_terminal and console.width < 100:
        console = Console(file=console.file, width=100, highlight=False)
    for part in _parts(report):
        console.print(_indented(part) if isinstance(part, Text) else part)


def shown(text: str) -> str:
    """`text` on one line, with every character that is not plain to see written as an escape.

    Example:
        >>> shown("4\\x1b[31m\\u202e\\n5")
        '4\\\\x1b[31m\\\\u202e 5'
    """
    return "".join(_visible(character) for character in " ".join(text.split()))


def _visible(character: str) -> str:
    if character in _BIDI or unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn"):
        return character.encode("unicode_escape").decode("ascii")
    return character


def _indented(line: Text) -> RenderableType:
    """A line whose continuations, where it is too long, begin as far in as itself."""
    indent = len(line.plain) - len(line.plain.lstrip(" "))
    return Padding(line[indent:], (0, 0, 0, indent), expand=False) if indent else line


def _parts(report: AuditReport) -> Iterable[RenderableType]:
    yield from _reading(report)
    yield from _golds(report)
    yield from _groups(report)
    yield from _causes(report)
    yield from _repair(report)
    yield from _stake(report)
    yield from _mixed(report)
    yield from _review(report)
    yield from _not_measured(report)
    yield Text()
    yield Text.assemble((f"{report.severity.upper()}  ", _STYLES[report.severity]), (shown(report.headline), "bold"))


def _reading(report: AuditReport) -> Iterable[RenderableType]:
    reading = report.reading
    sizes = ", ".join(f"{count} of {size}" for size, count in list(reading.group_sizes.items())[:6])
    fields = " · ".join(f"{role} = {shown(column)}" for role, column in reading.fields.items())
    yield Text(
        f"{reading.n_rollouts} rollouts · {reading.n_groups} groups ({sizes}) · {reading.n_rows} rows as "
        f"{reading.format}, {reading.n_refused} refused"
    )
    yield Text(f"read: {fields}", style="dim")
    yield Text(f"scored by: {shown(report.scored_by)} · referee: {shown(report.referee)}", style="dim")
    for refusal in reading.refusals[:3]:
        yield Text(f"  refused {shown(refusal)}", style="yellow")
    for note in reading.notes[:MOST_NOTES]:
        yield Text(f"  note: {shown(note)}", style="dim")


def _heading(number: int, name: str, report: AuditReport) -> Text:
    severities = [finding.severity for finding in report.findings if finding.section.lower() == name.lower()]
    worst = max(severities, key=("ok", "warn", "fail").index, default=None)
    heading = Text(f"\n{number} {name.upper()}", style="bold")
    if worst is not None:
        heading.append(f"  {worst.upper()}", style=_STYLES[worst])
    return heading


def _golds(report: AuditReport) -> Iterable[RenderableType]:
    yield _heading(1, "golds", report)
    golds = report.golds
    if golds is None:
        yield Text("  not measured (see below)", style="dim")
        return
    yield Text(
        f"  {golds.n_failing}/{golds.n_tested} targets do not verify against themselves "
        f"({shown(golds.tested_with)}, offered as {golds.form})"
    )
    yield from _failing_golds(golds)
    for note in golds.notes[:MOST_NOTES]:
        yield Text(f"  note: {shown(note)}", style="dim")


def _failing_golds(golds: Golds) -> Iterable[RenderableType]:
    if not golds.failing:
        return
    yield Text(
        f"  they cost {golds.n_rollouts} rollouts in {golds.n_groups} groups; "
        f"{golds.n_right} of them hold an answer that the referee finds right"
    )
    yield _gold_table(golds.failing[:MOST_GOLDS])
    if len(golds.failing) > MOST_GOLDS:
        yield Text(f"    … {golds.n_failing - MOST_GOLDS} more in the JSON report", style="dim")
    for number, fix in enumerate(golds.fixes):
        tested = f"; {fix.answers_accepted}/{fix.answers_tested} right answers accepted after it" * bool(
            fix.answers_tested
        )
        lead = "  fix: " if number == 0 else "  also tried: "
        yield Text(f"{lead}{fix.name} → {fix.still_failing}/{fix.n_targets} fail (tested){tested}")


def _gold_table(failing: Iterable[FailingGold]) -> Table:
    table = _table("target", "rollouts", "accepted as", "after the fix")
    for gold in failing:
        accepted = ", ".join(form.form for form in gold.forms if form.accepted) or "nothing"
        after = {None: "–", True: "accepted", False: "still refused"}[gold.accepted_after_fix]
        table.add_row(Text(shown(gold.target)), str(gold.n_rollouts), Text(accepted), after)
    return table


def _groups(report: AuditReport) -> Iterable[RenderableType]:
    yield _heading(2, "groups", report)
    table = _table(
        "scored", "all-wrong", f"near (≤{report.near})", "mixed", "all-correct", "other", "p", "ACR", "A ≠ 0"
    )
    for row in report.groups:
        table.add_row(*_group_row(row))
    yield table
    if report.prediction is not None:
        yield _prediction(report.prediction)


def _group_row(row: GroupTable) -> tuple[str | Text, ...]:
    other = row.tied + row.singleton + row.unscorable
    counts = (row.all_wrong, row.near_all_wrong, row.mixed, row.all_correct, other)
    rates = (row.success_rate, row.acr, row.nonzero_advantage_rate)
    return (Text(shown(row.name)), *map(str, counts), *map(_number, rates))


def _prediction(prediction: Prediction) -> Text:
    return Text(
        f"  share without a success: observed {_number(prediction.observed_no_success)}, one rate for all would "
        f"give {_number(prediction.iid_no_success)}, beta-binomial {_number(prediction.fitted_no_success)} "
        f"(rho {_number(prediction.rho)})",
        style="dim",
    )


def _causes(report: AuditReport) -> Iterable[RenderableType]:
    yield _heading(3, "causes", report)
    if not any(count.rollouts for count in report.causes):
        yield Text("  no rollout was scored wrong", style="dim")
    else:
        table = _table("cause", "rollouts", "dead groups", "nearly dead", "")
        most = max(count.rollouts for count in report.causes)
        for count in report.causes:
            if not count.rollouts:
                continue
            bar = "█" * max(1, round(_BAR_WIDTH * count.rollouts / most))
            table.add_row(count.cause, str(count.rollouts), str(count.groups), str(count.near_groups), bar)
        yield table
    for card in report.cards[:MOST_CARDS]:
        yield _card(card)
    left = report.n_cards_left_out + max(0, len(report.cards) - MOST_CARDS)
    if left:
        yield Text(f"  … {left} more groups", style="dim")
    paid = report.paid_but_wrong
    if paid is not None and paid.n_rollouts:
        rules = ", ".join(f"{shown(rule)} {count}" for rule, count in paid.by_rule.items())
        yield Text(f"  paid but wrong: {paid.n_rollouts} rollouts in {paid.n_groups} groups ({rules})", style="yellow")
        for evidence in paid.examples[:2]:
            yield _evidence(evidence)


def _card(card: GroupCard) -> RenderableType:
    title = Text.assemble(
        "  ", (shown(card.group_id), "bold"), f"  {card.successes}/{card.scored}  ", (card.cause, "cyan"),
        f"  {card.kind} → {card.repaired_kind}" if card.repaired_kind != card.kind else f"  {card.kind}",
        f"   target {shown(card.target)}",
    )  # fmt: skip
    lines = [title]
    if card.support is not None:
        samples = card.support.more_samples
        needed = ", ".join(f"{count} more show p = {rate}" for rate, count in samples.items())
        lines.append(
            Text(
                f"      p ≤ {_number(card.support.upper_bound)} (95 %)" + (f"; {needed}" if needed else ""), style="dim"
            )
        )
    if card.answers:
        tally = ", ".join(f"{shown(answer.answer)} ×{answer.count}" for answer in card.answers[:4])
        lines.append(Text(f"      answers: {tally}", style="dim"))
    lines += [_evidence(evidence) for evidence in card.evidence[:1]]
    return Group(*map(_indented, lines))


def _evidence(evidence: Evidence) -> Text:
    extracted = "nothing" if evidence.extracted is None else shown(evidence.extracted)
    why = f" · {shown(evidence.why)}" if evidence.why else ""
    detail = f" · {shown(evidence.referee_detail)}" if evidence.referee_detail else ""
    return Text(f"      {shown(evidence.source)}: extracted {extracted}{why} · referee: {evidence.referee}{detail}")


def _repair(report: AuditReport) -> Iterable[RenderableType]:
    yield _heading(4, "before → after", report)
    repair = report.repair
    if repair is None:
        yield Text("  not measured (see below)", style="dim")
        return
    changed = {change: count for change, count in repair.changes.items() if len({*change.split(" -> ")}) > 1}
    changes = _counted(changed) or "no group changes its kind"
    yield Text(f"  {repair.n_rollouts_flipped} rollouts change their reward · {changes}")
    for name, ids in (
        ("mixed", repair.become_mixed),
        ("all-correct", repair.become_all_correct),
        ("unscorable", repair.become_unscorable),
    ):
        if ids:
            more = f" … {len(ids) - 8} more" if len(ids) > 8 else ""
            yield Text(f"  become {name}: {', '.join(map(shown, ids[:8]))}{more}")


def _stake(report: AuditReport) -> Iterable[RenderableType]:
    yield _heading(5, "stake", report)
    if report.stake is None:
        yield Text("  not measured (see below)", style="dim")
        return
    yield _stake_table(report.stake)
    yield Text(
        f"  of {report.stake.n_rollouts} rollouts and {report.stake.n_units} {report.stake.unit}; "
        f"mean |A as scored − A repaired|: {_number(report.stake.mean_error_dr_grpo)} (Dr. GRPO), "
        f"{_number(report.stake.mean_error_grpo)} (GRPO)",
        style="dim",
    )


def _stake_table(stake: Stake) -> Table:
    table = _table("advantage as scored was", "of rollouts", f"of {stake.unit}")
    for name, rollouts, units in (
        ("missing", stake.missing_rollouts, stake.missing_units),
        ("of the wrong sign", stake.wrong_sign_rollouts, stake.wrong_sign_units),
        ("spurious (0 after repair)", stake.spurious_rollouts, stake.spurious_units),
    ):
        table.add_row(name, _percent(rollouts), _percent(units))
    return table


def _mixed(report: AuditReport) -> Iterable[RenderableType]:
    yield _heading(6, "mixed groups", report)
    mixed = report.mixed_groups
    if mixed is None or not mixed.differences:
        yield Text("  not measured (see below)", style="dim")
        return
    yield Text(f"  {mixed.n_groups} groups, {mixed.n_correct} correct and {mixed.n_wrong} wrong rollouts")
    table = _table("", "correct", "wrong", "difference", "95 % interval")
    for row in mixed.differences:
        interval = "–" if row.low is None or row.high is None else f"[{_number(row.low)}, {_number(row.high)}]"
        table.add_row(row.name, _number(row.correct), _number(row.wrong), _number(row.difference), interval)
    yield table


def _review(report: AuditReport) -> Iterable[RenderableType]:
    review = report.review
    if not review.counts:
        return
    yield _heading(7, "review", report)
    yield Text("  " + _counted(review.counts))
    for item in review.items[:MOST_REVIEWED]:
        extracted = "nothing" if item.extracted is None else shown(item.extracted)
        yield Text(
            f"    {shown(item.source)}: {shown(item.reason)} · target {shown(item.target)} · extracted {extracted}"
            + (f" · {shown(item.detail)}" if item.detail else "")
        )


def _not_measured(report: AuditReport) -> Iterable[RenderableType]:
    if not report.not_measured:
        return
    yield _heading(8, "not measured", report)
    for entry in report.not_measured:
        yield Text(f"  {entry.what}: {entry.why}; {entry.enable}", style="dim")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{shown(name)}: {count}" for name, count in counts.items())


def _table(*columns: str) -> Table:
    # The padding on the left sets the table two columns in, as the lines around it are.
    table = Table(box=None, pad_edge=True, padding=(0, 0, 0, 2), header_style="dim")
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        is_text = column in ("accepted as", "after the fix", "", "95 % interval")
        table.add_column(column, justify="left" if is_text else "right", overflow="fold")
    return table


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if value != 0 and abs(value) < 0.0005:
        return f"{value:.0e}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
