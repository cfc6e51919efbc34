"""Which files of the checkout are the library: the root is the package, its other folders are not part of it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = frozenset({"tests", "examples", "benchmarks", "docs", "build", "dist"})


def library_files() -> list[Path]:
    """Every Python file of the library, relative to the root."""
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
    return sorted(path for path in found if not any(part in OUTSIDE or part[0] == "." for part in path.parts))
