import pytest

from rewardgate.prm.arithmetic.agreement import agree
from rewardgate.prm.arithmetic.equalities import equalities


def judged(text: str) -> bool | None:
    equality = next(equalities(text))
    return agree(
        equality.left, equality.right, is_approximate=equality.is_approximate, is_continued=equality.is_continued
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10/3 = 3.33", True),  # rounded
        ("10/3 = 3.34", False),
        ("2/3 = 0.67", True),
        ("2/3 = 0.66", True),  # cut
        ("2/3 = 0.68", False),
        ("9/8 = 1.13", True),  # half up of 1.125
        ("9/8 = 1.12", True),  # half even
        ("9/8 = 1.1", True),
        ("9/8 = 1.0", False),
        ("7/3 = 2", True),  # no finite decimal: a rounded whole number
        ("8/3 = 2", False),
        ("9/4 = 2", False),  # 2.25 can be written
        ("9/4 ≈ 2", True),
        ("9/4 ≈ 4", False),
        ("1234 + 1 ≈ 1200", True),  # a unit in the last digit that is not 0
        ("1234 + 1 ≈ 1400", False),
        ("1/3 = 0.333...", True),
        ("1/6 = 0.166...", True),
        ("1/6 = 0.177...", False),
        ("0.1 + 0.2 = 0.30000000000000004", True),  # a float
        ("0.1 + 0.2 = 0.3001", False),
        ("33.333 * 3 = 100", True),  # 33.333 stands for 33.3333
        ("33.333 * 3 = 101", False),
        ("0.33 = 1/3", True),
        ("365 * 24 * 3600 = 3.15 × 10^7", True),
        ("365 * 24 * 3600 = 3.25 × 10^7", False),
        ("6.02 × 10^23 * 2 = 1.2 × 10^{24}", True),
        ("6.02 × 10^23 * 2 = 1.3 × 10^{24}", False),
        ("1/137 ≈ 7.3e-3", True),
        ("1/137 = 8.3e-3", False),
        ("2^20 = 1.05 × 10^6", True),
        ("4 * 5 = 2 × 10^-1", False),
        ("5 * 21 ≈ 120", False),
    ],
)
def test_precision_is_that_of_what_is_written(text: str, expected: bool) -> None:
    assert judged(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "12 = 13",  # two bare numbers
        "2L + 8L = 11",  # a letter on one side only
        "42 * 20/21 daps = 42 baps",
        "3/4 tank = $40",
        "200 + 10% = 220",
        "48 = 100% + 20%",
        "-3^2 = 9",
        "12/2/3 = 18",
        "25 * 30 = $7.50",
        "1.111 + 1.111 + 1.111 + 1.111 + 1.111 + 1.111 + 1.111 = 9",
        "5 + 3 = 8 * 2 =",
        "48 * 21 ≈ 50 * 20",
        "2^10 ≈ 10^3",
        "5 * 21 ≈ 111",  # within a tenth
    ],
)
def test_another_meaning_leaves_an_equality_undecided(text: str) -> None:
    assert judged(text) is None


def test_a_letter_proves_nothing() -> None:
    assert [judged(text) for text in ("A * B = 3 * 5", "A * B = 15", "3 * 5 = A * B", "A = 2 + 3")] == [None] * 4
