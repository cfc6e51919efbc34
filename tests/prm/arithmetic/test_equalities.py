import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.arithmetic.equalities import MAX_CHARACTERS, MAX_SIGNS, Budget, equalities
from rewardgate.verifiers.expression.arithmetic import CostlyError


def sides(text: str) -> list[tuple[str, str]]:
    return [(one.left.plain, one.right.plain) for one in equalities(text)]


@pytest.mark.parametrize("sign", ["=", "==", "equals", "&=", "≈", "~=", r"\approx", "\n=", "=\n"])
def test_every_sign_of_equality_is_found(sign: str) -> None:
    assert sides(f"so 3 + 4 {sign} 7.") == [("3+4", "7")]


@pytest.mark.parametrize("sign", ["!=", "<=", ">=", "=>", "=<", ":=", "===", r"\not=", r"\ne", "<", "→"])
def test_other_relations_are_none(sign: str) -> None:
    assert sides(f"so 3 + 4 {sign} 7.") == []


def test_a_chain_is_linked_and_continued() -> None:
    found = list(equalities("we get 2 + 4 = 3 * 2 = 6 apples and 1 + 1 = 2"))
    assert [(one.is_linked, one.is_continued) for one in found] == [(False, True), (True, False), (False, False)]


def test_an_unread_middle_breaks_a_chain() -> None:
    assert sides("1 + 1 = x + 1 = 2 = 4/2") == [("2", "4/2")]


def test_annotations_are_read_apart_from_the_sentence_around_them() -> None:
    text = "pays 6*2= $<<6*2=13>>12 now"
    assert sides(text) == [("6*2", "12"), ("6*2", "13")]
    assert [one.written(text) for one in equalities(text)] == ["6*2= $ 12", "6*2=13"]


def test_full_width_signs_are_read_and_quoted_as_written() -> None:
    text = "所以３＋４＝７"
    [found] = equalities(text)
    assert (found.left.plain, found.right.plain, found.written(text)) == ("3+4", "7", "３＋４＝７")


def test_only_so_much_of_a_text_is_read_and_the_rest_is_not_passed_over_in_silence() -> None:
    found = []
    with pytest.raises(CostlyError):
        found.extend(equalities("1+1=2, " * (MAX_SIGNS + 1)))
    with pytest.raises(CostlyError):
        list(equalities(("word " * 80 + "= ") * (MAX_CHARACTERS // 300 + 2)))
    assert len(list(equalities("1+1=2, " * MAX_SIGNS))) == MAX_SIGNS


def test_texts_share_a_budget() -> None:
    budget = Budget(n_signs=3, n_characters=1000)
    assert len(list(equalities("1+1=2, 2+2=4", budget))) == 2
    found = []
    with pytest.raises(CostlyError):
        found.extend(equalities("1+1=2, 2+2=4", budget))
    assert len(found) == 1
    assert list(equalities("nothing to read", budget)) == []
    with pytest.raises(CostlyError):
        list(equalities("1+1=2, 2+2=4", Budget(n_characters=2)))


def test_an_operand_wider_than_the_window_is_not_read() -> None:
    wide = "+".join(["1"] * 160)  # 319 characters
    assert sides(f"{wide} = 160") == []
    assert sides(f"160 = {wide}") == []
    assert sides(f"{'word ' * 100}1 + 1 = 2") == [("1+1", "2")]


@given(st.text(alphabet="0123456789+-*/=()<>. \nxAb\\&$", max_size=80))
def test_the_sides_stand_around_a_sign_in_the_text(text: str) -> None:
    for found in equalities(text):
        assert 0 <= found.left.start < found.left.end < found.right.start < found.right.end <= len(text)
        assert "=" in text[found.left.end : found.right.start] or "equals" in text
