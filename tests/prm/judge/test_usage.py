import pytest

from rewardgate.prm.judge.replies import Reply
from rewardgate.prm.judge.usage import Usage


def test_a_question_without_an_answer_costs_what_nobody_knows() -> None:
    usage = Usage().plus(None, is_readable=False, prices={"prompt": 1.0, "completion": 1.0})
    assert (usage.questions, usage.answers, usage.unreadable, usage.unmetered, usage.cost) == (1, 0, 0, 0, 0.0)


def test_cached_tokens_cost_as_others_do_unless_told_and_are_never_more_than_the_prompt() -> None:
    reply = Reply("4", prompt_tokens=1000, completion_tokens=0, cached_tokens=5000)
    prices = {"prompt": 2.0, "completion": 1.0}
    assert Usage().plus(reply, is_readable=True, prices=prices).cost == pytest.approx(0.002)
    assert Usage().plus(reply, is_readable=True, prices={**prices, "cached": 0.0}).cost == 0.0
    assert Usage().plus(reply, is_readable=True, prices=prices).cached_tokens == 1000


def test_without_prices_there_is_no_cost() -> None:
    assert Usage().plus(Reply("4"), is_readable=True, prices=None).cost is None
    assert "cost" not in str(Usage())
