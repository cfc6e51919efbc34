from rewardgate.integrations.group_numbers import group_numbers


def test_groups_are_numbered_as_they_appear_whatever_names_them() -> None:
    assert group_numbers(["q", 3, "q", (1, 2), 3]).tolist() == [0, 1, 0, 2, 1]
    assert group_numbers([]).tolist() == []
