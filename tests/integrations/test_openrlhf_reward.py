import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from library_tree import ROOT
from misbehaving import Judge

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.integrations.openrlhf import END_TOKENS, response_of, reward_func_of

PROMPT = "<|im_start|>user\n2+2? Put it in \\boxed{}.<|im_end|>\n<|im_start|>assistant\n"


def one(function: Any, response: str, label: Any, prompt: str = PROMPT) -> tuple[float, float]:
    """OpenRLHF's call, of one row: its reward, and whether it is flagged as not known."""
    found = function([prompt + response], [prompt], [label])
    assert set(found) == {"rewards", "scores", "extra_logs"}
    assert all(value.shape == (1,) for value in (found["rewards"], found["scores"], *found["extra_logs"].values()))
    is_unscored = found["extra_logs"]["rewardgate_unscored"]
    # NaN lies in no range of mean scores: OpenRLHF's dynamic filtering then drops the group.
    assert torch.equal(found["scores"].isnan(), is_unscored.bool())
    assert torch.equal(found["scores"].where(~is_unscored.bool(), found["rewards"]), found["rewards"])
    return found["rewards"].item(), is_unscored.item()


@pytest.fixture(scope="module")
def math() -> Any:
    return reward_func_of("math", workers=0, timeout_s=None)


def test_the_response_alone_is_judged_and_not_the_prompt_before_it(math: Any) -> None:
    prompt = r"Example: \boxed{4}. Now yours: "
    assert one(math, r"\boxed{4}<|im_end|>", "4", prompt) == (1.0, 0.0)
    assert one(math, "I do not know<|im_end|>", "4", prompt) == (0.0, 0.0)


@pytest.mark.parametrize("label", [None, "", float("nan"), [object()]])
def test_a_reward_that_is_not_known_is_flagged(math: Any, label: Any) -> None:
    assert one(math, r"\boxed{4}", label) == (0.0, 1.0)
    assert one(reward_func_of("math", workers=0, timeout_s=None, unscored=0.5), "4", label) == (0.5, 1.0)


def test_a_query_without_its_prompt_is_not_known_rather_than_judged_with_it(math: Any) -> None:
    found = math([r"another text \boxed{4}"], [PROMPT], ["4"])
    assert found["extra_logs"]["rewardgate_unscored"].tolist() == [1.0]
    assert found["extra_logs"]["verdicts/error"].tolist() == [1.0]


def test_the_shares_of_outcomes_are_logged(math: Any) -> None:
    logs = math([PROMPT + r"\boxed{4}"], [PROMPT], ["4"])["extra_logs"]
    assert {name: value.item() for name, value in logs.items() if value.item()} == {"verdicts/correct": 1.0}


def test_rows_that_hang_die_or_raise_are_numbers_too() -> None:
    function = reward_func_of(Judge(), workers=1, timeout_s=2.0)  # a busy machine takes its time to tell a death
    assert [one(function, text, "a") for text in ("a", "hang", "die", "raise", "a")] == [
        (1.0, 0.0),
        (0.0, 0.0),  # the completion alone is at fault
        (0.0, 1.0),
        (0.0, 1.0),
        (1.0, 0.0),
    ]


def test_a_fault_of_the_set_up_stops_the_run_before_it_starts() -> None:
    with pytest.raises(UnknownNameError, match="numerc"):
        reward_func_of("numerc")
    with pytest.raises(ArgumentError, match="workers"):
        reward_func_of("math", workers=-1)


words = st.text(alphabet="ab?+ <>é\n", max_size=30)


@given(words, words, st.sampled_from(["", "<s>", "<|begin_of_text|>"]), st.lists(st.sampled_from(END_TOKENS)))
def test_what_stands_before_the_prompt_and_behind_the_response_is_taken_off(
    prompt: str, response: str, before: str, ends: list[str]
) -> None:
    if prompt in before:
        prompt += "!"
    found = response_of(before + prompt + response + "".join(ends), prompt)
    assert found is not None
    assert found.rstrip() == response.rstrip() if ends else found == response


@given(st.integers(1, 20))
def test_a_prompt_cut_on_the_left_is_found(cut: int) -> None:
    prompt = "A very long prompt, of which the beginning is lost. 2+2?"
    assert response_of(prompt[cut:] + "4", prompt) == "4"


def test_the_file_on_the_page_is_what_openrlhf_loads(tmp_path: Path) -> None:
    page = (ROOT / "docs/integrations.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"```\n(from rewardgate\.integrations\.openrlhf .*?)```", page, re.DOTALL)
    file = tmp_path / "reward.py"
    file.write_text(printed)
    spec = importlib.util.spec_from_file_location("reward_func", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert one(module.reward_func, r"\boxed{4}", "4") == (1.0, 0.0)
