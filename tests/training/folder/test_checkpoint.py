import json
import os
from pathlib import Path

import pytest
import torch
from tiny_prms import plain_tokenizer
from tiny_runs import tiny_policy, weights_of
from transformers import AutoModelForCausalLM

from rewardgate.errors import ArgumentError, InputError
from rewardgate.training.folder.checkpoint import latest_checkpoint, load_weights, save_checkpoint


def saved(folder: Path, step: int, *, seed: int = 0, keep: int = 2, ahead: tuple[str, ...] = ()) -> torch.nn.Module:
    model = tiny_policy(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.5)
    model.get_input_embeddings().weight.sum().backward()
    optimizer.step()
    save_checkpoint(folder, step, model, optimizer, plain_tokenizer(), {"x": [0.1, None]}, ahead=ahead, keep=keep)
    return model


def read(folder: Path) -> torch.nn.Module:
    found, model = latest_checkpoint(folder), tiny_policy()
    assert found is not None
    load_weights(found, model, torch.optim.AdamW(model.parameters()))
    return model


def test_weights_moments_and_state_come_back_bit_for_bit(tmp_path: Path) -> None:
    model = saved(tmp_path, 3, ahead=("{}", '{"a": "é"}'.encode("ascii", "backslashreplace").decode()))
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert (found.state["x"], found.state["step"], len(found.ahead)) == ([0.1, None], 3, 2)
    other = tiny_policy(1)
    optimizer = torch.optim.AdamW(other.parameters(), lr=0.25)
    load_weights(found, other, optimizer)
    expected = weights_of(model)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in weights_of(other).items())
    # Tied, as before: not two tensors of the same values.
    assert other.get_output_embeddings().weight is other.get_input_embeddings().weight
    (moments,) = optimizer.state.values()
    assert moments["exp_avg"].unique().tolist() == pytest.approx([0.1])  # (1 - 0.9) * 1
    assert optimizer.param_groups[0]["lr"] == 0.5


def test_a_checkpoint_is_a_model_of_transformers(tmp_path: Path) -> None:
    model = saved(tmp_path, 3)
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path / "step_000003")
    expected = weights_of(model)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in weights_of(theirs).items())


def test_the_newest_stay(tmp_path: Path) -> None:
    for step in (5, 10, 100):
        saved(tmp_path, step)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step_000010", "step_000100"]
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert found.path.name == "step_000100"


def test_a_checkpoint_of_the_same_step_is_replaced(tmp_path: Path) -> None:
    saved(tmp_path, 5, seed=1)
    model = saved(tmp_path, 5, seed=2)
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), read(tmp_path).parameters(), strict=True))
    assert [path.name for path in tmp_path.iterdir()] == ["step_000005"]


def test_weights_that_nothing_can_go_on_from_are_no_checkpoint(tmp_path: Path) -> None:
    saved(tmp_path, 1)
    model = tiny_policy()
    with torch.no_grad():
        model.get_input_embeddings().weight[3, 2] = float("inf")
    with pytest.raises(ArgumentError, match="weights: expected finite numbers"):
        save_checkpoint(tmp_path, 2, model, torch.optim.AdamW(model.parameters()), None, {}, keep=1)
    assert [path.name for path in tmp_path.iterdir()] == ["step_000001"]


def test_what_a_killed_process_left_is_not_read_and_removed(tmp_path: Path) -> None:
    saved(tmp_path, 5)
    for name in ("step_000010.part", "step_000004.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "state.json").write_text("{", encoding="ascii")
    found = latest_checkpoint(tmp_path)
    assert found is not None
    assert found.path.name == "step_000005"
    assert [path.name for path in tmp_path.iterdir()] == ["step_000005"]


def test_no_checkpoint_is_none(tmp_path: Path) -> None:
    assert latest_checkpoint(tmp_path) is None
    assert latest_checkpoint(tmp_path / "none") is None


def test_everything_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real_fsync, real_rename = os.fsync, Path.rename

    def fsync(descriptor: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        real_fsync(descriptor)

    def rename(path: Path, target: Path) -> Path:
        synced.append(f"rename {target.name}")
        return real_rename(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", rename)
    saved(tmp_path, 5)
    named = synced.index("rename step_000005")
    assert {"model.safetensors", "optimizer.pt", "state.json", "step_000005.part"} <= set(synced[:named])
    assert synced[named + 1 :] == [tmp_path.name]


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("state.json", b"{", "expected a checkpoint, got"),
        (
            "state.json",
            b'{"schema": "rewardgate.checkpoint/9"}',
            "of schema rewardgate.checkpoint/1, got rewardgate.ch",
        ),
        ("model.safetensors", b"1234567890", "expected a checkpoint of this model, got"),
        ("optimizer.pt", b"", "expected a checkpoint of this model, got"),
    ],
)
def test_a_damaged_checkpoint_is_named(tmp_path: Path, file: str, content: bytes, problem: str) -> None:
    saved(tmp_path, 5)
    (tmp_path / "step_000005" / file).write_bytes(content)
    with pytest.raises(InputError, match=problem) as raised:
        read(tmp_path)
    assert str(raised.value).startswith(str(tmp_path / "step_000005"))


def test_a_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, 5)
    found = latest_checkpoint(tmp_path)
    assert found is not None
    other = torch.nn.Linear(2, 2)
    with pytest.raises(InputError, match="expected a checkpoint of this model"):
        load_weights(found, other, torch.optim.AdamW(other.parameters()))


def test_the_state_is_plain_json(tmp_path: Path) -> None:
    saved(tmp_path, 5)
    state = json.loads((tmp_path / "step_000005" / "state.json").read_text(encoding="ascii"))
    assert (state["schema"], state["step"]) == ("rewardgate.checkpoint/1", 5)
