from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.labels.agreement import agreement

# krippendorff 0.9.0 (PyPI) gives the same alphas, nominal, on these tables and on 1,965 random ones (to 7e-16).
KRIPPENDORFF_2011 = ["111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"]
"""Four observers, twelve units, one of which a single observer saw: section C of the paper, alpha 0.743."""


def slow_agreement(things: list[str]) -> tuple[float, float | None]:
    """Raw agreement and alpha, from every ordered pair of labels, as the definition says."""
    things = [labels for labels in things if len(labels) > 1]
    n = sum(map(len, things))
    same = sum(
        (labels[i] == labels[j]) / (len(labels) - 1)
        for labels in things
        for i, j in permutations(range(len(labels)), 2)
    )
    everything = "".join(things)
    different = sum(everything[i] != everything[j] for i, j in permutations(range(n), 2))
    observed, expected = 1 - same / n, different / (n * (n - 1))
    return same / n, None if expected == 0 else 1 - observed / expected


def test_the_published_example_has_its_published_alpha() -> None:
    found = agreement(KRIPPENDORFF_2011)
    assert (found.n_items, found.n_labels) == (11, 40)
    assert found.alpha == pytest.approx(0.743421052631579)


def test_two_people_who_differ_once_in_three() -> None:
    # pairs: 2 of 3 agree; labels ccc www: 18 of 30 ordered pairs differ; alpha = 1 - (1/3) / (18/30) = 4/9
    found = agreement(["cc", "ww", "cw"])
    assert (found.raw, found.alpha) == (pytest.approx(2 / 3), pytest.approx(4 / 9))


def test_people_who_never_agree_are_worse_than_chance() -> None:
    found = agreement(["cw", "wc"])
    assert found.raw == 0
    assert found.alpha == pytest.approx(-0.5)


def test_labels_that_are_all_the_same_have_no_alpha() -> None:
    found = agreement(["cc", "ccc"])
    assert (found.raw, found.alpha) == (1, None)


def test_what_one_person_labelled_alone_says_nothing_of_agreement() -> None:
    found = agreement(["c", "w", ""])
    assert (found.n_items, found.n_labels, found.raw, found.alpha) == (0, 0, None, None)


@given(st.lists(st.text("cwg", max_size=3), max_size=5), st.randoms(use_true_random=False))
def test_the_figures_are_those_of_the_definition_in_any_order(things: list[str], random) -> None:
    found = agreement(things)
    shuffled = ["".join(random.sample(labels, len(labels))) for labels in things]
    random.shuffle(shuffled)
    again = agreement(shuffled)
    assert (again.n_items, again.n_labels) == (found.n_items, found.n_labels)
    if found.n_items:
        raw, alpha = slow_agreement(things)
        assert found.raw == pytest.approx(raw)
        assert again.raw == pytest.approx(raw)
        assert found.alpha == (None if alpha is None else pytest.approx(alpha))
        assert again.alpha == (None if alpha is None else pytest.approx(alpha))
