import copy
from typing import Any

import pytest
import torch
from small_models import FAMILIES, small_model
from torch import Tensor

from rewardgate.errors import ArgumentError
from rewardgate.training.sft import Example, Sft, SftConfig

EXAMPLES = [
    Example([1, 5, 6], [7, 8, 2]),
    Example([3], [9, 2]),
    Example([1, 4, 4, 4, 4, 10], [11, 12, 13, 14, 2]),
    Example([7, 7], [2]),
]
FAST = SftConfig(lr=1e-2, warmup_steps=0, batch_size=4)


def model_of(family: str = "Qwen2", **options: Any) -> Any:
    return small_model(family, initializer_range=0.2, **options)


def plain_loss(model: Any, examples: list[Example]) -> Tensor:
    """Mean over all completion tokens of -log p, every row by itself, by all logits."""
    losses = []
    for prompt, completion in examples:
        ids = torch.tensor([[*prompt, *completion]])
        logprobs = model(ids).logits[0, len(prompt) - 1 : -1].log_softmax(-1)
        losses.append(-logprobs.gather(1, torch.tensor(completion)[:, None])[:, 0])
    return torch.cat(losses).mean()


def weights(model: Any) -> Tensor:
    return torch.cat([one.detach().flatten() for one in model.parameters()])


@pytest.mark.parametrize(
    ("family", "token_budget"), [*((family, 8192) for family in FAMILIES), ("Qwen2", 8), ("Qwen2", 1)]
)
def test_a_step_is_that_of_plain_cross_entropy_on_completions(family: str, token_budget: int) -> None:
    model, plain = model_of(family), model_of(family)
    sft = Sft(model, EXAMPLES, SftConfig(lr=1e-2, warmup_steps=0, batch_size=4, token_budget=token_budget))
    done = sft.step()
    optimizer = torch.optim.AdamW(plain.parameters(), lr=1e-2, betas=(0.9, 0.95), weight_decay=0.0)
    loss = plain_loss(plain, EXAMPLES)
    loss.backward()
    loss = loss.detach()
    norm = torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
    optimizer.step()
    assert (done.loss, done.grad_norm) == (pytest.approx(float(loss), rel=1e-5), pytest.approx(float(norm), rel=1e-4))
    assert done.tokens == 3 + 2 + 5 + 1
    # Adam's first step is lr * g / (|g| + eps): where g is next to 0 its rounding decides the sign
    assert (weights(model) - weights(plain)).abs().median() < 1e-6


def test_examples_are_learned_by_heart() -> None:
    model = model_of()
    sft = Sft(model, EXAMPLES, FAST)
    losses = [sft.step().loss for _ in range(40)]
    assert losses[-1] < 0.1 < 1.0 < losses[0]
    assert sft.steps == 40


def test_the_same_seed_gives_the_same_weights_bit_for_bit_and_another_one_others() -> None:
    def learned(seed: int) -> Tensor:
        model = model_of()
        sft = Sft(model, EXAMPLES, SftConfig(lr=1e-2, batch_size=2, seed=seed))
        for _ in range(3):
            sft.step()
        return weights(model)

    assert torch.equal(learned(0), learned(0))
    assert not torch.equal(learned(0), learned(1))


def test_dropout_is_off_whatever_mode_the_model_was_in() -> None:
    model = model_of(attention_dropout=0.5).train()
    first = Sft(model, EXAMPLES, FAST).step()
    assert first == Sft(model_of(), EXAMPLES, FAST).step()


def test_every_epoch_sees_every_example_once_in_an_order_of_its_own() -> None:
    seen: list[int] = []
    model = model_of()
    sft = Sft(model, [Example([1], [3 + number]) for number in range(5)], SftConfig(batch_size=2))
    sft._rows = _Noting(sft._rows, seen)  # type: ignore[assignment]
    for _ in range(6):
        sft.step()
    assert sorted(seen[:5]) == sorted(seen[5:]) == [0, 1, 2, 3, 4]
    assert seen[:5] != seen[5:]


class _Noting:
    def __init__(self, rows: Any, seen: list[int]) -> None:
        self._rows, self._seen = rows, seen

    def of(self, numbers: list[int]) -> Any:
        self._seen.extend(numbers)
        return self._rows.of(numbers)


def test_the_rate_grows_over_the_warm_up_and_then_stays() -> None:
    model = model_of()
    sft = Sft(model, EXAMPLES, SftConfig(lr=1e-3, warmup_steps=3))
    rates = []
    for _ in range(5):
        sft.step()
        rates.append(sft._optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([0.25e-3, 0.5e-3, 0.75e-3, 1e-3, 1e-3])


def test_frozen_parameters_stay_as_they_are() -> None:
    model = model_of(tie_word_embeddings=False)
    for one in model.model.parameters():
        one.requires_grad_(False)
    before = copy.deepcopy(model.model.state_dict())
    sft = Sft(model, EXAMPLES, FAST)
    assert sft.step().grad_norm > 0
    assert all(torch.equal(before[name], value) for name, value in model.model.state_dict().items())


def test_gradients_that_are_not_finite_stop_it_before_the_weights_move() -> None:
    model = model_of()
    sft = Sft(model, EXAMPLES, FAST)
    with torch.no_grad():
        model.lm_head.weight[5, 0] = float("nan")
    before = weights(model)
    with pytest.raises(ArgumentError, match="expected finite gradients, got others at SFT step 1"):
        sft.step()
    assert torch.equal(before.nan_to_num(), weights(model).nan_to_num())


@pytest.mark.parametrize("examples", [[], [Example([], [1])], [Example([1], [2]), Example([1], [])]])
def test_what_cannot_be_learned_is_refused(examples: list[Example]) -> None:
    with pytest.raises(ArgumentError, match="expected"):
        Sft(model_of(), examples)


def test_a_model_that_is_frozen_altogether_is_refused() -> None:
    with pytest.raises(ArgumentError, match="model: expected a parameter that requires a gradient, got none"):
        Sft(model_of().requires_grad_(False), EXAMPLES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": 0.0}, "lr: expected a positive number, got 0.0"),
        ({"lr": float("nan")}, "lr: expected a positive number, got nan"),
        ({"max_grad_norm": -1.0}, "max_grad_norm: expected a positive number, got -1.0"),
        ({"batch_size": 0}, "batch_size: expected at least 1, got 0"),
        ({"warmup_steps": -1}, "warmup_steps: expected at least 0, got -1"),
        ({"weight_decay": -0.1}, "weight_decay: expected a number of at least 0, got -0.1"),
        ({"betas": (0.9, 1.0)}, "betas: expected numbers in [0, 1), got (0.9, 1.0)"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        SftConfig(**options)
    assert str(refused.value) == message
