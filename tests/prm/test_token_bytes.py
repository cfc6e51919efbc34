import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from small_tokenizers import SPECIAL, byte_level_bpe, llama_like_bpe, unigram_with_byte_fallback
from step_texts import utf8_responses

from rewardgate.errors import ArgumentError
from rewardgate.prm.token_bytes import token_bytes


def joined(tokenizer: object, ids: list[int]) -> bytes:
    return b"".join(piece for piece in token_bytes(tokenizer, ids) if piece is not None)


@given(utf8_responses)
def test_the_pieces_of_a_byte_level_tokenizer_are_the_bytes_of_the_text(text: str) -> None:
    assert joined(byte_level_bpe(), byte_level_bpe().encode(text).ids) == text.encode()


@given(utf8_responses)
def test_the_pieces_of_a_unigram_with_byte_fallback_are_the_bytes_of_the_text(text: str) -> None:
    tokenizer = unigram_with_byte_fallback()
    assert joined(tokenizer, tokenizer.encode(text).ids) == text.encode()


@given(utf8_responses)
def test_the_pieces_of_a_tokenizer_that_puts_a_space_before_the_text_keep_it(text: str) -> None:
    tokenizer = llama_like_bpe()
    assert joined(tokenizer, tokenizer.encode(text).ids) == (f" {text}".encode() if text else b"")


@pytest.mark.parametrize("build", [byte_level_bpe, unigram_with_byte_fallback, llama_like_bpe])
@given(data=st.data())
def test_the_pieces_of_any_ids_decode_as_the_tokenizer_decodes_them(build: object, data: st.DataObject) -> None:
    tokenizer = build()
    ids = data.draw(st.lists(st.integers(0, tokenizer.get_vocab_size() - 1), max_size=12))
    decoded = tokenizer.decode(ids, skip_special_tokens=True)
    if "\ufffd" not in decoded:
        text = joined(tokenizer, ids).decode()
        assert decoded in (text, text.removeprefix(" "))
    assert tokenizer.decode([one for one in ids if token_bytes(tokenizer, [one]) != [None]]) == decoded


def test_tokens_that_are_no_text_alone_have_their_bytes() -> None:
    tokenizer = byte_level_bpe()
    (face,) = {tuple(tokenizer.encode("🫠").ids)}
    assert len(face) > 1
    assert "\ufffd" in "".join(tokenizer.decode([token]) for token in face)
    assert joined(tokenizer, list(face)) == b"\xf0\x9f\xab\xa0"
    bytewise = unigram_with_byte_fallback().encode("∑").ids
    assert token_bytes(unigram_with_byte_fallback(), bytewise) == [b"\xe2", b"\x88", b"\x91"]


def test_special_tokens_and_ids_beyond_the_vocabulary_have_none() -> None:
    tokenizer = byte_level_bpe()
    ids = [tokenizer.token_to_id(SPECIAL), 10**6, -100, 2**40, tokenizer.token_to_id("a")]
    assert token_bytes(tokenizer, ids) == [None, None, None, None, b"a"]
    assert token_bytes(llama_like_bpe(), [0, 1, 2, 3]) == [None, None, None, b"\x00"]


def test_an_ordinary_token_added_by_hand_is_text() -> None:
    tokenizer = byte_level_bpe()
    ids = tokenizer.encode("<think>日本").ids
    assert token_bytes(tokenizer, ids) == [b"<think>", "日本".encode()]


def test_a_hugging_face_tokenizer_is_read_by_its_backend() -> None:
    transformers = pytest.importorskip("transformers", reason="NOT RUN: no transformers (extra: torch)")
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level_bpe(), eos_token=SPECIAL)
    text = "So:\n\n\\[ x \\]\n\n好 🫠"
    ids = [*fast.encode(text), fast.eos_token_id]
    assert token_bytes(fast, ids) == token_bytes(byte_level_bpe(), ids)
    assert joined(fast, ids) == fast.decode(ids, skip_special_tokens=True).encode() == text.encode()


def test_a_metaspace_decoder_is_read() -> None:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"▁so": 0, "it": 1, "▁is": 2}))
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    assert token_bytes(tokenizer, [0, 2, 1]) == [b" so", b" is", b"it"]


def test_a_tiktoken_encoding_is_read_by_its_single_token_bytes() -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="NOT RUN: no tiktoken")
    ranks = {bytes([value]): value for value in range(256)} | {b"]\n": 256, b"]\n\n": 257}
    encoding = tiktoken.Encoding(
        "small", pat_str=r"\]\n*|[^\]]", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 258}
    )
    ids = encoding.encode("é]\n\n")
    assert token_bytes(encoding, [*ids, 258, 300, -1]) == [b"\xc3", b"\xa9", b"]\n\n", None, None, None]


def test_a_sentencepiece_model_is_read_by_its_pieces(tmp_path_factory: pytest.TempPathFactory) -> None:
    sentencepiece = pytest.importorskip("sentencepiece", reason="NOT RUN: no sentencepiece")
    prefix = tmp_path_factory.mktemp("sp") / "model"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["so it is two and two more of it"] * 20),
        model_prefix=str(prefix),
        vocab_size=300,
        byte_fallback=True,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    assert joined(model, model.encode("so it ∑ is")) == " so it ∑ is".encode()
    assert token_bytes(model, [model.bos_id(), -1, 10**6, model.unk_id()]) == [None, None, None, " ⁇ ".encode()]


class SlowTokenizer:
    """What a slow tokenizer of Hugging Face's offers."""

    all_special_ids = (2,)

    def __init__(self, tokens: list[str | None], **attributes: object) -> None:
        self._tokens = tokens
        self.__dict__.update(attributes)

    def __len__(self) -> int:
        return len(self._tokens)

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str | None]:
        return [self._tokens[token] for token in ids]


def test_slow_tokenizers_are_read_by_their_byte_decoder_or_their_sentencepiece_model() -> None:
    byte_level = SlowTokenizer(["Ġso", "Ã", "</s>", "日", None], byte_decoder={})
    assert token_bytes(byte_level, [0, 1, 2, 3, 4, 5]) == [b" so", b"\xc3", None, "日".encode(), None, None]
    pieces = SlowTokenizer(["▁so", "<0xC3>", "</s>", "日"], sp_model=object())
    assert token_bytes(pieces, [0, 1, 2, 3, -1]) == [b" so", b"\xc3", None, "日".encode(), None]


def test_logged_bytes_are_read_by_id() -> None:
    assert token_bytes({5: b"a", 7: None}, np.array([5, 7, 9])) == [b"a", None, None]


def test_a_tokenizer_whose_tokens_have_no_bytes_of_their_own_is_refused_with_what_was_seen() -> None:
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}))
    with pytest.raises(ArgumentError, match=r"^tokenizer: expected .*, got a tokenizers.Tokenizer without a decoder; "):
        token_bytes(words, [0])
    for decoder, seen in [
        (tokenizers.decoders.WordPiece(), '"type": "WordPiece"'),
        (tokenizers.decoders.BPEDecoder(), '"suffix": "</w>"'),
        (tokenizers.decoders.Sequence([tokenizers.decoders.Strip(" ", 1, 0)]), '"type": "Strip"'),
        (
            tokenizers.decoders.Sequence([tokenizers.decoders.ByteFallback(), tokenizers.decoders.Strip("a", 1, 0)]),
            "Strip",
        ),
        (tokenizers.decoders.Replace(tokenizers.Regex("a+"), "b"), '"Regex": "a[+]"'),
        (tokenizers.decoders.Fuse(), '"type": "Fuse"'),
    ]:
        words.decoder = decoder
        with pytest.raises(ArgumentError, match=f"got .*{seen}"):
            token_bytes(words, [0])
    with pytest.raises(ArgumentError, match=r"got builtins\.object; give step_ids the bytes"):
        token_bytes(object(), [0])


@pytest.mark.parametrize(("ids", "got"), [([1.0], r"1\.0 at position 0"), ([1, True], "True at"), ([[1]], r"\[1\] at")])
def test_ids_that_are_no_flat_integers_are_refused(ids: list, got: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^ids: expected integers \(T,\), got {got}"):
        token_bytes({1: b"a"}, ids)
