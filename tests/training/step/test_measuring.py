"""Sampler against trainer, and rows of another temperature: what is in the mismatch, in the ratio and in the weight."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_prms import plain_tokenizer
from tiny_runs import PROMPTS, lines_of, tiny_config, tiny_parts, tiny_policy

from rewardgate.grpo import head_of
from rewardgate.rollouts import Group
from rewardgate.training.base import Sampling
from rewardgate.training.generation import HfGenerator
from rewardgate.training.groups.judging import JudgedGroup, Judging
from rewardgate.training.loop import Trainer
from rewardgate.training.prompts import PromptEncoder
from rewardgate.training.step.measuring import measured_mismatch
from rewardgate.verifiers import Outcome, Verdict

MODEL = tiny_policy()
HEAD = head_of(MODEL)


class Wrong:
    """Nothing is right: every prompt climbs."""

    version = "1"

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        return Verdict(Outcome.INCORRECT, 0.0, rule="no", detail="")


def sampled(temperature: float, told: dict[str, Any] | None = None) -> list[JudgedGroup]:
    """Two groups of three, of weights as old as can be."""
    prompts = PromptEncoder(plain_tokenizer()).encoded(PROMPTS[:2])
    drawn = HfGenerator(MODEL, plain_tokenizer()).generate(
        [one.token_ids for one in prompts],
        [3] * 2,
        Sampling(max_tokens=5, temperature=temperature),
        seed=3,
    )
    about: dict[str, Any] = {"policy_version": 0, "step": 1, "ids": ["a", "b"], "meta": [told or {}] * 2}
    return Judging(Wrong()).groups(prompts, drawn, **about)


def shifted(group: JudgedGroup, difference: float) -> JudgedGroup:
    """As if the sampler had given every token another log-probability."""
    rows = [
        row.model_copy(update={"rollout_logprobs": row.rollout_logprobs + difference}) for row in group.group.rollouts
    ]
    return JudgedGroup(group.prompt, Group(group_id=group.group.group_id, rollouts=tuple(rows)))


def config(tmp_path: Path = Path("run"), **sections: Any) -> Any:
    return tiny_config(tmp_path, **sections)


@pytest.mark.parametrize(("temperature", "told"), [(1.0, {}), (1.7, {"temperature": 1.7})])
def test_a_row_is_rescored_at_the_temperature_that_it_was_sampled_at(temperature: float, told: dict[str, Any]) -> None:
    found = measured_mismatch(MODEL, HEAD, sampled(temperature, told), config(), policy_version=0)
    assert found.max_difference < 1e-5
    assert found.kept_mass == pytest.approx(1, abs=1e-5)


def test_a_temperature_that_nobody_told_of_is_a_mismatch() -> None:
    assert measured_mismatch(MODEL, HEAD, sampled(1.7), config(), policy_version=0).mean_difference > 0.05


def test_another_sampler_is_seen_for_what_it_is() -> None:
    # log w = -0.5 at every token: w = e^-0.5 = 0.60653, nothing is capped, and all weigh alike.
    groups = [shifted(one, 0.5) for one in sampled(1.0)]
    found = measured_mismatch(MODEL, HEAD, groups, config(), policy_version=0)
    assert (found.mean_difference, found.max_difference) == (pytest.approx(0.5, abs=1e-4), pytest.approx(0.5, abs=1e-4))
    assert (found.kept_mass, found.capped, found.effective_share) == pytest.approx((0.60653, 0, 1), abs=1e-4)
    # log w = +1: w = e > the cap of 2, every token.
    groups = [shifted(one, -1.0) for one in sampled(1.0)]
    assert measured_mismatch(MODEL, HEAD, groups, config(), policy_version=0).capped == 1.0


def test_so_many_rows_are_measured_of_all_groups_in_turn_and_none_of_older_weights() -> None:
    first, second = sampled(1.0)
    lengths = [len(one.group.rollouts[place].token_ids) for place in (0, 1) for one in (first, second)]
    for count in (1, 2, 3, 4):
        asked = config(monitor={"mismatch_rows": count})
        found = measured_mismatch(MODEL, HEAD, [first, second], asked, policy_version=0)
        assert found.tokens == sum(lengths[:count])
    old = measured_mismatch(MODEL, HEAD, [first, second], config(), policy_version=1)
    assert (old.tokens, old.kept_mass != old.kept_mass) == (0, True)


def test_what_the_trainer_makes_no_number_of_is_no_number_and_no_error() -> None:
    broken = replace(HEAD, weight=torch.full_like(HEAD.weight, float("nan")))
    found = measured_mismatch(MODEL, broken, sampled(1.0), config(), policy_version=0)
    assert (found.tokens, found.mean_difference != found.mean_difference) == (0, True)


def test_a_run_logs_the_mismatch_of_every_step_unless_it_is_told_not_to(tmp_path: Path) -> None:
    Trainer(config(tmp_path / "run", steps=2), **tiny_parts()).run()
    for row in lines_of(tmp_path / "run" / "metrics.jsonl"):
        assert row["mismatch/max_difference"] < 1e-5
        assert row["mismatch/tokens"] > 0
    Trainer(config(tmp_path / "mute", steps=1, monitor={"mismatch_rows": 0}), **tiny_parts()).run()
    assert not [name for name in lines_of(tmp_path / "mute" / "metrics.jsonl")[0] if name.startswith("mismatch/")]


def test_what_is_sampled_a_step_ahead_has_a_lag_and_no_mismatch(tmp_path: Path) -> None:
    Trainer(config(tmp_path / "run", steps=3, generation={"asynchronous": True}), **tiny_parts()).run()
    rows = lines_of(tmp_path / "run" / "metrics.jsonl")
    assert [row["mismatch/tokens"] > 0 for row in rows] == [True, False, False]
    assert [row["update/steps_since_sampled"] for row in rows] == [0, 1, 1]


def test_rows_of_a_hotter_rung_have_a_ratio_of_one_and_their_temperature_in_the_weight(tmp_path: Path) -> None:
    # Nothing is right, so that every prompt is drawn at 2.5 from its second visit on; Sign learns from all of them.
    sections = {
        "escalation": {"rungs": [[4], [4, 2.5]], "after_visits": 1},
        "pools": {"hard_below": 0.5},  # four failures are enough
        "signal": {"estimator": "sign"},
        "sampling": {"groups": 6},
        "optimizer": {"lr": 1e-12},
    }
    trainer = Trainer(config(tmp_path / "run", steps=2, **sections), **tiny_parts(verifier=Wrong()))
    batches = []
    step = trainer.stepper._update.step
    trainer.stepper._update.step = lambda batch: (batches.append(batch), step(batch))[1]
    trainer.run()
    usual, hot = lines_of(tmp_path / "run" / "metrics.jsonl")
    temperatures = {row["meta"]["temperature"] for row in lines_of(tmp_path / "run" / "rollouts" / "step_000002.jsonl")}
    assert temperatures == {2.5}
    for row in (usual, hot):
        assert (row["update/ratio_mean"], row["update/ratio_max"]) == (pytest.approx(1, abs=1e-5),) * 2
        assert row["mismatch/max_difference"] < 1e-5
    assert usual["update/truncated"] == 0
    assert usual["update/sampler_ratio_max"] == pytest.approx(1, abs=1e-5)
    # The weight of a token is pi_1 / pi_2.5 of the weights that sampled, which hardly moved: by a plain softmax.
    expected = []
    for prompt, ids, logprobs in zip(
        batches[1].prompt_ids, batches[1].completion_ids, batches[1].rollout_logprobs, strict=True
    ):
        with torch.no_grad():
            logits = trainer.parts.model(torch.cat([prompt, ids])[None]).logits[0, len(prompt) - 1 : -1].double()
        own = logits.log_softmax(-1).gather(1, ids[:, None])[:, 0]
        at_rung = (logits / 2.5).log_softmax(-1).gather(1, ids[:, None])[:, 0]
        torch.testing.assert_close(at_rung, logprobs[: len(ids)].double(), rtol=0, atol=1e-4)
        expected.append((own - at_rung).exp())
    weights = torch.cat(expected)
    assert hot["update/sampler_ratio_mean"] == pytest.approx(weights.mean().item(), rel=1e-3)
    assert hot["update/truncated"] == pytest.approx((weights > 2).double().mean().item(), abs=1e-6)
    assert hot["update/weight_mean"] == pytest.approx(weights.clamp(max=2).mean().item(), rel=1e-3)


@pytest.mark.parametrize("loss", [{"ratio_against": "rollout"}, {"importance": "off"}])
def test_a_hotter_rung_is_refused_where_its_temperature_would_be_clipped_or_counted_for_nothing(
    loss: dict[str, Any],
) -> None:
    with pytest.raises(Exception, match=r"escalation.rungs: expected no temperature with loss\.\w+ .*, got 1.2"):
        config(escalation={"rungs": [[4], [6, 1.2]]}, loss=loss)
    config(escalation={"rungs": [[4], [6]]}, loss=loss)
