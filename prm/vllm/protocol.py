"""vLLM's HTTP interface, as far as step scores need it: requests built, answers taken apart, nothing judged.

Source: vLLM 0.32, `GET /v1/models`, `POST /pooling` and `POST /v1/completions`. Fields that a version does not know
it ignores; so nothing is believed to have been honoured that the answer does not show.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .failures import NoAnswerError

__all__ = ["completions_body", "next_token_tops", "pooled_rows", "pooling_body", "served_models"]

_TOKEN_ID = "token_id:"


def served_models(answer: Any) -> dict[str, int | None]:
    """The models of a server, and how many tokens each takes where it says so.

    Example:
        >>> served_models({"data": [{"id": "prm", "max_model_len": 4096}, {"id": "adapter"}]})
        {'prm': 4096, 'adapter': None}
    """
    models: dict[str, int | None] = {}
    for card in _list(_field(answer, "data"), "data"):
        limit = _field(card, "max_model_len", default=None)
        is_limit = isinstance(limit, int) and not isinstance(limit, bool) and limit > 0
        models[str(_field(card, "id"))] = limit if is_limit else None
    return models


def pooling_body(model: str, ids: Sequence[int]) -> dict[str, Any]:
    """Asks a classifier of tokens for probabilities."""
    task = {"task": "token_classify", "use_activation": True}
    return {"model": model, **task, "input": list(ids), "encoding_format": "float"}


def pooled_rows(answer: Any) -> Any:
    """What was pooled of the one input."""
    data = _list(_field(answer, "data"), "data")
    if len(data) != 1:
        raise NoAnswerError("wrong_length", f"expected the answer to 1 input, got {len(data)}")
    return _field(data[0], "data")


def completions_body(
    model: str, ids: Sequence[int], positions: Sequence[int], label_ids: Sequence[int], *, top: int
) -> dict[str, Any]:
    """Asks a language model for the token behind each position: one prompt a position, all in one request.

    Args:
        label_ids: tokens whose log-probabilities are asked for by name, which older versions ignore.
        top: how many are asked for by rank, for those versions.
    """
    prompts = [list(ids[: place + 1]) for place in positions]
    wanted = {"logprobs": top, "logprob_token_ids": list(label_ids), "return_tokens_as_token_ids": True}
    return {"model": model, "prompt": prompts, "max_tokens": 1, "temperature": 0.0, **wanted}


def next_token_tops(answer: Any, n_prompts: int) -> list[dict[int, Any]]:
    """The log-probabilities that came back for the token behind each prompt, by token id, in the prompts' order.

    Raises:
        NoAnswerError: not one choice for every prompt, or they are not of the form that was asked for.
    """
    choices = _list(_field(answer, "choices"), "choices")
    by_index = {_field(choice, "index"): choice for choice in choices if isinstance(_field(choice, "index"), int)}
    if len(choices) != n_prompts or set(by_index) != set(range(n_prompts)):
        raise NoAnswerError("wrong_length", f"expected one choice for each of {n_prompts} prompts, got {len(choices)}")
    tops = []
    for number in range(n_prompts):
        top = _list(_field(_field(by_index[number], "logprobs"), "top_logprobs"), "top_logprobs")
        if len(top) != 1 or not isinstance(top[0], Mapping):
            raise NoAnswerError("unreadable_answer", f"expected log-probabilities of 1 token, got {len(top)}")
        named = {str(name).removeprefix(_TOKEN_ID): value for name, value in top[0].items() if _is_id(str(name))}
        tops.append({int(name): value for name, value in named.items()})
    return tops


def _is_id(name: str) -> bool:
    # A server that ignored `return_tokens_as_token_ids` names tokens by text, and "5" may be one of them.
    digits = name.removeprefix(_TOKEN_ID)
    return name.startswith(_TOKEN_ID) and digits.isascii() and digits.isdecimal() and len(digits) < 10


def _field(answer: Any, name: str, **default: Any) -> Any:
    if isinstance(answer, Mapping) and (name in answer or default):
        return answer.get(name, default.get("default"))
    raise NoAnswerError("unreadable_answer", f"expected an object with {name}, got {str(answer)[:100]!r}")


def _list(value: Any, name: str) -> list[Any]:
    if isinstance(value, list):
        return value
    raise NoAnswerError("unreadable_answer", f"expected a list of {name}, got {str(value)[:100]!r}")
