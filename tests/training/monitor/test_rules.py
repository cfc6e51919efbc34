"""The rules: in the ladder's order, possible to raise and to clear, and each told on the page of the monitor."""

import re
from pathlib import Path

import pytest
import torch

import rewardgate
from rewardgate.audit.report.ladder import RUNGS
from rewardgate.diagnostics import Pool
from rewardgate.grpo import gate
from rewardgate.training.monitor import HeldOut, StepRecord
from rewardgate.training.monitor.alerts import AlertRule
from rewardgate.training.monitor.figures import step_figures
from rewardgate.training.monitor.rules import RULES

PAGE = (Path(rewardgate.__file__).parent / "docs" / "monitor.md").read_text(encoding="utf-8")


def test_rules_stand_in_the_order_of_the_ladder() -> None:
    order = [name for name, _ in RUNGS]
    places = [order.index(rule.layer) for rule in RULES]
    assert places == sorted(places)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_can_be_raised_and_cleared_and_says_what_it_found(rule: AlertRule) -> None:
    warn, fail = rule.limits
    bad, good = (0.0, 10.0) if rule.side == "at_least" else (1000.0, 0.0)
    assert rule.level(bad, None) == ("warn" if fail is None else "fail")
    assert rule.level(good, "fail") is None
    assert fail is None or (fail < warn) == (rule.side == "at_least")
    assert rule.says.format(value="0.3", percent="30 %") != rule.says
    assert f"`{rule.name}`" in PAGE


def test_every_figure_that_is_logged_is_defined_on_the_page() -> None:
    gated = gate(
        torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64),
        torch.tensor([0, 0, 1, 1]),
        torch.full((4, 1), 0.5, dtype=torch.float64),
        torch.zeros(4, 2, dtype=torch.int64),
        mask := torch.ones(4, 2, dtype=torch.bool),
    )
    record = StepRecord(
        step=1,
        rewards=[1.0, 0.0, 0.0, 0.0],
        group_ids=[0, 0, 1, 1],
        outcomes=["correct", "incorrect", "no_answer", "error"],
        n_tokens=[2, 2, 2, 2],
        truncated=[False] * 4,
        logprob_sums=[-1.0] * 4,
        advantages=gated.advantages,
        completion_mask=mask,
        gate=gated.report,
        pools=dict.fromkeys(Pool, 1),
        held_out={"easy": HeldOut(rewards=[1.0, 0.0], prompt_ids=["h", "h"])},
    )
    told = [re.escape(name) for name in re.findall(r"`([a-z_]+/[^`]+)`", PAGE)]
    patterns = [re.compile(re.sub("<[a-z]+>|<G>|…", ".+", name)) for name in told]
    missing = [name for name in step_figures(record) if not any(one.fullmatch(name) for one in patterns)]
    assert missing == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_limit_on_the_page_is_the_rule_s(rule: AlertRule) -> None:
    (line,) = (line for line in PAGE.splitlines() if f"`{rule.name}`" in line and "|" in line)
    told = [float(number) / (100 if sign else 1) for number, sign in re.findall(r"(?:from|below) ([\d.]+)( %)?", line)]
    assert told == [limit for limit in rule.limits if limit]
