"""Every example in a docstring, and every one in the documentation, prints what it says.

`doctest.testmod` on the imported module, with `...` for what differs from run to run. pytest's --doctest-modules
would import a second copy of each file. A module that shows no example is none of its tests: that every module imports
is tested in test_packaging.py, from the wheel.
"""

import doctest
import importlib

import pytest
from library_tree import ROOT, library_files

from rewardgate.errors import MissingExtraError


def modules() -> list[str]:
    # Another interpreter runs the jail, by its folder; its modules are no part of a package, and show no examples.
    files = [
        path
        for path in library_files()
        if not path.as_posix().startswith("verifiers/sandbox/jail/")
        and ">>> " in (ROOT / path).read_text(encoding="utf-8")
    ]
    parts = (path.with_suffix("").parts for path in files if path.name != "__main__.py")
    return [".".join(("rewardgate", *(part for part in names if part != "__init__"))) for names in parts]


def pages() -> list[str]:
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path.relative_to(ROOT).as_posix() for path in found if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_print_what_they_say(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except MissingExtraError as absent:
        pytest.skip(f"NOT RUN: {absent}")
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0, f"{result.failed} of {result.attempted} examples failed; see the output above"


@pytest.mark.parametrize("page", pages())
def test_the_examples_of_a_page_print_what_they_say(page: str) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS)
    assert result.failed == 0, f"{result.failed} of {result.attempted} examples failed; see the output above"
