import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from misbehaving import InItsProcess
from tiny_prms import plain_tokenizer
from tiny_runs import PROMPTS, EvenLength, lines_of, tiny_config, tiny_parts, tiny_policy, weights_of

from rewardgate.errors import ArgumentError, InputError, RewardgateError, UnavailableError, WorkerDiedError
from rewardgate.rollouts import read
from rewardgate.training.base import Sampled, Sampling
from rewardgate.training.config import RunConfig
from rewardgate.training.folder import run_folder
from rewardgate.training.generation import HfGenerator
from rewardgate.training.loop import Trainer
from rewardgate.training.prompts import Prompt
from rewardgate.training.step.crediting import Crediting
from rewardgate.verifiers import Outcome, Verdict


def figures_of(folder: Path) -> list[dict[str, Any]]:
    """The metrics of a run without what a clock or the machine's memory says."""
    rows = lines_of(folder / "metrics.jsonl")
    told = ("time", "seconds", "ledger/seconds", "update/seconds", "update/peak_mib")
    return [{name: value for name, value in row.items() if not name.startswith(told)} for row in rows]


RUNS: dict[str, dict[str, Any]] = {
    "asynchronous": {"generation": {"asynchronous": True}, "evaluation": {"every": 3}},
    "gated, with a state in everything": {
        "signal": {"scorer": "arithmetic", "estimator": "ema", "overlong_buffer": 2},
        "dynamic_sampling": {"keep": ["mixed", "all_wrong"], "max_batches": 2},
        "escalation": {"rungs": [[4], [6, 1.3]], "after_visits": 1},
        "optimizer": {"schedule": "cosine", "warmup_steps": 2},
        "loss": {"beta": 0.1},
        "update": {"epochs": 2, "mini_batches": 2, "shuffle": True},
    },
}


@pytest.mark.parametrize("sections", RUNS.values(), ids=RUNS.keys())
def test_a_run_that_was_stopped_and_resumed_is_the_uninterrupted_one_bit_for_bit(
    tmp_path: Path, sections: dict[str, Any]
) -> None:
    def trainer(folder: str) -> Trainer:
        return Trainer(tiny_config(tmp_path / folder, **sections), **tiny_parts(held_out=[PROMPTS[0]]))

    whole = trainer("whole")
    assert whole.run().is_finished
    first = trainer("cut")
    ended = first.run(should_stop=lambda: first.step == 1)
    assert (ended.step, ended.is_finished, ended.checkpoint.name) == (1, False, "step_000001")
    second = trainer("cut")
    second.run(resume=True, should_stop=lambda: second.step == 3)
    third = trainer("cut")
    assert third.run(resume=True).is_finished

    expected = weights_of(whole.parts.model)
    assert any(not torch.equal(expected[name], tensor) for name, tensor in weights_of(tiny_policy()).items())
    for name, tensor in weights_of(third.parts.model).items():
        assert torch.equal(tensor, expected[name]), name
    assert figures_of(tmp_path / "cut") == figures_of(tmp_path / "whole")
    assert third.stepper.state_dict()[0] == whole.stepper.state_dict()[0]
    for path in sorted((tmp_path / "whole" / "rollouts").iterdir()):
        assert path.read_bytes() == (tmp_path / "cut" / "rollouts" / path.name).read_bytes()


def test_a_run_is_written_where_it_is_told_to_be(tmp_path: Path) -> None:
    config = tiny_config(tmp_path / "run", evaluation={"every": 2, "group_size": 3})
    trainer = Trainer(config, **tiny_parts(held_out=PROMPTS[:1]))
    assert [one.prompt_id for one in trainer.parts.prompts] == [one.prompt_id for one in PROMPTS[1:]]
    trainer.run()
    folder = tmp_path / "run"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("checkpoints", "config.toml", "evaluations", "ledger.jsonl", "lock", "metrics.jsonl", "rollouts"),
        "state.json",
    ]
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == ["step_000002", "step_000004"]
    assert [row["step"] for row in lines_of(folder / "metrics.jsonl")] == [0, 1, 2, 3, 4]
    assert [row["step"] for row in lines_of(folder / "ledger.jsonl")] == [1, 2, 3, 4]
    assert [path.name for path in sorted((folder / "evaluations").iterdir())] == [
        f"step_00000{step}.jsonl" for step in (0, 2, 4)
    ]
    (state,) = lines_of(folder / "state.json")
    assert (state["status"], state["step"], state["steps"], state["checkpoint"]) == ("finished", 4, 4, "step_000004")
    groups = list(read(folder / "rollouts" / "step_000002.jsonl", tokens=True))
    assert [len(group) for group in groups] == [4, 4]
    rollout = groups[0].rollouts[0]
    assert (rollout.step, rollout.policy_version, rollout.meta["rule"], rollout.meta["kept"]) == (2, 1, "length", True)
    assert rollout.token_ids is not None
    assert rollout.rollout_logprobs is not None
    assert len(rollout.token_ids) == len(rollout.rollout_logprobs) == rollout.n_tokens


def test_asynchronous_rollouts_are_one_policy_step_behind(tmp_path: Path) -> None:
    Trainer(tiny_config(tmp_path / "run", generation={"asynchronous": True}), **tiny_parts()).run()
    versions = [lines_of(path)[0]["policy_version"] for path in sorted((tmp_path / "run" / "rollouts").iterdir())]
    assert versions == [0, 0, 1, 2]
    lags = [row["update/steps_since_sampled"] for row in lines_of(tmp_path / "run" / "metrics.jsonl")]
    assert lags == [0, 1, 1, 1]


def test_what_samples_with_the_trained_weights_cannot_run_ahead(tmp_path: Path) -> None:
    model = tiny_policy()
    parts = tiny_parts(model=model, generator=HfGenerator(model, plain_tokenizer()))
    with pytest.raises(RewardgateError, match="expected an engine with weights of its own"):
        Trainer(tiny_config(tmp_path / "run", generation={"asynchronous": True}), **parts)


def test_a_folder_that_holds_a_run_is_not_begun_again(tmp_path: Path) -> None:
    config = tiny_config(tmp_path / "run", steps=1)
    Trainer(config, **tiny_parts()).run()
    with pytest.raises(InputError, match="expected one without a run"):
        Trainer(config, **tiny_parts()).run()
    assert Trainer(config, **tiny_parts()).run(resume=True).step == 1
    assert [row["step"] for row in lines_of(tmp_path / "run" / "metrics.jsonl")] == [1]


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_of_somebody_elses_is_left_as_it_is(tmp_path: Path, resume: bool) -> None:
    files = {"rollouts/1.jsonl": "{}\n", "rollouts/messages.py": "", "metrics.jsonl": '{"loss": 1}\n', "lock": "theirs"}
    (tmp_path / "rollouts").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    with pytest.raises(InputError, match="folder: expected a new one, or a run's"):
        Trainer(tiny_config(tmp_path, steps=1), **tiny_parts()).run(resume=resume)
    found = {str(one.relative_to(tmp_path)): one.read_text() for one in tmp_path.rglob("*") if one.is_file()}
    assert found == files


def test_a_folder_is_run_by_one_process_at_a_time(tmp_path: Path) -> None:
    config = tiny_config(tmp_path / "run", steps=1)
    held = run_folder.RunFolder(config.folder)
    with pytest.raises(InputError, match="expected one that no other process runs"):
        Trainer(config, **tiny_parts()).run()
    held.close()
    assert Trainer(config, **tiny_parts()).run().is_finished


class Flawed:
    """A generator that does something else than sampling at its n-th call."""

    owns_weights = False

    def __init__(self, model: Any, *, at: int, instead: Callable[[], Any]) -> None:
        self._inner, self._at, self._instead = HfGenerator(model, plain_tokenizer()), at, instead
        self.calls = 0
        self.is_closed = False

    @property
    def policy_version(self) -> int:
        return self._inner.policy_version

    def generate(
        self, prompt_ids: Sequence[Sequence[int]], counts: Sequence[int], sampling: Sampling, *, seed: int
    ) -> list[list[Sampled]]:
        self.calls += 1
        if self.calls == self._at:
            return self._instead()
        return self._inner.generate(prompt_ids, counts, sampling, seed=seed)

    def push(self, model: Any, *, policy_version: int) -> None:
        self._inner.push(model, policy_version=policy_version)

    def close(self) -> None:
        self.is_closed = True


def raises(error: Exception) -> Callable[[], Any]:
    def instead() -> Any:
        raise error

    return instead


@pytest.mark.parametrize(
    ("instead", "problem"),
    [
        (raises(WorkerDiedError("engine: the process is gone")), "step 2: engine: the process is gone; the run can go"),
        (raises(OSError("no such device")), "step 2: generator: OSError: no such device"),
        (lambda: [[], []], r"step 2: generator: expected \[4, 4\] completions, got \[0, 0\]"),
        (lambda: [[Sampled((1, 2), (-1.0,), "a", "stop")] * 4] * 2, "got 2 tokens and 1 of them"),
    ],
)
def test_a_generator_that_fails_is_named_and_costs_no_step(
    tmp_path: Path, instead: Callable[[], Any], problem: str
) -> None:
    config, model = tiny_config(tmp_path / "run", checkpoint={"every": 50}), tiny_policy()
    flawed = Flawed(model, at=2, instead=instead)  # the first call of step 2
    with pytest.raises(RewardgateError, match=problem) as raised:
        Trainer(config, **tiny_parts(model=model, generator=flawed)).run()
    assert str(tmp_path / "run" / "checkpoints" / "step_000001") in str(raised.value)
    assert flawed.is_closed
    (state,) = lines_of(tmp_path / "run" / "state.json")
    assert (state["status"], state["step"], state["checkpoint"]) == ("failed", 1, "step_000001")


def test_a_run_goes_on_from_where_its_generator_failed(tmp_path: Path) -> None:
    config, model = tiny_config(tmp_path / "run", steps=2), tiny_policy()
    flawed = Flawed(model, at=2, instead=raises(WorkerDiedError("engine: the process is gone")))
    with pytest.raises(WorkerDiedError):
        Trainer(config, **tiny_parts(model=model, generator=flawed)).run()
    resumed, whole = (Trainer(tiny_config(tmp_path / name, steps=2), **tiny_parts()) for name in ("run", "whole"))
    resumed.run(resume=True)
    whole.run()
    expected = weights_of(whole.parts.model)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in weights_of(resumed.parts.model).items())
    assert figures_of(tmp_path / "run") == figures_of(tmp_path / "whole")


class Unsure(EvenLength):
    """Fails on what begins with a certain prompt's target, in every way that a verifier can."""

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
        match prompt[0]:
            case "1":
                raise ZeroDivisionError("in the grader")
            case "2":
                return "right"
            case "3":
                return Verdict(Outcome.INCORRECT, float("inf"), rule="length", detail="")
        return super().verify(completion, target)


def test_a_verifier_that_fails_costs_its_rows_and_never_the_run(tmp_path: Path) -> None:
    config = tiny_config(tmp_path / "run", sampling={"groups": 6})
    assert Trainer(config, **tiny_parts(verifier=Unsure())).run().is_finished
    rows = [row for path in (tmp_path / "run" / "rollouts").iterdir() for row in lines_of(path)]
    rules = {row["prompt_id"]: row["meta"]["rule"] for row in rows}
    assert [rules[f"p{number}"] for number in range(1, 5)] == [
        *("raised", "not_a_verdict", "reward_not_finite", "length"),
    ]
    unknown = {row["prompt_id"] for row in rows if row["rewards"]["outcome"] is None}
    assert unknown == {"p1", "p2", "p3"}


def test_a_run_holds_its_verifiers_process_and_leaves_none_behind(tmp_path: Path) -> None:
    config = tiny_config(tmp_path / "run", judge={"workers": 1}, evaluation={"every": 2, "group_size": 1})
    Trainer(config, **tiny_parts(verifier=InItsProcess()), held_out=PROMPTS[:1]).run()
    rows = [row for path in (tmp_path / "run").glob("*/step_*.jsonl") for row in lines_of(path)]
    (process,) = {row["meta"]["detail"] for row in rows}
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)


def test_a_run_that_fails_ends_its_verifiers_process(tmp_path: Path) -> None:
    model = tiny_policy()
    flawed = Flawed(model, at=2, instead=raises(OSError("no such device")))
    config = tiny_config(tmp_path / "run", judge={"workers": 1})
    with pytest.raises(RewardgateError, match="no such device"):
        Trainer(config, **tiny_parts(model=model, generator=flawed, verifier=InItsProcess())).run()
    process = lines_of(tmp_path / "run" / "rollouts" / "step_000001.jsonl")[0]["meta"]["detail"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)


def test_a_verifier_that_no_process_can_be_given_is_refused_before_the_first_step(tmp_path: Path) -> None:
    class Bound(EvenLength):
        def __reduce__(self) -> str:
            raise TypeError("bound to this process")

    with pytest.raises(ArgumentError, match="verifier: expected one that pickles"):
        Trainer(tiny_config(tmp_path / "run", judge={"workers": 1}), **tiny_parts(verifier=Bound()))


def test_a_scorer_that_fails_costs_its_rows_and_never_the_run(tmp_path: Path) -> None:
    file = tmp_path / "my_scorer.py"
    file.write_text(
        "def score(steps, prompt):\n    assert not prompt.startswith('1')\n    return [0.5] * len(steps)\n",
        encoding="utf-8",
    )

    class Strict(EvenLength):
        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
            return Verdict(Outcome.INCORRECT, 0.0, rule="no", detail="")

    sections = {"signal": {"scorer": f"{file}:score"}, "sampling": {"groups": 6, "group_size": 2}}
    config = tiny_config(tmp_path / "run", steps=5, **sections)
    assert Trainer(config, **tiny_parts(verifier=Strict())).run().is_finished
    rows = lines_of(tmp_path / "run" / "metrics.jsonl")
    # A sixth of the prompts; of rows whose tokens do not spell their text the scorer is not asked.
    assert all(0 < row["gate/rows/failed"] < 0.5 for row in rows)
    assert {row["name"] for row in lines_of(tmp_path / "run" / "alerts.jsonl")} >= {"failing_scorer"}


def test_a_verifier_that_says_nothing_teaches_nothing(tmp_path: Path) -> None:
    class Silent(EvenLength):
        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Any:
            raise OSError("gone")

    trainer = Trainer(tiny_config(tmp_path / "run"), **tiny_parts(verifier=Silent()))
    assert trainer.run().is_finished
    expected = weights_of(tiny_policy())
    assert all(torch.equal(tensor, expected[name]) for name, tensor in weights_of(trainer.parts.model).items())
    assert all(row["verdicts/unscored"] == 1 for row in lines_of(tmp_path / "run" / "metrics.jsonl"))


def test_gradients_that_are_not_finite_stop_the_run_with_a_checkpoint(tmp_path: Path) -> None:
    trainer = Trainer(tiny_config(tmp_path / "run", steps=9, optimizer={"stop_after_nonfinite": 2}), **tiny_parts())
    weight = trainer.parts.model.get_input_embeddings().weight
    weight.register_hook(lambda gradient: gradient * float("nan"))
    with pytest.raises(RewardgateError, match="expected a finite gradient, got none in 2 batches in a row"):
        trainer.run()
    (state,) = lines_of(tmp_path / "run" / "state.json")
    assert (state["status"], state["checkpoint"]) == ("failed", f"step_{state['step']:06d}")
    assert weight.isfinite().all()


def test_weights_that_broke_are_not_kept_in_the_place_of_whole_ones(tmp_path: Path) -> None:
    trainer = Trainer(tiny_config(tmp_path / "run", checkpoint={"every": 1, "keep": 1}), **tiny_parts())

    def break_weights(step: int, _: Any) -> None:
        if step == 2:
            trainer.parts.model.get_input_embeddings().weight.data[:] = float("nan")

    with (
        pytest.warns(UserWarning, match="step 2 is not written: weights: expected finite numbers"),
        pytest.raises(RewardgateError, match=r"step 3: model: expected finite logits.*can go on from .*step_000001"),
    ):
        trainer.run(tell=break_weights)
    assert Trainer(tiny_config(tmp_path / "run"), **tiny_parts()).run(resume=True).is_finished


def test_a_run_that_fails_before_its_first_step_begins_again(tmp_path: Path) -> None:
    sections = {"evaluation": {"every": 2}}
    whole = Trainer(tiny_config(tmp_path / "whole", **sections), **tiny_parts(held_out=PROMPTS[:1]))
    whole.run()
    model = tiny_policy()
    flawed = Flawed(model, at=2, instead=raises(OSError("no such device")))  # behind the evaluation of step 0
    parts = tiny_parts(model=model, generator=flawed, held_out=PROMPTS[:1])
    with pytest.raises(RewardgateError, match="step 1: generator: OSError: no such device; there is no checkpoint"):
        Trainer(tiny_config(tmp_path / "run", **sections), **parts).run()
    Trainer(tiny_config(tmp_path / "run", **sections), **tiny_parts(held_out=PROMPTS[:1])).run(resume=True)
    assert figures_of(tmp_path / "run") == figures_of(tmp_path / "whole")


def test_what_was_sampled_ahead_outlives_a_step_that_cannot_be_credited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trainer(folder: str) -> Trainer:
        sections = {"generation": {"asynchronous": True}, "checkpoint": {"every": 9}}
        return Trainer(tiny_config(tmp_path / folder, **sections), **tiny_parts())

    def demanding(crediting: Crediting, groups: Any) -> Any:
        if first.step == 2:
            raise UnavailableError("require: expected user namespaces, got none")
        return credited(crediting, groups)

    trainer("whole").run()
    first, credited = trainer("cut"), Crediting.__call__
    monkeypatch.setattr(Crediting, "__call__", demanding)
    with pytest.raises(UnavailableError, match="step 3: require"):
        first.run()
    monkeypatch.undo()
    trainer("cut").run(resume=True)
    assert figures_of(tmp_path / "cut") == figures_of(tmp_path / "whole")


def test_a_full_disk_costs_the_logs_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        if path.parent.name == "rollouts":
            raise OSError(28, "No space left on device")
        real(path, text)

    real = run_folder.write_whole
    monkeypatch.setattr(run_folder, "write_whole", full)
    with pytest.warns(UserWarning, match="rollouts is not written: No space left on device") as told:
        assert Trainer(tiny_config(tmp_path / "run"), **tiny_parts()).run().is_finished
    assert len(told) == 1


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = torch.save

    def full(what: Any, path: Path) -> None:
        if "step_000004" in str(path):
            path.write_bytes(b"half of it")
            raise RuntimeError("[enforce fail at inline_container.cc:664] . unexpected pos 64 vs 0")
        saved(what, path)

    monkeypatch.setattr(torch, "save", full)
    with (
        pytest.warns(UserWarning, match="step 4 is not written: .*unexpected pos"),
        pytest.raises(InputError, match=r"step 4: checkpoint: expected a folder to write to, got .*unexpected pos"),
    ):
        Trainer(tiny_config(tmp_path / "run"), **tiny_parts()).run()
    assert [path.name for path in (tmp_path / "run" / "checkpoints").iterdir()] == ["step_000002"]
    monkeypatch.undo()
    assert Trainer(tiny_config(tmp_path / "run"), **tiny_parts()).run(resume=True).step == 4


def test_a_run_that_fails_in_the_middle_of_an_update_keeps_the_step_before(tmp_path: Path) -> None:
    trainer = Trainer(tiny_config(tmp_path / "run"), **tiny_parts())

    def run_out(batch: Any) -> Any:
        if trainer.step == 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return step(batch)

    step = trainer.stepper._update.step
    trainer.stepper._update.step = run_out
    problem = "step 4: memory: expected enough, got: CUDA out of memory; try .*; the run can go on from .*step_000002"
    with pytest.raises(RewardgateError, match=problem):
        trainer.run()
    (state,) = lines_of(tmp_path / "run" / "state.json")
    assert (state["status"], state["step"], state["checkpoint"]) == ("failed", 3, "step_000002")
    assert Trainer(tiny_config(tmp_path / "run"), **tiny_parts()).run(resume=True).is_finished


def test_dynamic_sampling_keeps_what_teaches_and_tells_the_cost(tmp_path: Path) -> None:
    config = tiny_config(tmp_path / "run", dynamic_sampling={"max_batches": 3}, sampling={"group_size": 2})
    Trainer(config, **tiny_parts()).run()
    ledger = lines_of(tmp_path / "run" / "ledger.jsonl")
    assert sum(row["generated"] for row in ledger) > sum(row["kept_mixed"] for row in ledger) > 0
    for row in ledger:
        rows = lines_of(tmp_path / "run" / "rollouts" / f"step_{row['step']:06d}.jsonl")
        assert len(rows) == row["rollouts"]
        assert sum(one["meta"]["kept"] for one in rows) == row["rollouts_kept"]
        prompts = [one["prompt_id"] for one in rows]
        assert len(set(prompts)) * 2 == len(prompts)  # none is drawn twice in a step


def test_cut_off_completions_are_not_learned_from_where_that_is_asked(tmp_path: Path) -> None:
    config = tiny_config(tmp_path / "run", steps=2, signal={"learn_from_truncated": False})
    Trainer(config, **tiny_parts()).run()
    for row in lines_of(tmp_path / "run" / "metrics.jsonl"):
        rows = lines_of(tmp_path / "run" / "rollouts" / f"step_{row['step']:06d}.jsonl")
        whole = sum(one["n_tokens"] for one in rows if not one["truncated"])
        assert row.get("update/batch_tokens", 0) == whole


def test_a_config_says_what_it_needs(tmp_path: Path) -> None:
    config = RunConfig(folder=tmp_path, steps=1)
    with pytest.raises(RewardgateError, match=r"model.path: expected a folder or a name, got none"):
        Trainer(config)
    parts = tiny_parts()
    with pytest.raises(RewardgateError, match=r"expected at least sampling.groups = 16, got 6"):
        Trainer(config, **parts)
    with pytest.raises(RewardgateError, match=r"data.prompts: expected a file, got none"):
        Trainer(config, model=parts["model"], tokenizer=parts["tokenizer"])
    with pytest.raises(RewardgateError, match=r"data.held_out: expected a file with evaluation.every"):
        Trainer(tiny_config(tmp_path, evaluation={"every": 1}), **parts)


def test_nothing_is_warned_of_in_a_run_without_faults(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Trainer(tiny_config(tmp_path / "run", steps=2), **tiny_parts()).run()


def test_prompts_may_come_and_go_between_two_lives_of_a_run(tmp_path: Path) -> None:
    sections = {"generation": {"asynchronous": True}, "signal": {"estimator": "ema"}, "sampling": {"groups": 3}}
    first = Trainer(tiny_config(tmp_path / "run", **sections), **tiny_parts())
    first.run(should_stop=lambda: first.step == 2)
    new = Prompt("new", "7 + 7 = ", "even")
    second = Trainer(tiny_config(tmp_path / "run", **sections), **tiny_parts(prompts=[*PROMPTS[3:], new]))
    assert second.run(resume=True).is_finished
    drawn = {row["prompt_id"] for row in lines_of(tmp_path / "run" / "rollouts" / "step_000004.jsonl")}
    assert drawn <= {"p3", "p4", "p5", "new"}


def test_activation_checkpointing_trains_in_training_mode(tmp_path: Path) -> None:
    trainer = Trainer(tiny_config(tmp_path / "run", steps=1, update={"activation_checkpointing": True}), **tiny_parts())
    assert trainer.run().is_finished
    assert trainer.parts.model.training


def test_a_model_under_peft_trains_its_adapters_alone_and_is_resumed_bit_for_bit(tmp_path: Path) -> None:
    from peft import LoraConfig, get_peft_model

    def adapted() -> Any:
        torch.manual_seed(1)
        return get_peft_model(tiny_policy(), LoraConfig(r=2, target_modules=["q_proj", "v_proj"]))

    def trainer(folder: str) -> Trainer:
        config = tiny_config(tmp_path / folder, steps=2, loss={"beta": 0.1})
        return Trainer(config, **tiny_parts(model=adapted(), reference="adapter_off"))

    whole, first = trainer("whole"), trainer("cut")
    whole.run()
    first.run(should_stop=lambda: first.step == 1)
    second = trainer("cut")
    second.run(resume=True)
    begun, found, expected = (weights_of(model) for model in (adapted(), second.parts.model, whole.parts.model))
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    moved = [name for name in expected if not torch.equal(begun[name], expected[name])]
    assert moved
    assert all("lora" in name for name in moved)
