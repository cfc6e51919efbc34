"""The learning experiment on policies that know nothing: that each part of it is what it is said to be."""

import json
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
import torch

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def learning() -> Iterator[ModuleType]:
    sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "learning")]
    import learning  # type: ignore[import-not-found]

    yield learning
    del sys.path[:2]


@pytest.fixture(scope="module")
def folder(learning: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Checkpoints of random weights."""
    from policy import Characters, new_policy, save  # type: ignore[import-not-found]
    from tasks import TASKS  # type: ignore[import-not-found]

    made = tmp_path_factory.mktemp("checkpoints")
    for name, task in TASKS.items():
        save(new_policy(len(Characters(task.alphabet)), seed=0), made / f"{name}0.safetensors")
    return made


@pytest.fixture
def judged(learning: ModuleType) -> Any:
    """Two prompts; of the first one of two completions is right, of the second none, one line of it being wrong."""
    from judging import Group, Judged, Row
    from policy import END, Characters
    from tasks import TASKS

    task = TASKS["totals"]
    characters = Characters(task.alphabet)

    def row(prompt: str, text: str) -> Any:
        ids = [*characters.encode(text), END]
        return Row(prompt, ids, [0.0] * len(ids), text, True, float(text == task.answer(prompt)))

    first, second = "47+8=", "18+5+4="
    groups = [
        Group([row(first, "55\n"), row(first, "45\n")]),
        Group([row(second, "13\n17\n"), row(second, "13\n18\n")]),
    ]
    return Judged(groups, task, task.scorer)


@pytest.mark.parametrize("name", ["totals", "insertion"])
def test_right_answers_are_right_line_by_line_and_taught_ones_where_the_teacher_has_no_fault(
    learning: ModuleType, name: str
) -> None:
    import insertion  # type: ignore[import-not-found]
    import totals  # type: ignore[import-not-found]
    from tasks import TASKS

    task, random = TASKS[name], Random(0)
    module = {"totals": totals, "insertion": insertion}[name]
    for difficulty in (1, 2, 3, 4):
        prompt = task.prompt(random, difficulty, 0)
        lines = task.answer(prompt).splitlines(keepends=True)
        (scores,) = task.scorer.score([step_row(prompt, lines)])
        assert [score.value for score in scores] == [1.0] * len(lines)
        assert module.taught(prompt, random, fault_rate=0.0) == task.answer(prompt)
        # Every hard step fails a teacher that always makes its fault, and no other step does.
        faulty = module.taught(prompt, random, fault_rate=1.0).splitlines(keepends=True)
        (scores,) = task.scorer.score([step_row(prompt, faulty)])
        if name == "totals":  # an insertion into a line that is out of order may be hard or not
            assert sum(score.value == 0 for score in scores) >= 1
        assert faulty != lines


def step_row(prompt: str, lines: list[str]) -> Any:
    from rewardgate.prm import StepRow

    return StepRow(prompt, tuple(lines))


def test_a_prompt_has_the_carries_that_it_was_asked_for(learning: ModuleType) -> None:
    import totals

    for carries in range(5):
        start, *operands = totals.prompt(Random(carries), carries=carries).rstrip("=").split("+")
        total, found = int(start), 0
        for operand in map(int, operands):
            found += total % 10 + operand >= 10
            total += operand
        assert found == carries


def test_a_line_is_judged_by_the_line_before_it_and_not_by_the_truth(learning: ModuleType) -> None:
    from tasks import TASKS

    (scores,) = TASKS["totals"].scorer.score([step_row("47+8+3=", ["45\n", "48\n", "51\n"])])
    assert [score.value for score in scores] == [0.0, 1.0, 0.0]  # 47 + 8 = 55; 45 + 3 = 48; there is no third operand
    (scores,) = TASKS["insertion"].scorer.score([step_row("dbc=", ["db\n", "cdb\n", "cdb\n"])])
    assert [score.value for score in scores] == [0.0, 1.0, 0.0]  # b before d; c before the first letter behind it


def test_no_held_out_prompt_is_trained_on_and_none_is_held_out_twice(learning: ModuleType) -> None:
    from tasks import TASKS, held_out, training_prompts

    for task in TASKS.values():
        held = held_out(task, 3)
        assert len(held.all) == sum(map(len, (held.curve, held.tuning, held.usual, held.natural, held.longer)))
        draw = training_prompts(task, 3, 0, held.all)
        assert held.all.isdisjoint(draw() for _ in range(500))


def test_sampled_log_probabilities_are_those_of_the_model(learning: ModuleType, folder: Path) -> None:
    from policy import END, Characters, load
    from sampling import sample  # type: ignore[import-not-found]
    from tasks import TASKS

    characters = Characters(TASKS["totals"].alphabet)
    model = load(len(characters), folder / "totals0.safetensors")
    prompts = [characters.encode(prompt) for prompt in ("47+8+3=", "90+1+2=")]
    generator = torch.Generator().manual_seed(0)
    found = sample(model, prompts, 16, max_tokens=12, generator=generator, temperature=1.3)
    whole = torch.cat([torch.tensor(prompts).repeat_interleave(16, 0), found.ids], 1)
    with torch.no_grad():
        logits = model(input_ids=whole).logits[:, len(prompts[0]) - 1 : -1] / 1.3
    expected = logits.log_softmax(-1).gather(2, found.ids[..., None])[..., 0]
    torch.testing.assert_close(found.logprobs[found.mask], expected[found.mask], atol=1e-5, rtol=0)
    # Behind an end nothing is sampled, and a row that did not end used all that it might.
    lengths = found.mask.sum(1)
    assert found.ended.any()
    assert (found.ids.gather(1, (lengths - 1)[:, None])[:, 0] == END).equal(found.ended)
    assert (lengths[~found.ended] == 12).all()


def test_the_tokenizer_has_the_ids_of_the_characters(learning: ModuleType) -> None:
    from policy import Characters
    from tasks import TASKS

    for task in TASKS.values():
        characters, text = Characters(task.alphabet), task.alphabet + task.alphabet[::-1]
        tokenizer = characters.tokenizer()
        assert tokenizer.encode(text) == characters.encode(text)
        assert tokenizer.decode(characters.encode(text)) == characters.decode(characters.encode(text)) == text


def test_a_noisy_scorer_errs_as_often_as_said_and_always_alike(learning: ModuleType) -> None:
    from scorers import scorer_named  # type: ignore[import-not-found]
    from tasks import TASKS

    task, random = TASKS["totals"], Random(0)
    prompts = [task.prompt(random, None, 0) for _ in range(400)]
    rows = [step_row(prompt, task.answer(prompt).splitlines(keepends=True)) for prompt in prompts]
    noisy = scorer_named("noisy_20", task, seed=0)
    values = [score.value for scores in noisy.score(rows) for score in scores]
    assert values == [score.value for scores in noisy.score(rows) for score in scores]
    assert 0.17 < values.count(0.0) / len(values) < 0.23  # 2,000 steps: 0.2 ± 0.018 is two standard deviations


def test_other_scorers_are_silent_behind_an_error_look_to_the_end_or_believe_what_looks_right(
    learning: ModuleType,
) -> None:
    from scorers import scorer_named
    from tasks import TASKS

    task = TASKS["totals"]
    row = step_row("47+8+3=", ["45\n", "48\n"])
    assert [score.value for score in scorer_named("first_error", task, seed=0).score([row])[0]] == [0.0, 0.0]
    short, whole = (step_row("47+8+3=", lines) for lines in (["55\n"], ["55\n", "58\n"]))
    assert [score.value for score in task.scorer.score([short])[0]] == [1.0]
    to_the_end = scorer_named("to_the_end", task, seed=0)
    assert [[score.value for score in scores] for scores in to_the_end.score([short, whole])] == [[0.0], [1.0, 1.0]]
    row = step_row("47+8+3=", ["97\n", "98\n", "99\n"])
    assert [score.value for score in scorer_named("hackable", task, seed=0).score([row])[0]] == [1.0, 1.0, 1.0]


def test_outcome_arms_are_silent_in_an_all_wrong_group_and_gated_ones_are_not(
    learning: ModuleType, judged: Any
) -> None:
    from arms import ARMS, Memory  # type: ignore[import-not-found]

    plain = ARMS["grpo"].credit(judged, Memory())
    assert plain[0] > 0 > plain[1]
    assert plain[2:].tolist() == [0.0, 0.0]
    gated = ARMS["vg_none"].credit(judged, Memory())
    # 18 + 5 is not 13; 13 + 4 is 17, not 18. Rows are 13 17 and 13 18; their ends (7th token) belong to no step.
    assert gated[2].sign().tolist() == [-1, -1, -1, 1, 1, 1, 0]
    assert gated[3].sign().tolist() == [-1, -1, -1, -1, -1, -1, 0]
    assert torch.equal(gated[:2].sign(), plain[:2].sign()[:, None] * judged.mask[:2])


def test_every_arm_gives_advantages_that_an_update_takes(learning: ModuleType, judged: Any) -> None:
    from arms import ARMS, Memory
    from scorers import scorer_named

    for name, arm in ARMS.items():
        scored = replace(judged, scorer=scorer_named(arm.scorer, judged.task, seed=0))
        advantages, memory = arm.credit(scored, Memory()), Memory()
        assert advantages.shape in ((4,), judged.mask.shape), name
        assert advantages.isfinite().all(), name
        arm.credit(scored, memory)
        assert arm.credit(scored, memory).isfinite().all(), name


@pytest.mark.parametrize("arm", ["vg_none", "dapo", "replay", "prof", "bootstrap"])
def test_a_run_is_the_same_again(learning: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch, arm: str) -> None:
    import running  # type: ignore[import-not-found]
    from running import Job, run

    def some_of_each_part(task: Any, difficulty: int) -> Any:
        whole = held_out(task, difficulty)
        return replace(whole, **{part.name: getattr(whole, part.name)[:8] for part in fields(whole)})

    held_out = running.held_out
    monkeypatch.setattr(running, "held_out", some_of_each_part)
    job = Job(arm, "insertion", "insertion0", 4, 1e-3, 1_000, rollouts=64)
    first, second = run(job, folder), run(job, folder)
    for record in (first, second):
        del record["cpu_s"]
        for part in (record["early"], *record["curve"]):
            (part or {}).pop("cpu_s", None)
    assert first == second
    assert first["key"] == job.key
    assert json.loads(json.dumps(first)) == {**first, "evaluated": [list(one) for one in first["evaluated"]]}


def test_a_consistent_group_keeps_the_best_of_the_right_and_the_worst_of_the_wrong(
    learning: ModuleType, folder: Path, judged: Any
) -> None:
    from judging import Group
    from running import Job, _Trial

    trial = _Trial(Job("prof", "totals", "totals0", 4, 1e-3, 0, rollouts=64), folder)
    right, wrong = judged.groups[0].rows
    kept = trial.consistent(Group([wrong, right, wrong, wrong]), 2)
    assert [row.reward for row in kept.rows] == [1.0, 0.0]
    assert [row.reward for row in trial.consistent(Group([wrong] * 4), 2).rows] == [0.0, 0.0]


def test_the_plan_holds_what_was_promised(learning: ModuleType) -> None:
    from arms import ARMS
    from planning import CORE, SETTINGS, WHOLE, planned, short_jobs  # type: ignore[import-not-found]

    jobs = list(planned([]))
    assert len({job.key for job in jobs}) == len(jobs)
    finals = [job for job in jobs if not job.is_tuning and not job.is_short]
    for setting in SETTINGS:
        here = {(job.arm, job.seed) for job in finals if (job.checkpoint, job.difficulty) == setting}
        arms = ARMS if setting in WHOLE else (*CORE, "grpo_x3")
        assert here == {(arm, seed) for arm in arms for seed in range(5)}
    assert sum(1 for _ in short_jobs()) >= 100


def test_a_rate_is_an_arms_own_only_when_all_were_tried(learning: ModuleType) -> None:
    from planning import RATES, TUNING_SEEDS, USUAL_RATE, chosen_rate

    def trials(arm: str, *found: float) -> list[dict[str, Any]]:
        rows = zip(product(RATES, TUNING_SEEDS), found, strict=True)
        return [
            {"arm": arm, "task": "totals", "seed": seed, "lr": rate, "final": {"tuning": one}}
            for (rate, seed), one in rows
        ]

    assert chosen_rate("dapo", "totals", []) == (USUAL_RATE, "")
    family = trials("grpo", 0.3, 0.3, 0.2, 0.2, 0.1, 0.1)
    assert chosen_rate("dapo", "totals", family) == (RATES[0], "grpo")
    assert chosen_rate("dapo", "insertion", family) == (USUAL_RATE, "")
    own = trials("dapo", 0.5, 0.1, 0.3, 0.1, 0.4, 0.4)
    assert chosen_rate("dapo", "totals", [*family, *own[:-1]]) == (RATES[0], "grpo")
    assert chosen_rate("dapo", "totals", [*family, *own]) == (RATES[2], "dapo")


def test_intervals_and_correlations_are_those_of_the_books(learning: ModuleType) -> None:
    from comparing import bootstrapped, correlation, mean_interval, rank_correlation  # type: ignore[import-not-found]

    # sd 0.1, n 3: 4.303 · 0.1 / √3 = 0.248
    assert mean_interval([0.1, 0.2, 0.3]) == pytest.approx((0.2, 0.2 - 0.2484, 0.2 + 0.2484), abs=1e-3)
    assert rank_correlation([1, 2, 3, 4], [1, 4, 9, 16]) == pytest.approx(1)
    # Σ dx dy = 3, Σ dx² = 5, Σ dy² = 2.75; ties share the rank 1.5 or 3.5
    assert rank_correlation([1, 2, 3, 4], [0, 0, 1, 1]) == pytest.approx(4 / (5 * 4) ** 0.5)
    assert correlation([1.0, 1.0], [0.0, 1.0]) != correlation([1.0, 1.0], [0.0, 1.0])
    low, high = bootstrapped(correlation, list(range(20)), [x + (x % 3) for x in range(20)], draws=200)
    assert 0.9 < low <= high <= 1


def test_the_report_of_some_runs_has_tables_and_figures(
    learning: ModuleType, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import reporting  # type: ignore[import-not-found]
    from arms import ARMS
    from running import Job, run

    record = run(Job("grpo", "totals", "totals0", 3, 8e-4, 0, rollouts=64), folder)
    # As if it had been a whole run, and two more seeds like it.
    rows = [{**record, "seed": seed, "rollouts": 3_840, "arm": arm} for seed in range(3) for arm in ("grpo", "vg_none")]
    page = tmp_path / "learning.md"
    page.write_text(
        "before\n<!-- arms totals0, 3 hard steps -->\n<!-- end -->\n<!-- ran -->\nold\n<!-- end -->\n", encoding="utf-8"
    )
    monkeypatch.setattr(reporting, "PAGE", page)
    reporting.report(rows, tmp_path)
    said = page.read_text(encoding="utf-8")
    assert "| `vg_none` | 3 | 0.0008 |" in said
    assert f"6 runs of {len(ARMS)} arms; fewer than 5 seeds: grpo 3, grpo_x3 0, " in said
    assert "old" not in said
    assert (tmp_path / "success_by_generated.svg").read_text(encoding="utf-8").count("<path") == 4
