import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from small_tokenizers import (
    SPECIAL,
    byte_level_bpe,
    llama_like_bpe,
    sentencepiece_model,
    suffixed_bpe,
    tiktoken_encoding,
    unigram_with_byte_fallback,
    word_piece,
)
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


@pytest.mark.parametrize("build", [word_piece, suffixed_bpe])
@given(data=st.data())
def test_the_pieces_of_words_are_the_bytes_of_what_the_tokenizer_decodes(build: object, data: st.DataObject) -> None:
    tokenizer = build()
    ids = data.draw(st.lists(st.integers(0, tokenizer.get_vocab_size() - 1), max_size=12))
    decoded = tokenizer.decode(ids, skip_special_tokens=True)
    assert joined(tokenizer, ids).decode().rstrip() == decoded.rstrip()


def test_a_word_piece_that_goes_on_with_a_word_has_no_space_but_the_first_of_a_text_keeps_its_mark() -> None:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece({"so": 0, "##it": 1, ".": 2, "[SEP]": 3}))
    tokenizer.add_special_tokens(["[SEP]"])
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    assert token_bytes(tokenizer, [3, 1, 0, 1, 2, 3]) == [None, b"##it", b" so", b"it", b".", None]
    tokenizer.decoder = tokenizers.decoders.WordPiece(cleanup=False)
    assert token_bytes(tokenizer, [0, 2, 0]) == [b"so", b" .", b" so"]


def test_tokens_added_by_hand_are_text_wherever_they_stand_and_special_ones_are_none() -> None:
    for tokenizer in (byte_level_bpe(), word_piece()):
        text = "so <tool_call> it <|im_end|>"
        ids = tokenizer.encode(text).ids
        pieces = token_bytes(tokenizer, ids)
        assert [piece is None for piece in pieces] == [token == tokenizer.token_to_id(SPECIAL) for token in ids]
        assert b"".join(filter(None, pieces)).strip() == b"so <tool_call> it"
    encoding = tiktoken_encoding()
    assert token_bytes(encoding, encoding.encode(f"a{SPECIAL}b", allowed_special="all")) == [b"a", None, b"b"]
    for kind in ("unigram", "bpe"):
        model = sentencepiece_model(kind)
        pieces = token_bytes(model, [*model.encode("so <tool_call> it"), model.piece_to_id(SPECIAL)])
        assert pieces[-1] is None
        assert b"".join(filter(None, pieces)) == b" so <tool_call> it"


def test_a_token_added_by_hand_may_hold_the_letters_of_byte_level_pieces() -> None:
    tokenizer = tokenizers.Tokenizer.from_str(byte_level_bpe().to_str())
    tokenizer.add_tokens(["Ġé", "naïve", "✓"])
    for text in ("Ġé", "naïve", "✓"):
        ids = tokenizer.encode(text).ids
        assert joined(tokenizer, ids).decode("utf-8", "replace") == tokenizer.decode(ids)


def test_a_tiktoken_encoding_is_read_by_its_single_token_bytes() -> None:
    encoding = tiktoken_encoding()
    ids = encoding.encode("é]\n\n")
    assert token_bytes(encoding, [*ids, 259, 300, -1]) == [b"\xc3", b"\xa9", b"]\n\n", None, None, None]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("dummy_prefix", [True, False])
@given(text=utf8_responses)
def test_the_pieces_of_a_sentencepiece_model_are_the_bytes_of_what_it_decodes(
    kind: str, dummy_prefix: bool, text: str
) -> None:
    model = sentencepiece_model(kind, dummy_prefix=dummy_prefix)
    ids = model.encode(text)
    decoded = model.decode(ids)
    assert joined(model, ids) in (decoded.encode(), f" {decoded}".encode())


def test_a_sentencepiece_model_writes_a_sign_of_its_own_for_what_it_does_not_know() -> None:
    model = sentencepiece_model("unigram", byte_fallback=False)
    ids = model.encode("so ∑ is")
    assert joined(model, ids).decode().strip() == model.decode(ids).strip()
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
        (tokenizers.decoders.CTC(), '"type": "CTC"'),
        (tokenizers.decoders.Sequence([tokenizers.decoders.WordPiece()]), '"type": "WordPiece"'),
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
