"""Who may import whom within `training`: a step is made of groups, a run of steps, and never the other way."""

import ast
from collections.abc import Iterator
from pathlib import Path

from library_tree import ROOT

ROOMS = ("generation", "groups", "building", "folder", "monitor", "step", "loop")
"""From below: each imports those before it alone. What is not named stands below them all."""
BEFORE_A_RUN = ("explore", "bootstrap", "planning")


def imported_rooms(path: Path) -> Iterator[str]:
    """The rooms of `training` that a file of it imports."""
    inside = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = inside[: len(inside) - node.level + 1]
            for name in node.names:
                parts = (*base, *(node.module or "").split("."), name.name)
                inner = [part for part in parts if part]
                if inner[0] == "training" and len(inner) > 1:
                    yield inner[1]


def test_rooms_import_those_below_them() -> None:
    files = sorted((ROOT / "training").rglob("*.py"))
    rooms = {path: path.relative_to(ROOT / "training").parts[0].removesuffix(".py") for path in files}
    wrong = [
        f"{path.relative_to(ROOT)} imports {other}"
        for path, room in rooms.items()
        for other in imported_rooms(path)
        if other != room and not may_import(room, other)
    ]
    assert wrong == []
    found = {(room, other) for path, room in rooms.items() for other in imported_rooms(path)}
    assert {("loop", "step"), ("step", "groups"), ("folder", "groups"), ("bootstrap", "groups")} <= found


def may_import(room: str, other: str) -> bool:
    if other in BEFORE_A_RUN:
        return room == "bootstrap" and other == "explore"
    if room in BEFORE_A_RUN:
        return other not in ("folder", "step", "loop")
    return other not in ROOMS or (room in ROOMS and ROOMS.index(other) < ROOMS.index(room))
