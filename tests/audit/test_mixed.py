import pytest
from audited import audited, group

from rewardgate.audit.report.model import MixedGroups, OutcomeDifference


def mixed(*groups: object) -> MixedGroups:
    report = audited(*groups)
    assert report.mixed_groups is not None
    return report.mixed_groups


def row(found: MixedGroups, name: str) -> OutcomeDifference:
    (one,) = (one for one in found.differences if one.name == name)
    return one


def members(right: int, wrong: int) -> list[tuple[str, float, dict[str, int]]]:
    return [(r"\boxed{4}", 1.0, {"n_tokens": right}), ("It is 5.", 0.0, {"n_tokens": wrong})]


def test_lengths_are_compared_within_groups() -> None:
    found = mixed(group("a", "4", members(10, 30)), group("b", "4", members(100, 140)))
    assert (found.n_groups, found.n_correct, found.n_wrong, found.length_unit) == (2, 2, 2, "tokens")
    length = row(found, "median length, tokens")
    assert (length.correct, length.wrong) == (55, 85)  # medians of 10, 100 and of 30, 140
    assert length.difference == -30  # mean of -20 and -40
    assert (length.low, length.high) == (-40, -20)


def test_shares_of_forms_are_compared_too() -> None:
    found = mixed(group("a", "4", members(1, 1)), group("b", "4", members(1, 1)))
    box = row(found, "share with a box")
    assert (box.correct, box.wrong, box.difference) == (1, 0, 1)
    assert all(one.name != "share with ####" for one in found.differences)


def test_one_prompt_has_no_interval() -> None:
    length = row(mixed(group("a", "4", members(10, 30))), "median length, tokens")
    assert (length.low, length.high) == (None, None)


def test_without_token_counts_for_all_lengths_are_characters() -> None:
    found = mixed(group("a", "4", [(r"\boxed{4}", 1.0, {"n_tokens": 3}), (r"\boxed{55}", 0.0)]))
    assert found.length_unit == "characters"
    assert row(found, "median length, characters").difference == pytest.approx(-1)


def test_a_file_without_mixed_groups_has_nothing_to_compare() -> None:
    assert mixed(group("a", "4", [(r"\boxed{4}", 1.0)] * 2)).differences == ()
