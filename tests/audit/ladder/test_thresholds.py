import pytest

from rewardgate.audit.ladder.thresholds import at_least, at_most


@pytest.mark.parametrize(
    ("share", "status"), [(0.0, "ok"), (0.049, "ok"), (0.05, "warn"), (0.249, "warn"), (0.25, "fail"), (1.0, "fail")]
)
def test_what_should_be_small_warns_and_fails_from_its_limits_on(share: float, status: str) -> None:
    found = at_most("x", share, (0.05, 0.25), "said")
    assert (found.status, found.value, found.sentence) == (status, share, "said")
    assert found.threshold == "warn from 5 % on, fail from 25 % on"


@pytest.mark.parametrize(("share", "status"), [(0.0, "ok"), (1e-9, "warn"), (0.02, "fail")])
def test_a_limit_of_0_is_passed_by_anything_above_it(share: float, status: str) -> None:
    found = at_most("x", share, (0.0, 0.02), "")
    assert (found.status, found.threshold) == (status, "warn above 0, fail from 2 % on")


@pytest.mark.parametrize(
    ("share", "status"), [(1.0, "ok"), (0.5, "ok"), (0.499, "warn"), (0.2, "warn"), (0.19, "fail")]
)
def test_what_should_be_large_warns_and_fails_below_its_limits(share: float, status: str) -> None:
    assert at_least("x", share, (0.5, 0.2), "").status == status


def test_what_has_no_second_limit_never_fails() -> None:
    assert at_most("x", 1.0, (0.5, None), "").status == at_least("x", 0.0, (0.5, None), "").status == "warn"
    assert at_least("x", 0.0, (0.5, None), "").threshold == "warn below 50 %"
