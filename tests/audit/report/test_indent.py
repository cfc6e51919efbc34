from io import StringIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rewardgate.audit.report.indent import Indented


def printed(block: object, columns: int, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width)
    console.print(Indented(block, columns), end="")
    return console.file.getvalue().splitlines()


def test_wrapped_lines_keep_the_indent_and_end_without_spaces() -> None:
    lines = printed(Text("one two three four five six seven eight nine ten"), 4, 30)
    assert len(lines) > 1
    assert all(line.startswith("    ") and line == line.rstrip() and len(line) <= 30 for line in lines)


def test_tables_and_blocks_in_blocks_are_moved_too() -> None:
    table = Table("a", "b", box=None)
    table.add_row("1", "")
    assert all(line.startswith("   ") for line in printed(Indented(table, 1), 2, 40) if line)
