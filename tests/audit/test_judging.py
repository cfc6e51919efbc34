import pytest
from audited import group

from rewardgate.audit import judging
from rewardgate.audit.judging import judge
from rewardgate.verifiers import Outcome, Verdict, get


class Counting:
    """A referee that counts how often it is asked."""

    version = "test"

    def __init__(self) -> None:
        self.asked = 0

    def verify(self, completion: str, target: str, *, prompt: object = None) -> Verdict:
        self.asked += 1
        return Verdict(Outcome.INCORRECT, 0.0, extracted="y" * 5_000, detail="z" * 5_000)


def test_long_texts_are_clipped_and_responses_are_not_kept() -> None:
    found = judge(
        [group("a", "4", [("x" * 10**6, 0.0)], prompt="p" * 10**6)], suspect=None, referee=Counting(), correct_at=1.0
    )
    (kept,) = found.groups
    (rollout,) = kept.rollouts
    assert len(kept.prompt) < 400
    assert rollout.facts is not None
    assert rollout.facts.n_characters == 10**6
    assert rollout.referee is not None
    assert len(rollout.referee.extracted or "") + len(rollout.referee.detail) < 1_000
    assert len(rollout.facts.excerpt) < 400


def test_rows_without_response_or_target_are_not_judged() -> None:
    referee = Counting()
    groups = [group("a", "4", [(None, 0.0), ("5", 0.0)]), group("b", None, [("5", 0.0)])]
    found = judge(groups, suspect=None, referee=referee, correct_at=1.0)
    assert referee.asked == 1
    assert [rollout.referee is None for _, rollout in found.rollouts()] == [True, False, True]
    assert (found.has_rewards, found.has_responses, found.has_targets) == (True, True, True)


def test_blocks_do_not_change_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [group(f"g{number}", "4", [(rf"\boxed{{{number}}}", 0.0)] * 3) for number in range(7)]
    whole = judge(groups, suspect=None, referee=get("math"), correct_at=1.0)
    monkeypatch.setattr(judging, "BLOCK_ROLLOUTS", 4)
    assert judge(groups, suspect=None, referee=get("math"), correct_at=1.0) == whole


class Unregistered:
    """What `auto` says of a kind of target that nothing here judges."""

    version = "1"

    def verify(self, completion: object, target: object, *, prompt: object = None) -> Verdict:
        return Verdict(Outcome.BAD_TARGET, None, rule="no_verifier")


def test_that_no_verifier_is_registered_says_nothing_of_the_target() -> None:
    found = judge([group("a", "4", [("x", 0.0)])], suspect=None, referee=Unregistered(), correct_at=1.0)
    assert [rollout.referee for _, rollout in found.rollouts()] == [None]


def test_a_bar_is_drawn_on_stderr_and_nothing_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    judge([group("a", "4", [("4", 1.0)])], suspect=None, referee=get("math"), correct_at=1.0, progress=True)
    assert capsys.readouterr().out == ""


def test_token_counts_are_logged_ones() -> None:
    found = judge(
        [group("a", "4", [("4", 1.0, {"n_tokens": 3}), ("4", 1.0)])], suspect=None, referee=get("math"), correct_at=1.0
    )
    assert [rollout.n_tokens for _, rollout in found.rollouts()] == [3, None]
