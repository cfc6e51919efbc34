"""Rewards, estimator and trainer inside verl's own code, on a CPU, without Ray.

Needs verl (`pip install -e '.[verl,test]'`, done by .ci/host-verl) and skips itself elsewhere. What needs GPUs, verl's
rollout and update, is not run: the trainer's `_compute_advantage` is, on rows in a queue like verl's.
"""

import asyncio
import json
from functools import cache
from importlib.util import find_spec
from math import nan
from typing import Any

import pytest

if find_spec("verl") is None or find_spec("transfer_queue") is None:
    pytest.skip("NOT RUN: verl is not installed; .ci/host-verl installs it and runs this", allow_module_level=True)

import numpy as np
import torch
from hydra import compose, initialize_config_module
from library_tree import ROOT
from small_tokenizers import byte_level_bpe
from tensordict import TensorDict
from transformers import PreTrainedTokenizerFast
from verl import DataProto
from verl.experimental.reward_loop.reward_manager import get_reward_manager_cls
from verl.trainer.ppo import core_algos
from verl.trainer.ppo.metric_utils import process_validation_metrics
from verl.trainer.ppo.ray_trainer import compute_advantage
from verl.trainer.ppo.reward import load_reward_manager
from verl.trainer.ppo.v1 import get_trainer_cls, trainer_base
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer
from verl.utils.tensordict_utils import list_of_dict_to_tensordict
from verl_queue import Queue

from rewardgate.errors import ArgumentError, RewardgateError
from rewardgate.integrations import verl_trainer

pytestmark = pytest.mark.verl

RIGHT, WRONG, LOST = "5 * 3 = 15.\n\n", "15 - 4 = 12.\n\n", "So 15 - 4 = 12 and 12 + 1 = 13.\n\n"
AS_DOCUMENTED = [
    "reward.reward_manager.name=rewardgate",
    "+rewardgate.verifier=math",
    "trainer.v1.trainer_mode=verigate_sync",
]

FUNCTION_ALONE = [
    "reward.custom_reward_function.path=pkg://rewardgate.integrations.verl",
    "+reward.custom_reward_function.reward_kwargs.verifier=math",
]
GRPO = ["algorithm.adv_estimator=grpo", "actor_rollout_ref.model.path=none"]


@cache
def configured(*overrides: str) -> Any:
    """verl's own configuration, of GRPO, with what a user would add on the command line."""
    with initialize_config_module("verl.trainer.config", version_base=None):
        return compose("ppo_trainer", overrides=[*GRPO, *overrides])


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return PreTrainedTokenizerFast(tokenizer_object=byte_level_bpe(), eos_token="<|im_end|>", pad_token="<|im_end|>")


def response(tokenizer: Any, text: str, target: Any = "11", *, padding: int = 3) -> DataProto:
    """One trajectory as verl's agent loop hands it to a reward worker, padded on the right."""
    prompt = torch.tensor([tokenizer.encode("How many?")])
    ids = [*tokenizer.encode(text), tokenizer.eos_token_id]
    padded = torch.tensor([ids + [tokenizer.pad_token_id] * padding])
    mask = torch.tensor([[1] * (prompt.shape[1] + len(ids)) + [0] * padding])
    columns = {
        "data_source": "gsm8k",
        "reward_model": {"style": "rule", "ground_truth": target},
        "raw_prompt": [{"role": "user", "content": "How many?"}],
        "extra_info": {"index": 0},
    }
    held = {name: np.empty(1, dtype=object) for name in columns}
    for name, value in columns.items():
        held[name][0] = value
    return DataProto(
        batch=TensorDict({"prompts": prompt, "responses": padded, "attention_mask": mask}, batch_size=1),
        non_tensor_batch=held,
    )


def rewarded(config: Any, tokenizer: Any, *rows: DataProto) -> list[dict[str, Any]]:
    """What verl's reward worker gets for rows that are asked about at once."""

    async def ask() -> list[dict[str, Any]]:
        manager = load_reward_manager(config, tokenizer, reward_router_address=None, reward_model_tokenizer=None)
        return await asyncio.gather(*(manager.run_single(row) for row in rows))

    return asyncio.run(ask())


def test_what_is_configured_here_is_what_the_page_prints() -> None:
    page = (ROOT / "docs/integrations.md").read_text(encoding="utf-8")
    assert all(f" {override}" in page for override in (*AS_DOCUMENTED, *FUNCTION_ALONE, GRPO[0]))


def test_verl_knows_our_three_names() -> None:
    assert core_algos.get_adv_estimator_fn("verigate").__module__ == "rewardgate.integrations.verl_estimator"
    assert get_trainer_cls("verigate_sync") is verl_trainer.GatedTrainerSync
    assert get_reward_manager_cls("rewardgate").__name__ == "GateRewardManager"


def test_verls_own_manager_takes_our_function_by_its_address(tokenizer: Any) -> None:
    config = configured(*FUNCTION_ALONE)
    right, wrong, unknown = rewarded(
        config,
        tokenizer,
        response(tokenizer, r"\boxed{11}"),
        response(tokenizer, r"\boxed{12}"),
        response(tokenizer, r"\boxed{11}", None),
    )
    assert [found["reward_score"] for found in (right, wrong, unknown)] == [1.0, 0.0, 0.0]
    assert [found["reward_extra_info"]["rewardgate_unscored"] for found in (right, wrong, unknown)] == [0.0, 0.0, 1.0]


def test_the_manager_scores_the_steps_of_wrong_responses_on_their_own_tokens(tokenizer: Any) -> None:
    text = RIGHT + WRONG + r"So \boxed{12}."
    wrong, right = rewarded(
        configured(*AS_DOCUMENTED), tokenizer, response(tokenizer, text), response(tokenizer, RIGHT + r"\boxed{11}")
    )
    assert (wrong["reward_score"], right["reward_score"]) == (0.0, 1.0)
    assert right["reward_extra_info"]["rewardgate_steps"] == ""  # its group is mixed or all right: closed either way
    steps = json.loads(wrong["reward_extra_info"]["rewardgate_steps"])
    assert steps["scores"][:2] == [1.0, 0.0]
    ids = [*tokenizer.encode(text), tokenizer.eos_token_id]
    assert sum(tokens for _, tokens in steps["runs"]) == len(ids)
    first = steps["runs"][0][1]
    assert steps["runs"][0][0] == 0
    assert tokenizer.decode(ids[:first]).strip() == RIGHT.strip()
    assert steps["runs"][-1] == [-1, 1]  # the end token belongs to no step


@pytest.mark.parametrize(
    ("overrides", "stands"),
    [(AS_DOCUMENTED, 0.0), ([*AS_DOCUMENTED[:2], "algorithm.adv_estimator=verigate"], nan)],
)
def test_an_unknown_reward_is_what_the_reader_leaves_out(tokenizer: Any, overrides: list[str], stands: float) -> None:
    (found,) = rewarded(configured(*overrides), tokenizer, response(tokenizer, "11", None))
    assert found["reward_score"] == pytest.approx(stands, nan_ok=True)
    assert found["reward_extra_info"]["rewardgate_unscored"] == 1.0


def test_under_an_estimator_of_verls_an_unknown_reward_gives_its_group_up(tokenizer: Any) -> None:
    with pytest.raises(RewardgateError, match=r"reward: unknown \(bad_target"):
        rewarded(configured(*AS_DOCUMENTED[:2]), tokenizer, response(tokenizer, "11", None))


def test_verl_makes_validation_figures_of_what_we_return(tokenizer: Any) -> None:
    texts = [(r"\boxed{11}", "11"), (WRONG, "11"), ("11", None)]
    found = rewarded(configured(*AS_DOCUMENTED), tokenizer, *(response(tokenizer, *row) for row in texts))
    infos = [entry["reward_extra_info"] for entry in found]
    columns = {name: [info[name] for info in infos] for name in infos[0]}
    figures = process_validation_metrics(["gsm8k"] * 3, ["p"] * 3, columns)["gsm8k"]
    assert set(figures) == {"score", "acc", "rewardgate_unscored"}
    assert figures["acc"]["mean@2"] == 0.5  # of the two that are known


def test_scores_of_a_batch_land_on_the_last_token_of_each_response(tokenizer: Any) -> None:
    data = DataProto.concat([response(tokenizer, "a b", padding=2), response(tokenizer, "a b", padding=2)])
    scores = get_reward_manager_cls("rewardgate").assemble_rm_scores(data, [1.0, nan])
    length = int(data.batch["attention_mask"][0].sum()) - data.batch["prompts"].shape[1]
    assert scores[0].nonzero().tolist() == [[length - 1]]
    assert scores[1].isnan().nonzero().tolist() == [[length - 1]]


def batch_of(rewards: list[float], uids: list[str]) -> DataProto:
    """Rewards as verl's trainer holds them before it computes advantages: on the last token."""
    scores = torch.zeros(len(rewards), 4)
    scores[:, -1] = torch.tensor(rewards)
    return DataProto(
        batch=TensorDict({"token_level_rewards": scores, "response_mask": torch.ones(len(rewards), 4)}, [len(rewards)]),
        non_tensor_batch={"uid": np.array(uids, dtype=object)},
    )


def advantages_of(estimator: str, rewards: list[float], uids: list[str]) -> list[float]:
    config = configured().algorithm
    data = compute_advantage(batch_of(rewards, uids), adv_estimator=estimator, config=config)
    return data.batch["advantages"][:, 0].tolist()


def test_our_estimator_in_verls_hands_is_its_grpo_where_outcomes_differ() -> None:
    rewards, uids = [1.0, 0.0, 0.0, 0.25, 1.0, 1.0, 0.0, 0.5], list("ppppqqqq")
    assert advantages_of("verigate", rewards, uids) == pytest.approx(advantages_of("grpo", rewards, uids), abs=1e-6)


def test_one_unknown_reward_costs_verls_grpo_its_group_and_ours_nothing() -> None:
    rewards, uids = [1.0, nan, 0.0, 0.0], list("pppp")
    assert np.isnan(advantages_of("grpo", rewards, uids)).all()
    without = advantages_of("grpo", [1.0, 0.0, 0.0], list("ppp"))
    found = advantages_of("verigate", rewards, uids)
    assert [found[0], *found[2:]] == pytest.approx(without, abs=1e-6)
    assert found[1] == 0.0


def test_equal_rewards_make_phantom_advantages_in_verls_grpo_and_none_in_ours() -> None:
    assert max(map(abs, advantages_of("grpo", [0.3] * 16, ["p"] * 16))) > 0.01
    assert advantages_of("verigate", [0.3] * 16, ["p"] * 16) == [0.0] * 16


class Rows:
    """A batch in the queue, and verl's trainer over it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *overrides: str) -> None:
        self.queue = Queue()
        self.monkeypatch = monkeypatch
        self.trainer = get_trainer_cls("verigate_sync")(configured(*AS_DOCUMENTED, *overrides))
        self.keys: list[str] = []
        self.metrics: dict[str, Any] = {}

    def add(self, uid: str, info: dict[str, Any], length: int, *, output: int = 0, session: int | None = None) -> str:
        """A row as verl's agent loop writes it; its key."""
        number = len(self.keys) if session is None else session
        key = f"{uid}_{number}_{output}"
        scores = torch.zeros(length)
        scores[-1] = info["score"]
        mask = torch.ones(length, dtype=torch.int64)
        row = {"uid": uid, "extra_fields": {"reward_extra_info": info}, "response_mask": mask, "rm_scores": scores}
        fields = list_of_dict_to_tensordict([{**row, "loss_mask": mask.clone()}])
        self.queue.kv_batch_put([key], "train", fields, [{"seq_len": length}])
        self.keys.append(key)
        return key

    def advantages(self) -> dict[str, list[float]]:
        """Of each row, after verl's step 7."""
        self.monkeypatch.setattr(trainer_base, "tq", self.queue)
        self.monkeypatch.setattr(verl_trainer, "tq", self.queue)
        tags = [self.queue.tags[key] for key in self.keys]
        batch = trainer_base.KVBatchMeta(keys=self.keys, tags=tags, partition_id="train", extra_info={"temperature": 1})
        after = self.trainer._compute_advantage(batch, self.metrics)
        assert after.keys == self.keys
        assert len({tuple(sorted(row)) for row in self.queue.rows.values()}) == 1, "a field that some rows lack"
        return {key: self.queue.rows[key]["advantages"].tolist() for key in self.keys}


def info(score: float | None, steps: str = "") -> dict[str, Any]:
    return {"score": score or 0.0, "rewardgate_unscored": float(score is None), "rewardgate_steps": steps}


STEPS = '{"scores":[1.0,0.0],"runs":[[0,2],[1,2]]}'


def test_the_trainer_is_verls_synchronous_one_with_its_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Rows(monkeypatch).trainer
    assert trainer.trainer_mode == "sync"
    assert type(trainer.replay_buffer) is ReplayBuffer
    assert trainer.parameter_sync_step == 1


def test_mixed_groups_keep_verls_advantages_and_wrong_ones_get_those_of_their_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = Rows(monkeypatch, "actor_rollout_ref.rollout.n=2")
    right, wrong = rows.add("p", info(1.0), 3), rows.add("p", info(0.0, STEPS), 4)
    lost, silent = rows.add("q", info(0.0, STEPS), 4), rows.add("q", info(0.0), 2)
    found = rows.advantages()
    # (1 - 1/2) / (0.7071 + 1e-6), std with ddof 1.
    assert found[right] == pytest.approx([0.70710578] * 3)
    assert found[wrong] == pytest.approx([-0.70710578] * 4)
    assert found[lost][:2] == [0.0, 0.0]
    assert found[lost][2:] == pytest.approx([-0.70710578] * 2, abs=1e-6)  # scaled to the mixed group beside it
    assert found[silent] == [0.0, 0.0]
    assert rows.metrics["gate/groups/opened"] == 0.5
    assert rows.metrics["gate/rows/unscored"] == 0.0


@pytest.mark.parametrize("estimator", ["grpo", "grpo_vectorized", "rloo", "rloo_vectorized", "verigate"])
def test_a_row_without_an_outcome_is_as_if_it_were_not_there(monkeypatch: pytest.MonkeyPatch, estimator: str) -> None:
    override = f"algorithm.adv_estimator={estimator}"
    with_it, without = Rows(monkeypatch, override), Rows(monkeypatch, override)
    unknown = with_it.add("p", info(None, STEPS), 4)
    for rows in (with_it, without):
        for score, length in ((1.0, 3), (0.0, 4), (0.0, 2)):
            rows.add("p", info(score), length)
    found, expected = with_it.advantages(), without.advantages().values()
    assert found.pop(unknown) == [0.0] * 4
    for one, other in zip(found.values(), expected, strict=True):
        assert one == pytest.approx(other, abs=1e-6)
    assert with_it.metrics["gate/rows/unscored"] == 0.25
    for name in ("response_mask", "loss_mask"):
        assert with_it.queue.rows[unknown][name].tolist() == [0] * 4
        assert [int(with_it.queue.rows[key][name].sum()) for key in found] == [3, 4, 2]


def test_a_batch_without_any_outcome_trains_on_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(monkeypatch)
    rows.add("p", info(None), 3)
    rows.add("p", info(None), 2)
    assert list(rows.advantages().values()) == [[0.0] * 3, [0.0] * 2]
    assert rows.metrics["gate/groups/unscorable"] == 1.0
    assert [int(row["loss_mask"].sum()) for row in rows.queue.rows.values()] == [0, 0]


def test_equal_partial_credit_makes_no_phantom(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(monkeypatch, "actor_rollout_ref.rollout.n=16")
    for _ in range(16):
        rows.add("p", info(0.3), 2)
    assert all(values == [0.0, 0.0] for values in rows.advantages().values())


def test_verls_padding_is_in_no_group_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(monkeypatch)
    rows.add("p", info(0.0, STEPS), 4)
    rows.add("p", info(0.0), 2)
    padding = rows.add("padf00", info(0.0, STEPS), 1)
    rows.queue.tags[padding]["is_padding"] = True
    rows.queue.rows[padding]["response_mask"] = torch.zeros(1, dtype=torch.int64)
    assert rows.advantages()[padding] == [0.0]
    assert rows.metrics["gate/groups/all_wrong"] == 1.0


def test_a_session_of_several_outputs_is_judged_once_by_its_last(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(monkeypatch)
    first = rows.add("p", info(0.0, STEPS), 4, session=0)
    last = rows.add("p", info(0.0, STEPS), 4, session=0, output=1)
    rows.add("p", info(0.0), 3, session=1)
    found = rows.advantages()
    assert found[first] == [0.0] * 4
    assert found[last][2] < 0
    assert rows.metrics["gate/rows/asked"] == 0.5


def test_kl_in_the_reward_moves_no_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(monkeypatch, "algorithm.use_kl_in_reward=True")
    for length in (4, 2):
        key = rows.add("p", info(0.0, STEPS), length)
        rows.queue.rows[key]["old_log_probs"] = torch.full((length,), -1.0)
        rows.queue.rows[key]["ref_log_prob"] = torch.full((length,), -1.5)
    unknown = rows.add("p", info(None), 3)
    rows.queue.rows[unknown]["old_log_probs"] = rows.queue.rows[unknown]["ref_log_prob"] = torch.zeros(3)
    rows.advantages()
    assert rows.metrics["gate/groups/all_wrong"] == 1.0
    assert rows.metrics["gate/groups/opened"] == 1.0


def test_an_estimator_with_a_critic_and_a_reward_that_is_not_ours_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match=r"algorithm\.adv_estimator: expected one centred on the group"):
        Rows(monkeypatch, "algorithm.adv_estimator=gae")
    rows = Rows(monkeypatch)
    rows.add("p", {"score": 1.0, "acc": 1.0}, 2)
    with pytest.raises(ArgumentError, match=r"set reward\.reward_manager\.name=rewardgate"):
        rows.advantages()
