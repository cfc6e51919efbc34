"""Which checkpoints are refused, and by which words: a head left at random would score, too."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_prms import plain_tokenizer, save_tiny_prm
from transformers import DistilBertConfig, DistilBertForTokenClassification, MistralConfig

from rewardgate.errors import ArgumentError
from rewardgate.prm.hf.loading import load_model

Tensors = dict[str, torch.Tensor]


def with_tensors(folder: Path, change: Callable[[Tensors], Any]) -> Path:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def with_config(folder: Path, **fields: object) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | fields), encoding="utf-8")
    return folder


@pytest.mark.parametrize("family", ["qwen", "trl", "skywork"])
def test_a_family_with_a_head_of_its_own_is_told_by_the_configuration(tmp_path: Path, family: str) -> None:
    save_tiny_prm(tmp_path, family)
    model = load_model(tmp_path)
    assert model.encoder.family.name == family
    assert not model.base.training
    assert not any(weight.requires_grad for weight in [*model.base.parameters(), *model.head.parameters()])


def test_a_plain_language_model_must_be_named(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path, "math_shepherd")
    with pytest.raises(ArgumentError, match=r"got 'auto' for a checkpoint .* \(architectures: MistralForCausalLM\)"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("family", "change", "problem"),
    [
        ("trl", lambda held: held.pop("score.weight"), r"expected a tensor score\.weight"),
        ("trl", lambda held: held.pop("score.bias"), r"expected a tensor score\.bias"),
        ("qwen", lambda held: held.pop("score.0.weight"), r"expected a tensor score\.0\.weight"),
        ("skywork", lambda held: held.pop("v_head.summary.bias"), r"expected a tensor v_head\.summary\.bias"),
        ("rlhflow", lambda held: held.pop("lm_head.weight"), r"expected a tensor lm_head\.weight"),
        ("qwen", lambda held: held.pop("model.norm.weight"), r"1 missing: norm\.weight"),
        ("trl", lambda held: held.update(extra=torch.ones(1)), "1 that nothing reads: extra"),
        ("skywork", lambda held: held.update({"score.weight": torch.ones(1)}), r"nothing reads: score\.weight"),
        (
            "trl",
            lambda held: held.update({"score.weight": torch.ones(3, 32), "score.bias": torch.ones(3)}),
            r"expected 2 rows in score\.weight, got 3",
        ),
        ("trl", lambda held: held.update({"model.norm.weight": torch.ones(31)}), "1 of another shape: .*norm"),
    ],
)
def test_tensors_that_are_missing_or_that_nothing_reads_are_named(
    tmp_path: Path, family: str, change: Callable[[Tensors], Any], problem: str
) -> None:
    save_tiny_prm(tmp_path, family)
    with pytest.raises(ArgumentError, match=problem):
        load_model(with_tensors(tmp_path, change), family=family)


def test_a_family_whose_head_the_checkpoint_lacks_is_refused(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path, "trl")
    with pytest.raises(ArgumentError, match="expected the tensors of a skywork model, got 2 that nothing reads"):
        load_model(tmp_path, family="skywork")


def test_tied_embeddings_stand_for_the_head(tmp_path: Path) -> None:
    saved = save_tiny_prm(tmp_path, "rlhflow", tie_word_embeddings=True)
    assert "lm_head.weight" not in load_file(tmp_path / "model.safetensors")
    model = load_model(tmp_path, family="rlhflow")
    minus, plus = model.encoder.label_ids or (0, 0)
    states = torch.randn(5, 32)
    assert torch.allclose(model.head(states), saved.lm_head(states)[:, [minus, plus]], atol=1e-6)


def test_attention_that_looks_ahead_is_refused(tmp_path: Path) -> None:
    plain_tokenizer().save_pretrained(tmp_path)
    config = DistilBertConfig(vocab_size=600, dim=16, hidden_dim=16, n_layers=1, n_heads=2)
    DistilBertForTokenClassification(config).save_pretrained(tmp_path)

    def renamed(held: Tensors) -> None:  # with a head called as TRL's is, only the attention is wrong
        held.update({f"score.{kind}": held.pop(f"classifier.{kind}") for kind in ("weight", "bias")})

    with pytest.raises(ArgumentError, match="attention that does not look ahead, got distilbert"):
        load_model(with_tensors(tmp_path, renamed))


def test_logits_that_the_model_scales_are_not_read_unscaled(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path, "math_shepherd")
    with_config(tmp_path, final_logit_softcapping=30.0)
    assert MistralConfig.from_pretrained(tmp_path).final_logit_softcapping == 30.0
    with pytest.raises(ArgumentError, match="whose logits are not scaled, got final_logit_softcapping"):
        load_model(tmp_path, family="math_shepherd")


def test_a_folder_without_a_tokenizer_or_with_a_broken_one_is_refused(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path, "trl")
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(ArgumentError, match="model: expected a tokenizer in"):
        load_model(tmp_path)
    for path in tmp_path.glob("tokenizer*"):
        path.unlink()
    with pytest.raises(ArgumentError, match="tokenizer: expected one token"):  # transformers makes an empty one
        load_model(tmp_path)


def test_an_architecture_that_needs_code_of_its_own_is_refused(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path, "trl")
    with_config(tmp_path, model_type="prm_of_mine", auto_map={"AutoModel": "modeling_mine.Mine"})
    with pytest.raises(ArgumentError, match="model: expected"):
        load_model(tmp_path)


def test_the_head_is_float32_whatever_the_dtype_of_the_base_model(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path, "qwen")
    model = load_model(tmp_path, dtype="bfloat16")
    assert {weight.dtype for weight in model.base.parameters()} == {torch.bfloat16}
    assert {weight.dtype for weight in model.head.parameters()} == {torch.float32}


def test_transformers_does_not_warn_of_the_head_that_is_read_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    save_tiny_prm(tmp_path, "qwen")
    load_model(tmp_path)
    assert "UNEXPECTED" not in capsys.readouterr().err + caplog.text
