import json
from pathlib import Path

import pytest
from label_files import PLAIN, WRONG

import rewardgate.verifiers as verifiers
from rewardgate.audit.labels import LabelStratum, units_of
from rewardgate.errors import ArgumentError
from rewardgate.rollouts.reading import read


def rollouts_file(tmp_path: Path, *rows: tuple[str, str, str, float | None]) -> Path:
    path = tmp_path / "rollouts.jsonl"
    names = ("prompt", "response", "target", "reward")
    path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    return path


def strata_of(path: Path, **options) -> dict[str, str]:
    options = {"suspect": None, "referee": verifiers.get("auto")} | options
    return {unit.key: str(unit.stratum) for unit in units_of(read(path), **options)}


def test_a_stratum_is_verdict_kind_and_whether_something_speaks_against_the_verdict(tmp_path: Path) -> None:
    path = rollouts_file(
        tmp_path,
        ("a", "\\boxed{1}", "1", 1.0), ("a", "\\boxed{2}", "1", 0.0), ("a", "\\boxed{3}", "1", 1.0),
        ("b", "\\boxed{9}", "5", 0.0), ("b", "\\boxed{5}", "5", 0.0),
        ("c", "\\boxed{7}", "7", 1.0), ("c", "\\boxed{7}", "7", 1.0),
    )  # fmt: skip
    assert list(strata_of(path).values()) == [
        # paid though the referee refuses it: flagged
        "correct/mixed/plain", "wrong/mixed/plain", "correct/mixed/flagged",
        # refused though the referee accepts it: flagged
        "wrong/all_wrong/plain", "wrong/all_wrong/flagged",
        "correct/all_correct/plain", "correct/all_correct/plain",
    ]  # fmt: skip


def test_the_verdicts_may_be_those_of_a_verifier_and_not_those_logged(tmp_path: Path) -> None:
    path = rollouts_file(tmp_path, ("a", "\\boxed{1}", "1", 0.0), ("a", "\\boxed{2}", "1", 0.0))
    assert set(strata_of(path).values()) == {"wrong/all_wrong/flagged", "wrong/all_wrong/plain"}
    judged = strata_of(path, suspect=verifiers.get("math"))
    assert list(judged.values()) == ["correct/mixed/plain", "wrong/mixed/plain"]


def test_a_rollout_without_a_reward_or_a_response_has_no_verdict_to_label(tmp_path: Path) -> None:
    path = rollouts_file(tmp_path, ("a", "\\boxed{1}", "1", None), ("a", "\\boxed{2}", "1", 0.0))
    assert list(strata_of(path).values()) == ["wrong/singleton/plain"]
    unscored = rollouts_file(tmp_path, ("a", "\\boxed{1}", "1", None))
    with pytest.raises(ArgumentError, match="rollouts: expected rewards and responses to label, got none"):
        strata_of(unscored)


def test_an_id_that_is_no_unicode_can_be_filed_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_text('{"prompt_id": "\\ud800", "prompt": "p", "response": "1", "target": "1", "reward": 0}\n')
    assert list(strata_of(path)) == ["\\ud800#0"]


def test_a_stratum_is_read_back_from_its_name() -> None:
    for stratum in (PLAIN, WRONG, LabelStratum("correct", "tied", True)):
        assert LabelStratum.named(str(stratum)) == stratum
    for name in ("wrong/mixed", "right/mixed/plain", "wrong/none/plain", "wrong/mixed/maybe", ""):
        with pytest.raises(ArgumentError, match="stratum: expected verdict/kind/flagged"):
            LabelStratum.named(name)
