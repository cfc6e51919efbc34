"""The generator of a server, over one that samples by arithmetic; see test_vllm_real.py."""

from typing import Any

import pytest
from arithmetic_samples import arithmetic_samples
from sampling_server import SamplingServer
from small_models import small_model
from spelled_tokens import Spelled
from stand_in_vllm import stand_in

from rewardgate.errors import ArgumentError, WorkerError
from rewardgate.prm.vllm.attempts import Patience
from rewardgate.training import Sampled, Sampling
from rewardgate.training.generation import VllmServerGenerator
from rewardgate.training.generation.token_rules import token_rules
from rewardgate.training.generation.vllm_answers import sampling_params

PROMPTS, COUNTS, SAMPLING = [[1, 5], [6, 7, 8], [9]], [3, 0, 2], Sampling(max_tokens=12)
PATIENCE = Patience(timeout_s=5.0, patience_s=5.0, attempts=3, first_wait_s=0.01)


def weights_of(model_seed: int) -> float:
    return float(sum(float(one.detach().abs().sum()) for one in small_model("Qwen2", seed=model_seed).parameters()))


def generator_of(server: SamplingServer, **options: Any) -> VllmServerGenerator:
    given = {"address": server.address, "served_model": "prm", "patience": PATIENCE, **options}
    return VllmServerGenerator(small_model("Qwen2"), Spelled(), **given)


def serving(**options: Any) -> Any:
    return stand_in(SamplingServer, weights=weights_of(0), **options)


def expected(seed: int, *, model_seed: int = 0) -> list[list[Sampled]]:
    rules, found = token_rules(small_model("Qwen2"), Spelled()), []
    for number, (prompt, count) in enumerate(zip(PROMPTS, COUNTS, strict=True)):
        params = sampling_params(SAMPLING, rules, seed, number, count)
        names = ("n", "seed", "max_tokens", "stop_token_ids")
        rows = arithmetic_samples(weights_of(model_seed), prompt, **{name: params[name] for name in names})
        found.append([Sampled(tuple(ids), tuple(lps), Spelled().decode(ids), reason) for ids, lps, reason in rows])
    return found


def test_every_prompt_has_its_samples_in_order() -> None:
    with serving() as server:
        generator = generator_of(server)
        assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)
        asked = [body for path, body in server.requests if path == "/v1/completions"][1:]
        assert sorted((body["prompt"], body["n"]) for body in asked) == [([1, 5], 3), ([9], 2)]
        assert {body["return_token_ids"] for body in asked} == {True}
        assert (generator.policy_version, generator.owns_weights) == (0, True)


def test_a_server_that_takes_no_weights_can_still_be_sampled() -> None:
    with serving(takes_weights=False) as server:
        generator = generator_of(server)
        assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)
        with pytest.raises(ArgumentError, match="expected a vLLM server in VLLM_SERVER_DEV_MODE=1"):
            generator.push(small_model("Qwen2", seed=1), policy_version=1)
        with pytest.raises(ArgumentError, match="expected a vLLM server in VLLM_SERVER_DEV_MODE=1"):
            generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4)  # never the older ones under the newer's name
        generator.close()


def test_pushed_weights_are_those_that_sample() -> None:
    with serving() as server:
        generator = generator_of(server)
        generator.push(small_model("Qwen2", seed=1), policy_version=3)
        assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)
        assert (generator.policy_version, generator.n_restarts) == (3, 0)
        generator.close()


@pytest.mark.parametrize("restarts_after", [1, 2, 3])
def test_a_server_that_starts_again_is_given_the_newest_weights_and_asked_anew(restarts_after: int) -> None:
    with serving(restarts_after=restarts_after) as server:
        generator = generator_of(server, concurrency=1)
        generator.push(small_model("Qwen2", seed=1), policy_version=3)
        assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)
        assert generator.n_restarts == 1
        generator.close()


def test_two_that_push_to_one_server_notice_each_other() -> None:
    with serving() as server:
        one, other = generator_of(server), generator_of(server)
        one.push(small_model("Qwen2", seed=1), policy_version=1)
        other.push(small_model("Qwen2", seed=2), policy_version=1)
        assert one.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)
        assert other.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=2)
        assert (one.n_restarts, other.n_restarts) == (1, 1)
        one.close()
        other.close()


def test_a_prefix_cache_of_older_weights_is_an_error() -> None:
    with serving(lets_go=False) as server:
        generator = generator_of(server)
        with pytest.raises(WorkerError, match="vLLM did not let go of its prefix cache"):
            generator.push(small_model("Qwen2", seed=1), policy_version=1)
        server.lets_go = True
        assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4, model_seed=1)
        generator.close()


def test_a_server_that_others_give_weights_all_the_time_is_named() -> None:
    with serving() as server:
        generator = generator_of(server)
        generator.push(small_model("Qwen2", seed=1), policy_version=1)
        server.restarts_always = True
        with pytest.raises(WorkerError, match="has other weights than ours again and again"):
            generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4)
        assert generator.n_restarts >= 2
        generator.close()


def test_log_probabilities_of_another_distribution_are_refused() -> None:
    with (
        serving(tells="raw") as server,
        pytest.raises(ArgumentError, match="started with --logprobs-mode processed_logprobs"),
    ):
        generator_of(server).generate(PROMPTS, COUNTS, SAMPLING, seed=0)


def test_a_model_that_is_not_served_is_refused() -> None:
    with (
        serving() as server,
        pytest.raises(ArgumentError, match=r"served_model: expected one that is served \(prm\), got 'other'"),
    ):
        generator_of(server, served_model="other").generate(PROMPTS, COUNTS, SAMPLING, seed=0)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (500, None),
        ("closed", None),
        (b"no json", "vLLM: unreadable_answer"),
        (b"[]", "vLLM: unreadable_answer"),
        (b'{"choices": []}', "vLLM: wrong_length: expected 3 choices, got 0"),
        (lambda said: {"choices": [{**one, "token_ids": None} for one in said["choices"]]}, "unreadable_answer"),
        (lambda said: {"choices": [{**one, "token_ids": []} for one in said["choices"]]}, "got 0 tokens"),
        (
            lambda said: {"choices": [{**one, "logprobs": {"token_logprobs": [None] * 12}} for one in said["choices"]]},
            "vLLM: expected",
        ),
    ],
)
def test_a_fault_of_the_server_is_asked_again_or_named(fault: Any, message: str | None) -> None:
    with serving() as server:
        generator = generator_of(server, concurrency=1)
        generator.generate(PROMPTS, COUNTS, SAMPLING, seed=0)
        server.faults.append(fault)
        if message is None:
            assert generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4) == expected(4)
        else:
            with pytest.raises(WorkerError, match=message):
                generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4)


def test_a_server_that_is_gone_is_named() -> None:
    with serving() as server:
        generator = generator_of(server, patience=Patience(timeout_s=0.2, patience_s=0.3, first_wait_s=0.05))
    with pytest.raises(WorkerError, match=rf"vLLM: unreachable: {server.address}"):
        generator.generate(PROMPTS, COUNTS, SAMPLING, seed=4)


def test_nothing_asked_asks_nobody() -> None:
    generator = VllmServerGenerator(small_model("Qwen2"), Spelled(), address="http://127.0.0.1:9", served_model="prm")
    assert generator.generate([[1]], [0], SAMPLING, seed=0) == [[]]
