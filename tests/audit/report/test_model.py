import pytest
from pydantic import ValidationError

from rewardgate.audit.report.evidence import Support
from rewardgate.audit.report.model import NotMeasured, Prediction, Stake


def test_what_is_no_number_is_null() -> None:
    nan = float("nan")
    prediction = Prediction(
        observed_no_success=nan, observed_all_success=0.5, rate=float("inf"), iid_no_success=None, iid_all_success=nan,
        fitted_no_success=nan, fitted_all_success=nan, rho=None,
    )  # fmt: skip
    assert prediction.observed_no_success is None
    assert prediction.rate is None
    assert "NaN" not in prediction.model_dump_json()
    assert Prediction.model_validate_json(prediction.model_dump_json()) == prediction


def test_parts_are_frozen_and_closed() -> None:
    part = NotMeasured(what="a", why="b", enable="c")
    with pytest.raises(ValidationError):
        part.what = "x"
    with pytest.raises(ValidationError):
        NotMeasured(what="a", why="b", enable="c", more="d")


def test_what_is_touched_is_missing_and_wrong_sign_together() -> None:
    stake = Stake(
        n_rollouts=4, unit="tokens", n_units=4, missing_rollouts=0.25, missing_units=None, wrong_sign_rollouts=0.5,
        wrong_sign_units=None, spurious_rollouts=0.25, spurious_units=None, mean_error_dr_grpo=None,
        mean_error_grpo=None,
    )  # fmt: skip
    assert stake.touched_rollouts == 0.75


def test_a_bound_that_is_not_finite_is_unknown() -> None:
    assert Support(successes=0, scored=0, upper_bound=float("nan"), more_samples={}).upper_bound is None
