import re
from dataclasses import fields
from typing import Any

import pytest
from library_tree import ROOT

from rewardgate.errors import ArgumentError
from rewardgate.integrations.verl_options import VerlOptions, verl_options


def config(adv_estimator: str = "grpo", trainer_mode: str = "sync", **ours: Any) -> dict[str, Any]:
    algorithm, trainer = {"adv_estimator": adv_estimator}, {"v1": {"trainer_mode": trainer_mode}}
    return {"algorithm": algorithm, "trainer": trainer, "rewardgate": ours}


def test_without_a_word_of_ours_all_is_default() -> None:
    assert verl_options({}) == VerlOptions(unscored="evict")
    assert verl_options({"rewardgate": None}) == verl_options({})


@pytest.mark.parametrize(
    ("adv_estimator", "trainer_mode", "stands"),
    [
        ("grpo", "sync", "evict"),
        ("gae", "colocate_async", "evict"),
        ("verigate", "sync", "nan"),
        ("verigate", "verigate_sync", "flag"),
        ("grpo", "verigate_sync", "flag"),
    ],
)
def test_what_stands_for_an_unknown_reward_is_what_the_one_who_reads_it_leaves_out(
    adv_estimator: str, trainer_mode: str, stands: str
) -> None:
    assert verl_options(config(adv_estimator, trainer_mode)).unscored == stands


def test_what_is_said_is_taken() -> None:
    found = verl_options(config(verifier="math", options={"extractor": "boxed"}, unscored="flag", timeout_s=None))
    assert found == VerlOptions(verifier="math", options={"extractor": "boxed"}, unscored="flag", timeout_s=None)


def test_an_option_that_we_do_not_have_is_refused_with_those_that_we_have() -> None:
    with pytest.raises(ArgumentError, match=r"rewardgate\.verifer: expected one of verifier, options, workers"):
        verl_options(config(verifer="math"))
    with pytest.raises(ArgumentError, match=r"rewardgate\.unscored: expected one of flag, nan, evict.*got 'zero'"):
        verl_options(config(unscored="zero"))


def test_the_page_names_every_option() -> None:
    page = (ROOT / "docs/integrations.md").read_text(encoding="utf-8")
    (listed,) = [part for part in page.split("\n\n") if part.startswith("All options, as `+rewardgate.")]
    assert [entry.name for entry in fields(VerlOptions)] == re.findall(r"`(\w+)`", listed.replace("\n", " "))
