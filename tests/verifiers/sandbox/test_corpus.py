"""Attacks and tricky-but-right programs, one by one: each has its verdict, in time, and leaves nothing behind."""

import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sandbox_corpus import Site, before, program, rows, site, traces

from rewardgate.verifiers import Outcome
from rewardgate.verifiers.code import CodeVerifier

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "cases" / "sandbox_dev"
ROWS = rows(CORPUS) if CORPUS.is_dir() else []
DOZEN = {
    "esc_ctypes_system", "esc_kill_parent", "esc_persist_sysv_shm", "esc_persist_tmp", "esc_poison_cwd",
    "esc_tcp_connect", "leak_canary_file", "leak_heap_scan_self", "ok_fence_unclosed", "ok_open_0", "ok_special_judge",
    "rh_frames_forge_result_assert",
}  # fmt: skip
"""One or two of each kind, and each kind of trace; the others are run with `-m slow`."""


@cache
def verifier(timeout_s: float) -> CodeVerifier:
    return CodeVerifier(timeout_s=timeout_s)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    # Below folders that everybody may pass, so that nothing but the sandbox keeps a program from it.
    folder = tmp_path_factory.mktemp("canary")
    closed = [parent for parent in folder.parents if parent.stat().st_mode & 0o001 == 0]
    for parent in closed:
        parent.chmod(parent.stat().st_mode | 0o011)
    with site(folder) as opened:
        yield opened
    for parent in closed:
        parent.chmod(parent.stat().st_mode & ~0o011)


@pytest.mark.skipif(not ROWS, reason=f"NOT RUN: no corpus at {CORPUS}")
@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=row["id"], marks=() if row["id"] in DOZEN else pytest.mark.slow) for row in ROWS],
)
def test_a_program_gets_its_verdict_and_leaves_nothing_behind(row: dict[str, Any], here: Site) -> None:
    judge = verifier(row.get("timeout_s", 3))
    judge.verify("print(1)", {"inputs": [""], "outputs": ["1"]})  # so that its jail is there before we count
    earlier = before(row, here)
    for _ in range(row.get("repeat", 1)):
        started = time.monotonic()
        said = judge.verify(program(CORPUS, row, here), row["tests"])
        seconds = time.monotonic() - started
        assert (said.reward == 1) is row["expected"]["passed"], f"{row['expected']['must_not']}: {said}"
        # Nobody is paid with an unknown; only a target without tests has none.
        assert (said.reward is None) is (said.outcome is Outcome.BAD_TARGET)
        assert seconds < row.get("max_wall_s", 20)
        assert traces(row, here, earlier) == []
    assert judge.verify("print(1)", {"inputs": [""], "outputs": ["1"]}).reward == 1


def test_the_dozen_are_in_the_corpus() -> None:
    if not ROWS:
        pytest.skip(f"NOT RUN: no corpus at {CORPUS}")
    assert {row["id"] for row in ROWS} >= DOZEN


def test_a_module_that_one_run_plants_is_not_imported_by_the_next() -> None:
    judge = verifier(3)
    plants = "for name in ('json', 'heapq', 'planted'):\n    open(name + '.py', 'w').write('POISON = 1')\nprint(0)"
    looks = (
        "import json, heapq\ntry:\n    import planted\nexcept ImportError:\n    print(0)\n"
        "assert not hasattr(json, 'POISON') and not hasattr(heapq, 'POISON')"
    )
    target = {"inputs": [""], "outputs": ["0"]}
    assert [judge.verify(code, target).reward for code in (plants, looks, plants, looks)] == [1.0] * 4
