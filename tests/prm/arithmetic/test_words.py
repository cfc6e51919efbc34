from fractions import Fraction

from rewardgate.prm.arithmetic.words import factor_of, is_unit_word, label_of


def test_letters_are_units_only_where_they_are_known_to_be() -> None:
    assert is_unit_word("L", is_first=True, is_glued=True)
    assert not is_unit_word("L", is_first=False, is_glued=False)
    assert not is_unit_word("x", is_first=True, is_glued=False)
    assert not is_unit_word("π", is_first=True, is_glued=True)
    assert is_unit_word("个", is_first=True, is_glued=True)


def test_labels_meet_across_singular_and_plural() -> None:
    for one, other in (("box", "boxes"), ("berry", "berries"), ("cookie", "cookies"), ("km", "meters")):
        assert label_of(one) == label_of(other)
    assert label_of("pens") != label_of("pencils")
    assert label_of("more") is None


def test_chinese_words_of_measure_count_and_the_rest_are_labels() -> None:
    assert [(label_of(word), factor_of(word)) for word in ("千米", "米", "小时后", "个")] == [
        ("length", 1000),
        ("length", 1),
        ("time", 3600),
        ("个", 1),
    ]
    assert (label_of("万"), factor_of("万")) == (None, Fraction(10**4))
