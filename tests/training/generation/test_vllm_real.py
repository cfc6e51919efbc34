"""The same weights in vLLM and in transformers: the same log-probabilities, whatever is pushed or killed meanwhile.

Run by .ci/vllm.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any

import pytest
import torch
from real_vllm import KEY, SETTINGS, RealServer
from small_models import small_model
from spelled_tokens import PAD, Spelled

from rewardgate.errors import ArgumentError, WorkerDiedError
from rewardgate.training import Sampled, Sampling
from rewardgate.training.generation import VllmGenerator, VllmServerGenerator
from rewardgate.training.generation.distribution import token_probabilities

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(find_spec("vllm") is None, reason="NOT RUN: vLLM is not installed; run .ci/vllm"),
]

TOLERANCE = 1e-5
PROMPTS, COUNTS = [[1, 5, 6], [3, 4, 5, 6, 7, 8], [9], [1, 5, 6]], [3, 0, 8, 2]
SAMPLING = Sampling(max_tokens=20)
SAMPLINGS = [
    SAMPLING,
    Sampling(max_tokens=20, temperature=0.7),
    Sampling(max_tokens=20, top_p=0.8),
    Sampling(max_tokens=20, top_k=5),
    Sampling(max_tokens=20, temperature=1.5, top_p=0.9, top_k=20),
]


def model_of(family: str, seed: int) -> Any:
    # vLLM has no kernel for heads of 8; weights of the usual spread for this width keep logits in the usual range.
    shape = {"hidden_size": 128, "head_dim": 64, "initializer_range": 0.1, "max_position_embeddings": 128}
    return small_model(family, seed=seed, **shape)


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("VLLM_API_KEY", KEY)


@torch.no_grad()
def furthest(model: Any, found: list[list[Sampled]], sampling: Sampling) -> float:
    """The largest difference to the log-probabilities of every row alone, in transformers."""
    differences = [0.0]
    for prompt, samples in zip(PROMPTS, found, strict=True):
        for sampled in samples:
            logits = model(torch.tensor([[*prompt, *sampled.token_ids]])).logits[0, len(prompt) - 1 : -1]
            own = token_probabilities(logits, sampling, torch.tensor([PAD]))
            own = own.gather(1, torch.tensor(sampled.token_ids)[:, None])[:, 0].log()
            differences.append((own - torch.tensor(sampled.logprobs)).abs().max().item())
    return max(differences)


def check(generator: Any, model: Any, name: str) -> None:
    for sampling in SAMPLINGS:
        found = generator.generate(PROMPTS, COUNTS, sampling, seed=1)
        assert list(map(len, found)) == COUNTS
        assert all(PAD not in sampled.token_ids for samples in found for sampled in samples)
        distance = furthest(model, found, sampling)
        print(f"{name} {sampling}: at most {distance:.1e} from transformers")  # noqa: T201
        assert distance <= TOLERANCE


def check_pushed(generator: Any, name: str, old: Any, new: Any) -> None:
    """The weights are the new ones, also behind prompts whose keys and values were held of the old ones."""
    before = generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)
    started = perf_counter()
    generator.push(new, policy_version=5)
    print(f"{name}: pushed in {perf_counter() - started:.2f} s")  # noqa: T201
    after = generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)
    assert generator.policy_version == 5
    assert [[one.token_ids for one in samples] for samples in after] != [
        [one.token_ids for one in samples] for samples in before
    ]
    assert furthest(new, after, SAMPLING) <= TOLERANCE
    assert furthest(old, after, SAMPLING) > 0.1


@pytest.fixture(params=["Qwen2", "Llama"])  # the one's head is tied to its embeddings, the other's is not
def family(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def offline(family: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[VllmGenerator]:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    generator = VllmGenerator(model_of(family, 0), Spelled(), engine={"enforce_eager": True})
    yield generator
    generator.close()


def test_the_offline_engine_samples_from_what_transformers_reproduces(offline: VllmGenerator, family: str) -> None:
    old, new = model_of(family, 0), model_of(family, 1)
    check(offline, old, f"offline {family}")
    found = offline.generate(PROMPTS, COUNTS, SAMPLING, seed=1)
    assert offline.generate(PROMPTS, COUNTS, SAMPLING, seed=1) == found
    assert found[0] != found[3][:2]  # the same prompt at another place has other random numbers
    few = offline.generate(PROMPTS, [1, 0, 8, 0], SAMPLING, seed=1)
    assert [one.token_ids for one in few[2]] == [one.token_ids for one in found[2]]
    check_pushed(offline, f"offline {family}", old, new)
    if family == "Qwen2":
        check_killed(offline, new)


def check_killed(generator: VllmGenerator, newest: Any) -> None:
    right = generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)

    def kill(amid: int) -> None:
        (worker,) = (one for one in generator._workers._processes if one.is_usable())
        killing = Thread(target=worker.interrupt)
        many = [1, 5, 6]
        killing.start()
        generator.generate([many] * amid, [8] * amid, SAMPLING, seed=1)
        killing.join()

    kill(200)
    print(f"killed: {generator.n_restarts} restarts")  # noqa: T201
    again = generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)
    assert [[one.token_ids for one in samples] for samples in again] == [
        [one.token_ids for one in samples] for samples in right
    ]
    assert furthest(newest, again, SAMPLING) <= TOLERANCE
    generator.close()
    with pytest.raises(WorkerDiedError):
        generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)


def test_a_server_samples_from_what_transformers_reproduces_and_is_used_again_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLLM_SERVER_DEV_MODE", "1")
    # A head of its own: a server on a CPU goes on multiplying by the packed copy of a tied one.
    old, new = model_of("Llama", 0), model_of("Llama", 1)
    old.save_pretrained(tmp_path / "old")
    further = ["--logprobs-mode", "processed_logprobs", "--skip-tokenizer-init", "--max-model-len", "128"]
    with RealServer(tmp_path / "old", tmp_path / "vllm.log", pooler=None, further=further) as server:
        options = {"address": server.address, "served_model": "prm"}
        generator = VllmServerGenerator(old, Spelled(), **options)
        check(generator, old, "server")
        check_pushed(generator, "server", old, new)
        pushed = generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)
        server.kill()
        server.launch()
        server.await_start()
        again = generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)
        assert generator.n_restarts == 1
        assert [[one.token_ids for one in samples] for samples in again] == [
            [one.token_ids for one in samples] for samples in pushed
        ]
        assert furthest(new, again, SAMPLING) <= TOLERANCE
        generator.close()


def test_a_server_left_at_its_defaults_is_refused(tmp_path: Path) -> None:
    old = model_of("Llama", 0)
    old.save_pretrained(tmp_path / "old")
    further = ["--skip-tokenizer-init", "--max-model-len", "128"]
    with RealServer(tmp_path / "old", tmp_path / "vllm.log", pooler=None, further=further) as server:
        generator = VllmServerGenerator(old, Spelled(), address=server.address, served_model="prm")
        with pytest.raises(ArgumentError, match="started with --logprobs-mode processed_logprobs"):
            generator.generate(PROMPTS, COUNTS, SAMPLING, seed=1)
