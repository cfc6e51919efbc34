"""The clock of benchmarks/loop.py: phases are of the counted steps alone, and add up to them."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from library_tree import ROOT


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.delitem(sys.modules, "loop", raising=False)
    import loop

    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(loop, "process_time", lambda: now.seconds)
    return SimpleNamespace(module=loop, now=now)


class Trainer:
    """One step: two seconds of sampling around one of rewards, four of the rest."""

    def __init__(self, now: Any) -> None:
        self.now = now

    def rewarded(self) -> None:
        self.now.seconds += 1

    def generated(self) -> None:
        self.now.seconds += 2

    def sampled(self) -> None:
        self.generated()
        self.rewarded()
        self.now.seconds += 0.5

    def step(self) -> None:
        self.sampled()
        self.now.seconds += 4


def test_phases_are_of_the_counted_steps_and_add_up(loop: Any) -> None:
    clock, trainer = loop.module.Clock(), Trainer(loop.now)
    for method, phase in (("generated", "generate"), ("rewarded", "judge"), ("sampled", "sampled")):
        clock.wrap(trainer, method, phase)
    loop.now.seconds = 100.0  # what loads before the first step
    for _ in range(3):
        trainer.step()
        clock.step_ends()
    found = clock.a_step()
    assert {phase: found[phase] for phase in loop.module.PHASES} == {
        "generate": 2.0, "judge": 1.0, "update": 4.0, "other": 0.5, "step": 7.5,
    }  # fmt: skip


def test_both_sides_are_asked_the_same_and_rewarded_the_same(loop: Any) -> None:
    asked = loop.module.asked((False, True, False))
    assert [len(text.split()) for text, _ in asked] == list(loop.module.PROMPT_TOKENS)
    assert asked == loop.module.asked((False, True, False))
    rewards = loop.module.Rewards()
    assert sum(rewards("live") for _ in range(8)) == 4
    assert sum(rewards("dead") for _ in range(8)) == 0
