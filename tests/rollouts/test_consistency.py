from collections import Counter
from typing import Any

from rewardgate.rollouts import Group, Rollout
from rewardgate.rollouts.consistency import Consistency


def group(*rollouts: dict[str, Any], prompt_id: str = "p") -> Group:
    return Group(group_id=prompt_id, rollouts=tuple(Rollout(prompt_id=prompt_id, **rollout) for rollout in rollouts))


def warnings_of(*groups: Group) -> dict[str, int]:
    tally = Counter[str]()
    consistency = Consistency(tally)
    for one in groups:
        consistency.check(one)
    return dict(tally)


def test_targets_that_differ_within_a_group_are_counted_once_a_group() -> None:
    differs = group({"target": "4"}, {"target": "5"}, {"target": "6"})
    agrees = group({"target": ["4"]}, {"target": ["4"]}, prompt_id="q")
    assert warnings_of(differs, agrees) == {"targets_differ_in_group": 1}


def test_prompts_that_differ_under_one_id_are_counted() -> None:
    assert warnings_of(group({"prompt": "a"}, {"prompt": "b"})) == {"prompts_differ_in_group": 1}
    parts = [{"role": "user", "content": [{"type": "text", "text": "a"}]}]
    assert warnings_of(group({"prompt": [{"role": "user", "content": "a"}]}, {"prompt": parts}, {})) == {}


def test_one_prompt_under_two_ids_conflicts_only_if_the_targets_do() -> None:
    first = group({"prompt": "a", "target": "4"})
    same = group({"prompt": "a", "target": "4"}, prompt_id="q")
    other = group({"prompt": "a", "target": "5"}, prompt_id="r")
    unknown = group({"prompt": "a"}, prompt_id="s")
    assert warnings_of(first, same, unknown) == {}
    assert warnings_of(first, same, other) == {"prompt_with_two_ids_and_targets": 1}


def test_what_a_file_does_not_say_at_all_is_noted() -> None:
    consistency = Consistency(Counter())
    consistency.check(group({"response": "4"}))
    assert [note.split(" in ")[0] for note in consistency.notes] == ["no rewards", "no targets"]


def test_rewards_that_are_null_throughout_are_told_apart_from_none_at_all() -> None:
    consistency = Consistency(Counter())
    consistency.check(group({"response": "4", "target": "4", "rewards": {"reward": None}}))
    assert consistency.notes == ["every reward in this file is null: scoring failed, or was never done"]
