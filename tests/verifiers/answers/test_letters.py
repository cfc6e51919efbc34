import pytest
from completions import anchored_text
from hypothesis import given

from rewardgate.verifiers.answers.letters import LETTERS, last_named, named_letters


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("Ａ", "A"),
        (r"\text{(E)}", "E"),
        ("E: A polygenic risk score", "E"),
        ("B) Paris", "B"),
        ("A reasonable person", ""),
        ("I think", ""),
        ("A or B", "AB"),
        ("A, B, C, D", "ABCD"),
        ("AC", "AC"),
        ("B, not C", "B"),
        ("B (not A)", "B"),
        ("Paris", ""),
        ("cab", ""),
        (r"\textbf{(B) }42", "B"),
        ("A. a cat", "A"),
        ("option C because A is wrong", "C"),
        ("C, as A would be wrong", "C"),
        ("C: A is incorrect", "C"),
        ("B is incorrect", "B"),
        ("because B is wrong", ""),
    ],
)
def test_letters_stand_alone(answer: str, letters: str) -> None:
    assert "".join(letter.name for letter in named_letters(answer)) == letters


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Selected option: **B**", "B"),
        ("The correct option is A: because B is wrong", "A"),
        ("I would choose option B over option A.", "B"),
        ("Now that the analysis is over, **B**", "B"),
        ("**B. False**", "B"),
        ("Selected option: B. Incorrect", "B"),
        ("I pick (B) over (A)", "B"),
        ("A is correct. C is true. So option B is false.", "B"),
        ("Option B: this is false. Selected option: **A**", "A"),
        ("Correct option: A\n\nB: wrong because it is slower", "A"),
        ("(B) is correct", "B"),
        ("I choose D", "D"),
        ("Option A or B", "AB"),
        ("Work.\nC. 42", "C"),
        ("Thus, D.", "D"),
        ("We eliminate A", ""),
        ("A reasonable person would pick option D", "D"),
        ("it is not option A", ""),
    ],
)
def test_words_name_a_letter(text: str, letters: str) -> None:
    assert "".join(letter.name for letter in last_named(text)) == letters


@given(anchored_text)
def test_only_known_letters_are_named_each_once(text: str) -> None:
    for found in (named_letters(text), last_named(text)):
        names = [letter.name for letter in found]
        assert set(names) <= set(LETTERS)
        assert len(names) == len(set(names))
