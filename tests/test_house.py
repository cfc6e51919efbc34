"""The rules of the house that a reader of one file cannot see: who may import whom, and what is never called."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from library_tree import ROOT, library_files

# The jail's own folder is run by another interpreter, whose whole work is to fork and to execute a stranger's program.
LIBRARY = [path for path in library_files() if not path.as_posix().startswith("verifiers/sandbox/jail/")]

# Imports run from a floor to a lower one, never to the same one, except within a room.
FLOORS = {
    "cli": 7,
    "training": 6,
    "integrations": 6,
    "pipeline": 5,
    "audit": 5,
    "prm": 4,
    "verifiers": 3,
    "rollouts": 2,
    "grpo": 2,
    "diagnostics": 1,
    "registry": 0,
    "errors": -1,
    "fixtures": -1,
    "__init__": -2,
}
TORCH = ("grpo/", "training/", "integrations/", "prm/hf/", "prm/vllm/", "pipeline.py")
HEAVY = ("numpy", "scipy", "sympy", "pyarrow", "jinja2", "torch", "datasketch")

EVALUATE = {"eval", "exec", "compile", "__import__", "sympify", "parse_expr", "parse_latex"}
FORK = {"fork", "forkpty", "Pool", "ThreadPool", "ProcessPoolExecutor"}
SIGNALS = {"signal", "alarm", "setitimer", "pthread_sigmask", "pthread_kill", "sigwait"}
# A library's signals are its caller's. A command is the caller, and one that runs for days must end well when asked to.
SETS_SIGNALS = Path("cli/stopping.py")


def room_of(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


@cache
def told_of(path: Path) -> list[ast.Import | ast.ImportFrom | ast.Call]:
    """What a library file imports and calls, functions included; one walk through its tree for all the rules."""
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)]


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of every module or name that a library file imports, functions included."""
    package = ["rewardgate", *path.parts[:-1]]
    for node in told_of(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module or "").split(".")] if node.module else base
            yield from ((node.lineno, ".".join([*module, alias.name])) for alias in node.names)


def called(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, name and what it is an attribute of (or "") of every function that a library file calls by name."""
    for node in told_of(path):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            yield node.lineno, node.func.id, ""
        elif isinstance(node.func, ast.Attribute):
            yield node.lineno, node.func.attr, ast.unparse(node.func.value)


def test_every_library_file_stands_in_a_room() -> None:
    assert {room_of(path) for path in LIBRARY} <= set(FLOORS)


def test_imports_run_down_the_floors() -> None:
    wrong = [
        f"{path}:{line} imports {name}"
        for path in LIBRARY
        for line, name in imported(path)
        if name.startswith("rewardgate.") and not may_import(room_of(path), name.split(".")[1])
    ]
    assert wrong == []


def may_import(room: str, other: str) -> bool:
    # `from . import __version__` reads the root, which is below everything.
    return other == room or FLOORS.get(other, FLOORS["__init__"]) < FLOORS[room]


def test_the_library_imports_itself_by_relative_imports() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path in LIBRARY
        for node in told_of(path)
        if (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "rewardgate")
        or (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "rewardgate" for alias in node.names))
    ]
    assert wrong == []


def test_only_the_rooms_that_train_import_torch() -> None:
    wrong = [
        f"{path}:{line} imports {name}"
        for path in LIBRARY
        for line, name in imported(path)
        if name.split(".")[0] in {"torch", "transformers", "accelerate", "vllm"}
        and not path.as_posix().startswith(TORCH)
    ]
    assert wrong == []


def test_nothing_evaluates_text() -> None:
    wrong = [
        f"{path}:{line} calls {name}"
        for path in LIBRARY
        for line, name, owner in called(path)
        # `re.compile` and a torch module's `.eval()` share a name with what is forbidden; only builtins are meant.
        if name in EVALUATE and (owner in {"", "builtins"} or name in {"sympify", "parse_expr", "parse_latex"})
    ]
    assert wrong == []


def test_nothing_sets_a_signal_forks_the_caller_or_keeps_a_pool() -> None:
    calls = [
        f"{path}:{line} calls {owner}.{name}"
        for path in LIBRARY
        for line, name, owner in called(path)
        if name in FORK or (name in SIGNALS and owner in {"", "signal"} and path != SETS_SIGNALS)
    ]
    # Of the multiprocessing packages only the connections are used: a process of theirs re-imports the caller's
    # __main__ or forks it.
    imports = [
        f"{path}:{line} imports {name}"
        for path in LIBRARY
        for line, name in imported(path)
        if name.split(".")[0] in {"multiprocessing", "multiprocess", "billiard", "pebble", "loky"}
        and name.split(".")[1:2] != ["connection"]
    ]
    assert calls + imports == []


def test_an_init_file_lists_names_and_defines_nothing() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path in LIBRARY
        if path.name == "__init__.py"
        for node in tree_of(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    assert wrong == []


def loaded_after(statement: str) -> set[str]:
    """Names of the top-level modules in `sys.modules` of a fresh interpreter after a statement."""
    program = f"{statement}\nimport sys\nprint(' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


@pytest.mark.parametrize("statement", ["import rewardgate", "import rewardgate.verifiers"])
def test_importing_the_verifiers_loads_nothing_heavy(statement: str) -> None:
    assert loaded_after(statement) & set(HEAVY) == set()


def test_building_every_verifier_that_needs_no_option_loads_nothing_heavy() -> None:
    statement = (
        "from rewardgate.verifiers import get\nfor name in ('exact', 'choice', 'numeric', 'math', 'auto'): get(name)"
    )
    assert loaded_after(statement) & set(HEAVY) == set()


def test_the_command_and_the_diagnostics_load_no_torch() -> None:
    assert "torch" not in loaded_after("import rewardgate.cli, rewardgate.diagnostics, rewardgate.audit")


def test_the_library_needs_no_scipy() -> None:
    wrong = [
        f"{path}:{line}: {name}" for path in LIBRARY for line, name in imported(path) if name.split(".")[0] == "scipy"
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("room", "other", "allowed"),
    [
        ("audit", "verifiers", True),
        ("verifiers", "audit", False),
        ("verifiers", "rollouts", True),
        ("rollouts", "verifiers", False),
        ("rollouts", "grpo", False),
        ("grpo", "verifiers", False),
        ("diagnostics", "rollouts", False),
        ("registry", "errors", True),
        ("errors", "registry", False),
        ("cli", "__version__", True),
    ],
)
def test_the_rule_itself_says_what_the_design_says(room: str, other: str, *, allowed: bool) -> None:
    assert may_import(room, other) is allowed
