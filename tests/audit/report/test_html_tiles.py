from audited import audited, group

from rewardgate.audit.report.html_tiles import Tile, html_tiles


def test_the_four_numbers_are_those_of_the_report_before_and_after_repair() -> None:
    # Refused for its notation: repair makes the first group all right and p = (0 + 1/2 + 1) / 3 = .5 -> .833.
    # Of 12 rollouts none of the first group's has an advantage before or after: nothing is missing.
    report = audited(
        group("a", "1/2", [("\\boxed{0.5}", 0.0)] * 4),
        group("b", "3", [("\\boxed{3}", 1.0), ("\\boxed{3}", 1.0), ("\\boxed{4}", 0.0), ("\\boxed{5}", 0.0)]),
        group("c", "6", [("\\boxed{6}", 1.0)] * 4),
    )
    assert html_tiles(report) == [
        Tile("groups that teach nothing", "2", "", "of 3 with two scored rollouts"),
        Tile("right answers scored wrong", "4", "", "of 12 rollouts"),
        Tile("success rate", "0.500", "0.833", "as logged → after repair"),
        Tile("advantage missing or of the wrong sign", "0 %", "", "of the characters"),
    ]


def test_a_group_that_repair_makes_mixed_is_one_less_and_its_advantages_were_missing() -> None:
    # Both texts are 11 characters: of 22, half were to be pushed up and half down, and none was.
    report = audited(group("a", "1/2", [("\\boxed{0.5}", 0.0), ("\\boxed{0.7}", 0.0)]))
    dead, refused, _, advantages = html_tiles(report)
    assert (dead.value, dead.becomes) == ("1", "0")
    assert refused.value == "1"
    assert advantages.value == "100 %"


def test_what_nobody_could_judge_is_not_measured() -> None:
    tiles = html_tiles(audited(group("a", None, [(None, 0.0), (None, 1.0)])))
    assert [tile.value for tile in tiles] == ["0", "–", "0.500", "–"]
    assert [tile.of for tile in tiles][1::2] == ["not measured", "not measured"]
