from hypothesis import given
from hypothesis import strategies as st

from rewardgate.training.generation.chunks import Chunk, chunks


def test_rows_of_similar_length_go_together_and_none_over_the_budget() -> None:
    # Longest first: 5 + 5 = 10 tokens a row, two rows in 25; then 3 + 5 = 8 a row, three rows.
    found = chunks([3, 5, 1], [2, 3, 1], max_tokens=5, token_budget=25)
    assert found == [Chunk((1,), ((0, 0), (0, 1))), Chunk((1, 0), ((0, 2), (1, 0))), Chunk((0, 2), ((0, 1), (1, 0)))]


def test_a_row_that_is_over_the_budget_goes_alone() -> None:
    assert [len(chunk.rows) for chunk in chunks([100], [2], max_tokens=5, token_budget=25)] == [1, 1]


def test_a_prompt_of_which_no_sample_is_wanted_is_in_no_chunk() -> None:
    assert chunks([2, 9], [1, 0], max_tokens=5, token_budget=100) == [Chunk((0,), ((0, 0),))]


@given(
    prompts=st.lists(st.tuples(st.integers(1, 20), st.integers(0, 5)), max_size=8),
    max_tokens=st.integers(1, 20),
    token_budget=st.integers(1, 200),
)
def test_every_completion_is_in_one_chunk(prompts: list[tuple[int, int]], max_tokens: int, token_budget: int) -> None:
    lengths, counts = [length for length, _ in prompts], [count for _, count in prompts]
    found = chunks(lengths, counts, max_tokens=max_tokens, token_budget=token_budget)
    rows = [(chunk.prompts[place], sample) for chunk in found for place, sample in chunk.rows]
    assert sorted(rows) == [(prompt, sample) for prompt, count in enumerate(counts) for sample in range(count)]
    for chunk in found:
        longest = max(lengths[prompt] for prompt in chunk.prompts)
        assert len(chunk.rows) == 1 or len(chunk.rows) * (longest + max_tokens) <= token_budget
