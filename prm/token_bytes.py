"""Token ids -> the bytes that each stands for, whatever the tokenizer.

A token of today's tokenizers is a piece of a byte string, not of a text: one in a hundred is no valid UTF-8
alone, so that decoding token by token loses characters. The kind of a tokenizer is told by what it can do
and by the decoder that it carries, never by its name.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ArgumentError

__all__ = ["token_bytes"]

_Read = Callable[[int], bytes | None]
_Convert = Callable[[str | bytes], str | bytes]

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPACE_PIECE = "\u2581"
# What the decoder of `tokenizers` calls cleaning up, token by token.
_CLEANED = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip


def token_bytes(tokenizer: Any, ids: Sequence[int]) -> list[bytes | None]:
    r"""The bytes of every token; None for special tokens and for ids beyond the vocabulary.

    Args:
        tokenizer: one of
            a `tokenizers.Tokenizer`, or a Hugging Face tokenizer around one, whose decoder works on bytes
            (ByteLevel), on SentencePiece's pieces (Replace, Metaspace, ByteFallback, Fuse, Strip) or on words
            and their parts (WordPiece, BPEDecoder);
            a `tiktoken.Encoding`;
            a `sentencepiece.SentencePieceProcessor`, or a Hugging Face tokenizer around one;
            a slow byte-level tokenizer of Hugging Face's (`byte_decoder`);
            a mapping of ids to their bytes.
        ids: (T,) completion token ids; arrays and tensors are read by value.

    Returns:
        T entries. Joined they are the UTF-8 of the decoded text, up to what a decoder does to a text as a
        whole: dropping its first or last space, writing U+FFFD for invalid bytes. `step_ids` knows of these. Of
        the text that was encoded they are the bytes only where the tokenizer keeps it: WordPiece forgets line
        ends, mostly capitals and accents too. A token added by hand that is not special is text.

    Raises:
        ArgumentError: a tokenizer of another kind, or ids that are not (T,) integers.

    Example:
        >>> token_bytes({0: b"caf", 1: b"\xc3", 2: b"\xa9"}, [0, 1, 2, 9])
        [b'caf', b'\xc3', b'\xa9', None]
    """
    read, read_first = _reader(tokenizer)
    to_list = getattr(ids, "tolist", None)
    listed = ids if to_list is None else to_list()
    known: dict[int, bytes | None] = {}
    pieces: list[bytes | None] = []
    for position, token in enumerate(listed):
        if isinstance(token, bool) or not isinstance(token, int):
            raise ArgumentError(f"ids: expected integers (T,), got {token!r} at position {position}")
        if token not in known:
            known[token] = read(token)
        pieces.append(known[token])
        if read_first is not None and known[token] is not None:
            pieces[-1], read_first = read_first(token), None
    return pieces


def _reader(tokenizer: Any) -> tuple[_Read, _Read | None]:
    """What reads a token, and what reads the first token of a text where that is read otherwise."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(tokenizer, Mapping) and _has(backend, "decoder", "id_to_token", "get_added_tokens_decoder"):
        return _tokenizers_reader(backend)
    return _other_reader(tokenizer), None


def _other_reader(tokenizer: Any) -> _Read:
    if isinstance(tokenizer, Mapping):
        return tokenizer.get
    if hasattr(tokenizer, "decode_single_token_bytes"):
        return _tiktoken_reader(tokenizer)
    if _has(tokenizer, "id_to_piece", "is_byte", "is_control", "is_unused", "get_piece_size"):
        return _sentencepiece_reader(tokenizer)
    if _has(tokenizer, "sp_model", "convert_ids_to_tokens", "all_special_ids"):
        return _slow_reader(tokenizer, [_replacing(_SPACE_PIECE, " "), _byte_fallback])
    if _has(tokenizer, "byte_decoder", "convert_ids_to_tokens", "all_special_ids"):
        return _slow_reader(tokenizer, [_byte_level])
    raise _unsupported(f"{type(tokenizer).__module__}.{type(tokenizer).__qualname__}")


def _has(tokenizer: Any, *names: str) -> bool:
    return all(hasattr(tokenizer, name) for name in names)


def _unsupported(seen: str) -> ArgumentError:
    return ArgumentError(
        "tokenizer: expected tokenizers or Hugging Face fast with a ByteLevel, Metaspace, ByteFallback, WordPiece or "
        f"BPEDecoder decoder, tiktoken, sentencepiece, slow byte-level, or a mapping of ids to bytes, got {seen}; "
        "give step_ids the bytes of each token yourself"
    )


def _tiktoken_reader(encoding: Any) -> _Read:
    special = {encoding.encode_single_token(text) for text in encoding.special_tokens_set}

    def read(token: int) -> bytes | None:
        if token in special:
            return None
        try:
            return encoding.decode_single_token_bytes(token)
        except (KeyError, OverflowError):
            return None

    return read


def _tokenizers_reader(backend: Any) -> tuple[_Read, _Read | None]:
    if backend.decoder is None:
        raise _unsupported("a tokenizers.Tokenizer without a decoder")
    # Pickling gives the decoder alone; `to_str` would write out the whole vocabulary.
    decoder = json.loads(backend.decoder.__getstate__())
    special = {token for token, added in backend.get_added_tokens_decoder().items() if added.special}

    def reader(converts: Sequence[_Convert]) -> _Read:
        def read(token: int) -> bytes | None:
            # Rust raises OverflowError for what fits no u32, such as a padding of -100.
            piece = None if token in special or not 0 <= token < 2**32 else backend.id_to_token(token)
            return None if piece is None else _converted(piece, converts)

        return read

    if decoder["type"] == "WordPiece":
        return reader([_word_part(decoder["prefix"], cleans=decoder["cleanup"])]), reader(())
    return reader(_converts(decoder)), None


def _sentencepiece_reader(model: Any) -> _Read:
    def read(token: int) -> bytes | None:
        if not 0 <= token < model.get_piece_size() or model.is_control(token) or model.is_unused(token):
            return None
        if model.is_byte(token):
            return _converted(model.id_to_piece(token), [_byte_fallback])
        if model.is_unknown(token):
            return model.decode([token]).encode()  # the surface that the model writes for it
        return model.id_to_piece(token).replace(_SPACE_PIECE, " ").encode()

    return read


def _slow_reader(tokenizer: Any, converts: Sequence[_Convert]) -> _Read:
    special = set(tokenizer.all_special_ids)

    def read(token: int) -> bytes | None:
        if token in special or not 0 <= token < len(tokenizer):
            return None
        piece = tokenizer.convert_ids_to_tokens([token])[0]
        return None if piece is None else _converted(piece, converts)

    return read


def _converts(decoder: Mapping[str, Any]) -> list[_Convert]:
    """What a decoder of `tokenizers` does to each piece, in order; what it does to the joined text is left out."""
    parts = decoder["decoders"] if decoder["type"] == "Sequence" else [decoder]
    converts: list[_Convert] = []
    is_fused = False
    for part in parts:
        kind = part["type"]
        if kind == "ByteLevel":
            converts.append(_byte_level)
        elif kind == "ByteFallback":
            converts.append(_byte_fallback)
        elif kind == "Metaspace":
            converts.append(_replacing(part["replacement"], " "))
        elif kind == "BPEDecoder":
            converts.append(_replacing(part["suffix"], " "))
        elif kind == "Replace" and len(part["pattern"].get("String", "")) == 1:
            converts.append(_replacing(part["pattern"]["String"], part["content"]))
        elif kind == "Fuse":
            is_fused = True
        elif not (kind == "Strip" and is_fused):
            raise _unsupported(f"a decoder with {json.dumps(part, ensure_ascii=False)}")
    if not converts:
        raise _unsupported(f"the decoder {json.dumps(decoder)}")
    return converts


def _converted(piece: str | bytes, converts: Sequence[_Convert]) -> bytes:
    for convert in converts:
        piece = convert(piece)
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")


def _replacing(old: str, new: str) -> _Convert:
    return lambda piece: piece if isinstance(piece, bytes) else piece.replace(old, new)


def _word_part(prefix: str, *, cleans: bool) -> _Convert:
    """As WordPiece's decoder writes every token but the first: a space before it, unless it goes on with a word."""

    def written(piece: str | bytes) -> str | bytes:
        if isinstance(piece, bytes):
            return piece
        text = piece.removeprefix(prefix) if piece.startswith(prefix) else f" {piece}"
        for old, new in _CLEANED if cleans else ():
            text = text.replace(old, new)
        return text

    return written


def _byte_fallback(piece: str | bytes) -> str | bytes:
    found = None if isinstance(piece, bytes) else _BYTE_PIECE.fullmatch(piece)
    return piece if found is None else bytes.fromhex(found[1])


def _byte_level(piece: str | bytes) -> str | bytes:
    if isinstance(piece, bytes):
        return piece
    values = [_BYTE_OF_CHARACTER.get(character) for character in piece]
    # A token added by hand may hold characters of no byte; it then stands for itself.
    return piece if None in values else bytes(value for value in values if value is not None)


def _byte_level_alphabet() -> dict[str, int]:
    """GPT-2's table: printable bytes are written as themselves, the others as the characters from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (value for value in range(256) if value not in printable)
    return {chr(value): value for value in printable} | {chr(256 + rank): value for rank, value in enumerate(others)}


_BYTE_OF_CHARACTER = _byte_level_alphabet()
