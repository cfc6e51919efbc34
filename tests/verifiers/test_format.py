import builtins
import json
from typing import Any

import pytest
from completions import anchored_text
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from rewardgate.errors import ArgumentError, MissingExtraError
from rewardgate.verifiers import Outcome
from rewardgate.verifiers.format import FormatVerifier

SCHEMA = {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}}


class Point(BaseModel):
    x: int


@pytest.mark.parametrize(
    ("completion", "rule"),
    [
        ("<think>a</think><answer>b</answer>", "format"),
        ("<think>a</think>\nso <answer>b</answer><|im_end|>", "format"),
        ("<answer>b</answer><think>a</think>", "tag_order"),
        ("<answer>b</answer>", "missing_tag"),
        ("<think>a</think><answer>b", "missing_tag"),
        ("<think>a</think><answer>b</answer><answer>c</answer>", "repeated_tag"),
        ("<think> </think><answer>b</answer>", "empty_tag"),
        ("<think>a<answer>b</answer></think>", "tag_order"),
        ("", "missing_tag"),
    ],
)
def test_each_tag_once_and_in_order(completion: str, rule: str) -> None:
    verdict = FormatVerifier(tags=("think", "answer")).verify(completion)
    assert verdict.rule == rule
    assert verdict.reward == (1.0 if rule == "format" else 0.0)


def test_strict_allows_nothing_outside() -> None:
    strict = FormatVerifier(tags=("think", "answer"), strict=True)
    assert strict.verify("<think>a</think>\n<answer>b</answer>\n").reward == 1
    for text in (
        "so <think>a</think><answer>b</answer>",
        "<think>a</think> so <answer>b</answer>",
        "<think>a</think><answer>b</answer>!",
    ):
        assert strict.verify(text).rule == "text_outside"


@pytest.mark.parametrize("option", [{"schema": SCHEMA}, {"model": Point}])
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"x": 1}', "format"),
        ('```json\n{"x": 1}\n```', "format"),
        ('{"x": "one"}', "schema"),
        ("{}", "schema"),
        ("x = 1", "not_json"),
        ('{"x": ' + "[" * 100_000, "not_json"),
        ("", "not_json"),
    ],
)
def test_json_is_checked_against_schema_or_model(option: dict[str, Any], text: str, rule: str) -> None:
    assert FormatVerifier(**option).verify(text).rule == rule
    if "`" not in text and text:
        inside = FormatVerifier(tags=("answer",), **option).verify(f"<answer>{text}</answer>")
        assert inside.rule == rule


def test_the_target_may_ask() -> None:
    verifier = FormatVerifier()
    assert verifier.verify("<a>1</a>", {"required_tags": ["a"]}).reward == 1
    assert verifier.verify('{"x": 1}', {"json_schema": SCHEMA}).reward == 1
    assert verifier.verify("x", {"schema": {"type": 7}}).outcome is Outcome.BAD_TARGET
    assert verifier.verify("x", {"tags": "think"}).outcome is Outcome.BAD_TARGET
    assert verifier.verify("x", "y").outcome is Outcome.BAD_TARGET
    assert verifier.verify("[]", {"schema": {"$ref": "#/nowhere"}}).outcome is Outcome.BAD_TARGET


def test_bad_options_are_refused_when_built() -> None:
    with pytest.raises(ArgumentError, match=r"^tags: expected .*got '<a>'"):
        FormatVerifier(tags=("<a>",))
    with pytest.raises(ArgumentError, match=r"^schema, model: expected one of them, got both"):
        FormatVerifier(schema=SCHEMA, model=Point)
    with pytest.raises(ArgumentError, match=r"^schema: expected a JSON schema"):
        FormatVerifier(schema={"type": 7})
    with pytest.raises(ArgumentError, match=r"^model: expected a pydantic model class"):
        FormatVerifier(model=int)


def test_a_missing_jsonschema_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("jsonschema"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"rewardgate\[test\]"):
        FormatVerifier(schema=SCHEMA)


@given(st.integers())
def test_a_models_own_json_passes(x: int) -> None:
    assert FormatVerifier(model=Point).verify(Point(x=x).model_dump_json()).reward == 1
    assert FormatVerifier(schema=SCHEMA).verify(json.dumps({"x": x})).reward == 1


@given(anchored_text)
def test_the_verdict_never_raises(completion: str) -> None:
    for verifier in (
        FormatVerifier(tags=("think", "answer")),
        FormatVerifier(schema=SCHEMA),
        FormatVerifier(model=Point),
    ):
        verifier.verify(completion)
