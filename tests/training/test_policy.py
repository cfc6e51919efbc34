from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_policies import save_tiny_policy

from rewardgate.errors import ArgumentError, InputError
from rewardgate.training.policy import load_policy, save_policy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_policy(tmp_path_factory.mktemp("policy") / "model")


def test_what_is_saved_is_what_is_loaded(folder: Path, tmp_path: Path) -> None:
    policy = load_policy(folder, device="cpu")
    assert not policy.model.training
    with torch.no_grad():
        policy.model.lm_head.weight.add_(1.0)
    save_policy(tmp_path / "deep" / "out", policy.model, policy.tokenizer)
    again = load_policy(tmp_path / "deep" / "out", device="cpu")
    for name, value in policy.model.state_dict().items():
        assert torch.equal(again.model.state_dict()[name], value), name
    assert again.tokenizer.encode("1+2=") == policy.tokenizer.encode("1+2=")
    assert again.tokenizer.eos_token_id == policy.tokenizer.eos_token_id


@pytest.mark.parametrize(("name", "dtype"), [("bfloat16", torch.bfloat16), ("float64", torch.float64)])
def test_the_dtype_is_the_one_asked_for(folder: Path, name: str, dtype: torch.dtype) -> None:
    assert load_policy(folder, dtype=name, device="cpu").model.dtype == dtype


def test_nothing_is_drawn_on_stderr(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    policy = load_policy(folder, device="cpu")
    save_policy(tmp_path / "out", policy.model, policy.tokenizer)
    assert capfd.readouterr() == ("", "")


def test_an_empty_folder_is_filled_and_one_that_holds_something_is_left_alone(folder: Path, tmp_path: Path) -> None:
    policy, place = load_policy(folder, device="cpu"), tmp_path / "out"
    place.mkdir()
    save_policy(place, policy.model, policy.tokenizer)
    before = {one.name: one.stat().st_mtime_ns for one in place.iterdir()}
    with pytest.raises(InputError, match="expected a new or an empty folder, got one that holds something"):
        save_policy(place, policy.model, policy.tokenizer)
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(InputError, match="expected a new or an empty folder"):
        save_policy(file, policy.model, policy.tokenizer)
    assert (before, file.read_text()) == ({one.name: one.stat().st_mtime_ns for one in place.iterdir()}, "mine")


def test_a_folder_is_there_whole_or_not_at_all(folder: Path, tmp_path: Path) -> None:
    policy = load_policy(folder, device="cpu")

    def beside(part: Path) -> None:
        assert (part / "model.safetensors").exists()
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="expected a folder that can be written, got: No space left on device"):
        save_policy(tmp_path / "out", policy.model, policy.tokenizer, beside=beside)
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_without_all_its_tensors_is_refused(tmp_path: Path) -> None:
    folder = save_tiny_policy(tmp_path / "model")
    weights = load_file(folder / "model.safetensors")
    del weights["lm_head.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ArgumentError, match=r"got none of lm_head\.weight"):
        load_policy(folder, device="cpu")


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("nowhere/at/all", {}, "model: expected a causal language model and its tokenizer, got nowhere/at/all"),
        (None, {"dtype": "int8"}, "dtype: expected float32, bfloat16, float64, got 'int8'"),
        (None, {"device": "tpu7"}, "model: expected a causal language model"),
    ],
)
def test_what_cannot_be_loaded_is_named(folder: Path, model: str | None, options: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        load_policy(model or folder, **options)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
