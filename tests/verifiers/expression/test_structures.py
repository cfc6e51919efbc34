"""Reading structures."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.expression.arithmetic import CostlyError
from rewardgate.verifiers.expression.nodes import (
    Clock,
    Collection,
    Labelled,
    Matrix,
    Opaque,
    Ratio,
    Relation,
    Text,
    Union,
)
from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.numbers import Quantity
from rewardgate.verifiers.expression.structures import is_label, read, split_outside


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("5", Quantity),
        ("1,2", Collection),
        ("(1,2]", Collection),
        (r"\{1,2\}", Collection),
        (r"\pm3", Collection),
        ("x=5", Labelled),
        ("x<5", Labelled),
        ("2x+1=5", Relation),
        ("1<2<3", Relation),
        (r"(1,2)\cup(3,4)", Union),
        ("11:21", Ratio),
        ("4:30 p.m.", Clock),
        ("odd", Text),
        (r"\text{No solution}", Text),
        (r"\sqrt{2}", Opaque),
        ("xyz", Opaque),
        ("f'", Opaque),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", Matrix),
        (r"\neq 5", Relation),
        (r"\mathbb{R}", Collection),
    ],
)
def test_each_text_is_read_as_its_kind(text: str, kind: type):
    assert isinstance(read(normalise(text)), kind)


@pytest.mark.parametrize(
    ("inequality", "interval"),
    [
        ("x<5", r"(-\infty,5)"),
        ("5>=x", r"(-\infty,5]"),
        ("-1<x<=3", "(-1,3]"),
        ("3>=x>-1", "(-1,3]"),
        ("x>2", r"(2,\infty)"),
    ],
)
def test_an_inequality_is_read_as_its_interval(inequality: str, interval: str):
    labelled, collection = read(normalise(inequality)), read(interval)
    assert isinstance(labelled, Labelled)
    assert isinstance(labelled.value, Collection)
    assert isinstance(collection, Collection)
    assert labelled.value.brackets == collection.brackets
    assert [item.text for item in labelled.value.items] == [item.text for item in collection.items]


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("1,2 and 3", 3),
        ("1, 2, and 3", 3),
        (r"\pm3,\pm1", 4),
        ("1,234, 5,678", 2),
        ("(0;0;0),(0;-2;0)", 2),
        ("p=5,q=2;p=7,q=2", 2),
        ("1,2;3,4", 2),
    ],
)
def test_lists_have_their_parts(text: str, lengths: int):
    node = read(normalise(text))
    assert isinstance(node, Collection)
    assert len(node.items) == lengths


def test_a_label_before_a_list_is_the_lists():
    node = read("a=4,-8,-10")
    assert isinstance(node, Labelled)
    assert isinstance(node.value, Collection)
    assert len(node.value.items) == 3


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("x", True),
        ("x_1", True),
        ("f(2)", True),
        (r"\angle ABC", True),
        (r"\frac{NO}{BO}", True),
        ("V_1:V_2", True),
        ("2x", False),
        ("x+1", False),
        ("e^x", False),
        ("5", False),
        ("e", False),
        (r"\sqrt{x}", False),
        ("", False),
    ],
)
def test_labels_name_and_do_not_compute(text: str, label: bool):
    assert is_label(text) is label


def test_what_is_too_large_is_refused():
    with pytest.raises(CostlyError):
        read(",".join("1" * 1000))
    with pytest.raises(CostlyError):
        read("[" * 100 + "1" + "]" * 100)


@given(st.lists(st.integers(0, 99).map(str), min_size=1, max_size=8))
def test_splitting_keeps_every_part(parts: list[str]):
    assert split_outside(",".join(parts), re.compile(",")) == parts
    assert split_outside(f"({','.join(parts)})", re.compile(",")) == [f"({','.join(parts)})"]


@given(st.text(alphabet="0123456789xyab.,;:+-*/^_=<>(){}[]|!'%\\ ", max_size=40))
def test_no_text_raises_but_for_cost(text: str):
    with contextlib.suppress(CostlyError):
        read(normalise(text))


def test_words_beside_a_number_cost_linear_time() -> None:
    for text in (
        "There are exactly seventeen solutions, namely 4",
        "approximately seventeen apples*",
        "a" * 5_000 + "4",
    ):
        read(text)  # nested repetition took minutes
