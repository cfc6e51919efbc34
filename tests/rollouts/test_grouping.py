from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from rewardgate.rollouts.grouping import GroupIndex, Identity, digest
from rewardgate.rollouts.rows import LocatedRow


def index_of(*identities: Identity, contents: list[bytes] | None = None) -> GroupIndex:
    index = GroupIndex()
    for line, identity in enumerate(identities, start=1):
        data = contents[line - 1] if contents else b"x" * line
        index.add(LocatedRow(line, 100 * line, data, {}), identity)
    index.finish()
    return index


def lines(index: GroupIndex) -> list[list[int]]:
    return [[place.line for place in places] for places in index.groups()]


identities = st.builds(
    Identity,
    prompt_id=st.none() | st.sampled_from("pqr"),
    group=st.none() | st.sampled_from("gh"),
    step=st.none() | st.integers(1, 2),
    is_whole_group=st.booleans(),
)


@given(st.lists(identities, min_size=1, max_size=20))
def test_groups_are_those_of_a_plain_dictionary(rows: list[Identity]) -> None:
    expected: dict[object, list[int]] = defaultdict(list)
    for line, row in enumerate(rows, start=1):
        if row.group is not None:
            key: object = ("group", row.group, row.step, row.prompt_id)
        elif row.is_whole_group or row.prompt_id is None:
            key = line
        else:
            key = ("prompt", row.step, row.prompt_id)
        expected[key].append(line)
    index = index_of(*rows)
    assert lines(index) == list(expected.values())
    flat = [line for group in expected.values() for line in group]
    assert index.is_scattered == (flat != sorted(flat))
    assert len(index) == len(rows)


def test_places_hold_line_offset_and_length() -> None:
    index = index_of(Identity("p"), Identity("q"), Identity("p"))
    assert list(index.groups()) == [[(1, 100, 1), (3, 300, 3)], [(2, 200, 2)]]


def test_the_same_prompt_at_two_steps_is_two_groups() -> None:
    assert lines(index_of(Identity("p", step=1), Identity("p", step=2), Identity("p", step=1))) == [[1, 3], [2]]


def test_a_group_id_that_starts_again_is_split_with_a_warning() -> None:
    index = index_of(Identity("p", group="0"), Identity("p", group="0"), Identity("q", group="0"))
    assert lines(index) == [[1, 2], [3]]
    assert index.warnings["group_id_shared_by_prompts"] == 1


def test_a_rewritten_row_and_a_shared_id_are_told_apart() -> None:
    rows = [Identity("p", rollout_id=name) for name in ("a", "b", "b", "c", "c", "d")]
    # b is written twice byte for byte; c is two rows.
    index = index_of(*rows, contents=[b"1", b"2", b"2", b"3", b"4", b"5"])
    assert (index.warnings["rewritten_rows"], index.warnings["duplicate_ids"]) == (1, 1)
    assert not index.ids_repeat


def test_identical_texts_under_different_ids_are_two_samples() -> None:
    rows = [Identity("p", rollout_id=name) for name in ("a", "b")]
    index = index_of(*rows, contents=[b"same", b"same"])
    assert lines(index) == [[1, 2]]
    assert not any(index.warnings.values())


def test_ids_that_most_rows_share_are_not_the_rollouts_own() -> None:
    index = index_of(*[Identity("p", rollout_id=name) for name in "aaaabbbb"])
    assert index.ids_repeat
    assert not index.warnings["duplicate_ids"]


def test_a_digest_stands_for_any_text() -> None:
    assert digest("p") == digest(b"p") != digest("q")
    assert 0 <= digest("\ud83d") < 2**64
