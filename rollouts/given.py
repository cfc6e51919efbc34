"""What one call of a reward function was given: the responses and what belongs to each, worked out from names.

Trainers call a reward function in their own way: TRL with `(prompts, completions, **columns)`, verl with
`(data_source, solution_str, ground_truth, extra_info)`, OpenRLHF with `(queries, prompts, labels)`, everybody else
with a completion and a target. Names decide where they are known; of two arguments without a known name the first is
the response. Whether one response came or a batch is shown by the value itself. What cannot be told is None.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .fields import GROUP, PROMPT, PROMPT_ID, RESPONSE, STEP, STRONG_TARGET, WEAK_TARGET
from .records import Target
from .turns import messages_in
from .values import integer_value, name_value, target_value

__all__ = ["Call", "GivenRow", "given"]

_RESPONSE_NAMES = (
    *("completions", "completion", "solution_str", "solution_strs", *RESPONSE),
    *("prediction", "predictions", "pred", "preds", "predicted"),
)
_PROMPT_NAMES = ("prompts", *PROMPT, "prompt_str")
_GROUP_NAMES = (*GROUP, "uid")
_ABOUT_THE_ROW = ("extra_info", "extra_infos")
_ROLES = {
    "response": _RESPONSE_NAMES,
    "prompt": _PROMPT_NAMES,
    "target": (*STRONG_TARGET, *WEAK_TARGET),
    "prompt_id": PROMPT_ID,
    "group": _GROUP_NAMES,
    "step": STEP,
    "data_source": ("data_source", "data_sources"),
    "completion_ids": ("completion_ids",),
}


_NOTHING: Mapping[str, Any] = {}


class GivenRow(NamedTuple):
    """One response and what came with it; None where nothing did."""

    response: str | list[dict[str, Any]] | None
    prompt: str | list[dict[str, Any]] | None
    target: Target | None
    prompt_id: str | None
    group: str | None
    step: int | None
    n_tokens: int | None


class Call(NamedTuple):
    """The rows of one call, and whether they came as a batch."""

    rows: list[GivenRow]
    is_batch: bool


def given(parameters: Sequence[str], arguments: Sequence[Any], named: Mapping[str, Any]) -> Call:
    """What a call was given.

    Args:
        parameters: names of the function's parameters, those that a position can reach first.
        arguments: given by position.
        named: given by name.

    Example:
        >>> call = given(["completion", "target"], ["so 4", 4], {})
        >>> call.rows[0].response, call.rows[0].target, call.is_batch
        ('so 4', '4', False)
        >>> columns = {"prompts": ["2+2?"] * 2, "completions": ["4", "5"], "answer": ["4"] * 2}
        >>> [(row.prompt, row.response, row.target) for row in given(["completions"], [], columns).rows]
        [('2+2?', '4', '4'), ('2+2?', '5', '4')]
    """
    values = {**dict(zip(parameters, arguments, strict=False)), **named}
    roles = _roles(tuple(values), tuple(parameters))
    responses = _plain(values.get(roles.get("response", ""), values.get("queries")))
    is_batch = isinstance(responses, list) and messages_in(responses) is None
    cells = {role: _plain(values[name]) for role, name in roles.items()}
    cells["response"] = responses
    about = _plain(next((values[name] for name in _ABOUT_THE_ROW if name in values), None))
    cells.setdefault("step", getattr(values.get("trainer_state"), "global_step", None))
    has_queries = "response" not in roles and "queries" in values
    if not is_batch:
        return Call([_row(cells, about, has_queries=has_queries)], is_batch=False)
    n = len(responses)
    rows = []
    for place in range(n):
        own = {role: _at(cell, place, n) for role, cell in cells.items()}
        rows.append(_row(own, _at(about, place, n), has_queries=has_queries))
    return Call(rows, is_batch=True)


@lru_cache(maxsize=64)
def _roles(names: tuple[str, ...], parameters: tuple[str, ...]) -> dict[str, str]:
    """Role -> argument. A parameter that the function names comes before a column that it merely is handed."""
    roles: dict[str, str] = {}
    for role, known in _ROLES.items():
        found = [name for name in known if name in names and name not in roles.values()]
        if found:
            roles[role] = next((name for name in found if name in parameters), found[0])
    if "response" in roles or "queries" in names:
        return roles
    # By position. `solution` and `answer` each name the model's text in some code and the target in other: they are
    # the response only where nothing else can be.
    if roles.get("target") in WEAK_TARGET:
        del roles["target"]
    taken = {*roles.values(), *_ABOUT_THE_ROW}
    free = [name for name in names if name in parameters and name not in taken]
    free.sort(key=lambda name: name in WEAK_TARGET)
    if free:
        roles["response"] = free.pop(0)
    if free and "target" not in roles:
        roles["target"] = next((name for name in free if name in WEAK_TARGET), free[0])
    return roles


def _row(cells: Mapping[str, Any], about: Any, *, has_queries: bool) -> GivenRow:
    about = about if isinstance(about, Mapping) else _NOTHING
    prompt = _text_or_messages(cells.get("prompt", _first(about, _PROMPT_NAMES)))
    response = _text_or_messages(cells.get("response"))
    if has_queries and isinstance(response, str) and isinstance(prompt, str):
        response = response.removeprefix(prompt)  # OpenRLHF's queries are prompt and response in one
    source = name_value(cells.get("data_source"))
    prompt_id = name_value(cells.get("prompt_id", _first(about, PROMPT_ID)))
    index = name_value(about.get("index"))
    if prompt_id is None and index is not None:
        prompt_id = "/".join(part for part in (source, name_value(about.get("split")), index) if part)
    ids = cells.get("completion_ids")
    return GivenRow(
        response=response,
        prompt=prompt,
        target=target_value(_plain(cells.get("target"))),
        prompt_id=prompt_id,
        group=name_value(cells.get("group", _first(about, _GROUP_NAMES))),
        step=integer_value(_first(about, STEP) if cells.get("step") is None else cells["step"]),
        n_tokens=len(ids) if isinstance(ids, Sequence) and not isinstance(ids, str) else None,
    )


def _first(about: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((about[name] for name in names if name in about), None) if about else None


def _at(cell: Any, place: int, n: int) -> Any:
    """The cell of one row: of a column of `n`, its own; of anything else that is no column, what all rows share."""
    if isinstance(cell, list):
        return cell[place] if len(cell) == n else None
    return cell


def _plain(value: Any) -> Any:
    """Lists for tuples, arrays and tensors; anything else as it is."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, (str, list, Mapping)) or value is None:
        return value
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else value


def _text_or_messages(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell
    return messages_in(_plain(cell))
