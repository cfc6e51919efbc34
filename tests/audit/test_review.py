from audited import audited, group

from rewardgate.verifiers import Outcome, Verdict


def test_a_group_that_agrees_against_its_target_is_looked_at_but_blames_no_target() -> None:
    report = audited(group("a", "140", [(r"\boxed{40}", 0.0)] * 7 + [(r"\boxed{41}", 0.0)]))
    assert report.review.counts == {"consensus_against_target": 1}
    assert report.review.items[0].detail == "7 of 8 rollouts answer 40"
    assert report.cards[0].cause == "undetermined"


def test_three_rollouts_or_a_right_one_among_them_are_no_consensus() -> None:
    assert audited(group("a", "140", [(r"\boxed{40}", 0.0)] * 3)).review.counts == {}
    assert audited(group("a", "140", [(r"\boxed{40}", 0.0)] * 7 + [(r"\boxed{140}", 1.0)])).review.counts == {}


class Overwhelmed:
    """A referee that can afford nothing."""

    version = "test"

    def verify(self, completion: str, target: str, *, prompt: object = None) -> Verdict:
        return Verdict(Outcome.BUDGET, 0.0, rule="too_costly", detail="a tower")


def test_what_the_referee_cannot_decide_is_looked_at() -> None:
    report = audited(group("a", "7", [(r"\boxed{7}", 0.0), (r"\boxed{8}", 1.0)]), referee=Overwhelmed())
    assert report.review.counts == {"referee_undecided": 2}
    assert report.review.items[0].source == "a.jsonl:1"
    assert report.review.items[0].detail == "budget (too_costly): a tower"
    assert report.paid_but_wrong is not None
    assert report.paid_but_wrong.n_rollouts == 0
