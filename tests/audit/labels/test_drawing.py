import json
from pathlib import Path

import pytest

import rewardgate.verifiers as verifiers
from rewardgate.audit.labels import Draw, DrawOptions, LabelStore, draw_for, draw_of
from rewardgate.errors import ArgumentError, InputError
from rewardgate.rollouts.reading import read


@pytest.fixture
def rollouts(tmp_path: Path) -> Path:
    path = tmp_path / "rollouts.jsonl"
    rows = [{"prompt": f"{n}", "response": f"\\boxed{{{n}}}", "target": f"{n}", "reward": 0.0} for n in range(8)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def drawn(store: LabelStore, path: Path, **options) -> Draw:
    return draw_for(store, read(path), path, DrawOptions(**options), load=verifiers.get)


def test_a_file_is_judged_once_and_its_sample_taken_up_again(rollouts: Path, tmp_path: Path) -> None:
    def nobody(name: str) -> verifiers.Verifier:
        raise AssertionError(f"{name} was asked for")

    with LabelStore(tmp_path / "labels.sqlite") as store:
        first = drawn(store, rollouts, n_prompts=3, seed=5)
        again = draw_for(store, read(rollouts), rollouts, DrawOptions(), load=nobody)
    assert again == first
    assert (len(first.sample), first.seed, first.scored_by, first.correct_at) == (3, 5, "as logged", 1.0)


def test_a_larger_sample_is_drawn_as_the_first_was(rollouts: Path, tmp_path: Path) -> None:
    with LabelStore(tmp_path / "labels.sqlite") as store:
        first = drawn(store, rollouts, n_prompts=3, seed=5, scored_by="math")
        larger = drawn(store, rollouts, n_prompts=6)
    assert (larger.seed, larger.scored_by, larger.version) == (5, "math", verifiers.get("math").version)
    assert [one.key for one in larger.sample[:3]] == [one.key for one in first.sample]
    # `math` accepts them all, whatever was logged
    assert {one.stratum.verdict for one in larger.sample} == {"correct"}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"seed": 6}, "seed: expected 5, as in the sample of these labels, got 6; keep other labels in another file"),
        ({"scored_by": "math"}, "scored_by: expected 'as logged', as in the sample"),
        ({"within": "wrong"}, "within: expected '', as in the sample"),
        ({"correct_at": 0.5}, "correct_at: expected 1.0, as in the sample"),
    ],
)
def test_other_options_than_the_samples_are_refused(rollouts: Path, tmp_path: Path, other: dict, message: str) -> None:
    with LabelStore(tmp_path / "labels.sqlite") as store:
        drawn(store, rollouts, n_prompts=3, seed=5)
        with pytest.raises(ArgumentError, match=message):
            drawn(store, rollouts, **other)


def test_labels_belong_to_the_bytes_of_their_file(rollouts: Path, tmp_path: Path) -> None:
    with LabelStore(tmp_path / "labels.sqlite") as store:
        with pytest.raises(InputError, match="expected a file of labels with a sample, got one without"):
            draw_of(store, rollouts)
        kept = drawn(store, rollouts)
        moved = rollouts.rename(tmp_path / "moved.jsonl")
        assert draw_of(store, moved) == kept
        moved.write_text(moved.read_text() + "\n")
        with pytest.raises(InputError, match=r"expected labels of .*moved.jsonl .*, got labels of .*rollouts.jsonl"):
            draw_of(store, moved)
