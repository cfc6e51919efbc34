"""Jails within bubblewrap; skips loudly where it does not start."""

from collections.abc import Iterator

import pytest
from sandboxed import ADD, ADDS, ASSERTS, PRINTS_SUM, SUM

from rewardgate.verifiers import Outcome
from rewardgate.verifiers.code import CodeVerifier
from rewardgate.verifiers.sandbox.bubblewrap import bubblewrap_wall, why_no_bubblewrap
from rewardgate.verifiers.sandbox.pool import SandboxUnavailable


@pytest.fixture(scope="module")
def within() -> Iterator[CodeVerifier]:
    if reason := why_no_bubblewrap():
        pytest.skip(f"NOT RUN: bubblewrap does not start here: {reason}")
    verifier = CodeVerifier(backend="bwrap", timeout_s=1.0)
    yield verifier
    verifier.close()


@pytest.mark.parametrize(("program", "target"), [(PRINTS_SUM, SUM), (ADDS, ADD), (ADDS, ASSERTS)])
def test_every_kind_of_test_runs_within_it(within: CodeVerifier, program: str, target: dict[str, object]) -> None:
    verdict = within.verify(program, target)
    assert verdict.outcome is Outcome.CORRECT, verdict.detail
    assert "layers bwrap," in verdict.detail
    assert within.verify("def add(a, b): return 0", target).outcome is Outcome.INCORRECT


@pytest.mark.parametrize("path", ["/etc/passwd", "/etc/hostname", "/home", __file__])
def test_nothing_of_this_machine_is_there(within: CodeVerifier, path: str) -> None:
    program = f"import os\ntry:\n    os.stat({path!r}); print('seen')\nexcept OSError:\n    print('not')"
    assert within.verify(program, {"inputs": [""], "outputs": ["not"]}).outcome is Outcome.CORRECT


def test_it_stands_where_our_own_namespaces_do_not(within: CodeVerifier) -> None:
    verifier = CodeVerifier(backend="bwrap", timeout_s=1.0, without=("userns",))
    verdict = verifier.verify(PRINTS_SUM, SUM)
    assert verdict.outcome is Outcome.CORRECT, verdict.detail
    assert "userns" not in verdict.detail
    assert "bwrap" in verdict.detail
    verifier.close()


def test_without_bubblewrap_it_is_refused_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxUnavailable, match="bwrap"):
        CodeVerifier(backend="bwrap").verify(PRINTS_SUM, SUM)


def test_the_zygote_sees_its_interpreter_and_what_it_was_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/somewhere/{name}")
    command = bubblewrap_wall(["python", "jail"], ("/granted",))
    assert command[0] == "/somewhere/bwrap"
    assert command[command.index("--") :] == ["--", "python", "jail"]
    assert {"--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent"} <= set(command)
    bound = {command[number + 1] for number, word in enumerate(command) if word == "--ro-bind-try"}
    assert {"/usr", "/granted"} <= bound
    assert not bound & {"/", "/etc", "/home", "/root", "/tmp"}
