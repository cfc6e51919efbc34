import asyncio
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from misbehaving import Judge

from rewardgate.errors import ArgumentError, RewardgateError
from rewardgate.integrations.prime import VerdictReward, reward

IN_PROCESS: dict[str, Any] = {"workers": 0, "timeout_s": None}


def asked(function: VerdictReward, reply: str, answer: Any) -> float:
    task = SimpleNamespace(answer=answer, prompt_text="How many?")
    return asyncio.run(function(task, SimpleNamespace(last_reply=reply)))


def gold(function: VerdictReward, answer: Any) -> bool | None:
    return asyncio.run(function.accepts_gold(SimpleNamespace(answer=answer, prompt_text="")))


def test_a_reply_gets_its_reward() -> None:
    math = reward("math", **IN_PROCESS)
    assert [asked(math, text, "4") for text in (r"\boxed{4}", r"\boxed{5}", "")] == [1.0, 0.0, 0.0]
    assert asked(math, "18", 18.0) == 1.0
    assert math.__name__ == "math"


@pytest.mark.parametrize("answer", [None, "", float("nan")])
def test_a_reward_that_is_not_known_is_raised_with_its_reason(answer: Any) -> None:
    with pytest.raises(RewardgateError, match=r"reward: unknown \(bad_target, no_target\)"):
        asked(reward("math", **IN_PROCESS), "4", answer)


def test_the_target_is_a_field_or_a_function_of_the_data() -> None:
    math = reward("math", target=lambda data: data.info["gold"], **IN_PROCESS)
    task = SimpleNamespace(info={"gold": "4"}, prompt_text="")
    assert asyncio.run(math(task, SimpleNamespace(last_reply="4"))) == 1.0
    with pytest.raises(ArgumentError, match='expected a field of the task\'s data named "answer"'):
        asyncio.run(reward("math", **IN_PROCESS)(task, SimpleNamespace(last_reply="4")))


def test_replies_that_hang_or_die_hold_no_other() -> None:
    judge = reward(Judge(), workers=2, timeout_s=0.5)

    async def all_at_once() -> list[Any]:
        task = SimpleNamespace(answer="a", prompt_text="")
        replies = ("a", "hang", "die", "b", "a")
        return await asyncio.gather(
            *(judge(task, SimpleNamespace(last_reply=reply)) for reply in replies), return_exceptions=True
        )

    found = asyncio.run(all_at_once())
    assert isinstance(found.pop(2), RewardgateError)
    assert found == [1.0, 0.0, 0.0, 1.0]


def test_a_gold_that_its_verifier_takes_is_valid_in_whatever_form_answers_come() -> None:
    math = reward("math", **IN_PROCESS)
    assert [gold(math, answer) for answer in ("4", r"\frac{1}{2}", "3 * 6 = 18\n#### 18", ["1/2", "0.5"])] == [True] * 4
    only_boxed = reward("math", extractor="boxed", **IN_PROCESS)
    assert gold(only_boxed, "4") is True


def test_a_gold_that_its_verifier_refuses_is_invalid_and_says_why(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert gold(reward("numeric", **IN_PROCESS), "about a dozen, perhaps") is False
    assert "is refused as an answer to itself" in caplog.text
    assert gold(reward("math", **IN_PROCESS), None) is False


def test_a_gold_without_a_text_is_not_checked() -> None:
    assert gold(reward("math", **IN_PROCESS), {"tests": ["assert f(1) == 2"]}) is None


def test_a_verifier_that_fails_on_the_gold_is_an_error_and_no_verdict_on_the_gold() -> None:
    class Broken:
        version = "1"

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
            raise RuntimeError("no more")

    with pytest.raises(RewardgateError, match=r"verifier: failed on the target .*no more"):
        gold(reward(Broken(), **IN_PROCESS), "4")
