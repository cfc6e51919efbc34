import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.probes.notations import NOTATIONS
from rewardgate.audit.probes.targets import read_target_of, shipped_targets
from rewardgate.audit.probes.wrong import WRONG
from rewardgate.verifiers import get

SHIPPED = shipped_targets()


@given(st.integers(-99_999, 99_999))
def test_no_wrong_answer_to_an_integer_is_its_text_or_its_value(number: int) -> None:
    target = read_target_of(str(number))
    for wrong in WRONG.values():
        answer = wrong.write(target, SHIPPED)
        if answer is not None and answer != target.answer:
            assert read_target_of(answer).value != number, wrong.name


@pytest.mark.parametrize(
    ("target", "name", "answer"),
    [
        ("420", "near", "419.958"),  # 420 · 0.9999
        ("-18", "nearly_one_more", "-18.9"),
        (r"\frac{3}{8}", "inverted", r"\frac{8}{3}"),
        ("7", "equation", "8=7"),
        ("0.375", "any_character", "09375"),
        ("C", "list", "A, B, C, D"),
        ("[-2,5)", "plus_one", "[-3,5)"),
        ("2n+7", "other_case", "2N+7"),
        ("mHz", "other_case", "MHz"),
        ("Paris", "other_case", None),
        ("7.34", "other_decimals", "7.84"),
        ("-7.84", "other_decimals", "-7.34"),
        ("-42", "continued", "-4207"),
        ("0.37", "embedded", "940.3707"),
    ],
)
def test_wrong_answers_are_what_their_names_say(target: str, name: str, answer: str | None) -> None:
    assert WRONG[name].write(read_target_of(target), SHIPPED) == answer


def test_a_twin_in_another_case_is_that_row_and_no_other_target() -> None:
    both = [read_target_of("kg"), read_target_of("KG"), read_target_of("Nm")]
    assert WRONG["other_case"].write(both[0], both) == "KG"
    assert WRONG["other_target"].write(both[0], both) == "Nm"


@pytest.mark.parametrize(
    ("target", "name", "answer"),
    [
        ("12345", "braced_comma", "12{,}345"),
        ("-3400", "scientific", r"-3.4 \times 10^{3}"),
        (r"-\frac{5}{6}", "slash", "-5/6"),
        ("3x^2-5x+1", "plain", "3*x^2-5*x+1"),
        (r"36\text{ cm}", "text_around_all", r"\text{36 cm}"),
        (r"\$45", "dollar_word", "45 dollars"),
    ],
)
def test_notations_are_what_their_names_say(target: str, name: str, answer: str) -> None:
    assert NOTATIONS[name].write(read_target_of(target)) == answer
    assert get("math").verify(rf"\boxed{{{answer}}}", target).reward == 1
