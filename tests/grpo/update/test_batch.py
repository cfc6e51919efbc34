"""What a batch must be, and what is made of padded tensors."""

from typing import Any

import pytest
import torch
from torch import Tensor

from rewardgate.errors import ArgumentError
from rewardgate.grpo.update import UpdateBatch

ONES = torch.ones(2)


def ids(rows: Any) -> list[list[int]]:
    return [torch.as_tensor(row).tolist() for row in rows]


def test_padding_may_be_on_either_side_of_prompts_and_holes_in_completions_are_read() -> None:
    prompts = torch.tensor([[0, 5, 6], [7, 0, 0]])
    completions = torch.tensor([[1, 2, 3, 4], [8, 9, 9, 9]])
    # Row 0: token 1 is a tool's, token 3 was cut off; row 1 is masked altogether.
    mask = torch.tensor([[True, False, True, False], [False] * 4])
    batch = UpdateBatch.padded(prompts, prompts > 0, completions, mask, ONES)
    assert ids(batch.prompt_ids) == [[5, 6], [7]]
    assert ids(batch.completion_ids) == [[1, 2, 3], [8]]
    assert torch.equal(batch.completion_mask, mask)  # type: ignore[arg-type]


def test_equal_prompts_have_one_number() -> None:
    rows = UpdateBatch([[1, 2], [3], [1, 2]], [[4]] * 3, torch.ones(3)).tokens(torch.device("cpu"))
    assert rows.prompt_of == [0, 1, 0]
    assert rows.prompts[0].dtype is torch.int64


def test_short_integers_are_ids_too() -> None:
    rows = UpdateBatch([torch.tensor([1], dtype=torch.int32)], [torch.tensor([2], dtype=torch.int16)], torch.ones(1))
    assert rows.tokens(torch.device("cpu")).fed(0).dtype is torch.int64


def test_padding_may_hold_anything() -> None:
    rollout = torch.tensor([[-1.0, float("nan")], [-1.0, -2.0]])
    batch = UpdateBatch([[1], [1]], [[2], [3, 4]], torch.tensor([1.0, 2.0]), rollout_logprobs=rollout)
    assert len(batch) == 2


def of(**changes: Any) -> dict[str, Any]:
    return {"prompt_ids": [[1], [2]], "completion_ids": [[3], [4, 5]], "advantages": ONES, **changes}


NAN = torch.tensor([[-1.0, 0.0], [-1.0, float("nan")]])


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"prompt_ids": [], "completion_ids": []}, "completion_ids: expected one a prompt of at least one, got 0 of 0"),
        ({"completion_ids": [[3]]}, "completion_ids: expected one a prompt of at least one, got 1 of 2"),
        ({"prompt_ids": [[1], []]}, r"prompt_ids\[1\]: expected shape \(at least 1,\), got \(0,\)"),
        ({"completion_ids": [[3], []]}, r"completion_ids\[1\]: expected shape \(at least 1,\), got \(0,\)"),
        ({"prompt_ids": [torch.ones(1), torch.ones(1)]}, r"prompt_ids\[0\]: expected an integer dtype, got float32"),
        ({"advantages": torch.ones(3)}, r"advantages: expected shape \(2,\) or \(2, 2\), got \(3,\)"),
        ({"advantages": torch.tensor([1.0, float("nan")])}, "advantages: expected finite numbers .* got nan at 1"),
        ({"completion_mask": torch.ones(2, 2)}, "completion_mask: expected dtype bool, got float32"),
        ({"completion_mask": torch.ones(2, 1).bool()}, r"expected shape \(2, at least 2\), got \(2, 1\)"),
        ({"completion_mask": torch.ones(2, 2).bool()}, "expected False beyond the 1 tokens of row 0, got True at 0, 1"),
        ({"rollout_logprobs": torch.zeros(2)}, r"rollout_logprobs: expected shape \(2, 2\) as completion_mask"),
        ({"ref_logprobs": NAN}, "ref_logprobs: expected finite numbers where completion_mask is True, got nan at 1, 1"),
        ({"degenerate": torch.zeros(2)}, "degenerate: expected dtype bool, got float32"),
        ({"group_ids": torch.zeros(3).long()}, r"group_ids: expected shape \(2,\), got \(3,\)"),
    ],
)
def test_what_breaks_a_rule_is_named(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(ArgumentError, match=rule):
        UpdateBatch(**of(**changes))


def test_a_padded_batch_names_what_does_not_fit() -> None:
    ok = torch.ones(2, 2, dtype=torch.int64)
    given: list[Tensor] = [ok, ok > 0, ok, ok > 0, ONES]
    for place, other, rule in [
        (1, ok, "prompt_mask: expected dtype bool"),
        (2, ok[0], r"completion_ids: expected shape \(B, T\)"),
        (3, ok[:, :1] > 0, "completion_mask: expected shape"),
        (1, ok > 1, r"prompt_ids\[0\]: expected shape \(at least 1,\)"),
    ]:
        with pytest.raises(ArgumentError, match=rule):
            UpdateBatch.padded(*[other if number == place else one for number, one in enumerate(given)])
