"""A tokenizer of 61 tokens whose text is its ids; see `small_models`."""

from collections.abc import Sequence

PAD, END = 0, 2


class Spelled:
    """As much of a tokenizer as a generator asks for."""

    eos_token_id, pad_token_id = END, PAD

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        assert skip_special_tokens
        return " ".join(str(one) for one in ids if one not in (PAD, END))
