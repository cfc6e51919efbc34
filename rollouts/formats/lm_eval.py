"""Samples of the LM Evaluation Harness: `samples_{task}_{date}.jsonl`, written with `--log_samples`.

One row a document and filter, the responses in `resps`. A filter that takes the first response scores that one and
no other; one that votes or averages scores the document and no response at all. Which does what stands in
`results_{date}.json`, which is looked for beside the samples; without it the filter's name must tell, and a name that
does not scores nothing. Log-likelihood tasks have numbers where responses would be, and are refused. The harness does
not record why a response ended. Source: EleutherAI/lm-evaluation-harness 0.4, evaluator.py and loggers.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import prompt_digest_id, prompt_identity, prompt_value
from ..values import is_small, name_value, reward_value, target_value
from .base import ReaderDefaults, Row, most

MAX_RESULTS_BYTES = 1 << 26

_REQUIRED = frozenset({"doc_id", "doc", "target", "resps", "filtered_resps"})
_TASK_OF_FILE = re.compile(r"samples_(?P<task>.+)_\d{4}-\d{2}-\d{2}T")
_TAKES_FIRST = frozenset({"none", "strict-match", "flexible-extract", "get-answer", "take_first"})
"""Names of the filters of the harness's own tasks that take the first response."""
_FOR_ALL = frozenset({"majority_vote", "take_first_k"})
"""Filter functions whose result belongs to no single response."""


class Format:
    """Rows with `doc_id`, `doc`, `target`, `resps` and `filtered_resps`."""

    name = "lm_eval"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: row.keys() >= _REQUIRED)

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "LmEvalReader":
        return LmEvalReader()


class LmEvalReader(ReaderDefaults):
    """One row is one document under one filter; the rows of a document become one group."""

    has_named_rewards = True
    fields: Mapping[str, str] = {
        "prompt": "arguments",
        "group_id": "doc_id",
        "response": "resps",
        "target": "target",
        "rewards": "each of metrics at each filter",
    }

    def __init__(self) -> None:
        self._takes_first: dict[str, bool] = {}  # filter -> whether it takes the first response
        self._filters: dict[str, None] = {}
        self._n_unscored = 0

    @property
    def notes(self) -> Sequence[str]:
        found = ["the harness does not record why a response ended: truncation is unknown"]
        if len(self._filters) > 1:
            first = next(iter(self._filters))
            found.append(
                f"the reward is that of the first filter, {first}; where a filter scores no single response, none"
            )
        if self._n_unscored:
            found.append(
                "with repeats, a filter scores the first response, or the document as a whole: others have no reward"
            )
        return found

    def look_around(self, paths: Sequence[Path]) -> None:
        for folder in dict.fromkeys(path.parent for path in paths):
            tasks = {match["task"] for path in paths if (match := _TASK_OF_FILE.match(path.name))}
            for results in sorted(folder.glob("results_*.json")):
                self._takes_first |= _filters_in(results, tasks)

    def identity(self, row: Row) -> Identity:
        doc_id = name_value(row.get("doc_id"))
        if doc_id is None:
            raise RowRefusedError("doc_id", f"expected a number, got {clip(row.get('doc_id'))}")
        return Identity(prompt_digest_id(prompt_identity(_prompt(row) or doc_id)), group=doc_id)

    def learn(self, row: Row, identity: Identity) -> None:
        responses = _responses(row)
        self._filters[_filter(row)] = None
        self._n_unscored += len(responses) > 1

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        responses = _responses(row)
        scored = self._scored(row, len(responses))
        prompt = _prompt(row)
        target = target_value(row.get("target"), tally)
        names = {metric: f"{metric}@{_filter(row)}" for metric in _metrics(row)}
        meta: dict[str, Any] = {"doc": row["doc"]} if "doc" in row and is_small(row["doc"]) else {}
        filtered = row.get("filtered_resps")
        rollouts: list[Rollout] = []
        for index, response in enumerate(responses):
            scores = {name: reward_value(row.get(metric), tally) for metric, name in names.items()}
            own = dict(meta)
            if index in scored and isinstance(filtered, list) and len(filtered) == 1 and isinstance(filtered[0], str):
                own["extracted"] = {_filter(row): filtered[0]}
            rollouts.append(
                Rollout(
                    prompt_id=identity.prompt_id or "",
                    prompt=prompt,
                    response=response,
                    target=target,
                    rewards=scores if index in scored else dict.fromkeys(scores),
                    reward_name=next(iter(scores), None),
                    rollout_id=f"{identity.group}/{index}",
                    meta=own,
                    source=source.model_copy(update={"index": index}),
                )
            )
        return rollouts

    def settle(self, rollouts: list[Rollout]) -> list[Rollout]:
        """The rows of a document, one a filter, hold the same responses: one rollout each, with all its scores."""
        responses: dict[int, list[Rollout]] = {}
        for rollout in rollouts:
            responses.setdefault(rollout.source.index if rollout.source else 0, []).append(rollout)
        return [same[0] if len(same) == 1 else _merged(same) for same in responses.values()]

    def _scored(self, row: Row, n_responses: int) -> range:
        """The responses whose own score a row holds."""
        if n_responses == 1:
            return range(1)
        name = _filter(row)
        filtered = row.get("filtered_resps")
        is_one = isinstance(filtered, list) and len(filtered) == 1 and not isinstance(filtered[0], list)
        takes_first = self._takes_first.get(name, name in _TAKES_FIRST or "first" in name)
        return range(int(is_one and takes_first))


def _merged(same: Sequence[Rollout]) -> Rollout:
    rewards = {name: value for rollout in same for name, value in rollout.rewards.items()}
    extracted = {name: text for rollout in same for name, text in rollout.meta.get("extracted", {}).items()}
    # The first filter's score is the reward only where every filter has one: a vote would have spoken for all.
    is_whole = all(rollout.rewards.get(rollout.reward_name or "") is not None for rollout in same)
    return same[0].model_copy(
        update={
            "rewards": rewards,
            "reward_name": same[0].reward_name if is_whole else None,
            "meta": {**same[0].meta, **({"extracted": extracted} if extracted else {})},
        }
    )


def _filter(row: Row) -> str:
    return name_value(row.get("filter")) or "none"


def _metrics(row: Row) -> list[str]:
    names = row.get("metrics")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _responses(row: Row) -> list[str]:
    found = row.get("resps")
    texts = found[0] if isinstance(found, list) and len(found) == 1 and isinstance(found[0], list) else found
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise RowRefusedError(
            "resps",
            f"expected texts, got {clip(found)}; a log-likelihood task has no responses, only its choices' scores",
        )
    return texts


def _prompt(row: Row) -> str | list[dict[str, Any]] | None:
    """The context of the first request: under `gen_args_0.arg_0`, or the first of a list before 0.4.3."""
    found: Any = row.get("arguments")
    while isinstance(found, list | dict) and found:
        found = next(iter(found.values())) if isinstance(found, dict) else found[0]
    return prompt_value(found, "arguments") if isinstance(found, str) else None


def _filters_in(path: Path, tasks: set[str]) -> dict[str, bool]:
    """Of the filters of `tasks`: whether each takes the first response and leaves the others."""
    try:
        if path.stat().st_size > MAX_RESULTS_BYTES:
            return {}
        configs = json.loads(path.read_bytes())["configs"]
        named = [one for task in tasks for one in configs.get(task, {}).get("filter_list") or ()]
        return {
            one["name"]: not _FOR_ALL & {function["function"] for function in one["filter"]}
            and any(function["function"] == "take_first" for function in one["filter"])
            for one in named
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
