from audited import Groups, group

from rewardgate.audit.golds.foreign import agreed_answer, foreign_targets
from rewardgate.audit.judging import Judgement, judge
from rewardgate.rollouts.records import Group
from rewardgate.verifiers import get


def answers(name: str, target: int, answer: int, reward: float, n: int = 4) -> Group:
    return group(name, str(target), [(rf"\boxed{{{answer}}}", reward)] * n)


def judged(*groups: Group) -> Judgement:
    return judge(Groups(*groups), suspect=None, referee=get("auto"), correct_at=1.0)


HEALTHY = [answers(f"h{n}", 1000 + n, 1000 + n, 1.0) for n in range(20)]


def test_targets_that_went_round_in_a_circle_are_found() -> None:
    shifted = [answers(f"s{n}", 501 + (n + 1) % 5, 501 + n, 0.0) for n in range(5)]
    found = foreign_targets(judged(*HEALTHY, *shifted), correct_at=1.0)
    assert sorted(found) == [f"s{n}" for n in range(5)]
    assert "agree on 501" in found["s0"]


def test_answers_that_are_nobodys_target_accuse_no_target() -> None:
    wrong = [answers(f"w{n}", 501 + n, 701 + n, 0.0) for n in range(5)]
    assert foreign_targets(judged(*HEALTHY, *wrong), correct_at=1.0) == {}


def test_answers_that_are_anybodys_target_accuse_no_target() -> None:
    # Five values in all: wrong answers hit the targets of healthy groups as often as those of one another.
    healthy = [answers(f"h{n}", n % 5, n % 5, 1.0) for n in range(20)]
    wrong = [answers(f"w{n}", n % 5, (n + 1) % 5, 0.0) for n in range(20)]
    assert foreign_targets(judged(*healthy, *wrong), correct_at=1.0) == {}


def test_two_exchanged_targets_are_too_few_to_tell() -> None:
    swapped = [answers("a", 501, 502, 0.0), answers("b", 502, 501, 0.0)]
    assert foreign_targets(judged(*HEALTHY, *swapped), correct_at=1.0) == {}


def test_rollouts_agree_where_most_give_one_answer_and_none_is_right() -> None:
    def agreed(*given: int) -> str | None:
        return agreed_answer(judged(group("a", "4", [(rf"\boxed{{{one}}}", 0.0) for one in given])).groups[0])

    assert agreed(5, 5, 5, 6) == "5"
    assert agreed(5, 5, 6, 7) is None  # 2 of 4
    assert agreed(5, 5) is None  # two are no crowd
    assert agreed(5, 5, 5, 4) is None  # the target can be reached
