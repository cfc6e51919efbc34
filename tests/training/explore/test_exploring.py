import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misbehaving import InItsProcess
from scripted_generator import Asked, ScriptedGenerator, numbered_prompts

from rewardgate import verifiers
from rewardgate.audit.report.explore import ExploreReadout
from rewardgate.diagnostics import group_kinds
from rewardgate.errors import ArgumentError
from rewardgate.rollouts import read
from rewardgate.rollouts.records import Group
from rewardgate.rollouts.writing import write_rollouts
from rewardgate.training import Sampling
from rewardgate.training.explore import explore
from rewardgate.training.explore.figures import PromptCounts
from rewardgate.training.explore.report import ExploreReport
from rewardgate.verifiers.base import Outcome, Verdict

EXACT = verifiers.get("exact")
SAMPLING = Sampling(max_tokens=8)


def right(asked: Asked) -> str:
    return str(asked.prompt + 100)


def explored(
    say, *, n: int = 4, group_sizes: Sequence[int] = (4,), temperatures: Sequence[float] = (1.0,), **options
) -> ExploreReport:
    generator = ScriptedGenerator(say)
    options = {"verifier": EXACT, "sampling": SAMPLING, **options}
    return explore(numbered_prompts(n), generator, group_sizes=group_sizes, temperatures=temperatures, **options)


def test_one_sampling_of_the_largest_group_answers_for_every_size() -> None:
    generator = ScriptedGenerator(lambda asked: right(asked) if asked.sample == 0 else "no")
    report = explore(numbered_prompts(3), generator, EXACT, group_sizes=[2, 4], temperatures=[1.0], sampling=SAMPLING)
    assert [counts for _, counts, _, _ in generator.calls] == [[4, 4, 4]]
    small, large = report.settings
    # one success of four: a pair holds it in 3 of 6 cases, all four always do
    assert (small.pass_at_g.value, large.pass_at_g.value) == (0.5, 1.0)
    assert (small.mixed.value, small.all_wrong, small.all_correct) == (0.5, 0.5, 0.0)
    assert (large.mixed.value, large.refill) == (1.0, 1.0)
    # 4 tokens of a right answer, 3 of "no": (4 + 3 * 3) / 4 = 3.25 tokens a rollout
    assert (small.tokens_per_group, small.tokens_per_mixed_group, small.refill) == (6.5, 13.0, 2.0)
    (at,) = report.temperatures
    assert (at.tokens, at.tokens_per_success, at.success.value, at.never_solved) == (39, 13.0, 0.25, 0)


def test_a_verifier_that_fails_is_counted_apart_and_never_as_wrong() -> None:
    class Failing:
        version = "1"

        def verify(self, completion, target, *, prompt=None) -> Verdict:
            if completion == "fail":
                return Verdict(Outcome.ERROR, None, rule="timed_out")
            if completion == "raise":
                raise RuntimeError("boom")
            return Verdict(Outcome.CORRECT, 1.0)

    said = {0: "fail", 1: "raise"}
    report = explored(lambda asked: said.get(asked.sample, "right"), verifier=Failing(), group_sizes=[2, 4])
    (at,) = report.temperatures
    assert (at.rollouts, at.unscored, at.success.value) == (16, 8, 1.0)
    assert dict(at.faults) == {"error: timed_out": 4, "error: raised": 4}
    assert dict(at.outcomes) == {"error": 8, "correct": 8}
    two, four = report.settings
    assert (two.all_correct, two.left_out) == (1.0, 0)
    # two scored rollouts are no group of four, and say nothing of one
    assert (four.prompts, four.left_out, four.mixed.value) == (0, 4, None)
    assert at.readout.prompts[0].verifier_faults == 2
    assert "have no verdict" in report.recommendation.cautions[0]


def test_where_no_verdict_is_known_no_rate_is_and_the_prompts_are_suspect() -> None:
    class Dead:
        version = "1"

        def verify(self, completion, target, *, prompt=None) -> Verdict:
            return Verdict(Outcome.ERROR, None, rule="crashed")

    report = explored(right, verifier=Dead())
    (at,), (setting,) = report.temperatures, report.settings
    assert (at.success.value, at.never_solved, setting.pass_at_g.low, setting.refill) == (None, 0, None, None)
    assert {prompt.is_moved_to for prompt in at.readout.prompts} == {"quarantine"}
    assert "look at the verifier first" in report.recommendation.sentence
    assert "no prompt has 4 scored rollouts" in report.recommendation.arithmetic[0]


def test_format_failures_and_truncation_are_shares_of_their_own() -> None:
    said = ["", "1 or 2", "…", "7…"]
    report = explored(lambda asked: said[asked.sample], verifier=verifiers.get("math"))
    (at,) = report.temperatures
    assert at.truncated.value == 0.5
    assert at.format_failures is not None
    assert at.format_failures.value == 0.75  # two without an answer, one hedge; the fourth is a wrong number
    cautions = " ".join(report.recommendation.cautions)
    assert "50% of rollouts at temperature 1 were cut off" in cautions
    assert "75% of rollouts at temperature 1 commit to no answer" in cautions


def test_a_reward_function_does_not_tell_a_format_failure_from_a_wrong_answer(tmp_path: Path) -> None:
    from rewardgate.verifiers.functions import load_verifier

    path = tmp_path / "graders.py"
    path.write_text("def grade(completion, target):\n    return float(completion == target)\n")
    report = explored(right, n=1, group_sizes=[2], verifier=load_verifier(f"{path}:grade", workers=1))
    (at,) = report.temperatures
    assert at.success.value == 1.0
    assert at.format_failures is None
    assert at.readout.prompts[0].format_failures is None


def test_temperatures_are_sampled_with_the_same_seed_and_batches_with_others() -> None:
    generator = ScriptedGenerator(right)
    explore(
        numbered_prompts(5),
        generator,
        EXACT,
        group_sizes=[2],
        temperatures=[1.2, 0.7, 1.2],
        sampling=Sampling(max_tokens=3, top_p=0.9, top_k=7),
        batch_prompts=2,
        seed=5,
    )
    assert [(names, seed) for names, _, _, seed in generator.calls[:3]] == [([0, 1], 5), ([2, 3], 7), ([4], 9)]
    assert [call[3] for call in generator.calls[:3]] == [call[3] for call in generator.calls[3:]]
    assert [call[2].temperature for call in generator.calls] == [0.7] * 3 + [1.2] * 3
    assert {(call[2].max_tokens, call[2].top_p, call[2].top_k) for call in generator.calls} == {(3, 0.9, 7)}


def test_the_cheapest_setting_that_is_sure_is_recommended_and_the_arithmetic_is_shown() -> None:
    # at 0.5 every eighth rollout is right, at 1.0 every second: both sure of a mixed group of 8
    def say(asked: Asked) -> str:
        return right(asked) if asked.sample % (2 if asked.sampling.temperature == 1.0 else 8) == 0 else "no"

    report = explored(say, n=20, group_sizes=[4, 8], temperatures=[0.5, 1.0])
    advice = report.recommendation
    assert (advice.temperature, advice.group_size) == (1.0, 4)
    by_setting = {(one.temperature, one.group_size): one for one in report.settings}
    assert by_setting[0.5, 4].mixed.value == 0.5  # of 8 with one right, 4 hold it in half of the cases
    line = next(line for line in advice.arithmetic if line.startswith("G 4, temperature 1:"))
    # of 8 with four right, 4 are all wrong with chance 1/70, all correct likewise
    assert "14 tokens a group / 0.971 mixed = 14 tokens a mixed group" in line
    assert "sure of 0.25" in line
    assert "Begin with groups of 4 at temperature 1" in advice.sentence


def test_a_larger_group_is_recommended_only_where_the_smaller_one_is_not_sure() -> None:
    report = explored(lambda asked: right(asked) if asked.sample == 3 else "no", n=20, group_sizes=[2, 16])
    assert report.settings[0].mixed.value == pytest.approx(2 / 16)
    assert (report.recommendation.group_size, report.recommendation.temperature) == (16, 1.0)


def test_no_success_at_all_sends_to_the_bootstrap_with_what_is_still_open() -> None:
    report = explored(lambda asked: "no", n=30, group_sizes=[8])
    (setting,) = report.settings
    assert (setting.pass_at_g.value, setting.pass_at_g.low) == (0.0, 0.0)
    # none of 30 prompts: at most a share 1 - 0.025^(1/30) of prompts passes
    assert setting.pass_at_g.high == pytest.approx(1 - 0.025 ** (1 / 30))
    advice = report.recommendation
    assert (advice.group_size, advice.temperature) == (None, None)
    assert "rates up to 31.2% a prompt are still open after 8 tries each" in advice.sentence
    assert "rewardgate bootstrap" in advice.sentence
    (at,) = report.temperatures
    assert (at.tokens_per_success, at.never_solved) == (None, 30)
    assert at.readout.settled_by == {"0.05": 0, "0.01": 0}


def test_prompts_that_are_all_solved_are_too_easy() -> None:
    report = explored(right, n=30)
    assert "too easy" in report.recommendation.sentence
    assert {prompt.is_moved_to for prompt in report.temperatures[0].readout.prompts} == {"frontier"}


def test_a_size_that_would_do_is_named_by_the_spread_of_rates() -> None:
    # one prompt in ten is solved now and then, the others never: groups of 4 are mixed too rarely
    def say(asked: Asked) -> str:
        return right(asked) if asked.random.random() < 0.03 else "no"

    report = explored(say, n=40, group_sizes=[4])
    assert report.recommendation.group_size is None
    assert "By the spread of success rates at that temperature groups of " in report.recommendation.sentence


def test_groups_are_told_as_they_come_and_are_what_audit_reads(tmp_path: Path) -> None:
    groups: list[Group] = []
    report = explored(
        lambda asked: right(asked) if asked.sample else "no…",
        temperatures=[0.5, 1.0],
        group_sizes=[3],
        on_group=groups.append,
    )
    assert len(groups) == 8
    path = tmp_path / "rollouts.jsonl"
    write_rollouts(path, groups)
    found = list(read(path, tokens=True))
    assert [len(group) for group in found] == [3] * 8
    assert len({group.group_id for group in found}) == 8
    rewards = [rollout.reward for group in found for rollout in group.rollouts]
    kinds = group_kinds(rewards, [group.group_id for group in found for _ in group.rollouts])
    assert {str(kind) for kind in kinds.kinds} == {"mixed"}
    first = found[0].rollouts[0]
    assert (first.truncated, first.n_tokens, first.meta["temperature"], first.prompt) == (True, 2, 0.5, "0+100=")
    assert len(first.rollout_logprobs) == len(first.token_ids) == 2
    assert report.temperatures[0].rollouts == 12


def test_the_report_survives_json_and_its_readouts_are_what_the_ladder_reads() -> None:
    report = explored(lambda asked: right(asked) if asked.sample else "no", named={"model": "tiny"})
    text = report.model_dump_json()
    assert ExploreReport.model_validate_json(text) == report
    assert "NaN" not in text
    readout = ExploreReadout.model_validate_json(report.temperatures[0].readout.model_dump_json())
    assert (readout.settings.policy, readout.n_successes, readout.without_success) == ("tiny", 12, 0)
    assert readout.prompts[0].pass_at == {1: 0.75, 4: 1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "prompts: expected at least one, got none"),
        ({"group_sizes": []}, "group_sizes: expected at least one, got none"),
        ({"group_sizes": [8, 1]}, "group_sizes: expected at least 2 rollouts a group, got 1"),
        ({"temperatures": [1.0, 0.0]}, "temperatures: expected positive numbers, got 0.0"),
        ({"temperatures": [float("inf")]}, "temperatures: expected positive numbers, got inf"),
        ({"least_mixed": 1.0}, "least_mixed: expected a share in (0, 1), got 1.0"),
        ({"batch_prompts": 0}, "batch_prompts: expected at least 1, got 0"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        explored(right, **options)
    assert message in str(refused.value)


REWARDS = st.lists(st.sampled_from([0.0, 1.0, 0.5]), min_size=2, max_size=9)


@given(REWARDS, st.integers(2, 9))
def test_chances_are_the_shares_of_all_subsets(rewards: list[float], size: int) -> None:
    if size > len(rewards):
        return
    counts = PromptCounts("p")
    counts.rewards.update(rewards)
    subsets = list(combinations(rewards, size))
    kinds = [str(group_kinds(subset, [0] * size).kinds[0]) for subset in subsets]
    for kind, chance in counts.all_equal(size).items():
        assert chance == pytest.approx(kinds.count(kind) / len(subsets))


def test_the_verifiers_process_is_held_from_batch_to_batch_and_ends_with_the_exploration() -> None:
    groups: list[Group] = []
    options = {"batch_prompts": 1, "temperatures": (0.5, 1.0), "workers": 1, "on_group": groups.append}
    explored(right, n=3, verifier=InItsProcess(), **options)
    (process,) = {rollout.meta["detail"] for group in groups for rollout in group.rollouts}
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)
