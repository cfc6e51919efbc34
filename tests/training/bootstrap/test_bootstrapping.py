import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from misbehaving import InItsProcess
from scripted_generator import Asked, ScriptedGenerator, numbered_prompts
from small_models import small_model
from tiny_policies import save_tiny_policy

from rewardgate import verifiers
from rewardgate.errors import ArgumentError
from rewardgate.rollouts.records import Group
from rewardgate.training import Sampling
from rewardgate.training.bootstrap import BootstrapConfig, bootstrap
from rewardgate.training.bootstrap.demonstrations import Selection, demonstrated
from rewardgate.training.bootstrap.looks import Look, LookRules, Standing
from rewardgate.training.bootstrap.report import BootstrapReport
from rewardgate.training.generation import HfGenerator
from rewardgate.training.policy import load_policy
from rewardgate.training.prompts import Prompt, PromptEncoder
from rewardgate.training.sft import Example, SftConfig
from rewardgate.verifiers.base import Outcome, Verdict

EXACT = verifiers.get("exact")
CONFIG = BootstrapConfig(
    sampling=Sampling(max_tokens=8),
    looks=LookRules(group_size=4, groups=40),
    sft=SftConfig(lr=1e-3, batch_size=2),
    look_every=3,
    max_steps=9,
)


def selection(n: int = 3) -> Selection:
    found = Selection(per_prompt=4, seen=n)
    for number in range(n):
        found.examples.append(Example((5 + number,), (7, 8, 2)))
        found.prompt_ids.append(f"p{number}")
    return found


def right(asked: Asked) -> str:
    return str(asked.prompt + 100)


class Bootstrapped:
    """A bootstrap with a generator that says `say` at the version of the weights."""

    def __init__(self, say: Callable[[Asked, int], str], *, n_prompts: int = 20, **options: Any) -> None:
        self.model = small_model("Qwen2")
        self.generator = ScriptedGenerator(lambda asked: say(asked, self.generator.policy_version))
        self.looks: list[Look] = []
        self.groups: list[Group] = []
        config, verifier = options.pop("config", CONFIG), options.pop("verifier", EXACT)
        self.report: BootstrapReport = bootstrap(
            self.model,
            numbered_prompts(n_prompts),
            self.generator,
            verifier,
            config,
            on_look=self.looks.append,
            on_group=self.groups.append,
            **options,
        )


def weights(model: Any) -> torch.Tensor:
    return torch.cat([one.detach().flatten() for one in model.parameters()])


def test_it_ends_with_the_first_look_that_is_sure_and_no_step_later() -> None:
    done = Bootstrapped(
        lambda asked, version: right(asked) if version >= 6 and asked.sample == 0 else "no", demonstrations=selection()
    )
    report = done.report
    assert [(look.sft_steps, look.standing) for look in report.looks] == [
        (0, Standing.GO_ON),
        (3, Standing.GO_ON),
        (6, Standing.READY),
    ]
    assert (report.standing, report.sft_steps, report.is_explorable) == (Standing.READY, 6, True)
    assert [loss.sft_steps for loss in report.losses] == [3, 6]
    assert done.generator.pushed == [3, 6]
    assert report.looks == tuple(done.looks)
    assert report.sentence.startswith("Enough support for RL after 6 SFT steps: 100% of groups of 4 are mixed")
    assert (report.examples, report.demonstrated, report.planned_looks) == (3, 3, 4)
    assert report.tokens_learned == 6 * 3 + 3 * 3  # a batch of two and one of one an epoch, three tokens each


def test_a_policy_that_can_explore_learns_nothing() -> None:
    asked_for: list[int] = []

    def rejection() -> Selection:
        asked_for.append(1)
        return selection()

    done = Bootstrapped(
        lambda asked, _: right(asked) if asked.sample else "no", demonstrations=selection(), rejection=rejection
    )
    assert torch.equal(weights(done.model), weights(small_model("Qwen2")))
    assert (done.report.standing, done.report.sft_steps, len(done.report.looks)) == (Standing.READY, 0, 1)
    assert (asked_for, done.report.rejection_sampling, done.report.demonstrated) == ([], None, 0)
    assert "without a step of SFT" in done.report.sentence


def test_not_enough_support_is_a_result_with_its_bound() -> None:
    report = Bootstrapped(lambda asked, _: "no", demonstrations=selection()).report
    assert [look.sft_steps for look in report.looks] == [0, 3, 6, 9]
    assert (report.standing, report.is_explorable) == (Standing.NO_SUPPORT, False)
    # 0 of 40 at the level 0.05 / 4: at most 1 - 0.0125^(1/40) = 10.4 %
    assert "Not enough support for RL after 9 SFT steps: pass@4 is 0.0%, at most 10.4%" in report.sentence


def test_what_is_not_sure_either_way_is_called_undecided() -> None:
    def say(asked: Asked, version: int) -> str:
        return right(asked) if asked.prompt < 5 and not asked.sample else "no"

    report = Bootstrapped(say, demonstrations=selection()).report  # a quarter of the prompts, so never sure of more
    assert (report.standing, report.is_explorable) == (Standing.UNDECIDED, False)
    assert report.sentence.startswith("Support for RL is not shown after 9 SFT steps: 25% of groups of 4 are mixed")


def test_one_lucky_sample_does_not_end_it() -> None:
    def say(asked: Asked, version: int) -> str:
        return right(asked) if version == 3 and asked.prompt == 1 and not asked.sample else "no"

    report = Bootstrapped(say, demonstrations=selection()).report
    assert report.looks[1].pass_at_g.value == 2 / 40  # each of 20 prompts is drawn twice
    assert report.looks[1].standing is Standing.GO_ON


def test_a_policy_that_has_become_too_good_is_told_so() -> None:
    report = Bootstrapped(lambda asked, version: right(asked) if version else "no", demonstrations=selection()).report
    assert (report.standing, report.sft_steps, report.is_explorable) == (Standing.TOO_EASY, 3, True)
    assert "Little is left to explore after 3 SFT steps (look more often, or at a lower lr)" in report.sentence


@pytest.mark.parametrize("has_demonstrations", [True, False])
def test_without_a_verified_example_nothing_is_learned(has_demonstrations: bool) -> None:
    empty = Selection(per_prompt=4)
    empty.refused["incorrect: exact"] = 7
    done = Bootstrapped(
        lambda asked, _: "no",
        demonstrations=empty if has_demonstrations else None,
        rejection=None if has_demonstrations else lambda: empty,
    )
    assert torch.equal(weights(done.model), weights(small_model("Qwen2")))
    assert (done.report.standing, len(done.report.looks)) == (Standing.NO_SUPPORT, 1)
    assert "and no verified example to learn from" in done.report.sentence
    selected = done.report.demonstrations if has_demonstrations else done.report.rejection_sampling
    assert selected is not None
    assert dict(selected.refused) == {"incorrect: exact": 7}


def test_own_successes_are_asked_for_when_they_are_needed_and_learned_beside_the_others() -> None:
    report = Bootstrapped(
        lambda asked, version: right(asked) if version and asked.sample else "no",
        demonstrations=selection(2),
        rejection=lambda: selection(3),
    ).report
    assert report.examples == 5
    assert (report.demonstrations.chosen, report.rejection_sampling.chosen) == (2, 3)
    assert report.demonstrated == 3


def test_a_dead_verifier_ends_it_before_anything_is_learned() -> None:
    class Dead:
        version = "1"

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
            return Verdict(Outcome.ERROR, None, rule="crashed")

    done = Bootstrapped(lambda asked, _: "no", demonstrations=selection(), verifier=Dead())
    assert (done.report.standing, done.report.sft_steps, len(done.looks)) == (Standing.UNDECIDED, 0, 1)
    assert "look at the verifier first" in done.report.sentence


def test_looks_draw_fresh_completions_and_write_them_by_step() -> None:
    done = Bootstrapped(lambda asked, _: "no", demonstrations=selection())
    seeds = [call[3] for call in done.generator.calls]
    assert len(set(seeds)) == len(seeds) == 8  # two batches of prompts a look
    assert {group.rollouts[0].step for group in done.groups} == {0, 3, 6, 9}
    assert len(done.groups) == 4 * 40
    assert len({group.group_id for group in done.groups}) == 160


def test_the_report_survives_json() -> None:
    report = Bootstrapped(lambda asked, _: "no", demonstrations=selection(), named={"model": "tiny"}).report
    text = report.model_dump_json()
    assert BootstrapReport.model_validate_json(text) == report
    assert '"schema_version":"rewardgate.bootstrap/1"' in text


@pytest.mark.parametrize(("every", "most", "planned"), [(3, 9, 4), (4, 9, 4), (20, 9, 2), (1, 3, 4)])
def test_looks_are_planned_beforehand(every: int, most: int, planned: int) -> None:
    config = BootstrapConfig(
        sampling=Sampling(max_tokens=8), looks=LookRules(group_size=2, groups=10), look_every=every, max_steps=most
    )
    assert config.planned_looks == planned
    done = Bootstrapped(lambda asked, _: "no", demonstrations=selection(), config=config)
    assert len(done.looks) == planned
    assert done.report.sft_steps == most


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"look_every": 0}, "look_every: expected at least 1, got 0"),
        ({"max_steps": 0}, "max_steps: expected at least 1, got 0"),
        ({"batch_prompts": 0}, "batch_prompts: expected at least 1, got 0"),
        ({"looks": LookRules(groups=3)}, "groups: expected at least 5 a look"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        BootstrapConfig(sampling=Sampling(max_tokens=8), **options)
    assert message in str(refused.value)


def test_no_prompt_is_refused() -> None:
    with pytest.raises(ArgumentError, match="prompts: expected at least one, got none"):
        Bootstrapped(lambda asked, _: "no", n_prompts=0)


def sums(random: Random, n: int, encoder: PromptEncoder) -> list[Prompt]:
    """`ab+cd=` with sums of two digits or three: a random policy solves one in ten thousand."""
    found = []
    for _ in range(n):
        a, b = random.randint(10, 99), random.randint(10, 99)
        found.append(Prompt(f"{a}+{b}", f"{a}+{b}=", str(a + b), tuple(encoder(f"{a}+{b}="))))
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_policy_without_support_is_brought_into_the_band_and_the_prompts_it_was_not_shown_with_it(
    tmp_path: Path,
) -> None:
    policy = load_policy(save_tiny_policy(tmp_path / "model", hidden_size=64, intermediate_size=128), device="cpu")
    encoder, random = PromptEncoder(policy.tokenizer), Random(0)
    shown, named = sums(random, 2000, encoder), sums(random, 64, encoder)
    named = [one for one in named if one.prompt_id not in {one.prompt_id for one in shown}]
    rows = [_demonstration(one) for one in shown]
    generator = HfGenerator(policy.model, policy.tokenizer)
    config = BootstrapConfig(
        sampling=Sampling(max_tokens=5), sft=SftConfig(lr=3e-3, batch_size=64), look_every=50, max_steps=1500
    )
    report = bootstrap(
        policy.model,
        named,
        generator,
        EXACT,
        config,
        demonstrations=demonstrated(rows, named, EXACT, policy.tokenizer, encoder, per_prompt=4, max_tokens=5),
    )
    first, last = report.looks[0], report.looks[-1]
    assert (first.pass_at_g.value, report.demonstrated) == (0.0, 0)
    assert report.standing is Standing.READY
    assert 0.25 <= last.mixed.low <= last.mixed.value < 0.9
    assert last.kinds.get("all_correct", 0) < 0.1 * last.groups  # inside the band, not beyond it


def _demonstration(prompt: Prompt) -> Any:
    from rewardgate.rollouts.records import Rollout

    return Rollout(prompt_id=prompt.prompt_id, prompt=prompt.prompt, response=str(prompt.target), target=prompt.target)


def test_the_verifiers_process_is_held_from_look_to_look_and_ends_with_the_bootstrap() -> None:
    config = replace(CONFIG, workers=1, batch_prompts=7)
    done = Bootstrapped(lambda asked, version: "no", config=config, verifier=InItsProcess(), demonstrations=selection())
    (process,) = {rollout.meta["detail"] for group in done.groups for rollout in group.rollouts}
    assert len(done.looks) == 4
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)
