from pathlib import Path

import pytest
import torch
from tiny_runs import PROMPTS, tiny_config, tiny_parts, tiny_policy

from rewardgate.training.building import adamw, parts_of, rate_at
from rewardgate.training.options import Optimizer


@pytest.mark.parametrize(
    ("options", "rates"),
    [
        ({}, [2.0, 2.0, 2.0, 2.0]),
        ({"warmup_steps": 2}, [1.0, 2.0, 2.0, 2.0]),
        ({"schedule": "linear"}, [2.0, 1.5, 1.0, 0.5]),
        ({"schedule": "cosine", "warmup_steps": 4}, [0.5, 1.0, 1.5, 2.0]),
        # (1 + cos(pi * k / 4)) / 2 of 2, k = 0..3
        ({"schedule": "cosine"}, [2.0, 1.7071067811865475, 1.0, 0.2928932188134524]),
    ],
)
def test_the_rate_follows_its_schedule(options: dict, rates: list[float]) -> None:
    known = Optimizer(lr=2.0, **options)
    assert [rate_at(step, known, 4) for step in range(1, 5)] == pytest.approx(rates)


def test_vectors_do_not_decay() -> None:
    model = tiny_policy()
    decayed, kept = adamw(model, Optimizer(weight_decay=0.5)).param_groups
    assert (decayed["weight_decay"], kept["weight_decay"]) == (0.5, 0.0)
    assert {one.ndim for one in decayed["params"]} == {2}
    assert {one.ndim for one in kept["params"]} == {1}
    assert sum(len(group["params"]) for group in (decayed, kept)) == len(list(model.parameters()))


def test_what_is_frozen_is_not_optimized() -> None:
    model = tiny_policy()
    model.get_input_embeddings().weight.requires_grad_(False)
    groups = adamw(model, Optimizer()).param_groups
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters())) - 1


def test_the_reference_of_a_given_model_is_what_it_was(tmp_path: Path) -> None:
    parts = parts_of(tiny_config(tmp_path, loss={"beta": 0.1}), **tiny_parts())
    assert parts.reference is not None
    with torch.no_grad():
        for one in parts.model.parameters():
            one.add_(1.0)
    pairs = zip(parts.reference.parameters(), tiny_policy().parameters(), strict=True)
    assert all(torch.equal(one, other) and not one.requires_grad for one, other in pairs)
    assert parts_of(tiny_config(tmp_path), **tiny_parts()).reference is None


def test_long_prompts_are_left_out_and_counted(tmp_path: Path) -> None:
    parts = parts_of(tiny_config(tmp_path, data={"template": "{prompt}", "max_prompt_tokens": 9}), **tiny_parts())
    assert (len(parts.prompts), parts.n_too_long) == (len(PROMPTS), 0)
    assert all(one.token_ids for one in parts.prompts)
