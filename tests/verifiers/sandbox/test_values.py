"""Values that cross the wall: there and back again, hostile ones, and when two are equal."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.sandbox.jail import plain
from rewardgate.verifiers.sandbox.values import NotAValueError, Opaque, as_plain, equal, shown, to_value

atoms = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text(max_size=8)
    | st.binary(max_size=8)
)
keys = st.recursive(atoms, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
plain_data = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=4)
        | st.frozensets(keys, max_size=4)
    ),
    max_leaves=12,
)
json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
    | st.sampled_from(["int", "float", "complex", "bytes", "bytearray", "dict", "list", "tuple", "set", "frozenset"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
        | st.tuples(
            st.sampled_from(["int", "float", "complex", "bytes", "dict", "list", "tuple", "set", "opaque"]), inner
        ).map(list)
    ),
    max_leaves=16,
)  # fmt: skip


def crossed(data: object) -> Any:
    return to_value(json.loads(json.dumps(data)))


def same(one: Any, other: Any) -> bool:
    """Equal, and of the same types all the way down; independent of `equal`."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return len(one) == len(other) and all(map(same, one.items(), other.items()))
    return repr(one) == repr(other) if isinstance(one, (float, complex)) else one == other


@given(plain_data)
def test_what_a_candidate_returns_arrives_as_it_was(value: object) -> None:
    assert same(crossed(plain.encoded(value)), value)


@given(plain_data)
def test_what_a_test_passes_in_arrives_as_it_was(value: object) -> None:
    assert same(plain.decoded(json.loads(json.dumps(as_plain(value)))), value)


@given(json_data)
def test_hostile_json_is_a_value_or_none(data: object) -> None:
    try:
        value = to_value(data)
    except NotAValueError:
        return
    # What came through can be compared and shown without an exception.
    equal(value, value)
    equal([1, {"a": 2.5}, {3}], value)
    assert len(shown(value)) <= 201


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (1, "tagged list"),
        (["int"], "tagged list"),
        ([1, 2], "tagged list"),
        (["int", "zz"], "expected int, got ValueError"),
        (["int", None], "expected int, got TypeError"),
        (["float", "zz"], "expected float, got ValueError"),
        (["float", "0x1p99999"], "expected float, got OverflowError"),
        (["complex", "0x1p0"], "expected complex, got IndexError"),
        (["bytes", "abc"], "expected bytes, got ValueError"),
        (["dict", [[["list", []], None]]], "expected dict, got TypeError"),  # a list is no key
        (["dict", [[None]]], "expected dict, got ValueError"),
        (["set", [["list", []]]], "expected set, got TypeError"),
        (["os.system", "ls"], "no such tag"),
    ],
)
def test_what_stands_for_no_value_is_refused(data: object, why: str) -> None:
    with pytest.raises(NotAValueError, match=why):
        to_value(data)


def test_a_value_nested_too_deep_is_refused() -> None:
    data: object = None
    for _ in range(100):
        data = ["list", [data]]
    with pytest.raises(NotAValueError, match="too deep"):
        to_value(data)


@pytest.mark.parametrize("tag", ["set", "frozenset", "dict"])
def test_a_crowd_of_keys_of_one_hash_is_refused(tag: str) -> None:
    # hash(k * (2**61 - 1)) == 0: a table of n of them takes n * n steps.
    members = [["int", format(k * (2**61 - 1), "x")] for k in range(1, 100)]
    with pytest.raises(NotAValueError, match="of one hash"):
        to_value([tag, [[key, None] for key in members] if tag == "dict" else members])


def test_a_subclass_that_lies_about_itself_is_asked_nothing() -> None:
    class Liar(list):
        def __eq__(self, other: object) -> bool:
            return True

        def __iter__(self) -> Any:
            return iter([1, 2, 3])

        def __len__(self) -> int:
            return 3

        __hash__ = None  # type: ignore[assignment]

    assert crossed(plain.encoded(Liar([0]))) == [0]
    assert not equal([1, 2, 3], crossed(plain.encoded(Liar([0]))))


def test_an_object_is_opaque_and_equals_nothing() -> None:
    class Always:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    value = crossed(plain.encoded([Always()]))
    assert isinstance(value[0], Opaque)
    assert not equal(value[0], value[0])
    assert not equal([1], value)
    assert shown(value) == "[<Always>]"


def test_a_value_that_holds_itself_ends_as_an_opaque_one() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert "list" in shown(crossed(plain.encoded(loop)), limit=2_000)


def test_more_items_than_a_frame_may_carry_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MAX_ITEMS", 1_000)
    plain.encoded([None] * 999)  # and the list itself
    with pytest.raises(plain.TooLargeError, match="at most 1000 items"):
        plain.encoded([None] * 1_000)


@given(plain_data)
def test_a_value_equals_itself(value: Any) -> None:
    assert equal(value, crossed(plain.encoded(value)))


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ([1, 2], (1, 2)),  # JSON has no tuples
        ((1, 2), [1, 2]),
        ({"1": 2}, {1: 2}),  # JSON's keys are text
        (2, 2.0),
        (2.0, 2),
        (math.nan, math.nan),
        (math.inf, math.inf),
        ({1, 2}, frozenset({2, 1})),
        ({"a": [1, {"2": None}]}, {"a": (1, {2: None})}),
        ({True: {False: 1}}, {True: {False: 1}}),
        (b"a", b"a"),
        (1 + 2j, 1 + 2j),
        (10**400, 10**400),
    ],
)
def test_these_are_equal(expected: object, got: object) -> None:
    assert equal(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (1, True),
        (True, 1),
        (0, False),
        ([1], [True]),
        ({"a": 1}, {"a": True}),
        ({1: 2}, {True: 2}),
        ({True: 2}, {1: 2}),
        ({1}, frozenset({True})),
        (1, "1"),
        ("1", 1),
        ("a", b"a"),
        ([1, 2], [1]),
        ([1, 2], {1, 2}),
        ({1, 2}, [1, 2]),
        ([1, 2], [2, 1]),
        (0.5, math.nan),
        (0.5, math.inf),
        (math.inf, -math.inf),
        (0.1 + 0.2, 0.3),  # without a tolerance
        (None, False),
        ([], ()[:0] or {}),
        (10**30, 10.0**30 + 1e20),
        (10**400, math.inf),
    ],
)
def test_these_are_not(expected: object, got: object) -> None:
    assert not equal(expected, got)


def test_a_tolerance_is_for_floats_alone() -> None:
    assert equal(0.3, 0.1 + 0.2, rel_tol=1e-9)
    assert equal([1.0, {"a": 2.0}], [1.0000000001, {"a": 2.0}], rel_tol=1e-6, abs_tol=1e-6)
    assert not equal(1_000_000, 1_000_001, rel_tol=1e-3)
    assert not equal(0.5, math.inf, rel_tol=1e300)
    assert not equal(10**400, 1.5, rel_tol=0.1)


@given(plain_data)
def test_a_value_is_shown_on_one_short_line(value: object) -> None:
    text = shown(value)
    assert len(text) <= 201
    assert "\n" not in text


@pytest.mark.parametrize("value", [object(), [object()], {"a": {1: open}}, range(3)])
def test_what_is_no_plain_data_does_not_go_in(value: object) -> None:
    with pytest.raises(NotAValueError, match="expected plain data"):
        as_plain(value)
