r"""Combinations, extremes, remainders and series in the notations that people use, and their values."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.notations import in_one_notation
from rewardgate.verifiers.expression.parser import UnreadableError, parse
from rewardgate.verifiers.expression.probing import probe
from rewardgate.verifiers.expression.tree import free_symbols


def equal(one: str, other: str) -> bool | None:
    return probe(parse(normalise(one)), parse(normalise(other))).equal


@pytest.mark.parametrize(
    "text",
    ["C(10,3)", "_{10}C_3", "{}_{10}C_{3}", "C_{10}^3", "C_{10}^{3}", "C^3_{10}", r"{10 \choose 3}", r"\tbinom{10}{3}",
     r"\mathrm{C}_{10}^{3}"],
)  # fmt: skip
def test_every_notation_of_a_number_of_combinations_is_read(text: str) -> None:
    assert equal(text, "120") is True
    assert equal(text, "720") is False


@pytest.mark.parametrize("text", ["P(10,3)", "_{10}P_3", "A_{10}^3", "P_{10}^{3}", r"\frac{10!}{7!}"])
def test_every_notation_of_a_number_of_permutations_is_read(text: str) -> None:
    assert equal(text, "720") is True


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\gcd(12,18)", "6"), (r"\text{lcm}(4,6)", "12"), (r"\operatorname{lcm}(2,3,5)", "30"),
        (r"\max(1,\sqrt2,\pi)", r"\pi"), (r"\min\{3,-2\}", "-2"), (r"7\bmod3", "1"), (r"17 \mod 5", "2"),
        (r"\sum_{k=1}^{10}k^2", "385"), (r"\sum_{i=0}^{3}i", "6"), (r"\prod_{i=1}^5 i", "120"),
        (r"\sum_{k=1}^{n}k", r"\frac{n(n+1)}{2}"), (r"\sum_{k=0}^{n}\binom{n}{k}", "2^n"),
        (r"\sum^{n}_{j=1}(2j-1)", "n^2"), (r"\sum_{k=1}^{3}k+1", "7"), (r"\sum_{k=3}^{2}k", "0"),
        (r"\prod_{k=1}^{n}k", "n!"), (r"\sum_{k=1}^{2}\sum_{j=1}^{3}kj", "18"), ("C(n,2)", r"\frac{n(n-1)}{2}"),
        (r"\max(a,b)", r"\max(b,a)"), (r"\max(a,b)+\min(a,b)", "a+b"),
    ],
)  # fmt: skip
def test_a_function_of_whole_numbers_has_its_value(text: str, value: str) -> None:
    assert equal(text, value) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\sum_{k=1}^{n}k", r"\frac{n(n-1)}{2}"), (r"\max(a,b)", "a"), (r"\gcd(12,18)", "3"),
        (r"\sum_{k=1}^{n}k^2", r"\sum_{k=1}^{n-1}k^2"), (r"\sum_{k=0}^{n}x^k", r"\sum_{k=1}^{n}x^k"),
    ],
)  # fmt: skip
def test_what_differs_is_told_apart(one: str, other: str) -> None:
    assert equal(one, other) is False


@pytest.mark.parametrize(
    "text", [r"\sum_{k=1}^{\infty}2^{-k}", r"\gcd(12)", r"C_1^2", "C_1^n", "C(2,3)", r"\sum k", r"a\bmod b"]
)
def test_what_has_no_certain_reading_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        parse(normalise(text))


def test_a_series_binds_its_index_and_nothing_else() -> None:
    assert free_symbols(parse(in_one_notation(r"\sum_{k=1}^{n}kx"))) == ("n", "x")
    assert free_symbols(parse(in_one_notation(r"k+\sum_{k=1}^{3}k"))) == ("k",)
    assert equal(r"k+\sum_{k=1}^{3}k", "k+6") is True


def test_a_series_too_long_to_add_up_decides_nothing() -> None:
    assert equal(r"\sum_{k=1}^{100000}k", "5000050000") is None


@given(st.integers(0, 40), st.integers(0, 40))
def test_combinations_are_those_of_the_standard_library(of: int, chosen: int) -> None:
    if chosen <= of:
        assert equal(f"C_{{{of}}}^{{{chosen}}}", str(math.comb(of, chosen))) is True
        assert equal(f"P({of},{chosen})", str(math.perm(of, chosen))) is True
