from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.unicode_text import ascii_forms, half_width


def test_shape_that_carries_meaning_is_written_out() -> None:
    assert ascii_forms("10³") == "10^{3}"
    assert ascii_forms("1½") == "1 1/2"
    assert ascii_forms("x₁") == "x_{1}"
    assert ascii_forms("５\u200b％") == "5%"


def test_letters_of_other_scripts_stay() -> None:
    assert ascii_forms("х") == "х"  # Cyrillic
    assert ascii_forms("x") == "x"


@given(st.text())
def test_half_width_keeps_every_offset(text: str) -> None:
    assert len(half_width(text)) == len(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_stays_as_it_is(text: str) -> None:
    assert ascii_forms(text) == text
    assert half_width(text) == text
