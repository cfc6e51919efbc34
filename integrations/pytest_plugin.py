"""The pytest plug-in: what a reward function must keep, as tests. pytest loads it by its entry point.

    @pytest.mark.rewardgate("rewards.py:accuracy", laws=["never_raises"], frozen="faults.jsonl")
    def test_accuracy(): ...

is collected as one test a law, one for the probes and one a frozen case. What the mark may say: `pytest_marks`. The
function's own body runs behind each of them.

    pytest --rewardgate-faults faults.jsonl --rewardgate-reward rewards.py:accuracy

collects the cases of a file that `rewardgate audit --freeze` wrote, without a line of Python.

Every test session on a machine that has rewardgate loads this file: it imports pytest and nothing else.
"""

import os
from pathlib import Path
from typing import Any

import pytest

MARK = "rewardgate"
CHECK = "rewardgate_check"


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """The three options, and the settings of the same names."""
    # pytest rewrites the asserts of whoever has a plug-in, all modules: where no bytecode may be written (a container
    # with PYTHONDONTWRITEBYTECODE), that is seconds of every session that imports the library, for nothing.
    getattr(pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("rewardgate")
    group = parser.getgroup("rewardgate", "tests of reward functions")
    for name, about in (
        ("reward", "The reward function that frozen cases are replayed on: a name, pkg.mod:fn or path/file.py:fn."),
        ("correct-at", "What it returns for a right answer, at least. [1]"),
    ):
        group.addoption(f"--rewardgate-{name}", metavar="X", default=None, help=about)
        parser.addini(f"rewardgate_{name.replace('-', '_')}", about, default="")
    about = "Frozen cases (rewardgate audit --freeze); each is a test. May be given several times."
    group.addoption("--rewardgate-faults", metavar="FILE", action="append", default=[], help=about)
    parser.addini("rewardgate_faults", about.partition(" May")[0], type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Tell of the mark, and let files of frozen cases be collected where there are any."""
    config.addinivalue_line("markers", f"{MARK}(reward, *, laws=(), probes=True, frozen=(), …): checks of a reward.")
    here = config.invocation_params.dir
    # As pytest will name them: whole, without "..", links as they are.
    given = [Path(os.path.abspath(here / path)) for path in config.option.rewardgate_faults]
    settled = [Path(os.path.abspath(path)) for path in config.getini("rewardgate_faults")]
    if given or settled:
        from .pytest_frozen import collect_frozen

        collect_frozen(config, given, settled)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a check for a marked function."""
    if MARK not in metafunc.definition.keywords:  # of every test of every user: the marks themselves take longer
        return
    from ..errors import RewardgateError
    from .pytest_marks import checks

    marks = list(metafunc.definition.iter_markers(MARK))
    if not marks:  # a test of that name
        return
    found, told = [], None
    try:
        found = [one for mark in reversed(marks) for one in checks(mark, metafunc.definition.path, metafunc.config)]
    except RewardgateError as error:
        told = f"{metafunc.definition.nodeid}: @pytest.mark.{MARK}: {error}"
    if told is not None:  # out here, where no other exception is being handled, which pytest would show, too
        pytest.fail(told, pytrace=False)
    metafunc.fixturenames.append(CHECK)
    metafunc.parametrize(CHECK, found, ids=[one.name for one in found])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> None:
    """Run the check; then pytest runs the function itself, for this returns nothing."""
    callspec = getattr(pyfuncitem, "callspec", None)
    if callspec is not None and CHECK in callspec.params:
        callspec.params[CHECK].run()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a marked test that pytest does not parametrise: it would pass without a check."""
    if MARK not in item.keywords or item.get_closest_marker(MARK) is None:
        return
    if CHECK not in getattr(getattr(item, "callspec", None), "params", ()):
        pytest.fail(f"@pytest.mark.{MARK}: expected a function or a plain class's method, got {item!r}", pytrace=False)
