import json
from math import nan

import pytest
from pydantic import ValidationError

from rewardgate.audit.report.explore import ExploredPrompt, ExploreReadout, ExploreSettings

PROMPT = ExploredPrompt(
    prompt_id="p",
    sampled=66,
    scored=64,
    successes=2,
    pass_at={1: 0.03125, 64: 1.0},
    low=0.004,
    high=0.108,
    format_failures=5,
    truncated=3,
    verifier_faults=2,
    tokens=12_800,
    tokens_a_success=6_400.0,
    is_moved_to="frontier",
)
READOUT = ExploreReadout(
    rewardgate_version="0",
    settings=ExploreSettings(policy="tiny", temperature=1.2, verifier="math"),
    prompts=(PROMPT,),
    n_sampled=66,
    n_scored=64,
    n_successes=2,
    without_success=0,
    settled_by={"0.05": 0},
    seconds=1.5,
)


def test_a_readout_survives_json_and_names_its_schema() -> None:
    text = READOUT.model_dump_json()
    assert ExploreReadout.model_validate_json(text) == READOUT
    assert json.loads(text)["schema_version"] == "rewardgate.explore/1"


def test_a_number_that_cannot_be_computed_is_null_and_never_nan() -> None:
    prompt = PROMPT.model_copy(update={"successes": 0})
    without = ExploredPrompt.model_validate({**prompt.model_dump(), "tokens_a_success": nan})
    assert without.tokens_a_success is None
    assert "NaN" not in without.model_dump_json()


def test_a_field_that_nobody_declared_is_refused() -> None:
    with pytest.raises(ValidationError, match="extra"):
        ExploredPrompt.model_validate({**PROMPT.model_dump(), "pass_at_k": 1})
