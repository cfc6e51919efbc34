import io

from audited import audited, group
from rich.console import Console

from rewardgate.audit.report.terminal import render


def test_copies_and_their_groups_are_printed_with_hostile_names_escaped() -> None:
    prompt = "A farmer has twelve sheep and buys nine more at the market"
    report = audited(
        group("a\x1b[31m", "4", [(r"\boxed{4}", 1.0)] * 2, prompt=prompt),
        group("[bold]b", "5", [(r"\boxed{5}", 1.0)] * 2, prompt=prompt),
    )
    out = io.StringIO()
    render(report, Console(file=out, width=200))
    text = out.getvalue()
    assert "7 ALL CORRECT  WARN" in text
    assert "copies: 1 exact, 0 near, 0 variant" in text
    assert r"exact: a\x1b[31m and [bold]b" in text
    assert "\x1b" not in text
