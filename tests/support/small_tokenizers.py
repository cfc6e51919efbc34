"""Tokenizers trained on a few lines, of each kind that policies have. Needs `tokenizers`, some of them more."""

import io
from functools import cache
from typing import Any

from step_texts import BLOCKS, HEADINGS, SENTENCES
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

CORPUS = [f"{line}{gap}" for line in (*SENTENCES, *HEADINGS, *BLOCKS) for gap in ("\n\n", "\n", " and ")] * 3
# Qwen2's, which keeps the line ends behind a bracket with it: step boundaries then lie inside tokens.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIAL = "<|im_end|>"
BYTE_PIECES = [f"<0x{value:02X}>" for value in range(256)]


@cache
def byte_level_bpe() -> Tokenizer:
    """As Qwen, Llama 3, GPT-2: pieces are bytes. Id 0 is special; the last two are ordinary tokens added by hand."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, initial_alphabet=alphabet, special_tokens=[SPECIAL], show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("日本", normalized=False)])
    return tokenizer


@cache
def unigram_with_byte_fallback() -> Tokenizer:
    """As SentencePiece's unigram models: pieces are text with U+2581 for spaces, and `<0xE2>` for unknown bytes."""
    trained = Tokenizer(models.Unigram())
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    trained.train_from_iterator(
        [line for line in CORPUS if line.isascii()],
        trainers.UnigramTrainer(vocab_size=200, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False),
    )
    learned = [(piece, -5.0) for piece in trained.get_vocab() if piece != "<unk>"]
    vocabulary = [("<unk>", 0.0), *((piece, -12.0) for piece in BYTE_PIECES), *sorted(learned)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


@cache
def llama_like_bpe() -> Tokenizer:
    """As Llama 2: a space is put before the text, and the decoder takes one away; all that is not ASCII falls back."""
    letters = ["▁", *map(chr, range(0x21, 0x7F))]
    tokens = ["<unk>", "<s>", "</s>", *BYTE_PIECES, *letters, "▁a", "th"]
    vocabulary = {token: rank for rank, token in enumerate(tokens)}
    model = models.BPE(vocabulary, [("▁", "a"), ("t", "h")], unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    strip = decoders.Strip(" ", 1, 0)
    fallback = decoders.ByteFallback()
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), fallback, decoders.Fuse(), strip])
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return tokenizer


@cache
def word_piece() -> Tokenizer:
    """As BERT's, uncased: words and parts of words; capitals, accents and line ends are forgotten."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]", SPECIAL], show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_tokens([AddedToken("<tool_call>", normalized=False)])
    return tokenizer


@cache
def suffixed_bpe() -> Tokenizer:
    """As GPT-1's: the last piece of a word ends with `</w>`."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.decoder = decoders.BPEDecoder()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<unk>", SPECIAL], end_of_word_suffix="</w>", show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


@cache
def sentencepiece_model(kind: str, *, byte_fallback: bool = True, dummy_prefix: bool = True) -> Any:
    """A real SentencePiece model, `unigram` or `bpe`: `<|im_end|>` is a control symbol, `<tool_call>` is text."""
    import sentencepiece

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line for line in CORPUS if line.isascii()),
        model_writer=written,
        model_type=kind,
        vocab_size=400 if byte_fallback else 150,
        byte_fallback=byte_fallback,
        add_dummy_prefix=dummy_prefix,
        normalization_rule_name="nmt_nfkc",
        control_symbols=[SPECIAL],
        user_defined_symbols=["<tool_call>"],
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())


@cache
def tiktoken_encoding() -> Any:
    """Every byte, two merges over a step boundary, and one special token."""
    import tiktoken

    ranks = {bytes([value]): value for value in range(256)} | {b"]\n": 256, b"]\n\n": 257, b"\n\n": 258}
    return tiktoken.Encoding(
        "small", pat_str=r"\]\n*|\n+|[^\]\n]", mergeable_ranks=ranks, special_tokens={SPECIAL: 259}
    )
