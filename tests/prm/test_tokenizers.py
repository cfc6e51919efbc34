from pathlib import Path

import pytest
from small_tokenizers import sentencepiece_model
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from rewardgate.errors import ArgumentError
from rewardgate.prm.tokenizers import encoded, load_tokenizer


def saved(folder: Path) -> Path:
    """A tokenizer of single bytes that puts `<s>` before every text."""
    vocabulary = {character: number for number, character in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE({**vocabulary, "<s>": len(vocabulary)}, []))
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", len(vocabulary))])
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


def test_a_tokenizer_is_found_by_its_file_and_by_its_folder(tmp_path: Path) -> None:
    file = saved(tmp_path)
    assert encoded(load_tokenizer(file), "1+1") == encoded(load_tokenizer(tmp_path), "1+1")


def test_no_special_token_is_added(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(saved(tmp_path))
    assert len(encoded(tokenizer, "abc")) == 3
    assert len(tokenizer.encode("abc").ids) == 4


def test_a_file_that_is_no_tokenizer_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ArgumentError, match=r"tokenizer: expected a tokenizer\.json, a folder or a name, got"):
        load_tokenizer(tmp_path)


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(ArgumentError, match="got no/name/of/a/hub"):
        load_tokenizer("no/name/of/a/hub")


def test_padding_and_truncation_of_batches_do_not_touch_a_completion(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_file(str(saved(tmp_path)))
    tokenizer.enable_padding(length=32)
    tokenizer.enable_truncation(8)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert len(encoded(load_tokenizer(tmp_path), "1 + 1 = 3 and more")) == 18


def test_a_folder_without_a_tokenizer_is_not_looked_for_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="No such file"):
        load_tokenizer(tmp_path)


def test_a_sentencepiece_model_encodes_without_its_control_symbols() -> None:
    pytest.importorskip("sentencepiece", reason="NOT RUN: no sentencepiece (extra: test)")
    model = sentencepiece_model("bpe")
    ids = encoded(model, "so it is two")
    assert model.decode(ids) == "so it is two"
    assert not any(map(model.is_control, ids))


def test_what_cannot_encode_is_refused() -> None:
    with pytest.raises(ArgumentError, match="tokenizer: expected one with encode, got dict"):
        encoded({}, "1")
