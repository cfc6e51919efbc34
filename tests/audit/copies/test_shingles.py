from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.copies.shingles import collapsed, jaccard, masked, near_pairs, ngrams, shingle_hashes

WORDS = st.lists(
    st.sampled_from(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]),
    min_size=1,
    max_size=40,
)


def test_shingles_are_sequences_of_words_and_a_short_text_is_one() -> None:
    assert ngrams("A b c d", 3) == {("a", "b", "c"), ("b", "c", "d")}
    assert ngrams("A b", 3) == {("a", "b")}
    assert ngrams("", 3) == set()


def test_similarity_is_shared_over_all() -> None:
    # "a b c d e f" and "a b c d e g" share 1 shingle of 5 words of 3: abcde, bcdef, bcdeg.
    assert jaccard(shingle_hashes("a b c d e f"), shingle_hashes("a b c d e g")) == pytest.approx(1 / 3)
    assert jaccard(shingle_hashes(""), shingle_hashes("")) == 0


def test_copies_differ_in_width_spaces_or_numbers_only() -> None:
    assert collapsed("Ｔｗｏ\u00a0 apples\n") == "Two apples"
    assert masked("3 apples at 1,200.50") == masked("14 apples at 2")


@given(st.lists(WORDS, max_size=12))
def test_near_pairs_are_those_of_the_slow_way(texts: list[list[str]]) -> None:
    hashes = [shingle_hashes(" ".join(words)) for words in texts]
    grams = [ngrams(" ".join(words), 5) for words in texts]
    slow = {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if len(grams[one] & grams[other]) >= 0.8 * len(grams[one] | grams[other])
    }
    assert {(one, other) for one, other, _ in near_pairs(hashes, at_least=0.8)} == slow


def test_a_thousand_copies_of_one_text_are_not_all_compared() -> None:
    hashes = [shingle_hashes("the same few words in the very same order")] * 1_000
    assert sum(1 for _ in near_pairs(hashes, at_least=0.8)) == 200 * 199 // 2
