from pathlib import Path

import pytest
import torch
from small_models import small_model
from torch import nn
from transformers import AutoModelForCausalLM

from rewardgate.errors import ArgumentError
from rewardgate.training.generation.weights import WeightsFolder


def same(one: nn.Module, other: nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.state_dict().values(), other.state_dict().values(), strict=True))


def test_the_folder_holds_the_newest_weights(tmp_path: Path) -> None:
    first, second = small_model("Qwen2"), small_model("Qwen2", seed=1)
    folder = WeightsFolder(first, tmp_path)
    for model in (first, second):
        folder.write(model)
        assert same(AutoModelForCausalLM.from_pretrained(folder.path), model)
    assert len(list(folder.path.glob("*.safetensors"))) == 1
    assert [one.name for one in folder.path.parent.iterdir()] == ["checkpoint"]
    folder.remove()
    folder.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_older_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = small_model("Qwen2"), small_model("Qwen2", seed=1)
    folder = WeightsFolder(first, tmp_path)
    folder.write(first)

    def full(folder: Path, **_: object) -> None:
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(second, "save_pretrained", full)
    with pytest.raises(OSError, match="No space left"):
        folder.write(second)
    assert same(AutoModelForCausalLM.from_pretrained(folder.path), first)
    monkeypatch.undo()
    folder.write(second)
    assert same(AutoModelForCausalLM.from_pretrained(folder.path), second)


class Wrapped(nn.Module):
    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module


def test_wrappers_are_left_out(tmp_path: Path) -> None:
    model = small_model("Llama")
    folder = WeightsFolder(model, tmp_path)
    folder.write(Wrapped(Wrapped(model)))
    assert same(AutoModelForCausalLM.from_pretrained(folder.path), model)
    with pytest.raises(ArgumentError, match="model: expected one that transformers can save, got Linear"):
        folder.write(Wrapped(nn.Linear(1, 1)))


def test_adapters_are_merged_into_a_copy(tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    model = small_model("Llama")
    adapted = peft.get_peft_model(model, peft.LoraConfig(target_modules=["q_proj"], init_lora_weights=False))
    before = {name: value.clone() for name, value in adapted.state_dict().items()}
    folder = WeightsFolder(adapted, tmp_path)
    folder.write(adapted)
    ids = torch.tensor([[1, 2, 3]])
    with torch.no_grad():
        saved = AutoModelForCausalLM.from_pretrained(folder.path)(ids).logits
        assert torch.allclose(saved, adapted(ids).logits, atol=1e-6)
        with adapted.disable_adapter():
            assert not torch.allclose(saved, adapted(ids).logits, atol=1e-6)
    assert all(torch.equal(before[name], value) for name, value in adapted.state_dict().items())
