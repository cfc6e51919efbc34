import pytest
from scored_steps import Broken, Oracle

from rewardgate.audit.asking_scorers import asked
from rewardgate.errors import ArgumentError, MissingExtraError
from rewardgate.prm import StepRow, StepScore

ROW = StepRow("?", ("a",))


def test_an_exception_of_a_scorer_is_one_line_and_its_cause_is_kept() -> None:
    with pytest.raises(ArgumentError, match="expected scores of every text, got KeyError: 'x'") as refused:
        asked(Broken(KeyError("x")), [ROW])
    assert isinstance(refused.value.__cause__, KeyError)


def test_an_error_of_the_house_stays_what_it_is() -> None:
    with pytest.raises(MissingExtraError, match="no torch"):
        asked(Broken(MissingExtraError("no torch")), [ROW])


def test_a_scorer_that_breaks_its_contract_is_refused() -> None:
    class TooLong:
        version = "test"

        def score(self, rows: object) -> list[list[StepScore]]:
            return [[StepScore(1.0, "", "")] * 2]

    with pytest.raises(ArgumentError, match=r"expected one score a step of row 0 \(1\), got 2"):
        asked(TooLong(), [ROW])


def test_nobody_is_asked_about_nothing() -> None:
    assert asked(Broken(RuntimeError()), []) == []
    assert asked(Oracle({"a": 0.5}), [ROW]) == [[StepScore(0.5, "told", "")]]
