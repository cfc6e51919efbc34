"""Evaluation rows of Qwen2.5-Math: one row a problem, with lists of responses, predictions and scores.

`answer` is the gold as its dataset wrote it and `gt` that project's normalised form ("4:30p..."), so the
raw one is the target. `code` holds the responses whatever language they are in, `score` the grader's
verdicts; `pred_score` are a reward model's numbers and no verdicts. Source: QwenLM/Qwen2.5-Math, evaluation/.
"""

from collections.abc import Mapping, Sequence

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import prompt_digest_id
from ..values import integer_value, is_small, name_value, reward_value, target_value
from .base import ReaderDefaults, Row, most

_META_LISTS = ("pred", "report", "pred_score")
_META = ("gt", "level", "subject", "type", "system")


class Format:
    """Rows with `code`, `score` and `pred` lists beside `question` and `gt`."""

    name = "qwen_math"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, _is_ours)

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "QwenMathReader":
        return QwenMathReader()


class QwenMathReader(ReaderDefaults):
    """One row is one group."""

    fields: Mapping[str, str] = {
        "prompt": "question",
        "prompt_id": "idx",
        "response": "code",
        "target": "answer (gt where there is no answer)",
        "rewards": "score",
    }
    notes: Sequence[str] = ("pred_score holds a reward model's numbers, not verdicts: kept in meta",)

    def identity(self, row: Row) -> Identity:
        question = row.get("question")
        if not isinstance(question, str):
            raise RowRefusedError("question", f"expected text, got {clip(question)}")
        prompt_id = name_value(row.get("idx")) or prompt_digest_id(question)
        return Identity(prompt_id, step=integer_value(row.get("step")), is_whole_group=True)

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        responses, scores = row.get("code"), row.get("score")
        if not isinstance(responses, list) or not responses:
            raise RowRefusedError("code", f"expected a list of responses, got {clip(responses)}")
        if not isinstance(scores, list) or len(scores) != len(responses):
            tally["rewards_not_aligned"] += 1
            scores = [None] * len(responses)
        for response in responses:
            if response is not None and not isinstance(response, str):
                raise RowRefusedError("code", f"expected text, got {clip(response)}")
        answer = target_value(row.get("answer"), tally)
        shared = {name: row[name] for name in _META if name in row and is_small(row[name])}
        finish_reasons = row.get("finish_reason")
        return [
            Rollout(
                prompt_id=identity.prompt_id or "",
                prompt=row["question"],
                response=response,
                target=answer if answer is not None else target_value(row.get("gt"), tally),
                rewards={"score": reward_value(score, tally)},
                finish_reason=_item(finish_reasons, index, len(responses)),
                truncated={"length": True, "stop": False}.get(_item(finish_reasons, index, len(responses)) or ""),
                step=identity.step,
                meta=shared
                | {name: row[name][index] for name in _META_LISTS if _item_list(row.get(name), len(responses))},
                source=Source(file=source.file, line=source.line, index=index),
            )
            for index, (response, score) in enumerate(zip(responses, scores, strict=True))
        ]


def _is_ours(row: Row) -> bool:
    lists = isinstance(row.get("code"), list) and isinstance(row.get("score"), list)
    return lists and {"question", "gt"} <= row.keys()


def _item_list(cell: object, length: int) -> bool:
    return isinstance(cell, list) and len(cell) == length


def _item(cell: object, index: int, length: int) -> str | None:
    return name_value(cell[index]) if isinstance(cell, list) and len(cell) == length else None
