"""The head by itself: its logits, and what it refuses."""

from math import inf, nan, tanh
from typing import Any

import pytest
import torch

from rewardgate.errors import ArgumentError
from rewardgate.grpo.lm_head import LmHead, check_head_inputs


def test_bias_scale_and_cap_are_applied_in_that_order() -> None:
    head = LmHead(torch.tensor([[2.0], [0.0]]), torch.tensor([1.0, -1.0]), scale=0.5, softcap=2.0)
    # 2 tanh(0.5 (2 * 3 + 1) / 2) and 2 tanh(0.5 (0 - 1) / 2)
    assert head.logits(torch.tensor([3.0])).tolist() == pytest.approx([2 * tanh(1.75), 2 * tanh(-0.25)])


def test_a_head_is_frozen_when_nothing_of_it_is_trained() -> None:
    weight, bias = torch.zeros(2, 1), torch.zeros(2)
    assert LmHead(weight, bias).is_frozen
    assert not LmHead(weight, bias.clone().requires_grad_()).is_frozen
    assert not LmHead(weight.clone().requires_grad_()).is_frozen


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": torch.zeros(3)}, r"weight: expected a floating-point tensor of shape \(V, H\), got \(3,\)"),
        ({"weight": torch.zeros(3, 2, dtype=torch.int8)}, "weight: expected a floating-point tensor"),
        ({"weight": [[1.0]]}, "weight: expected a floating-point tensor of shape .*, got list"),
        ({"bias": torch.zeros(2)}, r"bias: expected shape \(3,\) and dtype torch.float32 as weight, got \(2,\)"),
        ({"bias": torch.zeros(3).bfloat16()}, "bias: expected shape"),
        ({"scale": 0.0}, "scale: expected a finite number other than 0, got 0.0"),
        ({"scale": inf}, "scale: expected a finite number"),
        ({"softcap": 0.0}, "softcap: expected a positive number or None, got 0.0"),
        ({"softcap": nan}, "softcap: expected a positive number or None, got nan"),
    ],
)
def test_what_is_no_head_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        LmHead(**{"weight": torch.zeros(3, 2), **options})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"hidden": torch.zeros(1, 2, 3)},
            r"hidden: expected shape \(1, 2, 2\) by ids and head.weight, got \(1, 2, 3\)",
        ),
        ({"hidden": torch.zeros(1, 2, 2).double()}, "hidden: expected dtype torch.float32 as head.weight, got"),
        ({"ids": torch.zeros(1, 2)}, "ids: expected an integer dtype, got float32"),
        ({"mask": torch.ones(1, 2)}, "mask: expected dtype bool"),
        ({"mask": torch.ones(2, 1).bool()}, r"mask: expected shape \(1, 2\) as ids"),
        ({"ids": torch.tensor([[0, 3]])}, r"ids: expected ids in \[0, 3\) where mask is True, got 3"),
        ({"ids": torch.tensor([[-100, 0]])}, r"ids: expected ids in \[0, 3\) where mask is True, got -100"),
        ({"temperature": 0.0}, "temperature: expected a positive number, got 0.0"),
        ({"temperature": nan}, "temperature: expected a positive number, got nan"),
    ],
)
def test_inputs_that_do_not_fit_the_head_are_refused(changed: dict[str, Any], message: str) -> None:
    fitting: dict[str, Any] = {
        "hidden": torch.zeros(1, 2, 2),
        "ids": torch.tensor([[0, 2]]),
        "mask": torch.ones(1, 2).bool(),
        "head": LmHead(torch.zeros(3, 2)),
        "temperature": 1.0,
    }
    check_head_inputs(**fitting)
    with pytest.raises(ArgumentError, match=message):
        check_head_inputs(**{**fitting, **changed})


def test_ids_under_a_false_mask_may_be_anything() -> None:
    ids, mask = torch.tensor([[-100, 2]]), torch.tensor([[False, True]])
    check_head_inputs(torch.zeros(1, 2, 2), ids, mask, LmHead(torch.zeros(3, 2)), 1.0)
