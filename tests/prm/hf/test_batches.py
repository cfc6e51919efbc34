"""Which inputs go together: each once, within the budget, sharing what they truly share."""

from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.hf.batches import MIN_SHARED, Bundle, Input, bundles, shared_length

ids = st.lists(st.integers(0, 3), min_size=1, max_size=12)


@st.composite
def inputs(draw: st.DrawFn) -> Input:
    begun = [7] * draw(st.integers(0, MIN_SHARED + 4))
    tokens = begun + draw(ids)
    positions = sorted(draw(st.sets(st.integers(0, len(tokens) - 1), min_size=1)))
    return Input.of(tokens, positions, draw(st.sampled_from("pq")))


def test_an_input_ends_where_it_is_last_read() -> None:
    one = Input.of([5, 6, 7, 8], [0, 2], "")
    assert (len(one), one.tokens.tolist(), one.positions) == (3, [5, 6, 7], (0, 2))


@given(st.lists(inputs(), max_size=12), st.integers(1, 200), st.booleans())
def test_every_input_is_in_one_batch_within_the_budget(given_inputs: list[Input], budget: int, reuse: bool) -> None:
    found = list(bundles(given_inputs, batch_tokens=budget, reuse=reuse))
    batches = [batch for bundle in found for batch in bundle.batches]
    assert sorted(number for batch in batches for number in batch) == list(range(len(given_inputs)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(len(given_inputs[number]) for number in batch) <= budget
    for bundle in found:
        members = [given_inputs[number] for batch in bundle.batches for number in batch]
        assert len({tuple(one.tokens[: bundle.shared]) for one in members}) == 1 or not bundle.shared
        assert all(one.positions[0] >= bundle.shared for one in members)
        assert not bundle.shared or (reuse and len(members) > 1)


@given(st.lists(inputs(), min_size=1, max_size=6))
def test_what_is_shared_is_the_longest_common_beginning_that_nothing_is_read_in(some: list[Input]) -> None:
    rows = [one.tokens.tolist() for one in some]
    length = 0
    while all(length < one.positions[0] for one in some) and len({row[length] for row in rows}) == 1:
        length += 1
    assert shared_length(some) == length


def test_responses_of_one_prompt_share_it_and_a_lone_prompt_does_not() -> None:
    prompt = list(range(20))
    rows = [Input.of([*prompt, *range(100 * size, 101 * size)], [19 + size], "p") for size in (2, 40, 41)]
    lone = Input.of([*prompt, 1], [20], "q")
    # The longest first; the one of 2 tokens is shorter than three quarters of 41, and goes by itself.
    assert list(bundles([*rows, lone], batch_tokens=1000, reuse=True)) == [
        Bundle(20, ((2, 1), (0,))),
        Bundle(0, ((3,),)),
    ]


def test_a_short_beginning_is_not_worth_a_pass_of_its_own() -> None:
    rows = [Input.of([7] * (MIN_SHARED - 1) + [token], [MIN_SHARED - 1], "") for token in (1, 2)]
    assert [bundle.shared for bundle in bundles(rows, batch_tokens=1000, reuse=True)] == [0]
