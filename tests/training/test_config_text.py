import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.errors import ArgumentError, InputError
from rewardgate.training.config_text import config_of, config_text, read_config

LEAST = {"folder": "run", "steps": 3, "model": {"path": "policy"}, "data": {"prompts": "prompts.jsonl"}}
TEXT = """
folder = "run"
steps = 3
model.path = "policy"

[data]
prompts = "prompts.jsonl"

[sampling]
group_size = 4
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_file_is_read(file: Path) -> None:
    config = read_config(file)
    assert (config.sampling.group_size, config.sampling.groups, config.data.prompts) == (4, 16, Path("prompts.jsonl"))


def test_changes_are_toml_values_or_plain_text(file: Path) -> None:
    changes = ["sampling.group_size=2", "signal.scorer=arithmetic", "optimizer.lr=1e-4", "update.max_grad_norm=none"]
    config = read_config(file, [*changes, 'signal.gate_options={open_on = ["tied"]}', "data.template=Q: {prompt}=?"])
    assert (config.sampling.group_size, config.signal.scorer, config.optimizer.lr) == (2, "arithmetic", 1e-4)
    assert config.update.max_grad_norm is None
    assert config.signal.gate_config().open_on == ("tied",)
    assert config.data.template == "Q: {prompt}=?"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("sampling.grops=4", "sampling.grops: expected a name of this section, got an unknown one; did you mean gro"),
        ("smapling.groups=4", "smapling: expected .* did you mean sampling?"),
        ("zzz=4", "zzz: expected .* known: folder, steps, seed, model"),
        ("loss.betta=4", "did you mean beta?"),
        ("update.temperature=0.5", "update.temperature: expected it as sampling.temperature"),
        ("sampling.groups=0", "sampling.groups: expected at least 1, got 0"),
        ("sampling.groups=many", 'sampling.groups: expected a valid integer.*, got "many"'),
        ("loss.beta=-1", "loss.beta: expected a number of at least 0, got -1"),
        ("loss.form=clup", "loss.form: expected 'clip', .*, got \"clup\""),
        ("pools.floor=2", "pools.floor: expected a number in"),
        ("model=4", "model: expected a section, got 4"),
        ("signal.gate=shut", 'unknown name "shut"; known: errors'),
        ("dynamic_sampling.max_baches=2", "dynamic_sampling.max_baches: expected .* did you mean max_batches?"),
        ("dynamic_sampling.refill=all", 'dynamic_sampling.refill: expected .batch. or .missing., got "all"'),
    ],
)
def test_what_is_wrong_is_named_with_the_file(file: Path, change: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as raised:
        read_config(file, [change])
    assert str(raised.value).startswith(f"{file}: ")


@pytest.mark.parametrize("change", ["steps", "=4", "a b=4", "sampling..groups=4"])
def test_a_change_without_a_name_is_refused(file: Path, change: str) -> None:
    with pytest.raises(ArgumentError, match="expected name=value"):
        read_config(file, [change])


def test_a_change_within_a_value_is_refused(file: Path) -> None:
    with pytest.raises(ArgumentError, match=r"steps.x: expected a section called steps"):
        read_config(file, ["steps.x=4"])


@pytest.mark.parametrize(("text", "problem"), [(b"steps = ", "expected TOML"), (b"\xff", "expected TOML")])
def test_what_is_no_toml_is_refused(tmp_path: Path, text: bytes, problem: str) -> None:
    path = tmp_path / "run.toml"
    path.write_bytes(text)
    with pytest.raises(InputError, match=problem):
        read_config(path)
    with pytest.raises(InputError, match="expected a readable file"):
        read_config(tmp_path / "none.toml")


def test_what_is_missing_is_told_all_at_once() -> None:
    with pytest.raises(ArgumentError, match=r"folder: expected a value, got none; steps: expected a value, got none"):
        config_of({})


def test_a_section_that_may_be_none_is_read_and_written() -> None:
    config = config_of({**LEAST, "dynamic_sampling": {}, "escalation": {"rungs": [[8], [16, 1.2]]}})
    assert config.dynamic_sampling is not None
    assert config_of(tomllib.loads(config_text(config))) == config
    assert config_of(tomllib.loads(config_text(config_of(LEAST)))).escalation is None


TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=3), TEXTS)
def test_what_is_written_is_read_back_the_same(options: dict, folder: str) -> None:
    config = config_of(
        {**LEAST, "folder": f"x{folder}", "judge": {"options": options}, "update": {"max_grad_norm": "none"}}
    )
    assert config_of(tomllib.loads(config_text(config))) == config
