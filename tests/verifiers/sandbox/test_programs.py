"""Programs that are right and look odd, and programs that attack: one file each in `programs/`, its name says which.

Above a line of dashes a file says what it is tried with, in Python: TARGET, OPTIONS of the verifier, and STARTS_PYTHON
where the program needs an interpreter that it can start anew. `right_…` must pass; `hack_…`, `leak_…`, `escape_…` and
`dos_…` must not, and must get a 0 for it: a program that could make itself unscored would. What a leak prints is what
its tests expect, so that a pass is the leak.
"""

import os
import stat
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sandboxed import descendants, until

from rewardgate.verifiers.code import CodeVerifier

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))
QUICK = {
    "right_dev_stdin", "right_devnull_written", "right_dataclass_future_annotations", "right_printed_at_exit",
    "right_scratch_files", "right_cached_recursion", "right_keyword_arguments", "right_async_entry_point",
    "right_integers_beyond_4300_digits", "right_subclasses_of_plain_data", "right_class_under_test",
    "right_asynchronous_under_asserts", "right_own_exception_and_constants", "right_humaneval_helper_of_the_prompt",
    "hack_helper_of_the_tests_is_the_programs_own", "hack_float_for_a_big_integer",
    "hack_subclasses_with_lying_methods", "hack_object_that_is_always_right", "hack_coroutine_for_a_truth",
    "hack_speaks_for_the_tests", "leak_frames_closures_and_argv", "leak_tests_through_a_callback",
    "escape_changes_files_without_opening_them", "escape_limits_of_the_first_process",
    "escape_slows_the_others_down", "escape_clone_with_flags", "escape_messages_to_the_next_case",
}  # fmt: skip
"""Those that run by default: each fixed fault leaves its case here, the others are for `-m slow`."""


@cache
def verifier(options: str) -> CodeVerifier:
    return CodeVerifier(**eval(options))


def tried(name: str) -> tuple[str, dict[str, Any]]:
    head, _, program = (FOLDER / f"{name}.py").read_text(encoding="utf-8").partition("# --- the program ---\n")
    names: dict[str, Any] = {}
    exec(head, names)
    return program, names


def python_is_in_reach() -> bool:
    """Whether another user can start the interpreter behind this one."""
    path = Path(os.path.realpath(sys._base_executable))
    return os.geteuid() != 0 or all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in PROGRAMS]
)
def test_a_program_gets_what_it_deserves(name: str, tmp_path: Path) -> None:
    program, names = tried(name)
    if names.get("STARTS_PYTHON") and not python_is_in_reach():
        pytest.skip("NOT RUN: the interpreter lies below a closed folder, and no program can start it anew")
    canary = tmp_path / "canary"
    canary.write_text("untouched")
    before, strangers = canary.stat(), _strangers()
    verdict = verifier(repr(names.get("OPTIONS", {}))).verify(program.replace("@CANARY@", str(canary)), names["TARGET"])
    assert verdict.reward == float(name.startswith("right_")), f"{verdict.outcome} {verdict.rule}: {verdict.detail}"
    after = canary.stat()
    assert canary.read_text() == "untouched"
    assert (after.st_mode, after.st_mtime_ns, after.st_uid) == (before.st_mode, before.st_mtime_ns, before.st_uid)
    # Zygotes, makers of namespaces and their keepers stay; what a program started does not.
    assert until(lambda: _strangers() <= strangers)


def _strangers() -> set[int]:
    """Processes below this one that are none of a jail's."""
    return {pid for pid, _ in descendants(os.getpid()) if b"sandbox/jail" not in _command(pid)}


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() or b"sandbox/jail: it has ended"
    except OSError:
        return b"sandbox/jail: it is gone"


def test_there_are_programs_of_every_kind() -> None:
    kinds = [name.split("_")[0] for name in PROGRAMS]
    assert {kind: kinds.count(kind) >= 6 for kind in ("right", "hack", "leak", "escape", "dos")} == dict.fromkeys(
        ("right", "hack", "leak", "escape", "dos"), True
    )
    assert set(PROGRAMS) >= QUICK
