"""Packed groups: positions, what sees what, and which completions attend together."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from shared_prompts import prefix_groups

from rewardgate.grpo.prefix_groups import FILL, PrefixGroup, positions_of, sequence_ids, visible


def test_positions_of_every_completion_go_on_from_its_prompt() -> None:
    groups = [PrefixGroup(2, (1, 0, 2)), PrefixGroup(1)]
    assert positions_of(groups).tolist() == [0, 1, 2, 2, 3, 0]
    of_group, of_completion = sequence_ids(groups)
    assert of_group.tolist() == [0, 0, 0, 0, 0, 1]
    assert of_completion.tolist() == [-1, -1, 0, 2, 2, -1]


def test_a_window_counts_the_token_itself() -> None:
    # Prompt a b, completions c and d e: e (position 3) sees d and itself, c (position 2) the prompt's last token.
    assert visible([PrefixGroup(2, (1, 2))], window=2).int().tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert [PrefixGroup(5, (1,)).seen(window) for window in (None, 9, 4, 1)] == [5, 5, 3, 0]


@given(prefix_groups(), st.none() | st.integers(1, 9))
def test_a_token_sees_what_it_would_see_in_a_row_of_its_own(groups: list[PrefixGroup], window: int | None) -> None:
    packed, start = [], 0  # of every token: the places of its row up to itself, oldest first
    for group in groups:
        prompt = list(range(start, start + group.prompt))
        packed += [prompt[: place + 1] for place in range(group.prompt)]
        start += group.prompt
        for length in group.completions:
            own = list(range(start, start + length))
            packed += [prompt + own[: place + 1] for place in range(length)]
            start += length
    expected = torch.zeros(start, start, dtype=torch.bool)
    for token, past in enumerate(packed):
        expected[token, past if window is None else past[-window:]] = True
    assert torch.equal(visible(groups, window), expected)
    assert positions_of(groups).tolist() == [len(past) - 1 for past in packed]


@given(st.lists(st.integers(0, 50), max_size=20))
def test_completions_attend_beside_others_of_similar_length(lengths: list[int]) -> None:
    batches = PrefixGroup(3, tuple(lengths)).batches
    assert sorted(number for batch in batches for number in batch) == [n for n, length in enumerate(lengths) if length]
    for batch in batches:
        assert min(lengths[number] for number in batch) >= FILL * lengths[batch[0]]
