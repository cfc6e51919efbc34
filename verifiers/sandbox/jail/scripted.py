"""A candidate under a service that only runs scripts: loaded and called, its answers are lines behind a marker.

The service has one process and one output for all of it. A candidate can therefore write such lines itself; they are
answers like any other, for what is expected is not here. Where tests run here too, it can corrupt them.
"""

import ast
import json
import os
import sys

import calls

import tests


def main(order: dict) -> None:
    """Do what `order` says: load `source`, then answer `requests`, or run `tests` among its names."""
    kept = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what it prints is nobody's answer

    def say(message: dict) -> None:
        data = f"{order['marker']}{json.dumps(message)}\n".encode("ascii")
        while data:
            data = data[os.write(kept, data) :]

    try:
        module = calls.loaded(order["source"].encode("utf-8", "surrogatepass"), prelude=order["prelude"])
    except BaseException as error:
        say(calls.raised(error))
        return
    say({"loaded": True})
    for request in order["requests"]:
        say(calls.answer(module, request))
    if order["tests"] is not None:
        sys.modules["__main__"] = module
        say({"results": _results(module.__dict__, order["tests"], order["settings"])})


def _results(namespace: dict, code: str, settings: dict) -> list[dict]:
    results: list[dict] = []
    try:
        tests.run_statements(ast.parse(code), namespace, settings, results, namespace.get(settings["entry_point"]))
    except tests.StoppedError:
        pass
    except BaseException as error:
        results.append(tests.failed(error, "the tests"))
    return results
