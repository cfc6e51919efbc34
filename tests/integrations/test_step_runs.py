import json
import pickle
from math import nan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.integrations.scored_steps import ScoredSteps
from rewardgate.integrations.step_runs import NO_STEPS, packed, steps_of_text, text_of_steps, unpacked


@st.composite
def scored(draw: st.DrawFn, *, masked: bool = False) -> ScoredSteps:
    values = draw(st.lists(st.one_of(st.floats(0, 1), st.just(nan)), max_size=5))
    ids = draw(st.lists(st.integers(-1, len(values) - 1), max_size=20))
    counts = draw(st.lists(st.booleans(), min_size=len(ids), max_size=len(ids))) if masked else [True] * len(ids)
    return ScoredSteps(np.array(values, dtype=float), np.array(ids, dtype=np.int64), np.array(counts, dtype=bool))


@given(scored())
def test_what_is_written_is_read_again(steps: ScoredSteps) -> None:
    found = steps_of_text(text_of_steps(steps), steps.mask)
    np.testing.assert_array_equal(found.values, steps.values)
    np.testing.assert_array_equal(found.step_ids, steps.step_ids)


@given(scored())
def test_the_text_is_json_without_nan(steps: ScoredSteps) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(text_of_steps(steps), parse_constant=refuse)


def test_padding_belongs_to_no_step_and_a_text_that_is_longer_is_cut() -> None:
    text = '{"scores":[1.0,0.0],"runs":[[0,2],[1,2]]}'
    assert steps_of_text(text, np.array([True] * 4 + [False] * 2)).step_ids.tolist() == [0, 0, 1, 1, -1, -1]
    assert steps_of_text(text, np.array([True] * 3)).step_ids.tolist() == [0, 0, 1]


def test_a_step_of_whose_tokens_none_counts_has_no_score() -> None:
    text = '{"scores":[1.0,0.0,0.5],"runs":[[0,1],[1,2]]}'
    found = steps_of_text(text, np.array([True, False, False]))
    # The last step has no token at all: it keeps its score, for the gate knows whether anything follows from it.
    np.testing.assert_equal(found.values, [1.0, nan, 0.5])


def test_nothing_asked_is_no_step() -> None:
    found = steps_of_text(NO_STEPS, np.array([True, True]))
    assert (len(found.values), found.step_ids.tolist()) == (0, [-1, -1])


@given(scored(masked=True))
def test_what_is_packed_is_unpacked_again(steps: ScoredSteps) -> None:
    found = unpacked(packed(steps))
    for name in ("values", "step_ids", "mask"):
        np.testing.assert_array_equal(getattr(found, name), getattr(steps, name))
        assert getattr(found, name).dtype == getattr(steps, name).dtype


def test_a_long_completion_travels_in_few_bytes() -> None:
    ids = np.repeat(np.arange(40), 200)  # 8,000 tokens in 40 steps: 72,000 bytes as they are
    steps = ScoredSteps(np.ones(40), ids, np.ones(len(ids), dtype=bool))
    assert len(pickle.dumps(packed(steps))) < 2000
