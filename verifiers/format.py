r"""The verifier of form alone: tags in order, or JSON of a given shape. It does not judge answers."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, MissingExtraError
from ..rollouts.messages import Completion, Prompt, completion_text, is_completion
from .base import Outcome, Target, Verdict
from .expression.results import shown
from .rows import unreadable

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["FormatVerifier"]

Fault = tuple[str, str]
"""(rule, detail) of what is wrong with a text's form."""

_TAG_NAME = re.compile(r"[A-Za-z][\w.:-]{0,63}")
_FENCE = re.compile(r"\s*```[A-Za-z]{0,10}[ \t]*\n(?P<inside>.*)```\s*\Z", re.DOTALL)
_TURN_END = re.compile(r"(?:<\|[a-z_]{1,24}\|>|</s>|<eos>|<end_of_turn>)\Z")
_MAX_JSON_CHARS = 1_000_000


class FormatVerifier:
    r"""Judges the form of the whole completion; reward 1 or 0, and no target is needed.

    Nothing is cut before: thought tags may be among the required ones. A closing end-of-turn token is
    overlooked. The options may also come as the target, a mapping with `tags` (or `required_tags`) and
    `schema` (or `json_schema`), which then replace those given here.

    Args:
        tags: each must occur exactly once, opened and closed, one after the other in this order, with
            something inside.
        strict: whether anything but white space may stand outside the tags.
        schema: a JSON schema for the text of the last tag, or for the whole completion without tags; a
            ```` ```json ```` fence around it is allowed. Checked by the package jsonschema; a pattern in it
            is run by `re` on model text, so keep patterns simple.
        model: a pydantic model class instead of a schema.

    Raises:
        ArgumentError: an unusable tag name, schema and model together, or a schema that is none.
        MissingExtraError: `schema` is given and jsonschema is not installed.

    Example:
        >>> FormatVerifier(tags=("think", "answer")).verify("<think>2+2</think> <answer>4</answer>", "").outcome
        <Outcome.CORRECT: 'correct'>
    """

    version = "1"

    def __init__(
        self,
        *,
        tags: Sequence[str] = (),
        strict: bool = False,
        schema: Mapping[str, Any] | None = None,
        model: "type[BaseModel] | None" = None,
    ) -> None:
        if schema is not None and model is not None:
            raise ArgumentError("schema, model: expected one of them, got both")
        self._tags = _checked_tags(tags)
        self._strict = strict
        self._fault_of_json = (
            _schema_check(schema) if schema is not None else _model_check(model) if model is not None else None
        )

    def verify(self, completion: Completion, target: Target = "", *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; never raises on any completion or target."""
        started = perf_counter()
        try:
            tags, fault_of_json = self._asked_for(target)
        except (ArgumentError, MissingExtraError) as error:
            return _bad_target("bad_target", str(error), started)
        if not tags and fault_of_json is None:
            return _bad_target("bad_target", "expected tags, a schema or a model, as options or in the target", started)
        if not is_completion(completion):
            return unreadable(completion)
        text = _without_turn_end(completion_text(completion))
        inside, fault = _tagged(text, tags, self._strict) if tags else ((0, len(text)), None)
        if fault is None and fault_of_json is not None:
            try:
                fault = fault_of_json(text[inside[0] : inside[1]])
            except ArgumentError as error:
                return _bad_target("bad_schema", str(error), started)
        seconds = perf_counter() - started
        if fault is not None:
            return Verdict(Outcome.INCORRECT, 0.0, rule=fault[0], detail=fault[1], seconds=seconds)
        return Verdict(Outcome.CORRECT, 1.0, text[inside[0] : inside[1]], inside, "format", "as asked for", seconds)

    def _asked_for(self, target: Target) -> tuple[tuple[str, ...], "Callable[[str], Fault | None] | None"]:
        if not isinstance(target, Mapping):
            return self._tags, self._fault_of_json
        tags = target.get("tags", target.get("required_tags"))
        schema = target.get("schema", target.get("json_schema"))
        return (
            self._tags if tags is None else _checked_tags(tags),
            self._fault_of_json if schema is None else _schema_check(schema),
        )


def _bad_target(rule: str, detail: str, started: float) -> Verdict:
    return Verdict(Outcome.BAD_TARGET, None, rule=rule, detail=detail, seconds=perf_counter() - started)


def _without_turn_end(text: str) -> str:
    stripped = text.rstrip()
    end = _TURN_END.search(stripped, max(0, len(stripped) - 40))
    return text if end is None else stripped[: end.start()]


def _checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    if isinstance(tags, str) or not isinstance(tags, Sequence):
        raise ArgumentError(f"tags: expected a sequence of names, got {shown(tags)!r}")
    for tag in tags:
        if not isinstance(tag, str) or not _TAG_NAME.fullmatch(tag):
            raise ArgumentError(f"tags: expected names of letters, digits and _.:-, got {shown(tag)!r}")
    return tuple(tags)


def _tagged(text: str, tags: tuple[str, ...], strict: bool) -> tuple[tuple[int, int], Fault | None]:
    """The span inside the last tag, and what is wrong with the tags."""
    at, inside = 0, (0, 0)
    for tag in tags:
        opening, closing = f"<{tag}>", f"</{tag}>"
        if text.count(opening) != 1 or text.count(closing) != 1:
            found = f"{text.count(opening)} {opening} and {text.count(closing)} {closing}"
            return inside, ("missing_tag" if "0 <" in found else "repeated_tag", f"expected one of each, got {found}")
        start, end = text.index(opening), text.index(closing)
        if start < at or end < start:
            return inside, (
                "tag_order",
                f"expected {opening}…{closing} after what comes before it, and closed after it opens",
            )
        inside = (start + len(opening), end)
        if not text[inside[0] : inside[1]].strip():
            return inside, ("empty_tag", f"expected something inside {opening}")
        if strict and text[at:start].strip():
            return inside, ("text_outside", f"expected nothing before {opening}, got {text[at:start].strip()[:40]!r}")
        at = end + len(closing)
    if strict and text[at:].strip():
        return inside, ("text_outside", f"expected nothing after the last tag, got {text[at:].strip()[:40]!r}")
    return inside, None


def _schema_check(schema: Any) -> Callable[[str], Fault | None]:
    try:
        import jsonschema
        import jsonschema.validators
    except ImportError as error:
        raise MissingExtraError(
            "schema: expected the package jsonschema, which is not installed;"
            " pip install jsonschema (part of rewardgate[test])"
        ) from error
    try:
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        validator = kind(schema)
    except (jsonschema.SchemaError, TypeError, AttributeError) as error:
        raise ArgumentError(f"schema: expected a JSON schema, got {shown(schema)}: {shown(error)}") from error

    def fault(text: str) -> Fault | None:
        value, unreadable = _read_json(text)
        if unreadable is not None:
            return unreadable
        try:
            found = next(validator.iter_errors(value), None)
        except RecursionError:
            return "schema", "nested too deeply to be checked"
        except Exception as error:  # a $ref of the caller's schema that cannot be followed, in many classes
            raise ArgumentError(
                f"schema: expected one that can be applied, got {type(error).__name__}: {shown(error)}"
            ) from error
        return None if found is None else ("schema", f"at {found.json_path}: {found.message[:200]}")

    return fault


def _model_check(model: "type[BaseModel]") -> Callable[[str], Fault | None]:
    from pydantic import ValidationError

    if not hasattr(model, "model_validate_json"):
        raise ArgumentError(f"model: expected a pydantic model class, got {model!r}")

    def fault(text: str) -> Fault | None:
        try:
            model.model_validate_json(_without_fence(text))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            rule = "not_json" if first["type"] == "json_invalid" else "schema"
            return rule, f"at {'.'.join(map(str, first['loc'])) or 'the top'}: {first['msg'][:200]}"
        return None

    return fault


def _read_json(text: str) -> tuple[Any, Fault | None]:
    if len(text) > _MAX_JSON_CHARS:
        return None, ("not_json", f"expected at most {_MAX_JSON_CHARS} characters, got {len(text)}")
    try:
        return json.loads(_without_fence(text), parse_constant=_refuse_constant), None
    except (ValueError, RecursionError) as error:
        return None, ("not_json", str(error)[:200])


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _without_fence(text: str) -> str:
    fence = _FENCE.match(text)
    return text.strip() if fence is None else fence.group("inside").strip()
