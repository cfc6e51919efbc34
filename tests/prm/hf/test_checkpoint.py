"""Finding a checkpoint and reading single tensors of it, whole, in shards, or as torch saved it."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_prms import save_tiny_prm

from rewardgate.errors import ArgumentError
from rewardgate.prm import StepRow
from rewardgate.prm.hf.checkpoint import find_checkpoint
from rewardgate.prm.hf.scorer import HfScorer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ROW = StepRow("the sum", ("of two", "is even"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("trl")
    save_tiny_prm(there, "trl")
    return there


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(folder, tmp_path / "copied")


def sharded(folder: Path) -> Path:
    """The same checkpoint in two shards and their index."""
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    shards = {"model-00001-of-00002.safetensors": names[:9], "model-00002-of-00002.safetensors": names[9:]}
    for file, part in shards.items():
        save_file({name: tensors[name] for name in part}, folder / file, metadata={"format": "pt"})
    index = {"metadata": {}, "weight_map": {name: file for file, part in shards.items() for name in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    (folder / "model.safetensors").unlink()
    return folder


def test_shards_and_what_torch_saved_give_the_same_scores(folder: Path, copied: Path, tmp_path: Path) -> None:
    expected = [score.value for score in HfScorer(folder).score([ROW])[0]]
    assert [score.value for score in HfScorer(sharded(copied)).score([ROW])[0]] == expected
    old = shutil.copytree(folder, tmp_path / "old")
    torch.save(load_file(old / "model.safetensors"), old / "pytorch_model.bin")
    (old / "model.safetensors").unlink()
    assert [score.value for score in HfScorer(old).score([ROW])[0]] == expected


def test_rows_of_a_matrix_are_read_without_the_others(folder: Path) -> None:
    whole = load_file(folder / "model.safetensors")["score.weight"]
    assert torch.equal(find_checkpoint(folder).tensor("score.weight", rows=(1, 0)), whole[[1, 0]])
    assert torch.equal(find_checkpoint(folder).tensor("score.weight"), whole)


def test_a_tensor_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(ArgumentError, match=r"model: expected a tensor v_head\.weight in .*, got none"):
        find_checkpoint(folder).tensor("v_head.weight")


def test_a_shard_that_is_missing_is_named(copied: Path) -> None:
    (sharded(copied) / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(ArgumentError, match=r"index\.json lists, got no model-00002-of-00002\.safetensors"):
        _ = find_checkpoint(copied).files


def test_an_adapter_without_its_base_model_is_told(copied: Path) -> None:
    (copied / "model.safetensors").unlink()
    (copied / "adapter_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ArgumentError, match="got none; merge the adapter into its base model"):
        HfScorer(copied)


def test_a_folder_without_a_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"model: expected a folder with config\.json"):
        find_checkpoint(tmp_path)


def test_the_digest_is_of_content_not_of_place(folder: Path, copied: Path) -> None:
    first = find_checkpoint(folder).digest
    assert find_checkpoint(copied).digest == first
    (copied / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    assert find_checkpoint(copied).digest != first


def test_a_model_of_the_hub_is_taken_from_the_cache_and_told_by_its_commit(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "models--someone--tiny"
    shutil.copytree(folder, repository / "snapshots" / COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT, encoding="ascii")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    scorer = HfScorer("someone/tiny")
    assert scorer.version == f"trl:{COMMIT[:16]}:float32:4096"
    assert [score.rule for score in scorer.score([ROW])[0]] == ["learned", "learned"]
    with pytest.raises(ArgumentError, match="model: expected a folder or the id of a model, got someone/other"):
        HfScorer("someone/other")


@pytest.mark.parametrize("name", ["no/such/folder/at/all", "", "a b"])
def test_a_name_that_nothing_can_have_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ArgumentError, match="model: expected"):
        find_checkpoint(name)
