"""Layers, left out one by one, and what each proof says where its layer does not hold."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jail_modules import loaded

from rewardgate.verifiers.sandbox.jailer import Jail
from rewardgate.verifiers.sandbox.runs import Limits

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")

LAYERS = ("uid", "userns", "netns", "ipcns", "pidns", "mountns", "landlock", "seccomp", "rlimits")
NAMESPACES = {"netns", "ipcns", "pidns", "mountns"}


@pytest.fixture(scope="module")
def whole() -> frozenset[str]:
    """The layers that this machine has."""
    with Jail() as jail:
        return frozenset(jail.layers)


def test_a_layer_is_there_or_it_is_said_why_not(whole: frozenset[str]) -> None:
    with Jail() as jail:
        assert jail.layers == tuple(name for name in LAYERS if name in whole)
        assert not set(jail.reasons) & whole
        assert all(jail.reasons.values())
    assert {"seccomp", "rlimits"} <= whole


@pytest.mark.parametrize(
    "layer",
    [layer if layer in ("userns", "landlock") else pytest.param(layer, marks=pytest.mark.slow) for layer in LAYERS[1:]],
)
def test_a_layer_that_is_left_out_is_missed_alone(layer: str, whole: frozenset[str]) -> None:
    if layer not in whole:
        pytest.skip(f"NOT RUN: this machine has no {layer}")
    with Jail(without=(layer,)) as jail:
        gone = {layer} | (NAMESPACES if layer == "userns" else set())
        assert set(jail.layers) == whole - gone
        assert jail.reasons[layer] == "left out on purpose"
        # A run that needs nothing forbidden goes on.
        assert jail.run(b"print(1)", limits=Limits()).stdout == b"1\n"


WRITES_OUTSIDE = b"""
try:
    open("/tmp/outside", "w")
except OSError as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize(
    ("without", "source", "holds"),
    [
        ("landlock", b"import os\nprint(os.path.exists('/etc/passwd') and open('/etc/passwd').read(4))", "landlock"),
        (
            "seccomp",
            b"import os\npid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)\nprint('forked')",
            "seccomp",
        ),
        pytest.param("rlimits", b"x = bytearray(2 << 30)\nprint('had it')", "", marks=pytest.mark.slow),
    ],
)
def test_a_program_is_held_by_the_very_layer_that_is_named_for_it(
    without: str, source: bytes, holds: str, whole: frozenset[str]
) -> None:
    if without not in whole:
        pytest.skip(f"NOT RUN: this machine has no {without}")
    with Jail() as jail:
        assert jail.run(source).stdout == b""
    with Jail(without=(without,)) as jail:
        # Limits are set whether or not they were proved: leaving the proof out takes no limit away.
        assert bool(jail.run(source).stdout) is bool(holds)


@pytest.mark.parametrize(
    "layer", ["seccomp", *(pytest.param(layer, marks=pytest.mark.slow) for layer in ("pidns", "userns"))]
)
def test_nothing_survives_a_run_whatever_layer_is_missing(layer: str, whole: frozenset[str]) -> None:
    source = b"""
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
print("started")
"""
    without = (layer,) if layer != "userns" else ("userns",)
    with Jail(without=without) as jail:
        assert jail._process is not None
        jail.run(b"print(1)")
        before = _processes(jail._process.pid)
        jail.run(source)
        jail.run(b"print(1)")
        assert _processes(jail._process.pid) <= before + 1  # a fresh keeper may stand ready


@pytest.mark.slow
@pytest.mark.parametrize("layer", ["landlock", "mountns", "pidns", "userns"])
def test_programs_that_start_others_run_one_after_another_whatever_layer_is_missing(
    layer: str, whole: frozenset[str]
) -> None:
    source = b"""
import os
try:
    if os.fork() == 0:
        os._exit(0)
    print("forked")
except PermissionError:
    print("refused")
"""
    limits = Limits(processes=4)
    with Jail(without=(layer,)) as jail:
        # Without a PID namespace nothing would end what is left behind: then they are refused.
        expected = b"forked\n" if "pidns" in jail.layers else b"refused\n"
        assert [bytes(jail.run(source, limits=limits).stdout) for _ in range(3)] == [expected] * 3


def _processes(pid: int) -> int:
    from sandboxed import descendants

    return len(descendants(pid))


@pytest.fixture
def proofs() -> Iterator[ModuleType]:
    with loaded("proofs") as module:
        yield module


def failure(proofs: ModuleType, attempt: Any) -> str:
    """What a proof says in a child of ours, which nothing holds."""
    with pytest.raises(proofs.ProofError) as raised:
        proofs._in_child(attempt)
    return str(raised.value)


def test_a_filter_that_refuses_nothing_is_no_layer(proofs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs.seccomp, "refuse_calls", lambda **_: None)
    assert failure(proofs, proofs._calls_are_refused) == "a new process was not refused"


def test_a_landlock_that_restricts_nothing_is_no_layer(proofs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs.landlock, "restrict", lambda *_, **__: None)
    jail = proofs.Jail("", proofs.Layers(0, False, []))
    assert failure(proofs, lambda: proofs._files_are_out_of_reach(jail, 1)) == "reading /etc/passwd was not refused"


def test_limits_that_are_not_set_are_no_layer(proofs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs.confine, "limit", lambda _: None)
    assert failure(proofs, proofs._limits_hold) == "more memory than allowed was not refused"


def test_a_network_in_which_this_machine_answers_is_no_layer(proofs: ModuleType) -> None:
    listener = proofs._listener()
    try:
        said = failure(proofs, lambda: proofs._no_connection(listener))
    finally:
        listener.close()
    assert said == "a connection to this machine was not refused"


def test_a_user_who_can_become_root_again_is_no_layer(proofs: ModuleType) -> None:
    if os.geteuid() != 0:
        pytest.skip("NOT RUN: this user is not root")
    assert failure(proofs, proofs._no_way_back) == "becoming root again was not refused"


def test_a_process_that_sees_its_parent_is_in_no_namespace_of_its_own(proofs: ModuleType) -> None:
    assert failure(proofs, proofs._sees_itself_alone) == "the parent is in sight"


def test_shared_memory_that_is_found_is_no_layer_and_is_not_left_behind(proofs: ModuleType) -> None:
    segment, address = proofs._attached_segment()
    try:
        said = failure(proofs, lambda: proofs._no_shared_segment(segment))
    finally:
        proofs._detach(address)
    assert said == "a stranger's shared memory was not refused"
    proofs._in_child(lambda: proofs._no_shared_segment(segment))  # it is gone


def test_a_proof_that_dies_is_no_proof(proofs: ModuleType) -> None:
    assert failure(proofs, lambda: os._exit(0)) == "the child that should prove it died"
    assert "ZeroDivisionError" in failure(proofs, lambda: 1 / 0)


def test_a_proof_that_somebody_kills_is_tried_once_more(proofs: ModuleType, tmp_path: Path) -> None:
    def killed_at_first() -> None:
        if not (tmp_path / "tried").exists():
            (tmp_path / "tried").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    proofs._in_child(killed_at_first)
    # Killed again, it says nothing about the machine: the zygote does not start.
    with pytest.raises(proofs.NoProofError, match="was killed"):
        proofs._in_child(lambda: os.kill(os.getpid(), signal.SIGKILL))
