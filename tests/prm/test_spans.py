import codecs
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from step_texts import responses, utf8_responses

from rewardgate.errors import ArgumentError
from rewardgate.prm import step_spans
from rewardgate.prm.spans import byte_offsets, step_ids
from rewardgate.prm.token_bytes import token_bytes
from rewardgate.prm.tokenizers import encoded

Pieces = list[bytes | None]


def tokenizers() -> list:
    pytest.importorskip("tokenizers", reason="NOT RUN: no tokenizers (extra: torch)")
    from small_tokenizers import byte_level_bpe, llama_like_bpe, unigram_with_byte_fallback

    return [byte_level_bpe(), unigram_with_byte_fallback(), llama_like_bpe()]


def cut(data: st.DataObject, joined: bytes) -> Pieces:
    """`joined` in pieces of any lengths, empty ones too, with special tokens between them."""
    edges = sorted(data.draw(st.lists(st.integers(0, len(joined)), max_size=12)))
    pieces: Pieces = [joined[start:end] for start, end in pairwise([0, *edges, len(joined)])]
    for place in data.draw(st.lists(st.integers(0, len(pieces)), max_size=3)):
        pieces.insert(place, None)
    return pieces


def steps_by_loop(spans: tuple, owners: list[int], pieces: Pieces) -> list[int]:
    """The rule, token by token. `owners` holds for each joined byte the character of the text that it is."""
    found, at = [], 0
    for piece in pieces:
        character = owners[min(at, len(owners) - 1)]
        found.append(
            -1 if piece is None else next(k for k, (start, end) in enumerate(spans) if start <= character < end)
        )
        at += len(piece or b"")
    return found


def owners_of(text: str) -> list[int]:
    return [index for index, character in enumerate(text) for _ in character.encode("utf-8", "surrogatepass")]


@given(responses, st.data())
def test_every_token_gets_the_step_of_its_first_byte(text: str, data: st.DataObject) -> None:
    spans = step_spans(text)
    pieces = cut(data, text.encode("utf-8", "surrogatepass"))
    ids = step_ids(text, spans, pieces)
    assert ids.dtype == np.int64
    if text:
        assert ids.tolist() == steps_by_loop(spans, owners_of(text), pieces)


@given(responses, st.data())
def test_steps_never_fall_and_only_special_tokens_have_none(text: str, data: st.DataObject) -> None:
    pieces = cut(data, text.encode("utf-8", "surrogatepass"))
    ids = step_ids(text, step_spans(text), pieces)
    if text:
        assert [step < 0 for step in ids] == [piece is None for piece in pieces]
    assert (np.diff(ids[ids >= 0]) >= 0).all()


@pytest.mark.parametrize("which", range(3))
@given(text=utf8_responses)
def test_every_token_of_a_tokenizer_gets_the_step_of_its_first_byte(which: int, text: str) -> None:
    tokenizer = tokenizers()[which]
    ids = tokenizer.encode(text).ids
    decoded = tokenizer.decode(ids)
    assert decoded == text
    pieces = token_bytes(tokenizer, ids)
    spans = step_spans(decoded)
    found = step_ids(decoded, spans, pieces)
    assert len(found) == len(ids)
    if text:
        space = [0] if b"".join(pieces) != text.encode() else []
        assert found.tolist() == steps_by_loop(spans, [*space, *owners_of(text)], pieces)


TOKENIZERS = (
    "byte_level_bpe", "unigram_with_byte_fallback", "llama_like_bpe", "word_piece", "suffixed_bpe", "tiktoken_encoding",
    "unigram", "bpe", "unigram without a first space", "bpe without a first space", "unigram without bytes",
)  # fmt: skip


def tokenizer_named(name: str) -> Any:
    pytest.importorskip("tokenizers", reason="NOT RUN: no tokenizers (extra: torch)")
    import small_tokenizers

    kind, *options = name.split(" without ")
    if kind not in ("unigram", "bpe"):
        if kind == "tiktoken_encoding":
            pytest.importorskip("tiktoken", reason="NOT RUN: no tiktoken (extra: test)")
        return getattr(small_tokenizers, kind)()
    pytest.importorskip("sentencepiece", reason="NOT RUN: no sentencepiece (extra: test)")
    return small_tokenizers.sentencepiece_model(
        kind, dummy_prefix="a first space" not in options, byte_fallback="bytes" not in options
    )


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=utf8_responses)
def test_what_a_tokenizer_decodes_is_laid_on_its_tokens_without_a_rest(name: str, text: str) -> None:
    tokenizer = tokenizer_named(name)
    ids = encoded(tokenizer, text)
    decoded = tokenizer.decode(ids)
    pieces = token_bytes(tokenizer, ids)
    spans = step_spans(decoded)
    found = step_ids(decoded, spans, pieces)
    assert len(found) == len(ids)
    assert "".join(decoded[start:end] for start, end in spans) == decoded
    if decoded:
        assert [step < 0 for step in found] == [piece is None for piece in pieces]
        assert (np.diff(found[found >= 0]) >= 0).all()


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=utf8_responses)
def test_a_text_that_its_tokenizer_does_not_keep_is_laid_exactly_or_refused_by_name(name: str, text: str) -> None:
    tokenizer = tokenizer_named(name)
    pieces = token_bytes(tokenizer, encoded(tokenizer, text))
    known = b"".join(piece for piece in pieces if piece is not None)
    spaces = b" \t\r\n\f\v"
    refusal = None
    try:
        step_ids(text, step_spans(text), pieces)
    except ArgumentError as error:
        refusal = str(error)
    if refusal is None:
        assert known.strip(spaces) == text.encode().strip(spaces) or "\ufffd" in text
    else:
        assert known != text.encode()
        assert re.match(r"pieces: expected the UTF-8 of the text \(.* at byte \d+\), got ", refusal, re.DOTALL)


@pytest.mark.parametrize("which", range(3))
@given(text=utf8_responses, data=st.data())
def test_a_generation_that_is_cut_in_a_character_is_still_laid_on_its_text(
    which: int, text: str, data: st.DataObject
) -> None:
    tokenizer = tokenizers()[which]
    ids = tokenizer.encode(text).ids
    ids = ids[: data.draw(st.integers(0, len(ids)))]
    decoded = tokenizer.decode(ids)
    found = step_ids(decoded, step_spans(decoded), token_bytes(tokenizer, ids))
    assert len(found) == len(ids)
    assert (found >= 0).all() or not decoded
    assert (np.diff(found) >= 0).all()


@given(
    st.lists(st.sampled_from([b"a", b"\n\n", b"\xe2", b"\x88", b"\x91", b"\xf0\x9f", b"\xff", b"\xef\xbf\xbd"])),
    st.data(),
)
def test_bytes_that_are_no_utf8_are_laid_on_the_replacement_characters(parts: list[bytes], data: st.DataObject) -> None:
    joined = b"".join(parts)
    invalid: list[tuple[int, int]] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        invalid.append((error.start, error.end))
        return "\ufffd", error.end

    codecs.register_error("noting", note)
    text = joined.decode("utf-8", "noting")
    assert text == joined.decode("utf-8", "replace")
    owners, at, character = [], 0, 0
    while at < len(joined):
        invalid_end = dict(invalid).get(at)
        width = invalid_end - at if invalid_end else len(text[character].encode())
        owners += [character] * width
        at, character = at + width, character + 1
    pieces = cut(data, joined)
    every_character = tuple((index, index + 1) for index in range(len(text)))
    for spans in (step_spans(text), every_character):
        found = step_ids(text, spans, pieces)
        if text:
            assert found.tolist() == steps_by_loop(spans, owners, pieces)


def test_a_boundary_inside_a_token_belongs_to_the_step_that_the_token_begins_in() -> None:
    text = "So:\n\n\\[x\\]\n\n=é"
    pieces = [b"So", b":\n\n", b"\\[", b"x", b"\\", b"]\n\n=", b"\xc3", b"\xa9"]
    #         "So:\n\n\\[x\\]\n\n" is bytes 0 to 12 and "=é" 12 to 15; "]\n\n=" begins at 9, "\xc3" at 13.
    assert step_spans(text) == ((0, 12), (12, 14))
    assert step_ids(text, step_spans(text), pieces).tolist() == [0, 0, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("text", "pieces", "expected"),
    [
        # One U+FFFD for a maximal invalid part: 0xE2 0x88 is the beginning of one character.
        ("\ufffdb", [b"\xe2", b"\x88", b"b"], [0, 0, 1]),
        ("a\ufffd", [b"a", b"\xe2\x88"], [0, 1]),
        # One for each invalid byte, as SentencePiece writes it.
        ("\ufffd\ufffdb", [b"\xe2", b"\x88", b"b"], [0, 1, 2]),
        ("é\ufffd\ufffdb", [b"\xc3\xa9", b"\xe2\x88b"], [0, 1]),
        # One for each byte of a run of byte tokens that is invalid as a whole: the line end is lost in the text.
        ("a\ufffd\ufffd\ufffdb", [b"a", b"\n", b"\xf0", b"\x9f", b"b"], [0, 1, 2, 3, 4]),
        # A replacement character that the model itself wrote.
        ("\ufffd\ufffdb", [b"\xef\xbf", b"\xbd\xff", b"b"], [0, 0, 2]),
        # White space that a decoder or a host took from the ends, and a character that was cut off.
        ("ab", [b" ", b"a", b"b", b"\n\n"], [0, 0, 1, 1]),
        ("ab", [b" a", b"b", b" ", b"\xe2\x88"], [0, 1, 1, 1]),
        (" ab", [b"  a", b"b"], [0, 2]),
        ("abc", [b" ", b"\n", b"\t", b"a", b"b", b"c"], [0, 0, 0, 0, 1, 2]),
        ("ab", [b"ab", b"\xf0\x9f\x98"], [0, 1]),
        # Tokens without bytes stand where the next byte stands, and at the end in the last step.
        ("ab", [b"", b"a", b"", b"b", b""], [0, 0, 1, 1, 1]),
        ("ab", [None, b"a", None, b"b", None], [-1, 0, -1, 1, -1]),
        ("", [None, b" "], [-1, -1]),
        ("", [], []),
    ],
)
def test_what_decoders_and_hosts_do_to_a_text_is_undone(text: str, pieces: Pieces, expected: list[int]) -> None:
    every_character = [(index, index + 1) for index in range(len(text))]
    assert step_ids(text, every_character, pieces).tolist() == expected


@pytest.mark.parametrize(
    ("text", "pieces", "message"),
    [
        ("abc", [b"ab", None, b"d"], r"\(b'c' at byte 2\), got b'd' at byte 2 \(token 2\)"),
        ("abc", [b"ab"], r"\(b'c' at byte 2\), got the end at byte 2;"),
        ("ab", [b"ab", b"</s>"], r"\(the end at byte 2\), got b'</s>' at byte 2 \(token 1\)"),
        ("ab", [b"ab", b"\xff"], r"\(the end at byte 2\), got b'\\xff' at byte 2"),
        (" ab", [b"ab"], r"\(b' ab' at byte 0\), got b'ab' at byte 0 \(token 0\)"),
        ("a b", [b"a  b"], r"\(b'b' at byte 2\), got b' b' at byte 2"),
        ("é", ["e\u0301".encode()], r"\(b'\\xc3\\xa9' at byte 0\), got b'e\\xcc\\x81' at byte 0"),
        ("\ufffd", [b"ab"], r"\(b'\\xef\\xbf\\xbd' at byte 0\), got b'ab' at byte 0"),
        ("\ufffd\ufffd", [b"a\xff"], r"\(b'.*' at byte 0\), got b'a\\xff' at byte 0"),
        ("\ufffd\ufffd\ufffd", [b"a", b"\xff", b""], r"\(b'.*' at byte 0\), got b'a\\xff' at byte 0"),
        ("a\ufffdb", [b"a", b"\xff", b"c"], r"\(b'b' at byte 4\), got b'c' at byte 2 \(token 2\)"),
        ("", [b"a"], r"\(the end at byte 0\), got b'a' at byte 0"),
    ],
)
def test_any_other_difference_is_refused_with_the_first_byte_that_differs(
    text: str, pieces: Pieces, message: str
) -> None:
    with pytest.raises(ArgumentError, match=rf"^pieces: expected the UTF-8 of the text {message}"):
        step_ids(text, [(0, len(text))] if text else [], pieces)


@given(st.lists(st.sampled_from(["a", "\n\n", "é", "\ufffd", "😀", " "]), min_size=1).map("".join), st.data())
def test_a_letter_that_only_the_text_has_is_never_accepted(text: str, data: st.DataObject) -> None:
    joined = text.encode().replace("\ufffd".encode(), b"\xff")
    place = data.draw(st.integers(0, len(text)))
    longer = f"{text[:place]}Q{text[place:]}"
    with pytest.raises(ArgumentError, match="pieces: "):
        step_ids(longer, [(0, len(longer))], cut(data, joined))


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([], r"the last to end with the text \(3\), got 0"),
        ([(0, 2)], r"the last to end with the text \(3\), got 2"),
        ([(0, 1), (2, 3)], r"a span from 1 on, got \(2, 3\) as number 1"),
        ([(1, 3)], r"a span from 0 on, got \(1, 3\) as number 0"),
        ([(0, 0), (0, 3)], r"a span from 0 on, got \(0, 0\) as number 0"),
        ([(0, 4)], r"the last to end with the text \(3\), got 4"),
    ],
)
def test_spans_that_do_not_tile_the_text_are_refused(spans: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^spans: expected {message}"):
        step_ids("abc", spans, [b"abc"])


def test_pieces_that_are_no_bytes_are_refused() -> None:
    with pytest.raises(ArgumentError, match="pieces: expected bytes or None, got 'abc'"):
        step_ids("abc", [(0, 3)], ["abc"])


@given(st.one_of(responses, st.text(st.characters())))
def test_byte_offsets_are_those_of_a_loop(text: str) -> None:
    widths = [len(character.encode("utf-8", "surrogatepass")) for character in text]
    assert byte_offsets(text).tolist() == [sum(widths[:index]) for index in range(len(text) + 1)]
