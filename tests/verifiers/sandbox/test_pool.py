"""Which layers a tier needs, and jails that are lent, replaced and counted."""

import os
import pickle
import signal
import sys
from typing import ClassVar

import pytest
from sandboxed import until

from rewardgate.verifiers.sandbox.jailer import Jail
from rewardgate.verifiers.sandbox.pool import TIERS, JailPool, SandboxUnavailable, Tier, missing_layers
from rewardgate.verifiers.sandbox.runs import JailError, Limits

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")


def pid_of(jail: Jail) -> int:
    assert jail._process is not None
    return jail._process.pid


def test_each_tier_demands_what_the_next_lower_does_and_more() -> None:
    assert TIERS["basic"] < TIERS["standard"] < TIERS["strict"]


class Bare:
    """A jail without a process, that has some layers."""

    reasons: ClassVar[dict[str, str]] = {}

    def __init__(self, *layers: str) -> None:
        self.layers = layers


@pytest.mark.parametrize(
    ("layers", "require", "lacks"),
    [
        (("seccomp", "rlimits"), "basic", []),
        (("rlimits",), "basic", ["seccomp"]),
        (("seccomp",), "basic", ["rlimits"]),
        (("seccomp", "rlimits"), "standard", ["landlock"]),
        (("landlock", "seccomp", "rlimits"), "standard", []),
        (("landlock", "seccomp", "rlimits"), "strict", ["ipcns", "mountns", "netns", "pidns", "userns"]),
        ((), "basic", ["rlimits", "seccomp"]),
    ],
)
def test_what_each_tier_misses(
    layers: tuple[str, ...], require: Tier, lacks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)
    assert missing_layers(Bare(*layers), require) == lacks  # type: ignore[arg-type]
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    # Who is root must have stopped being it, whatever the tier.
    assert missing_layers(Bare(*layers), require) == sorted([*lacks, "uid"])  # type: ignore[arg-type]
    assert missing_layers(Bare("uid", *layers), require) == lacks  # type: ignore[arg-type]


def test_a_tier_that_lacks_a_layer_is_refused_before_anything_runs() -> None:
    pool = JailPool(1, require="standard", without=("landlock",))
    with pytest.raises(SandboxUnavailable, match=r"lacks .*landlock: left out on purpose"), pool.jail():
        pytest.fail("something would have run")
    lower = JailPool(1, require="basic", without=("landlock",))
    with lower.jail() as jail:
        assert "landlock" not in jail.layers
    lower.close()


def test_a_jail_is_lent_again_and_one_that_broke_is_not() -> None:
    pool = JailPool(1)
    with pool.jail() as first:
        pass
    with pool.jail() as second:
        assert second is first
        second.close()
    with pool.jail() as third:
        assert third is not first
    with pytest.raises(KeyboardInterrupt), pool.jail() as fourth:
        raise KeyboardInterrupt
    assert not fourth.is_open
    pool.close()


def test_a_jail_that_was_killed_while_idle_is_replaced_unseen() -> None:
    pool = JailPool(1)
    with pool.jail() as first:
        assert first.run(b"print(1)").stdout == b"1\n"
    os.kill(pid_of(first), signal.SIGKILL)
    assert until(lambda: not first.is_well)
    with pool.jail() as second:
        assert second.run(b"print(2)").stdout == b"2\n"
    assert not first.is_open
    pool.close()


def test_a_closed_pool_can_be_used_again() -> None:
    pool = JailPool(1)
    with pool.jail() as first:
        pass
    pool.close()
    assert not first.is_open
    with pool.jail() as second:
        assert second.run(b"print(2)", limits=Limits()).stdout == b"2\n"
    pool.close()


def test_a_pool_pickles_without_its_jails() -> None:
    pool = JailPool(3, require="basic", without=("landlock",))
    with pool.jail():
        pass
    other = pickle.loads(pickle.dumps(pool))
    assert (other._size, other._require, other._without) == (3, "basic", ("landlock",))
    assert other._idle.empty()
    pool.close()


def test_a_jail_that_does_not_start_leaves_the_pool_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = JailPool(1)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", "/nowhere/python")
        for _ in range(3):
            with pytest.raises(JailError), pool.jail():
                pass
    with pool.jail() as jail:
        assert jail.run(b"print(1)").stdout == b"1\n"
    pool.close()
