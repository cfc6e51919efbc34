"""Literals read as data: what Python writes is read back, and nothing is evaluated."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.sandbox.literals import literal

atoms = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6) | st.binary(max_size=6)
)
keys = st.integers() | st.text(max_size=4) | st.tuples(st.booleans(), st.integers())
values = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(keys, inner, max_size=4)
        | st.sets(keys, max_size=4)
    ),
    max_leaves=10,
)


@given(values)
def test_a_value_is_read_back_from_what_python_writes(value: object) -> None:
    assert literal(repr(value)) == value


@given(st.text(max_size=60))
def test_any_text_is_a_literal_or_none(text: str) -> None:
    with contextlib.suppress(ValueError):
        literal(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("float('inf')", math.inf),
        ("-inf", -math.inf),
        ("[1, float('-inf')]", [1, -math.inf]),
        ("set()", set()),
        ("frozenset({1})", frozenset({1})),
        ("1 + 2j", 1 + 2j),
        ("-1.5 - 2j", -1.5 - 2j),
        ("+3", 3),
        (" (1,) ", (1,)),
        ("tuple([1])", (1,)),
    ],
)
def test_what_datasets_write(text: str, value: object) -> None:
    assert literal(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "x",
        "1 + 1",
        "[1][0]",
        "f'{1}'",
        "(lambda: 1)()",
        "float",
        "open('x')",
        "list(1, 2)",
        "float('one')",
        "{[]: 1}",
        "{**{}}x",
        "",
        "[" * 5_000,
        "1" * 1_000_001,
        "-'a'",
        "1\n2",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"literal|could not|unary|invalid"):
        literal(text)
