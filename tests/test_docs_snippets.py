"""The Python of README and docs compiles; what it imports from here exists, and takes the arguments it is given."""

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from library_tree import ROOT

from rewardgate.errors import MissingExtraError

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


class Snippet(NamedTuple):
    """A block of Python that is no doctest, and where it stands."""

    page: str
    line: int
    text: str


def snippets() -> Iterator[Snippet]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^```python[^\n]*\n(.*?)^```$", text, re.M | re.S):
            if ">>>" not in block[1]:
                yield Snippet(page.name, text.count("\n", 0, block.start()) + 2, block[1])


def imported(tree: ast.Module) -> dict[str, Any]:
    """What the snippet imports from rewardgate, by its name there; what a missing host keeps away is left out."""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        names = node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []
        for one in names:
            module = node.module if isinstance(node, ast.ImportFrom) else one.name
            if module is None or module.partition(".")[0] != "rewardgate":
                continue
            try:
                room = importlib.import_module(module)
                if isinstance(node, ast.ImportFrom) and not hasattr(room, one.name):
                    room = importlib.import_module(f"{module}.{one.name}")
                    found[one.asname or one.name] = room
                else:
                    found[one.asname or one.name] = (
                        getattr(room, one.name) if isinstance(node, ast.ImportFrom) else room
                    )
            except MissingExtraError:
                continue
            except ImportError as error:
                if (error.name or "").partition(".")[0] == "rewardgate":
                    raise
    return found


def called(call: ast.Call, known: Mapping[str, Any]) -> Callable[..., Any] | None:
    """What is called, where it is ours."""
    if isinstance(call.func, ast.Name):
        return known.get(call.func.id)
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        owner = known.get(call.func.value.id)
        return getattr(owner, call.func.attr) if inspect.ismodule(owner) else None
    return None


def misfits(text: str) -> list[str]:
    """The calls of ours that would not take their arguments."""
    tree = ast.parse(text)
    known, found = imported(tree), []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        function = called(call, known)
        spreads = any(isinstance(one, ast.Starred) for one in call.args) or any(
            one.arg is None for one in call.keywords
        )
        if function is None or spreads:
            continue
        try:
            inspect.signature(function).bind(*call.args, **{str(one.arg): one.value for one in call.keywords})
        except TypeError as error:
            found.append(f"{ast.unparse(call)}: {error}")
    return found


SNIPPETS = list(snippets())


@pytest.mark.parametrize("snippet", SNIPPETS, ids=[f"{one.page}:{one.line}" for one in SNIPPETS])
def test_a_snippet_calls_what_there_is_with_what_it_takes(snippet: Snippet) -> None:
    assert misfits(snippet.text) == []


def test_a_wrong_argument_and_a_wrong_name_are_seen() -> None:
    assert misfits("from rewardgate.rollouts import read\nread('a', formt='x')") != []
    with pytest.raises(ImportError):
        misfits("from rewardgate.rollouts import raed")
    with pytest.raises(SyntaxError):
        misfits("read(")
