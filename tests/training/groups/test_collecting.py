from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiny_runs import PROMPTS, EvenLength, tiny_config

from rewardgate.diagnostics import Pool, PromptPools
from rewardgate.training.base import Sampled, Sampling
from rewardgate.training.escalation import Escalation
from rewardgate.training.folder.ahead import ahead_lines, ahead_state, collected_of
from rewardgate.training.groups.collecting import Collected, Collector
from rewardgate.training.groups.judging import Judging

READY = [replace(one, token_ids=(number + 1,)) for number, one in enumerate(PROMPTS)]


class Scripted:
    """Answers `9`s, as many as the seed and the prompt say; keeps what it was asked."""

    policy_version = 3

    def __init__(self) -> None:
        self.asked: list[tuple[int, int, float, int]] = []

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        found = []
        for ids, count in zip(prompt_ids, counts, strict=True):
            self.asked.append((ids[0], count, sampling.temperature, seed))
            lengths = [1 + (seed + ids[0] * place) % 3 for place in range(count)]
            found.append([Sampled((9,) * n, (-0.1 * n,) * n, "9" * n, "stop") for n in lengths])
        return found

    def push(self, model: Any, *, policy_version: int) -> None: ...

    def close(self) -> None: ...


def collected(step: int, *, pools: PromptPools | None = None, seed: int = 0, **sections: Any) -> Collected:
    known = PromptPools([one.prompt_id for one in READY]) if pools is None else pools
    config = tiny_config(Path("run"), **{"seed": seed, **sections})
    return Collector(config, READY, known, None, Scripted(), Judging(EvenLength())).collect(step)


def drawn(found: Collected) -> list[list[Any]]:
    return [
        [row.model_dump(exclude={"token_ids", "rollout_logprobs"}) for row in one.group.rollouts] for one in found.drawn
    ]


def test_the_same_step_is_the_same_groups_and_another_is_others() -> None:
    assert drawn(collected(1)) == drawn(collected(1))
    assert drawn(collected(1)) != drawn(collected(2))
    assert drawn(collected(1)) != drawn(collected(1, seed=1))


def test_nothing_is_changed_by_collecting() -> None:
    pools = PromptPools([one.prompt_id for one in READY])
    before = pools.state_dict()
    collected(1, pools=pools, dynamic_sampling={"max_batches": 3})
    assert pools.state_dict() == before


def test_every_draw_has_a_seed_of_its_own() -> None:
    generator, pools = Scripted(), PromptPools([one.prompt_id for one in READY])
    config = tiny_config(Path("run"), dynamic_sampling={"keep": ["tied"], "max_batches": 3})
    collector = Collector(config, READY, pools, None, generator, Judging(EvenLength()))
    for step in (1, 2):
        collector.collect(step)
    calls = Counter(seed for *_, seed in generator.asked)
    assert sorted(calls.values()) == [2] * 6  # three rounds of two prompts, twice


def test_a_step_draws_no_prompt_twice_and_ends_when_there_are_no_more() -> None:
    found = collected(1, dynamic_sampling={"keep": ["tied"], "max_batches": 9})
    assert sorted(one.prompt.prompt_id for one in found.drawn) == [one.prompt_id for one in READY]
    assert (found.kept, found.ledger.ended, found.ledger.generated) == ([], {"exhausted": 1}, 6)


def test_without_dynamic_sampling_everything_is_kept_and_counted() -> None:
    found = collected(1, sampling={"group_size": 1})
    assert (found.kept, found.ledger.kept, found.ledger.rounds) == (found.drawn, {"singleton": 2}, 1)
    assert found.ledger.rollouts == found.ledger.rollouts_kept == 2
    assert found.ledger.tokens == sum(one.n_tokens for one in found.drawn)
    assert found.ledger.ended == {"full": 1}


def test_a_batch_for_which_there_are_too_few_prompts_says_so() -> None:
    pools = PromptPools([one.prompt_id for one in READY])
    pools.set_aside([one.prompt_id for one in READY[1:]], Pool.QUARANTINE)
    found = collected(1, pools=pools)
    assert (found.ledger.generated, found.ledger.wanted, found.ledger.ended) == (1, 2, {"exhausted": 1})


def test_escalated_prompts_are_sampled_at_their_own_temperature_and_size() -> None:
    config = tiny_config(Path("run"), sampling={"groups": 6}, escalation={"rungs": [[4], [7, 1.5]], "after_visits": 1})
    assert config.escalation is not None
    escalation, pools = Escalation(config.escalation), PromptPools([one.prompt_id for one in READY])
    for step in range(8):
        pools.update([0.0] * 8, ["p2"] * 8, step=step)
        escalation.update([0.0] * 8, ["p2"] * 8, step=step)
    generator = Scripted()
    found = Collector(config, READY, pools, escalation, generator, Judging(EvenLength())).collect(9)
    assert {(prompt, count, heat) for prompt, count, heat, _ in generator.asked} == {
        (number + 1, *((7, 1.5) if number == 2 else (4, 1.0))) for number in range(6)
    }
    heats = {one.prompt.prompt_id: one.group.rollouts[0].meta.get("temperature") for one in found.drawn}
    assert heats == {**dict.fromkeys(heats), "p2": 1.5}


def test_what_was_sampled_ahead_comes_back_bit_for_bit() -> None:
    found = collected(4, dynamic_sampling={"keep": ["mixed"], "max_batches": 3})
    back = collected_of(ahead_lines(found), ahead_state(found), {one.prompt_id: one for one in READY})
    assert (back.step, back.ledger, back.seconds) == (found.step, found.ledger, found.seconds)
    for mine, theirs in ((back.kept, found.kept), (back.drawn, found.drawn)):
        assert [one.group.group_id for one in mine] == [one.group.group_id for one in theirs]
    assert drawn(back) == drawn(found)
    for mine, theirs in zip(back.drawn, found.drawn, strict=True):
        assert mine.prompt == theirs.prompt
        for one, other in zip(mine.group.rollouts, theirs.group.rollouts, strict=True):
            assert one.token_ids is not None
            assert other.token_ids is not None
            assert (one.token_ids.tobytes(), one.token_ids.dtype) == (other.token_ids.tobytes(), other.token_ids.dtype)
            assert one.rollout_logprobs is not None
            assert other.rollout_logprobs is not None
            assert one.rollout_logprobs.tobytes() == other.rollout_logprobs.tobytes()
