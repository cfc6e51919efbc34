"""The generator of the offline engine, over a module that stands where vLLM would; see test_vllm_real.py."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from arithmetic_samples import arithmetic_samples, weights_in
from small_models import small_model
from spelled_tokens import END, PAD, Spelled

from rewardgate.errors import ArgumentError, MissingExtraError, WorkerDiedError, WorkerError, WorkerTimeoutError
from rewardgate.training import Sampled, Sampling
from rewardgate.training.generation import VllmGenerator
from rewardgate.training.generation.token_rules import token_rules
from rewardgate.training.generation.vllm_answers import sampling_params

PROMPTS, COUNTS, SAMPLING = [[1, 5], [6, 7, 8], [9]], [3, 0, 2], Sampling(max_tokens=12)
POISON = 60

Build = Callable[..., VllmGenerator]


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    """Generators whose worker finds the stand-in, all closed in the end."""
    support = Path(__file__).resolve().parents[2] / "support"
    monkeypatch.syspath_prepend(support / "sampling_stand_in")
    built: list[VllmGenerator] = []

    def build(*, engine: dict[str, Any] | None = None, **options: Any) -> VllmGenerator:
        built.append(VllmGenerator(small_model("Qwen2"), Spelled(), engine=engine, **options))
        return built[-1]

    yield build
    for generator in built:
        generator.close()


def expected(seed: int, *, model_seed: int = 0) -> list[list[Sampled]]:
    """What arithmetic makes of the weights, prompts and seeds."""
    model, found = small_model("Qwen2", seed=model_seed), []
    weights = float(sum(float(one.detach().abs().sum()) for one in model.parameters()))
    rules = token_rules(model, Spelled())
    for number, (prompt, count) in enumerate(zip(PROMPTS, COUNTS, strict=True)):
        params = sampling_params(SAMPLING, rules, seed, number, count)
        names = ("n", "seed", "max_tokens", "stop_token_ids")
        rows = arithmetic_samples(weights, prompt, **{name: params[name] for name in names})
        found.append([Sampled(tuple(ids), tuple(lps), Spelled().decode(ids), reason) for ids, lps, reason in rows])
    return found


def test_every_prompt_has_its_samples_in_order(build: Build) -> None:
    generator = build()
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=5) == expected(5)
    assert (generator.policy_version, generator.owns_weights, generator.n_restarts) == (0, True, 0)
    assert "vllm" not in sys.modules


def test_a_prompt_has_the_same_samples_whichever_others_are_asked(build: Build) -> None:
    generator = build()
    few = generator.generate(PROMPTS, [2, 1, 0], SAMPLING, seed=0)
    many = generator.generate(PROMPTS, [3, 1, 5], SAMPLING, seed=0)
    assert (few[0], few[1]) == (many[0][:2], many[1])


def test_pushed_weights_are_those_that_sample(build: Build) -> None:
    generator = build()
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)
    generator.push(small_model("Qwen2", seed=1), policy_version=7)
    assert generator.policy_version == 7
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)
    assert expected(4, model_seed=1) != expected(4)


def test_weights_pushed_before_the_engine_has_started_are_those_that_it_starts_with(build: Build) -> None:
    generator = build()
    generator.push(small_model("Qwen2", seed=1), policy_version=1)
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)


def test_a_worker_that_dies_is_replaced_and_finds_the_newest_weights(build: Build, tmp_path: Path) -> None:
    generator = build(engine={"dies_at_first": str(tmp_path / "died")})
    generator.push(small_model("Qwen2", seed=1), policy_version=1)
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)
    assert generator.n_restarts == 1


def test_a_worker_killed_between_two_calls_is_replaced(build: Build) -> None:
    generator = build()
    generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4)
    generator.push(small_model("Qwen2", seed=1), policy_version=1)
    (worker,) = (one for one in generator._workers._processes if one.is_usable())
    worker.interrupt()
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)


def test_one_that_dies_again_and_again_is_named_and_the_next_call_starts_anew(build: Build) -> None:
    generator = build(engine={"at_token": {str(POISON): "die"}}, restarts=1)
    with pytest.raises(WorkerDiedError, match=r"worker: ended during the call \(signal 9\)"):
        generator.generate([[1, POISON]], [1], SAMPLING, seed=0)
    assert generator.n_restarts == 2
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)


def test_an_engine_that_raises_is_named_and_not_asked_again(build: Build) -> None:
    generator = build(engine={"at_token": {str(POISON): "raise"}})
    with pytest.raises(WorkerError, match="RuntimeError: a kernel failed"):
        generator.generate([[1, POISON]], [1], SAMPLING, seed=0)
    assert generator.n_restarts == 0
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)


def test_an_engine_that_hangs_is_killed(build: Build) -> None:
    generator = build(engine={"at_token": {str(POISON): "hang"}}, timeout_s=1.0)
    with pytest.raises(WorkerTimeoutError, match="worker: call ran past 1 s and was killed"):
        generator.generate([[1, POISON]], [1], SAMPLING, seed=0)
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)


def test_an_answer_that_is_none_is_an_error(build: Build) -> None:
    generator = build(engine={"at_token": {str(POISON): "empty"}})
    with pytest.raises(WorkerError, match=r"vLLM: expected a completion .* got 0 tokens"):
        generator.generate([[1, POISON]], [1], SAMPLING, seed=0)


def test_a_prefix_cache_of_older_weights_is_an_error(build: Build) -> None:
    generator = build(engine={"keeps_cache": True})
    generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4)
    with pytest.raises(WorkerError, match="vLLM did not let go of its prefix cache"):
        generator.push(small_model("Qwen2", seed=1), policy_version=1)
    # Its worker is ended; the next one starts with the new weights, and an empty cache.
    assert generator.policy_version == 1
    assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)


def test_a_model_that_cannot_be_loaded_is_an_error_that_says_why(build: Build) -> None:
    with pytest.raises(WorkerError, match="ValueError: no memory for the weights"):
        build(engine={"cannot_load": True}).generate(PROMPTS, COUNTS, SAMPLING, seed=0)


def test_closing_ends_a_call_that_waits_and_leaves_no_weights(build: Build) -> None:
    generator = build(engine={"at_token": {str(POISON): "hang"}}, restarts=5)
    folder = generator._weights.path
    assert weights_in(folder) > 0
    Timer(1.0, generator.close).start()
    with pytest.raises(WorkerDiedError):
        generator.generate([[1, POISON]], [1], SAMPLING, seed=0)
    generator.close()
    assert not folder.parent.exists()
    with pytest.raises(WorkerDiedError):
        generator.generate(PROMPTS, COUNTS, SAMPLING, seed=0)


def test_nothing_asked_starts_nothing(build: Build) -> None:
    generator = build(engine={"cannot_load": True})
    assert generator.generate([], [], SAMPLING, seed=0) == []
    assert generator.generate([[1]], [0], SAMPLING, seed=0) == [[]]


def test_everything_that_a_checkpoint_may_set_is_said() -> None:
    rules = token_rules(small_model("Qwen2"), Spelled())
    params = sampling_params(Sampling(max_tokens=5, temperature=0.7, top_p=0.9, top_k=3), rules, 0, 0, 2)
    neutral = {"min_p": 0.0, "presence_penalty": 0.0, "frequency_penalty": 0.0, "repetition_penalty": 1.0}
    asked = {"n": 2, "max_tokens": 5, "temperature": 0.7, "top_p": 0.9, "top_k": 3, "logprobs": 0}
    ends = {"ignore_eos": True, "stop_token_ids": [END], "logit_bias": {PAD: -100.0}}
    assert {**params, "seed": 0} == {**neutral, **asked, **ends, "seed": 0}
    assert sampling_params(Sampling(max_tokens=5), rules, 0, 0, 2)["top_k"] == 0


def test_without_vllm_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rewardgate.training.generation.vllm_offline.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rewardgate\[vllm\]'"):
        VllmGenerator(small_model("Qwen2"), Spelled())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_model_len": 1}, "max_model_len: expected a whole number >= 2, got 1"),
        ({"timeout_s": 0}, "timeout_s: expected a positive number of seconds, got 0"),
        ({"start_timeout_s": 0}, "start_timeout_s: expected a positive number of seconds, got 0"),
        ({"restarts": -1}, "restarts: expected a whole number >= 0, got -1"),
        ({"end_ids": []}, "end_ids: expected at least one token, got none"),
        ({"engine": {"logprobs_mode": "raw_logits"}}, "engine: expected none that has an argument of its own here"),
        ({"engine": {"quantization": object()}}, "engine: expected plain data, got what JSON cannot carry"),
    ],
)
def test_options_are_checked(build: Build, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        build(**options)


def test_a_prompt_beyond_the_engines_length_is_refused_before_it_is_asked(build: Build) -> None:
    generator = build(max_model_len=13, engine={"cannot_load": True})
    with pytest.raises(ArgumentError, match=r"expected at most 1 tokens \(13 less max_tokens\), got 2"):
        generator.generate([[1, 5]], [1], SAMPLING, seed=0)
