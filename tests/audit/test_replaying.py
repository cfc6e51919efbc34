from pathlib import Path
from typing import Any

import pytest

from rewardgate.audit.replaying import FrozenCase, frozen_text, read_cases, replay
from rewardgate.errors import ArgumentError, InputError, NoUsableRowsError

RIGHT, WRONG = r"so \boxed{0.5}", r"so \boxed{7}"


def case(expected: str = "accept", **fields: Any) -> FrozenCase:
    given = {"target": "1/2", "response": RIGHT, "cause": "false_negative:format", "why": "another notation"}
    return FrozenCase(**{"expected": expected, **given, **fields})


def test_the_file_gives_back_what_was_written(tmp_path: Path) -> None:
    cases = [
        case(),
        case("reject", target=["1", "\ud83d"], response=[{"role": "assistant", "content": "4\u2028"}], prompt=None),
        case(target={"tests": ["f(1)"]}, source="a.jsonl:3[1]"),
    ]
    path = tmp_path / "faults.jsonl"
    path.write_text(frozen_text(cases) + "\n", encoding="ascii")
    assert read_cases(path) == cases


def test_replay_tells_what_broke_and_how() -> None:
    cases = [case(), case("reject", response=WRONG), case("reject", why="it is right")]
    found = replay(cases, "math")
    assert [broken.case for broken in found.broken] == [cases[2]]
    assert str(found).splitlines()[0] == "1 of 3 cases are broken"
    assert str(found).splitlines()[1].startswith("expected reject, got correct (")
    assert str(found).endswith(r'target "1/2", response …"so \\boxed{0.5}": it is right')
    assert str(replay(cases[:2], "math")) == ""


@pytest.mark.parametrize("returned", [None, float("nan"), "1.0"])
def test_no_verdict_keeps_no_case(returned: Any) -> None:
    cases = [case("accept"), case("reject")]
    assert len(replay(cases, lambda completion, target: returned).broken) == 2


def test_an_exception_keeps_no_case_and_stops_nothing() -> None:
    def raises(completion: str, target: str) -> float:
        if completion == WRONG:
            raise ValueError("no")
        return 1.0

    found = replay([case("reject", response=WRONG), case()], raises)
    assert [broken.verdict.rule for broken in found.broken] == ["raised"]


def test_functions_are_called_as_their_trainers_call_them() -> None:
    def accuracy(completions: list[str], solution: list[str], **columns: Any) -> list[float]:
        return [2.0 * ("0.5" in completion) for completion in completions]

    cases = [case(), case("reject", response=WRONG)]
    assert replay(cases, accuracy, correct_at=2.0).broken == ()
    assert len(replay(cases, accuracy, correct_at=3.0).broken) == 1


def test_a_function_named_by_its_file_is_held_to_the_same_threshold(tmp_path: Path) -> None:
    file = tmp_path / "rewards.py"
    file.write_text("def accuracy(completion, target):\n    return 2.0 * ('0.5' in completion)\n", encoding="utf-8")
    assert replay([case()], f"{file}:accuracy", correct_at=2.0).broken == ()
    assert len(replay([case()], f"{file}:accuracy", correct_at=3.0).broken) == 1


def test_what_is_no_verifier_is_refused() -> None:
    with pytest.raises(ArgumentError, match="verifier: expected a verifier or a reward function"):
        replay([case()], 1.0)  # type: ignore[arg-type]


def test_a_test_of_nothing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "faults.jsonl"
    path.write_text("\n")
    with pytest.raises(NoUsableRowsError, match=r"faults.jsonl: expected at least one frozen case, got none"):
        replay(path, "math")
    with pytest.raises(NoUsableRowsError, match="cases: expected at least one"):
        replay([], "math")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"expected": "accept"}', r":2: target: expected a frozen case: field required"),
        ('{"expected": "perhaps", "target": "1", "response": "1", "cause": "", "why": ""}', r":2: expected: "),
        ("{torn", r":2: row: expected a JSON object, got"),
    ],
)
def test_a_line_that_is_no_case_is_refused_with_its_number(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "faults.jsonl"
    path.write_text(frozen_text([case()]) + line + "\n")
    with pytest.raises(InputError, match=told):
        read_cases(path)
