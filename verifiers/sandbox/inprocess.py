"""Tests in the program's own process, which a program that means to can corrupt: off unless it is asked for."""

import secrets
from collections.abc import Iterator
from typing import Any

from .asserting import case_result
from .jail import frames
from .jailer import Jail
from .judging import CaseResult, bad_end, killed_by_another, raised_text
from .runs import JailError, Limits, Running
from .specification import Specification

__all__ = ["in_process_results"]


def in_process_results(
    jail: Jail, program: bytes, specification: Specification, limits: Limits, *, prelude: bool, stops: bool
) -> Iterator[CaseResult]:
    """One result a case; at least one, for tests that test nothing pass nobody."""
    assert specification.asserts is not None
    settings = {
        "prelude": prelude,
        "entry_point": specification.entry_point,
        "calls_check": specification.asserts.calls_check,
        "stops": stops,
        "in_process": True,
    }
    code = "\n".join(filter(None, (specification.setup, specification.asserts.code)))
    said, running = _said(jail, program, code, limits, settings)
    if said is None and killed_by_another(running):
        said, running = _said(jail, program, code, limits, settings)
    if said is None:
        how = bad_end(running, limits) if running.ended is not None and running.ended.killed != "asked" else None
        if how is None and running.killed == "asked":
            how = "timeout", f"ran longer than {limits.wall_s:g} s"
        yield CaseResult(False, 1.0, *(how or ("ended", "the program ended before its tests did")))
        return
    if "raised" in said:
        yield CaseResult(False, 1.0, "raised", raised_text(said))
        return
    results = said.get("results")
    if not isinstance(results, list) or not results:
        rule, detail = ("no_tests", "the tests test nothing") if results == [] else ("garbage", "an unknown answer")
        yield CaseResult(False, 1.0, rule, detail)
        return
    for number, result in enumerate(results, 1):
        yield case_result(number, result, ("", ""))


def _said(
    jail: Jail, program: bytes, code: str, limits: Limits, settings: dict[str, Any]
) -> tuple[dict[str, Any] | None, Running]:
    """What the process said last: how the tests went, or why the program could not be loaded; None for nothing."""
    running = jail.start("together", program, limits=limits, settings=settings)
    token = secrets.token_hex(16)
    try:
        first = _heard(jail, running, limits)
        if first is None or "loaded" not in first:
            return first, running
        try:
            jail.tell(running, {"tests": code, "token": token})
        except frames.FrameError as error:
            raise JailError(f"tests: {error}") from error
        last = _heard(jail, running, limits)
        return (last if last is None or last.get("token") == token else {}), running
    finally:
        jail.end(running)


def _heard(jail: Jail, running: Running, limits: Limits) -> dict[str, Any] | None:
    try:
        said = jail.hear(running, limits.wall_s)
    except frames.FrameError:
        return {}
    if said is None:
        return None
    return said[0] if isinstance(said[0], dict) else {}
