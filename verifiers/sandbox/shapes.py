"""Reads tests out of the shapes that datasets give them: ours, HumanEval, MBPP, APPS, LiveCodeBench, CodeContests.

A shape is recognised by its fields. Compressed private tests are decompressed with a bound, and of a pickle in
them only plain data is read.
"""

import base64
import io
import json
import pickle
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .literals import literal
from .specification import AssertTests, FunctionCase, Specification, StdinCase
from .values import NotAValueError, as_plain

__all__ = ["SpecificationError", "read_specification"]

_MAX_BYTES = 512 << 20
_MAX_NESTED = 4


class SpecificationError(ValueError):
    """The target holds no tests that can be run; the message says what was expected and what stood there."""


def read_specification(target: Mapping[str, Any]) -> Specification:
    """The tests of `target`.

    Raises:
        SpecificationError: there are none, they break the rules of their shape, or they cannot be handed to a program.

    Example:
        >>> read_specification({"inputs": ["1 2"], "outputs": ["3"]}).stdin
        (StdinCase(stdin='1 2', expected='3', weight=1.0),)
        >>> read_specification({"test_list": ["assert add(1, 2) == 3"]}).asserts.code
        'assert add(1, 2) == 3'
    """
    try:
        found = _read(target, 0)
    except RecursionError:
        raise SpecificationError("tests: nested too deep") from None
    if not found.n_cases and found.asserts is None:
        raise SpecificationError("tests: expected at least one case, got none")
    _check_that_it_crosses(found)
    if found.n_cases and not any(case.weight for case in (*found.stdin, *found.function)):
        raise SpecificationError("weights: expected one above 0, got none")
    return found


def _check_that_it_crosses(found: Specification) -> None:
    """Inputs become bytes or plain data: what cannot is the fault of the tests, and found before a program runs."""
    number = 0
    try:
        found.checker.encode()
        for number, case in enumerate(found.stdin, 1):  # noqa: B007
            case.stdin.encode("utf-8", "surrogateescape")
        for number, case in enumerate(found.function, 1):  # noqa: B007
            for argument in (*case.args, *case.kwargs.values()):
                as_plain(argument)
    except (NotAValueError, UnicodeEncodeError, RecursionError) as error:
        reason = str(error) if isinstance(error, NotAValueError) else type(error).__name__
        what = f"case {number}: expected an input that a program can be given" if number else "checker: expected text"
        raise SpecificationError(f"{what}, got {reason}") from None


def _read(target: Mapping[str, Any], depth: int) -> Specification:
    if depth > _MAX_NESTED:
        raise SpecificationError("tests: nested too deep")
    options = {**_mapping(target.get("labels")), **target}
    common = {
        "entry_point": _text(options.get("entry_point") or options.get("fn_name") or _function_name(options)),
        "setup": _setup(options),
        "checker": _text(options.get("checker")),
        "float_tolerance": _number(options, "float_tol", "float_tolerance"),
        "timeout_s": _number(options, "timeout_s", "time_limit_s"),
    }
    if "cases" in target:
        return Specification(function=_function_cases(target["cases"]), **common)
    if "inputs" in target and "outputs" in target:
        return _weighted(_from_lists(target["inputs"], target["outputs"], common), target.get("weights"))
    for key in ("asserts", "test_list", "assertions"):
        if key in target:
            lines = [*_strings(target[key], key), *_strings(options.get("challenge_test_list") or (), key)]
            return Specification(asserts=_assert_lines(lines), **common)
    if "test_code" in target or (isinstance(target.get("test"), str) and "entry_point" in options):
        code = _text(target.get("test_code") or target.get("test"))
        prompt = _text(target.get("prompt") or (target.get("content") if "test" in target else ""))
        return Specification(asserts=_check(code), prompt=prompt, **common)
    if "public_test_cases" in target or "private_test_cases" in target:
        public, private = _packed(target.get("public_test_cases")), _packed(target.get("private_test_cases"))
        return _from_records([*public, *private], common)
    if "private_tests" in target or "public_tests" in target:
        cases: list[StdinCase] = []
        for key in ("public_tests", "private_tests", "generated_tests"):
            part = _mapping(target.get(key))
            cases += _stdin_cases(
                part.get("input") or part.get("inputs") or (), part.get("output") or part.get("outputs") or ()
            )
        return Specification(stdin=tuple(cases), **common)
    for key in ("input_output", "tests", "test_cases", "unit_tests", "test"):
        if key in target:
            return _nested(target[key], {name: value for name, value in options.items() if name != key}, common, depth)
    raise SpecificationError(f"tests: expected a known shape, got the fields {sorted(map(str, target))[:12]}")


def _nested(inner: Any, options: Mapping[str, Any], common: dict[str, Any], depth: int) -> Specification:
    """Tests that stand under one field, themselves a mapping, a list of records, JSON, or Python."""
    if isinstance(inner, str):
        unpacked = _unpacked(inner)
        if unpacked is None:
            return Specification(asserts=_check(inner), **common)
        inner = unpacked
    if isinstance(inner, Mapping):
        return _read({**{key: options[key] for key in options if key not in inner}, **inner}, depth + 1)
    if isinstance(inner, Sequence) and all(isinstance(item, Mapping) for item in inner):
        return _from_records(inner, common)
    if isinstance(inner, Sequence) and all(isinstance(item, str) for item in inner):
        return Specification(asserts=_assert_lines(list(inner)), **common)
    raise SpecificationError(f"tests: expected a mapping or a list of cases, got {type(inner).__name__}")


def _from_lists(inputs: Any, outputs: Any, common: dict[str, Any]) -> Specification:
    if not isinstance(inputs, Sequence) or not isinstance(outputs, Sequence) or isinstance(inputs, str):
        raise SpecificationError("inputs, outputs: expected two lists")
    if len(inputs) != len(outputs):
        raise SpecificationError(f"outputs: expected {len(inputs)}, as many as inputs, got {len(outputs)}")
    if not common["entry_point"]:
        return Specification(stdin=tuple(_stdin_cases(inputs, outputs)), **common)
    pairs = zip(inputs, outputs, strict=True)
    return Specification(
        function=tuple(FunctionCase(_arguments(given), _expected(out)) for given, out in pairs), **common
    )


def _weighted(found: Specification, weights: Any) -> Specification:
    if weights is None:
        return found
    if not isinstance(weights, Sequence) or len(weights) != found.n_cases:
        raise SpecificationError(f"weights: expected {found.n_cases}, as many as cases")
    numbers = [_weight({"weight": weight}) for weight in weights]
    stdin = tuple(replace(case, weight=weight) for case, weight in zip(found.stdin, numbers, strict=False))
    function = tuple(replace(case, weight=weight) for case, weight in zip(found.function, numbers, strict=False))
    return replace(found, stdin=stdin, function=function)


def _expected(output: Any) -> Any:
    """APPS wraps what a function returns in a list of one; a list of several is the value itself."""
    if isinstance(output, str):
        return _json_or_literal(output)
    return output[0] if isinstance(output, list) and len(output) == 1 else output


def _arguments(given: Any) -> tuple[Any, ...]:
    if isinstance(given, str):
        # LiveCodeBench writes one JSON value a line.
        return tuple(_json_or_literal(line) for line in given.split("\n") if line.strip())
    return tuple(given) if isinstance(given, list) else (given,)


def _from_records(records: Sequence[Any], common: dict[str, Any]) -> Specification:
    """Records of a case each: `{input, output, testtype}`, `{input: {stdin}, output: {stdout}}`, `{args, expected}`."""
    if records and all(isinstance(record, Mapping) and "args" in record for record in records):
        return Specification(function=_function_cases(records), **common)
    stdin: list[StdinCase] = []
    function: list[FunctionCase] = []
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping) or "input" not in record or "output" not in record:
            raise SpecificationError(f"case {number}: expected input and output, got {type(record).__name__}")
        given, wanted = record["input"], record["output"]
        given = given.get("stdin", "") if isinstance(given, Mapping) else given
        wanted = wanted.get("stdout", "") if isinstance(wanted, Mapping) else wanted
        if record.get("testtype") == "functional":
            function.append(FunctionCase(_arguments(given), _json_or_literal(_text(wanted)), _weight(record)))
        else:
            stdin += [replace(case, weight=_weight(record)) for case in _stdin_cases([given], [wanted])]
    if function and stdin:
        raise SpecificationError("testtype: expected one kind for all cases, got two")
    if function and not common["entry_point"]:
        raise SpecificationError("entry_point: expected the name of the function, got none")
    return Specification(stdin=tuple(stdin), function=tuple(function), **common)


def _stdin_cases(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[StdinCase]:
    if len(inputs) != len(outputs):
        raise SpecificationError(f"outputs: expected {len(inputs)}, as many as inputs, got {len(outputs)}")
    return [StdinCase(_stream(given), _stream(wanted)) for given, wanted in zip(inputs, outputs, strict=True)]


def _stream(value: Any) -> str:
    """One input or output: a text, a list of lines, or `{"gen": "repeat", "s": …, "n": …}` for a huge one."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and value.get("gen") == "repeat":
        text, count = str(value["s"]), int(value["n"])
        if len(text) * count > _MAX_BYTES:
            raise SpecificationError(f"input: expected at most {_MAX_BYTES} characters, got {len(text) * count}")
        return text * count
    if isinstance(value, Mapping) and value.get("gen") == "range":
        start, stop = int(value.get("start", 0)), int(value.get("stop", value.get("n", 0)))
        return str(value.get("sep", "\n")).join(map(str, range(start, min(stop, start + 50_000_000)))) + "\n"
    if isinstance(value, Sequence):
        return "\n".join(map(str, value)) + "\n"
    if isinstance(value, (int, float)):
        return str(value)
    raise SpecificationError(f"input or output: expected text, got {type(value).__name__}")


def _function_cases(cases: Any) -> tuple[FunctionCase, ...]:
    if not isinstance(cases, Sequence) or isinstance(cases, str):
        raise SpecificationError(f"cases: expected a list, got {type(cases).__name__}")
    found = []
    for number, case in enumerate(cases, 1):
        if not isinstance(case, Mapping) or "args" not in case:
            raise SpecificationError(f"case {number}: expected args and expected")
        if "expected" in case:
            expected = case["expected"]
        elif "expected_repr" in case:
            expected = literal(case["expected_repr"])
        else:
            raise SpecificationError(f"case {number}: expected `expected`, got the fields {sorted(map(str, case))}")
        found.append(FunctionCase(tuple(case["args"]), expected, _weight(case), _keywords(case, number)))
    return tuple(found)


def _keywords(case: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    given = case.get("kwargs") or {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise SpecificationError(f"case {number}: expected kwargs with names, got {type(given).__name__}")
    return given


def _weight(case: Mapping[str, Any]) -> float:
    weight = _number(case, "weight")
    return 1.0 if weight is None else weight


def _assert_lines(lines: list[str]) -> AssertTests:
    lines = [line for line in lines if line.strip()]
    if not lines:
        raise SpecificationError("asserts: expected at least one, got none")
    return AssertTests("\n".join(lines), calls_check=False)


def _check(code: str) -> AssertTests:
    if not code.strip():
        raise SpecificationError("test: expected code, got none")
    return AssertTests(code, calls_check="def check(" in code)


def _setup(options: Mapping[str, Any]) -> str:
    parts = [
        options.get("setup_code"),
        options.get("test_setup_code"),
        *_strings(options.get("test_imports") or (), "test_imports"),
    ]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _function_name(options: Mapping[str, Any]) -> str:
    metadata = _mapping(options.get("metadata"))
    return _text(metadata.get("func_name") or metadata.get("fn_name"))


def _packed(value: Any) -> list[Any]:
    """A list of records as it is, as JSON, or as base64 of zlib of (a pickled string of) JSON."""
    if value is None:
        return []
    unpacked = _unpacked(value) if isinstance(value, str) else value
    if not isinstance(unpacked, list):
        raise SpecificationError(f"test cases: expected a list, got {type(unpacked).__name__}")
    return unpacked


def _unpacked(text: str) -> Any:
    """What JSON, or base64 of zlib of it, holds; None where `text` is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        decompressor = zlib.decompressobj()
        data = decompressor.decompress(base64.b64decode(text, validate=True), _MAX_BYTES)
    except (ValueError, zlib.error):
        return None
    if decompressor.unconsumed_tail:
        raise SpecificationError(f"tests: expected at most {_MAX_BYTES} bytes when decompressed")
    if data[:1] == b"\x80":
        return _plain_pickle(data)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


class _PlainUnpickler(pickle.Unpickler):
    """Reads pickles of plain data: a pickle that names a class or a function is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise SpecificationError(f"tests: expected a pickle of plain data, got one of {module_name}.{global_name}")


def _plain_pickle(data: bytes) -> Any:
    """What a pickle holds, itself JSON where it is a string: LiveCodeBench packs its private tests so."""
    try:
        held = _PlainUnpickler(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, LookupError, AttributeError, MemoryError) as error:
        raise SpecificationError(f"tests: expected a pickle of plain data, got {error}") from None
    return json.loads(held) if isinstance(held, str) else held


def _json_or_literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return literal(text)


def _mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _strings(value: Any, name: str) -> list[str]:
    if isinstance(value, str):
        unpacked = _unpacked(value)
        value = unpacked if isinstance(unpacked, list) else [value]
    if not isinstance(value, Sequence) or not all(isinstance(item, str) for item in value):
        raise SpecificationError(f"{name}: expected a list of strings, got {type(value).__name__}")
    return list(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(options: Mapping[str, Any], *names: str) -> float | None:
    for name in names:
        value = options.get(name)
        if value is not None:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                raise SpecificationError(f"{name}: expected a number of at least 0, got {value!r}")
            return float(value)
    return None
