"""Tests written in Python, in a process of their own: the candidate's functions are handles of another process.

Statements run in order. A case is an assert, another statement that holds one or calls a test, the call of `check`,
and, where there is none of these or `unittest.main()` asks for it, each method of a `unittest.TestCase` and each
function named `test…`. Tests that never ask the candidate anything say nothing of it, whether they run through or not.
"""

import ast
import builtins
import sys
import types
import unittest

import frames
import remote
from calls import CHANNEL, prelude_names

_MAX_TEXT_CHARS = 1_000
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def run(source: bytes, settings: dict) -> None:
    """Run the tests in `source`, then say how each case went. `settings`: `entry_point`, `calls_check`, `stops`."""
    peer = remote.Peer(CHANNEL, _nothing, gives_attributes=False)
    results: list[dict] = []
    try:
        _run(peer, source, settings, results)
    except StoppedError:
        pass
    except BaseException as error:
        results.append(failed(error, "the tests"))
    if peer.n_asked:
        frames.send(CHANNEL, {"op": "done", "results": results})
    else:  # whatever came of it, it came of the tests alone
        wrong = next((result for result in results if not result["passed"]), None)
        frames.send(CHANNEL, {"op": "done", "results": [], "broken": wrong})


class StoppedError(Exception):
    """A case failed and nobody wants to know about the others."""


def _run(peer: remote.Peer, source: bytes, settings: dict, results: list[dict]) -> None:
    tree = ast.parse(source)
    module = types.ModuleType("tests")
    namespace = module.__dict__
    sys.modules["tests"] = module
    sys.modules["__main__"] = module
    entry_point = settings["entry_point"]
    helpers = _helpers(settings["prompt"], _names(tree), entry_point)
    namespace.update(_free_names(_names(tree, *helpers), peer, entry_point, _defined(tree)))
    namespace["__name__"] = "tests"
    for helper in helpers:
        exec(compile(ast.Module([helper], []), "prompt.py", "exec", dont_inherit=True), namespace)
    candidate = remote.Remote(peer, entry_point)
    run_statements(tree, namespace, settings, results, candidate)


def run_statements(tree: ast.Module, namespace: dict, settings: dict, results: list[dict], candidate: object) -> None:
    """Run tests in `namespace`, one result a case."""

    def case(what: str, run: object) -> None:
        try:
            run()  # type: ignore[operator]
        except SystemExit as end:
            # Beside the candidate's functions it is theirs, and says nothing for them; apart it is the tests' own.
            if settings["in_process"] or end.code not in (None, 0):
                results.append(failed(end, what))
        except BaseException as error:
            results.append(failed(error, what))
        else:
            results.append({"passed": True})
            return
        if settings["stops"] and results and not results[-1]["passed"]:
            raise StoppedError

    wants_unit_tests = False
    for statement in tree.body:
        if ast.unparse(statement).startswith("unittest.main("):
            wants_unit_tests = True  # it would end this process
            continue
        code = compile(ast.Module([statement], []), "tests.py", "exec", dont_inherit=True)
        if _is_test(statement, namespace):
            case(ast.unparse(statement)[:200], lambda code=code: exec(code, namespace))
        else:
            exec(code, namespace)
    if settings["calls_check"] and "check" in namespace:
        case("check(candidate)", lambda: namespace["check"](candidate))
    if wants_unit_tests or not results:
        for name, test in _unit_tests(namespace):
            case(name, lambda test=test: _passes(test))
    if not results:
        for name, function in list(namespace.items()):
            if name.startswith("test") and isinstance(function, types.FunctionType):
                case(name, function)


def _is_test(statement: ast.stmt, namespace: dict) -> bool:
    """Whether a statement that runs through has shown something: it asserts, or calls what the tests define."""
    if isinstance(statement, ast.Assert):
        return True
    if not isinstance(statement, (ast.Expr, ast.For, ast.While, ast.If, ast.With, ast.Try)):
        return False
    for node in ast.walk(statement):
        if isinstance(node, (ast.Assert, ast.Raise)):
            return True
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).rpartition(".")[2]
            if called.lower().startswith("assert") or isinstance(namespace.get(called), types.FunctionType):
                return True
    return False


def _names(*trees: ast.AST) -> set[str]:
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _defined(tree: ast.AST) -> set[str]:
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.name for node in ast.walk(tree) if isinstance(node, _DEFINITIONS)}


def _free_names(used: set[str], peer: remote.Peer, entry_point: str, defined: set[str]) -> dict:
    """What the tests use and do not define. The standard library's is ours: a candidate's `math` could say anything."""
    ours = prelude_names()
    names: dict = {name: ours[name] for name in used if name in ours and name != entry_point}
    for name in used - names.keys() - {entry_point}:
        if not hasattr(builtins, name):
            names[name] = remote.Remote(peer, name) if name in defined else _constant(peer, name)
    if entry_point:
        names[entry_point] = remote.Remote(peer, entry_point)
    return names


def _constant(peer: remote.Peer, name: str) -> object:
    """What the candidate calls `name`: its value where that is plain data, else a handle. A handle asks nothing yet."""
    n_asked = peer.n_asked
    try:
        value = peer.ask({"op": "value", "target": name})
    except Exception:
        value = None
    else:
        if not isinstance(value, remote.Remote):
            return value
    peer.n_asked = n_asked
    return remote.Remote(peer, name)


def _helpers(prompt: str, used: set[str], entry_point: str) -> list[ast.stmt]:
    """The functions of a prompt that its tests use, with its imports; those that it leaves to be written are not there.

    They belong to the task: a candidate that defines them anew does not change what it is tested with.
    """
    try:
        body = ast.parse(prompt).body
    except SyntaxError:
        return []
    functions = {
        statement.name: statement
        for statement in body
        if isinstance(statement, ast.FunctionDef) and statement.name != entry_point and not _is_stub(statement)
    }
    taken: dict[str, ast.stmt] = {}
    wanted = used & functions.keys()
    while wanted:
        taken |= {name: functions[name] for name in wanted}
        wanted = (_names(*taken.values()) & functions.keys()) - taken.keys()
    imports = [statement for statement in body if isinstance(statement, (ast.Import, ast.ImportFrom))]
    return [*imports, *taken.values()] if taken else []


def _is_stub(function: ast.FunctionDef) -> bool:
    return all(
        isinstance(statement, (ast.Pass, ast.Raise))
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in function.body
    )


def _unit_tests(namespace: dict) -> list[tuple[str, unittest.TestCase]]:
    loader = unittest.TestLoader()
    classes = [
        value for value in namespace.values() if isinstance(value, type) and issubclass(value, unittest.TestCase)
    ]
    return [(test.id(), test) for kind in classes for test in loader.loadTestsFromTestCase(kind)]  # type: ignore[misc]


def _passes(test: unittest.TestCase) -> None:
    result = unittest.TestResult()
    test.run(result)
    if not result.wasSuccessful() or result.testsRun != 1:
        problems = [*result.failures, *result.errors]
        raise AssertionError(problems[0][1].strip().rpartition("\n")[2] if problems else "the test did not run")


def failed(error: BaseException, what: str) -> dict:
    try:
        text = str(error)[:_MAX_TEXT_CHARS]
    except BaseException:
        text = ""
    return {"passed": False, "what": what, "raised": type(error).__name__, "text": text}


def _nothing(name: str) -> object:
    raise remote.RemoteError(f"{name}: nothing of the tests has a name here")
