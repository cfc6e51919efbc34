import pytest

from rewardgate.prm.items import item_of, lies_within


@pytest.mark.parametrize(
    ("line", "kind", "label"),
    [
        ("1. Add", "number", "1"),
        ("12) Add", "number", "12"),
        ("**2. Add**", "number", "2"),
        ("1、加", "number", "1"),
        ("十二、加", "hanzi", "十二"),
        ("(3) Add", "part", "3"),
        ("（3）加", "part", "3"),
        ("1.2.3 Add", "part", "1.2.3"),
        ("b) Add", "letter", "b"),
        ("(B) Add", "letter", "b"),
        ("c. Add", "letter", "c"),
        ("iii. Add", "roman", "iii"),
        ("(iv) Add", "roman", "iv"),
        ("• Add", "bullet", "•"),
    ],
)
def test_an_item_is_told_by_its_mark(line: str, kind: str, label: str) -> None:
    assert item_of(line) == (kind, label, 0)
    assert item_of(f"   {line}") == (kind, label, 3)


@pytest.mark.parametrize("line", ["", "1.", "a pen", "1.5", "I. Newton", "e.g. this", "-5 is", "2024. a", "x) "])
def test_what_only_looks_like_an_item_is_none(line: str) -> None:
    assert item_of(line) is None


@pytest.mark.parametrize(
    ("outer", "item", "is_within"),
    [
        ("1. Add", "a) Add", True),
        ("1. Add", "(i) Add", True),
        ("1. Add", "(1) Add", True),
        ("1. Add", "1.2 Add", True),
        ("1. Add", "3.5 pens", False),
        ("1. Add", "2. Add", False),
        ("a) Add", "1. Add", False),
        ("a) Add", "ii) Add", True),
        ("h) Add", "i) Add", False),
        ("a) Add", "i) Add", True),
        ("- Add", "  - Add", True),
        ("- Add", "1. Add", False),
        ("1. Add", "- Add", False),
        ("1. Add", "  - Add", True),
    ],
)
def test_an_item_lies_within_one_of_a_higher_kind_or_of_less_indentation(
    outer: str, item: str, is_within: bool
) -> None:
    one, other = item_of(outer), item_of(item)
    assert one is not None
    assert other is not None
    assert lies_within(other, one) is is_within
