import pytest
from small_models import small_model
from spelled_tokens import Spelled

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.training import Sampling
from rewardgate.training.generation import HfGenerator, VllmGenerator, VllmServerGenerator, generators


def test_every_engine_has_a_name() -> None:
    assert generators.factory("hf") is HfGenerator
    assert generators.factory("vllm") is VllmGenerator
    assert generators.factory("vllm_server") is VllmServerGenerator


def test_an_engine_is_made_of_a_model_a_tokenizer_and_its_options() -> None:
    generator = generators.create("hf", small_model("Qwen2"), Spelled(), token_budget=20)
    assert [len(one) for one in generator.generate([[1], [2]], [2, 1], Sampling(max_tokens=3), seed=0)] == [2, 1]


def test_what_is_no_engine_and_no_option_is_named() -> None:
    with pytest.raises(UnknownNameError, match='generator: unknown name "sglang"; known: hf, vllm, vllm_server'):
        generators.create("sglang", small_model("Qwen2"), Spelled())
    with pytest.raises(
        ArgumentError, match='generator "vllm_server": expected address, served_model among the options'
    ):
        generators.create("vllm_server", small_model("Qwen2"), Spelled())
