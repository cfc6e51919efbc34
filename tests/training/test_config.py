import pytest
from pydantic import BaseModel, ValidationError

from rewardgate.training import options
from rewardgate.training.config import RunConfig

LEAST = {"folder": "run", "steps": 3, "model": {"path": "policy"}, "data": {"prompts": "prompts.jsonl"}}
SECTIONS = [
    one for one in vars(options).values() if isinstance(one, type) and issubclass(one, BaseModel) and one.model_fields
]


@pytest.mark.parametrize("section", [RunConfig, *SECTIONS], ids=lambda one: one.__name__)
def test_every_option_is_documented(section: type[BaseModel]) -> None:
    told = (section.__doc__ or "").partition("Args:")[2]
    named = {name.strip() for line in told.splitlines() for name in line.partition(":")[0].split(",")}
    assert set(section.model_fields) <= named


def test_the_update_is_told_what_sampling_and_seed_are() -> None:
    built = RunConfig(**LEAST, seed=7, sampling={"temperature": 0.7}, loss={"epsilon_high": 0.28}).update_config()
    assert (built.seed, built.temperature, built.loss.epsilon_high) == (7, 0.7, 0.28)


def test_a_configuration_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RunConfig(**LEAST).steps = 4


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ({"escalation": {"rungs": [[4]]}}, r"escalation.rungs: expected the first to be \[8, None\], got \[4, None\]"),
        ({"escalation": {"rungs": [[8], [16, 1.2]]}, "loss": {"importance": "off"}}, "no temperature .*, got 1.2"),
        ({"signal": {"overlong_buffer": 9}, "sampling": {"max_tokens": 8}}, "overlong_buffer: expected at most"),
        ({"signal": {"gate_options": {"sing": "free"}}}, "sing: expected an option of the gate"),
    ],
)
def test_options_that_exclude_each_other_are_refused(section: dict, problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        RunConfig(**LEAST, **section)
