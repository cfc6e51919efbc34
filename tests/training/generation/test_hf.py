import copy
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from small_models import FAMILIES, VOCABULARY, small_model
from spelled_tokens import END, PAD, Spelled
from torch import nn

from rewardgate.errors import ArgumentError
from rewardgate.training import Sampled, Sampling
from rewardgate.training.generation import HfGenerator
from rewardgate.training.generation.distribution import token_probabilities

PROMPTS = [[1, 5, 6], [3, 4, 5, 6, 7, 8, 60], [9], [10, 11, 12]]
COUNTS = [3, 2, 0, 4]
SAMPLING = Sampling(max_tokens=14)


def model_of(family: str = "Qwen2", **options: Any) -> Any:
    # The usual spread of the weights would leave all tokens about as likely, whatever went before.
    return small_model(family, initializer_range=0.3, **options)


def generate(model: nn.Module, sampling: Sampling = SAMPLING, *, seed: int = 3, **options: Any) -> list[list[Sampled]]:
    return HfGenerator(model, Spelled(), **options).generate(PROMPTS, COUNTS, sampling, seed=seed)


def ids_of(found: list[list[Sampled]]) -> list[list[tuple[int, ...]]]:
    return [[one.token_ids for one in samples] for samples in found]


@torch.no_grad()
def logprobs_alone(model: Any, prompt: list[int], sampled: Sampled, sampling: Sampling) -> list[float]:
    """The row by itself, without a cache and without padding."""
    logits = model(torch.tensor([[*prompt, *sampled.token_ids]])).logits[0, len(prompt) - 1 : -1]
    probabilities = token_probabilities(logits, sampling, torch.tensor([PAD]))
    return probabilities.gather(1, torch.tensor(sampled.token_ids)[:, None])[:, 0].log().tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_logprobs_are_those_of_every_row_alone(family: str) -> None:
    model = model_of(family)
    found = generate(model, token_budget=100)  # two batches, each with prompts of several lengths
    assert list(map(len, found)) == COUNTS
    for prompt, samples in zip(PROMPTS, found, strict=True):
        for sampled in samples:
            assert sampled.logprobs == pytest.approx(logprobs_alone(model, prompt, sampled, SAMPLING), abs=1e-5)


def test_layers_that_see_a_window_are_sampled_like_rows_alone() -> None:
    model = model_of("Mistral", sliding_window=4)
    for prompt, samples in zip(PROMPTS, generate(model), strict=True):
        for sampled in samples:
            assert sampled.logprobs == pytest.approx(logprobs_alone(model, prompt, sampled, SAMPLING), abs=1e-5)


@pytest.mark.parametrize(
    "options", [{"temperature": 0.6}, {"top_p": 0.8}, {"top_k": 4}, {"temperature": 1.5, "top_p": 0.9, "top_k": 20}]
)
def test_logprobs_are_of_the_distribution_that_was_drawn_from(options: dict[str, Any]) -> None:
    model, sampling = model_of(), Sampling(max_tokens=14, **options)
    for prompt, samples in zip(PROMPTS, generate(model, sampling), strict=True):
        for sampled in samples:
            assert sampled.logprobs == pytest.approx(logprobs_alone(model, prompt, sampled, sampling), abs=1e-5)


def test_how_rows_are_batched_decides_no_token() -> None:
    model = model_of()
    assert len({str(ids_of(generate(model, token_budget=budget))) for budget in (1, 60, 1 << 16)}) == 1


def test_the_same_call_gives_the_same_answer_to_the_last_bit() -> None:
    model = model_of()
    assert generate(model) == generate(model)


def test_another_seed_gives_other_completions() -> None:
    model = model_of()
    assert ids_of(generate(model, seed=3)) != ids_of(generate(model, seed=4))


def test_a_larger_group_begins_with_the_smaller_one() -> None:
    generator = HfGenerator(model_of(), Spelled())
    few, many = (generator.generate(PROMPTS, [count] * 4, SAMPLING, seed=0) for count in (2, 5))
    assert [samples[:2] for samples in ids_of(many)] == ids_of(few)


def test_random_numbers_of_the_caller_are_not_used() -> None:
    torch.manual_seed(0)
    first = generate(model_of())
    before = torch.get_rng_state()
    torch.manual_seed(1)
    assert generate(model_of()) == first
    torch.manual_seed(0)
    small_model("Qwen2", initializer_range=0.3)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_completion_ends_with_the_end_token_or_at_its_length() -> None:
    ends = range(2, 8)
    found = [sampled for samples in generate(model_of(), end_ids=ends) for sampled in samples]
    assert {sampled.finish_reason for sampled in found} == {"stop", "length"}
    for sampled in found:
        assert len(sampled.logprobs) == len(sampled.token_ids)
        assert (sampled.token_ids[-1] in ends) == (sampled.finish_reason == "stop")
        assert not set(ends) & set(sampled.token_ids[:-1])
        assert len(sampled.token_ids) == 14 or sampled.finish_reason == "stop"
        assert sampled.text == " ".join(str(one) for one in sampled.token_ids if one != END)


def test_an_end_token_in_the_last_place_is_an_end() -> None:
    samples = HfGenerator(model_of(), Spelled(), end_ids=range(1, VOCABULARY)).generate(
        [[1]], [5], Sampling(max_tokens=1), seed=0
    )
    assert {sampled.finish_reason for sampled in samples[0]} == {"stop"}


class Fixed(nn.Module):
    """The same logits whatever is read, and a cache that counts."""

    def __init__(self, logits: list[float]) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.tensor(logits))
        text = SimpleNamespace(vocab_size=len(logits), max_position_embeddings=64)
        self.config = SimpleNamespace(get_text_config=lambda: text)
        self.read: list[tuple[int, int]] = []

    def forward(self, input_ids: Any, cache: Any = None, logits_to_keep: int = 0, **_: Any) -> Any:
        self.read.append(tuple(input_ids.shape))
        logits = self.logits.expand(len(input_ids), 1, -1)
        return _Output(logits=logits, cache=SimpleNamespace(reorder_cache=lambda rows: None))


class _Output(dict):  # pyright: ignore[reportMissingTypeArgument]
    __getattr__ = dict.__getitem__


def test_the_padding_token_is_never_drawn_and_the_others_make_up_for_it() -> None:
    # Of 0.8, 0.1 and 0.1 the first is padding: the others have a half each.
    model = Fixed([0.8, 0.1, 0.1])
    model.logits.data.log_()
    (samples,) = HfGenerator(model, Spelled()).generate([[1]], [50], Sampling(max_tokens=8), seed=0)
    assert {one for sampled in samples for one in sampled.token_ids} == {1, 2}
    assert {round(value, 6) for sampled in samples for value in sampled.logprobs} == {-0.693147}
    allowed = HfGenerator(model, Spelled(), forbidden_ids=[]).generate([[1]], [50], Sampling(max_tokens=8), seed=0)
    assert PAD in {one for sampled in allowed[0] for one in sampled.token_ids}


def test_finished_rows_are_taken_out() -> None:
    # An end token half of the time: after t tokens about 64 / 2**t rows are left.
    model = Fixed([-50.0, 0.0, 0.0])
    (samples,) = HfGenerator(model, Spelled()).generate([[1, 1]], [64], Sampling(max_tokens=20), seed=0)
    assert model.read[0] == (1, 2)  # the prompt once
    assert model.read[1][0] <= 64
    assert [one for _, one in model.read[1:]] == [1] * (len(model.read) - 1)
    assert sum(rows for rows, _ in model.read[1:]) <= 2 * sum(len(sampled.token_ids) for sampled in samples)
    assert len(model.read) == max(len(sampled.token_ids) for sampled in samples)


def test_logits_that_are_not_finite_are_named_and_not_sampled() -> None:
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ArgumentError, match="model: expected finite logits, got others"):
            HfGenerator(Fixed([0.0, bad, 0.0]), Spelled()).generate([[1]], [1], SAMPLING, seed=0)


def test_the_models_modes_are_as_they_were() -> None:
    model = model_of()
    model.train()
    model.model.layers[0].eval()
    modes = {name: module.training for name, module in model.named_modules()}
    generator = HfGenerator(model, Spelled())
    generator.generate(PROMPTS, COUNTS, SAMPLING, seed=0)
    assert {name: module.training for name, module in model.named_modules()} == modes
    model.lm_head.weight.data.fill_(float("nan"))
    with pytest.raises(ArgumentError):
        generator.generate(PROMPTS, COUNTS, SAMPLING, seed=0)
    assert {name: module.training for name, module in model.named_modules()} == modes
    assert all(parameter.grad is None for parameter in model.parameters())


def test_dropout_is_off() -> None:
    model = model_of(attention_dropout=0.5)
    right = generate(model)
    model.train()
    assert generate(model) == right


def test_shared_weights_are_always_the_newest() -> None:
    model = model_of()
    generator = HfGenerator(model, Spelled())
    assert (generator.policy_version, generator.owns_weights) == (0, False)
    model.load_state_dict(model_of(seed=1).state_dict())
    generator.push(model, policy_version=5)
    assert generator.policy_version == 5
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=3) == generate(model_of(seed=1))
    with pytest.raises(ArgumentError, match="model: expected the one that it was made with, got another; copy=True"):
        generator.push(copy.deepcopy(model), policy_version=6)


def test_a_copy_follows_the_model_only_when_pushed() -> None:
    model = model_of()
    generator = HfGenerator(model, Spelled(), copy=True)
    old = generate(model)
    model.load_state_dict(model_of(seed=1).state_dict())
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=3) == old
    generator.push(model, policy_version=1)
    assert generator.policy_version == 1
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=3) == generate(model)
    with pytest.raises(ArgumentError, match="model: expected one with the parameters of the copy, got others"):
        generator.push(model_of("Llama", hidden_size=32), policy_version=2)
    assert generator.policy_version == 1
    generator.close()
    generator.close()


def test_half_precision_is_sampled_in_float32() -> None:
    model = model_of().to(torch.bfloat16)
    for prompt, samples in zip(PROMPTS, generate(model), strict=True):
        for sampled in samples:
            # Logits in bfloat16 are alike only to their own precision, whatever is done with them afterwards.
            assert sampled.logprobs == pytest.approx(logprobs_alone(model, prompt, sampled, SAMPLING), abs=0.3)
            assert any(value != float(torch.tensor(value).to(torch.bfloat16)) for value in sampled.logprobs)


def test_autocast_computes_in_half_precision() -> None:
    model = model_of()
    mixed = generate(model, autocast="bfloat16")
    whole = generate(model)
    first = [samples[0].logprobs[0] for samples in mixed if samples]
    assert first == pytest.approx([samples[0].logprobs[0] for samples in whole if samples], abs=0.2)
    assert first != [samples[0].logprobs[0] for samples in whole if samples]


def test_nothing_asked_is_nothing_sampled() -> None:
    generator = HfGenerator(model_of(), Spelled())
    assert generator.generate([], [], SAMPLING, seed=0) == []
    assert generator.generate([[1], [2]], [0, 0], SAMPLING, seed=0) == [[], []]


@pytest.mark.parametrize(
    ("prompts", "counts", "seed", "message"),
    [
        ([[1]], [1, 1], 0, "counts: expected 1, one a prompt, got 2"),
        ([[1]], [-1], 0, r"counts\[0\]: expected a whole number >= 0, got -1"),
        ([[1], []], [1, 1], 0, r"prompt_ids\[1\]: expected at least 1 token, got none"),
        ([[61]], [1], 0, r"prompt_ids\[0\]: expected ids in \[0, 61\), got 61"),
        ([[-1]], [1], 0, r"prompt_ids\[0\]: expected ids in \[0, 61\), got -1"),
        ([[1] * 51], [1], 0, r"prompt_ids\[0\]: expected at most 50 tokens \(64 less max_tokens\), got 51"),
        ([[1]], [1], -1, "seed: expected a whole number >= 0, got -1"),
    ],
)
def test_a_call_that_cannot_be_is_refused(prompts: list[list[int]], counts: list[int], seed: int, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        HfGenerator(model_of(), Spelled()).generate(prompts, counts, SAMPLING, seed=seed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"end_ids": []}, "end_ids: expected at least one token, got none"),
        ({"end_ids": [61]}, r"end_ids: expected ids in \[0, 61\), got 61"),
        ({"forbidden_ids": [2]}, "forbidden_ids: expected none that ends a completion, got 2"),
        ({"token_budget": 0}, "token_budget: expected a whole number >= 1, got 0"),
        ({"autocast": "float16"}, "autocast: expected bfloat16 or None, got 'float16'"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        HfGenerator(model_of(), Spelled(), **options)


def test_a_model_without_a_cache_is_refused() -> None:
    model = Fixed([0.0, 0.0, 0.0])
    model.forward = lambda input_ids: None  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ArgumentError, match="model: expected a forward with a cache and logits_to_keep, got Fixed"):
        HfGenerator(model, Spelled()).generate([[1]], [1], SAMPLING, seed=0)
