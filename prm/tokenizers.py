"""Tokenizers by name, and texts as the ids that a policy would have sampled; `token_bytes` reads the ids back."""

from pathlib import Path
from typing import Any

from ..errors import ArgumentError, MissingExtraError

__all__ = ["encoded", "load_tokenizer"]


def load_tokenizer(spec: str | Path) -> Any:
    """The tokenizer that `spec` names: a `tokenizer.json`, a folder that holds one, or a name on the hub.

    Raises:
        MissingExtraError: the library that reads it is not installed.
        ArgumentError: there is no tokenizer there, or it cannot be read.
    """
    path = Path(spec)
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        from tokenizers import Tokenizer

        is_file = file.is_file() or path.is_dir()
        found = Tokenizer.from_file(str(file)) if is_file else Tokenizer.from_pretrained(str(spec))
    except ImportError as error:
        raise MissingExtraError(
            f"tokenizer: {error.name or error} is not installed; pip install 'rewardgate[torch]'"
        ) from error
    except Exception as error:  # tokenizers raises bare Exception, the hub's client others
        reason = str(error).strip().split("\n")[0]
        raise ArgumentError(
            f"tokenizer: expected a tokenizer.json, a folder or a name, got {spec}: {reason}"
        ) from error
    # What the file says of batches is not meant for a completion that was sampled.
    found.no_padding()
    found.no_truncation()
    return found


def encoded(tokenizer: Any, text: str) -> list[int]:
    """The ids of `text`, without special tokens: by `tokenizers`, Hugging Face's, SentencePiece or tiktoken.

    A lone surrogate (half of an emoji that a producer cut) has no UTF-8 and is encoded as U+FFFD.

    Raises:
        ArgumentError: the tokenizer cannot encode.

    Example:
        >>> class Characters:
        ...     def encode(self, text, add_special_tokens):
        ...         return [ord(character) for character in text]
        >>> encoded(Characters(), "1+1")
        [49, 43, 49]
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if hasattr(tokenizer, "encode_ordinary"):  # tiktoken
        return tokenizer.encode_ordinary(text)
    if hasattr(tokenizer, "encode_as_ids"):  # SentencePiece
        return tokenizer.encode_as_ids(text)
    if not hasattr(tokenizer, "encode"):
        raise ArgumentError(f"tokenizer: expected one with encode, got {type(tokenizer).__name__}")
    found = tokenizer.encode(text, add_special_tokens=False)
    return list(getattr(found, "ids", found))
