"""Points: enough of them, of every pattern of signs, and no two symbols alike."""

from rewardgate.verifiers.expression.points import rational_points, shown_point, spread_out, whole_points

NAMES = ("a", "b", "c")


def test_every_pattern_of_signs_is_met():
    signs = {tuple(value > 0 for value in point.values()) for point in rational_points(NAMES)}
    assert len(signs) == 8


def test_two_symbols_meet_every_pattern_of_signs_among_the_first_twelve():
    signs = {tuple(value > 0 for value in point.values()) for point in list(rational_points(("a", "b")))[:12]}
    assert len(signs) == 4


def test_no_two_symbols_have_the_same_value_at_every_point():
    for points in (rational_points(NAMES), whole_points(NAMES)):
        listed = list(points)
        assert any(point["a"] != point["b"] for point in listed)
        assert any(point["b"] != point["c"] for point in listed)


def test_whole_points_are_positive_whole_numbers():
    assert all(value > 0 and value.denominator == 1 for point in whole_points(NAMES) for value in point.values())


def test_the_first_and_the_last_are_among_those_picked():
    points = list(rational_points(("x",)))
    assert spread_out(points, 3) == [points[0], points[(len(points) - 1) // 2], points[-1]]
    assert shown_point(points[0]) == "x = 7/3"
