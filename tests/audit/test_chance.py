from rewardgate.audit.chance import interval, over_chance


def test_an_interval_that_touches_a_half_is_not_above_it() -> None:
    assert over_chance(0.5, 0.9) == "warn"
    assert over_chance(0.1, 0.5) == "warn"
    assert over_chance(0.51, 0.9) == "ok"
    assert over_chance(0.1, 0.49) == "fail"


def test_without_an_interval_nothing_is_sure() -> None:
    assert over_chance(None, None) == "warn"
    assert interval(None, None) == "[no interval]"
