"""Which layers a tier needs, and jails that are lent, replaced and counted."""

import os
import pickle
import signal
import sys

import pytest
from sandboxed import until

from rewardgate.verifiers.sandbox.jailer import Jail, JailError, Limits
from rewardgate.verifiers.sandbox.pool import TIERS, JailPool, SandboxUnavailable, Tier, missing_layers

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT RUN: Linux alone has jails")


def pid_of(jail: Jail) -> int:
    assert jail._process is not None
    return jail._process.pid


def test_each_tier_demands_what_the_next_lower_does_and_more() -> None:
    assert TIERS["basic"] < TIERS["standard"] < TIERS["strict"]


@pytest.mark.parametrize(
    ("without", "require", "lacks"),
    [
        ("seccomp", "basic", ["seccomp"]),
        ("rlimits", "basic", ["rlimits"]),
        ("landlock", "basic", []),
        ("landlock", "standard", ["landlock"]),
        ("userns", "standard", []),
        ("userns", "strict", ["ipcns", "mountns", "netns", "pidns", "userns"]),
        ("pidns", "strict", ["pidns"]),
    ],
)
def test_a_tier_that_lacks_a_layer_is_refused_before_anything_runs(
    without: str, require: Tier, lacks: list[str]
) -> None:
    pool = JailPool(1, require=require, without=(without,))
    with Jail(without=(without,)) as jail:
        missing = missing_layers(jail, require)
    assert set(lacks) <= set(missing)
    if not missing:
        with pool.jail() as lent:
            assert without not in lent.layers
        pool.close()
        return
    with pytest.raises(SandboxUnavailable, match=f"lacks .*{missing[0]}: "), pool.jail():
        pytest.fail("something would have run")


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
