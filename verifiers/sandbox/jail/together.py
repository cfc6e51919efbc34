"""Tests in the candidate's own process: for those that patch its names, subclass its classes or ask `isinstance`.

Whoever shares a process with its judge can corrupt it: a candidate can reach every name here. The tests come after it
was loaded, and the answer carries a token that came with them, so that no exit and no early answer passes; a program
that goes looking for them does.
"""

import ast
import sys
from typing import Any

import calls
import frames

import tests

_send, _receive, _run, _parse = frames.send, frames.receive, tests.run_statements, ast.parse


def serve(source: bytes, settings: dict) -> None:
    """Load `source`, ask for the tests, run them among its names, and say how each case went."""
    try:
        module = calls.loaded(source, prelude=settings["prelude"])
    except BaseException as error:
        _send(calls.CHANNEL, calls.raised(error))
        return
    _send(calls.CHANNEL, {"loaded": True})
    given: Any = _receive(calls.CHANNEL, bytearray())
    sys.modules["__main__"] = module
    namespace = module.__dict__
    results: list[dict] = []
    try:
        _run(_parse(given["tests"]), namespace, settings, results, namespace.get(settings["entry_point"]))
    except tests.StoppedError:
        pass
    except BaseException as error:
        results.append(tests.failed(error, "the tests"))
    _send(calls.CHANNEL, {"op": "done", "results": results, "token": given["token"]})
