"""Rollouts as a log of Inspect's (`.eval`), for its viewer and its data frames. Inspect itself is not needed.

A sample's id is the prompt's and its epoch the rollout: `inspect view` then shows a group as the epochs of one sample.
Written by hand after the files that Inspect 0.3.285 writes (log version 2), and read back with it.

What does not survive: parts of messages that are not text, token ids and log-probabilities; a role that Inspect does
not know becomes `user`. A reward that is not known is left out, not written as 0.
"""

import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from .. import __version__
from .inspect_samples import inspect_sample, inspect_scores, inspect_summary
from .output import Output
from .records import Group
from .writing import VerdictLike, row_text

__all__ = ["write_inspect_log"]


def write_inspect_log(
    path: str | Path | BinaryIO,
    groups: Iterable[Group],
    *,
    task: str = "rollouts",
    model: str = "policy",
    verdicts: Callable[[Group], Sequence[VerdictLike]] | None = None,
    verifier: str = "verifier",
) -> int:
    """Write `groups` to `path`; returns the number of samples.

    Every reward is a score of its name. A path's file takes its place when it is whole.

    Args:
        path: should end in `.eval`, by which Inspect knows its logs; or a file that is open and can seek.
        groups: consumed one by one.
        task: what the log is called in the viewer.
        model: likewise; a rollout that names its policy version keeps that.
        verdicts: the verdicts on a group's rollouts, in order; they become a score with the extracted answer.
        verifier: the name of that score.

    Raises:
        InputError: the path cannot be written.

    Example:
        >>> import tempfile
        >>> from rewardgate.rollouts import Rollout
        >>> group = Group(group_id="g", rollouts=(Rollout(prompt_id="p", response="4", rewards={"reward": 1.0}),))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     n = write_inspect_log(f"{folder}/run.eval", [group])
        ...     n, zipfile.ZipFile(f"{folder}/run.eval").namelist()
        (1, ['samples/p_epoch_1.json', 'summaries.json', 'header.json'])
    """
    if isinstance(path, (str, Path)):
        with Output("path", str(path)) as out:
            return write_inspect_log(out.binary, groups, task=task, model=model, verdicts=verdicts, verifier=verifier)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        return _write(log, groups, task=task, model=model, verdicts=verdicts, verifier=verifier)


def _write(
    log: zipfile.ZipFile,
    groups: Iterable[Group],
    *,
    task: str,
    model: str,
    verdicts: Callable[[Group], Sequence[VerdictLike]] | None,
    verifier: str,
) -> int:
    started = _now()
    epochs: Counter[str] = Counter()
    summaries: list[dict[str, Any]] = []
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))  # score -> id -> its epochs'
    for group in groups:
        said: Sequence[VerdictLike | None] = [None] * len(group) if verdicts is None else verdicts(group)
        for rollout, verdict in zip(group.rollouts, said, strict=True):
            sample_id = rollout.prompt_id.encode("utf-8", "replace").decode()  # a file's name has no lone surrogate
            epochs[sample_id] += 1
            scores = inspect_scores(rollout, verdict, verifier)
            for name, score in scores.items():
                values[name][sample_id].append(score["value"])
            told = {"id": sample_id, "epoch": epochs[sample_id], "scores": scores}
            sample = {**told, **inspect_sample(rollout, group_id=group.group_id, model=model)}
            log.writestr(f"samples/{sample_id}_epoch_{epochs[sample_id]}.json", row_text(sample))
            summaries.append(inspect_summary(sample))
    log.writestr("summaries.json", _list_text(summaries))
    header = _header(task, model, epochs, values, started)
    log.writestr("header.json", row_text(header))
    return len(summaries)


def _header(
    task: str,
    model: str,
    epochs: Mapping[str, int],
    values: Mapping[str, Mapping[str, Sequence[float]]],
    started: str,
) -> dict[str, Any]:
    n_samples = sum(epochs.values())
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": token_hex(11),
            "run_id": token_hex(11),
            "created": started,
            "task": task,
            "task_id": token_hex(11),
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "dataset": {"name": task, "samples": len(epochs), "sample_ids": list(epochs), "shuffled": False},
            "model": model,
            "model_generate_config": {},
            "model_args": {},
            "config": {"epochs": max(epochs.values(), default=1)},
            "packages": {"rewardgate": __version__},
            "scorers": [{"name": name, "options": {}, "metrics": [{"name": "mean", "options": {}}]} for name in values],
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": n_samples,
            "completed_samples": n_samples,
            "scores": [_result(name, by_id) for name, by_id in values.items()],
        },
        "stats": {"started_at": started, "completed_at": _now(), "model_usage": {}},
    }


def _result(name: str, by_id: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The mean over prompts of the mean over their rollouts, as Inspect reduces epochs."""
    mean = sum(sum(own) / len(own) for own in by_id.values()) / len(by_id)
    return {
        "name": name,
        "scorer": name,
        "params": {},
        "metrics": {"mean": {"name": "mean", "value": mean, "params": {}}},
    }


def _list_text(rows: Iterable[Mapping[str, Any]]) -> str:
    return "[" + ",\n".join(map(row_text, rows)) + "]"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
