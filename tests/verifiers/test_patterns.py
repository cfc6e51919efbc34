import copy
import pkgutil
import re
from importlib import import_module

import pytest

import rewardgate.verifiers
from rewardgate.verifiers import patterns
from rewardgate.verifiers.patterns import lazy_pattern


def lazy_patterns_of(package: str) -> list[tuple[str, object]]:
    """Where each lazy pattern stands that a module of the package, or of one inside it, names at its top."""
    names = [found.name for found in pkgutil.walk_packages(import_module(package).__path__, f"{package}.")]
    return [
        (f"{name}.{key}", value)
        for name in names
        if ".jail" not in name and ".testing" not in name  # run by another interpreter; needs Hypothesis
        for key, value in vars(import_module(name)).items()
        if isinstance(value, patterns._Lazy)
    ]


def test_every_lazy_pattern_of_the_verifiers_compiles() -> None:
    found = lazy_patterns_of(rewardgate.verifiers.__name__)
    assert len(found) > 100
    for where, pattern in found:
        assert pattern.search("") is None or pattern.search("").end() == 0, where  # type: ignore[attr-defined]


def test_a_pattern_is_compiled_once_and_not_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def counted(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return re._compiler.compile(pattern, flags)  # type: ignore[attr-defined]

    monkeypatch.setattr(re, "compile", counted)
    words = lazy_pattern(r"[a-z]+")
    assert words.pattern == r"[a-z]+"
    assert compiled == []
    assert [words.findall("ab cd"), words.sub("x", "ab cd"), words.findall("e")] == [["ab", "cd"], "x x", ["e"]]
    assert compiled == [r"[a-z]+"]


@pytest.mark.parametrize("method", sorted(patterns._METHODS - {"sub", "subn"}))
def test_it_answers_as_a_compiled_one_does(method: str) -> None:
    pattern, text = r"(?P<digits>\d+)|X", "12 x 3"
    mine, peer = (getattr(one, method)(text) for one in (lazy_pattern(pattern, re.I), re.compile(pattern, re.I)))
    if method == "finditer":
        mine, peer = list(mine), list(peer)
    assert repr(mine) == repr(peer)


def test_what_it_does_not_have_it_says_and_a_copy_works() -> None:
    with pytest.raises(AttributeError, match="groupindex"):
        _ = lazy_pattern("a").groupindex
    assert copy.deepcopy(lazy_pattern("a")).search("ba") is not None
