import subprocess
import sys

import pytest

import rewardgate.prm as prm
from rewardgate.errors import ArgumentError, DuplicateNameError, UnknownNameError
from rewardgate.prm.base import StepRow, StepScore, StepScorer, get, step_scorers


class Shortest:
    """A scorer of a user's own, which inherits from nothing."""

    version = "1"

    def __init__(self, *, most: int = 5) -> None:
        self.most = most

    def score(self, rows):
        return [[StepScore(float(len(step) <= self.most), "length", "") for step in row.steps] for row in rows]


def test_a_built_in_scorer_is_found_by_name_and_speaks_the_protocol() -> None:
    scorer = get("arithmetic")
    assert isinstance(scorer, StepScorer)
    assert scorer.score([StepRow("", ("1 + 1 = 2", "1 + 1 = 3"))])[0][1].value == 0


def test_a_users_scorer_is_registered_once_and_built_with_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_scorers, "_factories", dict(step_scorers._factories))
    step_scorers.register("shortest", Shortest)
    scores = get("shortest", most=1).score([StepRow("", ("a", "bb"))])
    assert [score.value for score in scores[0]] == [1.0, 0.0]
    with pytest.raises(DuplicateNameError, match='step scorer: name "shortest" is registered already'):
        step_scorers.register("shortest", Shortest)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r'step scorer: unknown name "arithmetc"; known: .*arithmetic'):
        get("arithmetc")


def test_one_string_is_no_sequence_of_steps() -> None:
    with pytest.raises(ArgumentError, match="steps: expected a sequence of strings, got the string 'only one'"):
        StepRow("", "only one")


def test_the_package_names_what_its_base_defines() -> None:
    assert prm.get is get
    assert prm.step_scorers is step_scorers
    assert (prm.StepRow, prm.StepScore, prm.StepScorer) == (StepRow, StepScore, StepScorer)


def test_scoring_arithmetic_loads_neither_numpy_nor_torch() -> None:
    program = (
        "import sys; from rewardgate.prm.base import StepRow, get; get('arithmetic').score([StepRow('', ('1+1=2',))]);"
        "print([name for name in ('numpy', 'torch', 'sympy') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
