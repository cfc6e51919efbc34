from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.prm import StepRow, StepScore, get
from rewardgate.prm.ensemble import MeanScorer, MinScorer, VetoScorer


class Says:
    """A scorer that says the same values of every row."""

    transient_rules = frozenset({"away"})

    def __init__(self, *values: float | None, version: str = "1", rule: str = "said") -> None:
        self.values, self.version, self.rule = values, version, rule
        self.n_calls = 0

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        self.n_calls += 1
        return [[StepScore(value, self.rule, "") for value in self.values] for _ in rows]


def row_of(n_steps: int) -> StepRow:
    return StepRow("", ("step",) * n_steps)


def values(scorer: MinScorer | MeanScorer | VetoScorer, n_steps: int) -> list[float | None]:
    return [score.value for score in scorer.score([row_of(n_steps)])[0]]


def test_the_least_of_those_that_say_something() -> None:
    scorer = MinScorer([Says(0.2, None, None), Says(0.8, 0.4, None)])
    assert values(scorer, 3) == [0.2, 0.4, None]
    first, second, third = scorer.score([row_of(3)])[0]
    assert first == (0.2, "min", "Says says 0.2, said")
    assert second.detail == "Says 2 says 0.4, said"
    assert third == (None, "nothing_said", "Says: said, Says 2: said")


def test_the_weighted_mean_of_those_that_say_something() -> None:
    # (3 * 0.2 + 1 * 0.8) / 4 = 0.35, and where the first is silent the second alone: 0.4
    scorer = MeanScorer([Says(0.2, None, None), Says(0.8, 0.4, None)], weights=[3, 1])
    assert values(scorer, 3) == pytest.approx([0.35, 0.4, None])


def test_a_rule_proves_wrong_and_never_grades() -> None:
    rule, model = Says(0.0, 1.0, 1.0, None), Says(0.9, 0.9, None, 0.3)
    scorer = VetoScorer([rule], model)
    assert values(scorer, 4) == [0.0, 0.9, None, 0.3]
    assert [score.rule for score in scorer.score([row_of(4)])[0]] == ["veto", "grade", "nothing_said", "grade"]


def test_a_veto_of_any_rule_counts_and_is_named() -> None:
    scorer = VetoScorer([Says(1.0), Says(0.0)], Says(0.9))
    assert scorer.score([row_of(1)]) == [[(0.0, "veto", "Says 2 says 0, said")]]


@given(st.lists(st.lists(st.none() | st.floats(0, 1), min_size=2, max_size=2), min_size=2, max_size=4))
def test_min_and_mean_lie_within_what_was_said_whatever_the_order(said: list[list[float | None]]) -> None:
    for kind in (MinScorer, MeanScorer):
        ensemble, mirrored = kind([Says(*one) for one in said]), kind([Says(*one) for one in reversed(said)])
        for step, value in enumerate(values(ensemble, 2)):
            known = [one[step] for one in said if one[step] is not None]
            assert (value is None) == (not known)
            assert value is None or min(known) - 1e-12 <= value <= max(known) + 1e-12
        assert values(mirrored, 2) == pytest.approx(values(ensemble, 2), nan_ok=False)


@given(st.none() | st.floats(0, 1), st.none() | st.floats(0, 1))
def test_without_a_veto_the_model_alone_decides(rule: float | None, grade: float | None) -> None:
    assert values(VetoScorer([Says(rule)], Says(grade)), 1) == [0.0 if rule == 0 else grade]


def test_a_member_out_of_reach_makes_a_step_incomplete_whatever_its_value() -> None:
    away = Says(None, rule="away")
    assert MinScorer([away, Says(0.5)]).score([row_of(1)]) == [
        [(0.5, "incomplete", "Says: away; Says 2 says 0.5, said")]
    ]
    assert VetoScorer([Says(0.0)], away).score([row_of(1)])[0][0][:2] == (0.0, "incomplete")
    assert "incomplete" in MinScorer([away, away]).transient_rules
    nested = MeanScorer([MinScorer([away, Says(0.5)]), Says(1.0)])
    assert nested.score([row_of(1)])[0][0].rule == "incomplete"


def test_every_member_is_asked_once_about_all_rows() -> None:
    members = [Says(0.5), Says(0.6)]
    MinScorer(members).score([row_of(1)] * 5)
    assert [member.n_calls for member in members] == [1, 1]


def test_no_row_asks_nobody() -> None:
    assert MinScorer([Says(), Says()]).score([]) == []


def test_a_member_that_breaks_the_contract_is_refused() -> None:
    with pytest.raises(ArgumentError, match="step scorer: expected one score a step"):
        MinScorer([Says(0.5), Says(0.5, 0.5)]).score([row_of(1)])


def test_the_version_is_built_from_the_members_and_their_options() -> None:
    version = MinScorer([Says(0.5, version="7"), "arithmetic"]).version
    assert "Says 7" in version
    assert "arithmetic" in version
    judge = {"scorer": "judge", "base_url": "http://localhost/v1", "model": "m"}
    versions = {
        MeanScorer(["arithmetic", "arithmetic"]).version,
        MinScorer(["arithmetic", "arithmetic"]).version,
        MeanScorer(["arithmetic", "arithmetic"], weights=[1, 2]).version,
        VetoScorer(["arithmetic"], judge).version,
        VetoScorer(["arithmetic"], {**judge, "retries": 1}).version,
    }
    assert len(versions) == 5


def test_the_registry_builds_them_from_names_and_options() -> None:
    judge = {"scorer": "judge", "base_url": "http://localhost/v1", "model": "m"}
    assert list(get("veto", rules=["arithmetic"], model=judge).members) == ["arithmetic", "judge"]
    assert list(get("min", scorers=["arithmetic", "arithmetic"]).members) == ["arithmetic", "arithmetic 2"]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: MinScorer(["arithmetic"]), "scorers: expected at least 2, got 1"),
        (lambda: MinScorer("arithmetic"), "scorers: expected a list"),
        (lambda: MinScorer(5), "scorers: expected a list"),
        (lambda: MinScorer(["arithmetic", 4]), "scorers: expected a name or an object"),
        (lambda: MinScorer(["arithmetic", Says]), "scorers: expected a name or an object"),
        (lambda: MinScorer(["arithmetic", {"votes": 3}]), 'scorers: expected {"scorer": a name'),
        (lambda: VetoScorer([], "arithmetic"), "rules: expected at least 1"),
        (lambda: MeanScorer(["arithmetic"] * 2, weights=[1]), "weights: expected one a member"),
        (lambda: MeanScorer(["arithmetic"] * 2, weights=[1, 0]), "weights: expected numbers above 0"),
        (lambda: MeanScorer(["arithmetic"] * 2, weights=[1, float("nan")]), "weights: expected a finite number"),
        (lambda: get("min", scorers=["arithmetic", {"scorer": "judge"}]), 'step scorer "judge": expected base_url'),
    ],
)
def test_what_makes_no_ensemble_is_refused(build, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        build()


def test_an_unknown_member_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match='unknown name "arithmetik"; known: '):
        MinScorer(["arithmetic", "arithmetik"])
