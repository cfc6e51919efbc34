import pytest

from rewardgate.verifiers.testing import ANCHORS, SURROUNDINGS, rewrites, wrapped


@pytest.mark.parametrize("anchor", ANCHORS)
def test_a_completion_ends_with_its_answer_and_holds_its_decoy_before(anchor: str) -> None:
    for surrounding in SURROUNDINGS:
        text = wrapped("57", anchor=anchor, surrounding=surrounding, decoy="63").text
        assert text.rindex("57") > text.rfind("63"), surrounding
        assert ("63" in text) == (surrounding in {"thought", "corrected"}), surrounding
        assert not any(one.isdigit() for one in text.replace("57", "").replace("63", "")), surrounding


def test_no_math_mode_is_opened_within_another() -> None:
    by_name = {rewrite.name: rewrite for rewrite in rewrites("5")}
    assert [name for name in ANCHORS if not ANCHORS[name].can_hold(by_name["dollars"])] == [
        "boxed_in_dollars", "boxed_in_display", "answer_is_in_dollars",
    ]  # fmt: skip
    assert all(anchor.can_hold(by_name["text"]) for anchor in ANCHORS.values())


def test_a_product_with_stars_does_not_stand_in_bold() -> None:
    plain = next(rewrite for rewrite in rewrites(r"2\sqrt{3}") if rewrite.name == "plain")
    assert not ANCHORS["bold"].can_hold(plain)
    assert ANCHORS["boxed"].can_hold(plain)
