"""A run: steps, their logs, and checkpoints from which it goes on as if nothing had happened."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any
from warnings import warn

import torch

from ..errors import ArgumentError, InputError, RewardgateError
from ..rollouts.run_files import EVALUATIONS, ROLLOUTS, step_of
from .building import parts_of
from .config import RunConfig
from .config_text import config_text
from .folder.checkpoint import Checkpoint, latest_checkpoint, load_weights, save_checkpoint
from .folder.run_folder import RunFolder
from .groups.evaluation import is_due
from .monitor import Monitor, StepReport
from .monitor.record import HeldOut, StepRecord
from .step.recording import held_out_of, record_of
from .step.stepping import StepDone, Stepper

__all__ = ["RunResult", "Trainer"]

MAX_ERROR_CHARS = 500
"""Of an error in `state.json`, which stays shorter than the block of a disk that it has."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended that nothing stopped by force.

    Args:
        step: the last one that is done.
        is_finished: whether it was the last of all; if not, it was asked to stop.
        checkpoint: of that step.
    """

    step: int
    is_finished: bool
    checkpoint: Path


class Trainer:
    """One run, from its configuration and whatever of it is at hand already.

    Args:
        config: of the run.
        parts: model, tokenizer, prompts, generator, … by the names of `parts_of`; the others are built.

    Attributes:
        parts: what the run is done with.
        stepper: what it knows between two steps.
        step: the last one that is done; 0 before the first.

    Raises:
        RewardgateError: as `parts_of`.
    """

    def __init__(self, config: RunConfig, **parts: Any) -> None:
        self.config = config
        self.parts = parts_of(config, **parts)
        self.step = 0
        self.stepper = Stepper(config, self.parts)

    def run(
        self,
        *,
        resume: bool = False,
        should_stop: Callable[[], bool] = lambda: False,
        tell: Callable[[int, StepReport], None] = lambda _, __: None,
    ) -> RunResult:
        """Train until the last step, or until the end of the one in which `should_stop()` is first True. Called once.

        Args:
            resume: go on from the folder's newest checkpoint; from the beginning where there is none.
            should_stop: asked after every step.
            tell: given every step, and what the monitor found in it.

        Raises:
            InputError: the folder holds a run and `resume` is False, or somebody else's files under a run's names;
                another process runs it; it cannot be written.
            RewardgateError: what stopped the run, with the step; a checkpoint was written before, if one could be.
        """
        with closing(self.stepper), closing(RunFolder(self.config.folder)) as folder:
            if folder.has_run() and not resume:
                told = f"got {folder.path}, which holds a run; resume goes on with it"
                raise InputError(f"folder: expected one without a run, {told}")
            folder.begin(status="running", step=0, steps=self.config.steps, checkpoint=None, error=None)
            checkpoint = latest_checkpoint(folder.checkpoints)
            state: Mapping[str, Any] = {} if checkpoint is None else checkpoint.state
            folder.cut_back(state.get("step", 0), state.get("logs", {}))
            folder.write_config(config_text(self.config))
            gate = self.config.signal.gate_config()
            writers = self.config.monitor.writers
            told_to = Monitor(folder.path, writers=writers, correct_at=gate.correct_at, wrong_at=gate.wrong_at)
            with closing(told_to) as monitor:
                running = _Running(self, folder, monitor, tell)
                if checkpoint is not None:
                    running.go_on_from(checkpoint)
                return running.run(should_stop)


class _Running:
    """A run and its folder, while it runs."""

    def __init__(
        self, trainer: Trainer, folder: RunFolder, monitor: Monitor, tell: Callable[[int, StepReport], None]
    ) -> None:
        self._trainer, self._folder, self._monitor, self._tell = trainer, folder, monitor, tell
        self._config, self._stepper = trainer.config, trainer.stepper
        self._checkpoint: Path | None = None
        self._unwritten = ""  # why the last attempt left no checkpoint
        self._nonfinite = 0  # updates in a row without a finite gradient

    def go_on_from(self, checkpoint: Checkpoint) -> None:
        state, parts = checkpoint.state, self._trainer.parts
        load_weights(checkpoint, parts.model, parts.optimizer)
        self._stepper.load_state_dict(state["stepper"], checkpoint.ahead)
        self._monitor.load_state_dict(state["monitor"])
        self._trainer.step, self._nonfinite, self._checkpoint = state["step"], state["nonfinite"], checkpoint.path

    def run(self, should_stop: Callable[[], bool]) -> RunResult:
        config, trainer, is_stopping = self._config, self._trainer, False
        self._say("running")
        try:
            if trainer.step == 0 and is_due(config, 0):
                self._log_start()
            while trainer.step < config.steps and not is_stopping:
                done = self._stepper.step(trainer.step + 1)
                trainer.step = done.step
                self._log(done)
                self._check_finite(done)
                is_stopping = should_stop()
                if is_stopping or trainer.step in (config.steps, *range(0, config.steps, config.checkpoint.every)):
                    self._save()
                self._say("running")
            is_finished = trainer.step >= config.steps
            if self._checkpoint is None or not self._is_kept():
                told = f"got {self._folder.checkpoints}: {self._unwritten}"
                raise InputError(f"checkpoint: expected a folder to write to, {told}")
        except RewardgateError as error:
            self._keep(error)
            raise type(error)(self._told(error)) from error
        except torch.OutOfMemoryError as error:
            self._keep(error)
            reason = str(error).strip().split("\n")[0]
            told = f"memory: expected enough, got: {reason}; try a lower update.token_budget"
            raise RewardgateError(self._told(told)) from error
        except Exception as error:
            self._keep(error)
            raise
        self._say("finished" if is_finished else "stopped")
        return RunResult(trainer.step, is_finished, self._checkpoint)

    def _keep(self, error: Exception) -> None:
        """Keep what is whole, and tell what happened. Before the first step there is nothing to go on from."""
        if self._stepper.is_between_steps and self._trainer.step:
            self._save()
        self._say("failed", error=f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARS])

    def _told(self, error: object) -> str:
        """What happened, where, and what is left."""
        kept = "there is no checkpoint" if self._checkpoint is None else f"the run can go on from {self._checkpoint}"
        return f"step {min(self._trainer.step + 1, self._config.steps)}: {error}; {kept}"

    def _is_kept(self) -> bool:
        """Whether the newest checkpoint is of the last step that is done: between two steps nothing changes."""
        return self._checkpoint is not None and step_of(self._checkpoint) == self._trainer.step

    def _save(self) -> None:
        """Write a checkpoint of the step; where that fails, those before it stay, and the run goes on."""
        if self._is_kept():
            return
        state, lines = self._stepper.state_dict()
        parts, step = self._trainer.parts, self._trainer.step
        try:
            logs = self._folder.positions()
            known = {
                "stepper": state,
                "monitor": self._monitor.state_dict(),
                "nonfinite": self._nonfinite,
                "logs": logs,
            }
            of_model = (parts.model, parts.optimizer, parts.tokenizer)
            keep = self._config.checkpoint.keep
            self._checkpoint = save_checkpoint(self._folder.checkpoints, step, *of_model, known, ahead=lines, keep=keep)
        except (OSError, ArgumentError) as error:
            self._unwritten = getattr(error, "strerror", None) or str(error)
            warn(f"{self._folder.checkpoints}: step {step} is not written: {self._unwritten}", stacklevel=2)

    def _log_start(self) -> None:
        record = StepRecord(step=0, rewards=[], group_ids=[], held_out=self._held_out(0))
        self._tell(record.step, self._monitor.step(record))

    def _log(self, done: StepDone) -> None:
        folder, step = self._folder, done.step
        if self._config.monitor.rollouts:
            drawn = [one.group for one in done.collected.drawn]
            folder.dump(ROLLOUTS, step, drawn, kept=[one.group.group_id for one in done.collected.kept])
        folder.log_cost(step, done.collected.ledger.flat())
        held_out: Mapping[str, HeldOut] = {}
        started = perf_counter()
        try:
            if is_due(self._config, step):
                held_out = self._held_out(step)
        finally:  # the step is done, whatever became of the evaluation
            record = record_of(
                done,
                pools=self._stepper.pools.counts(),
                held_out=held_out,
                seconds={"evaluate": perf_counter() - started} if held_out else {},
                scoring=self._trainer.parts.scoring,
            )
            self._tell(record.step, self._monitor.step(record))

    def _held_out(self, step: int) -> dict[str, HeldOut]:
        groups = self._stepper.evaluate(step)
        self._folder.dump(EVALUATIONS, step, [one.group for one in groups])
        return {"": held_out_of(groups)}

    def _check_finite(self, done: StepDone) -> None:
        stats, limit = done.stats, self._config.optimizer.stop_after_nonfinite
        if stats is None:
            return
        is_lost = stats.nonfinite_steps > 0 and stats.optimizer_steps == 0
        self._nonfinite = self._nonfinite + 1 if is_lost else 0
        if self._nonfinite >= limit:
            raise RewardgateError(
                f"update: expected a finite gradient, got none in {limit} batches in a row; update.save_nonfinite "
                "keeps such batches to be looked at"
            )

    def _say(self, status: str, *, error: str | None = None) -> None:
        config, checkpoint = self._config, self._checkpoint
        self._folder.tell(
            status=status,
            step=self._trainer.step,
            steps=config.steps,
            checkpoint=None if checkpoint is None else checkpoint.name,
            error=error,
        )
