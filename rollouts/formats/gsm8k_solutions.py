"""Example model solutions of OpenAI's GSM8K release: one row a problem, one dict a model.

The responses of a row come from *different models*, so a group is not a sample of one policy: each
rollout's `policy_version` is its model's name, and figures that assume one policy (pass@k, a beta-binomial)
mean little. Source: openai/grade-school-math, data/example_model_solutions.jsonl.
"""

from collections.abc import Mapping, Sequence

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import prompt_digest_id
from ..values import reward_value
from .base import ReaderDefaults, Row, most

ANSWER_MARKS = ("\nA: ", "#### ")
"""The last one in `ground_truth` is followed by the gold answer."""


class Format:
    """Rows with `question`, `ground_truth` and at least one dict of `solution` and `is_correct`."""

    name = "gsm8k_solutions"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: {"question", "ground_truth"} <= row.keys() and bool(_models(row)))

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "Gsm8kSolutionsReader":
        return Gsm8kSolutionsReader()


class Gsm8kSolutionsReader(ReaderDefaults):
    """One row is one group; its models are its rollouts."""

    def __init__(self) -> None:
        self._models: dict[str, None] = {}

    @property
    def fields(self) -> Mapping[str, str]:
        models = ", ".join(self._models)
        return {
            "prompt": "question",
            "response": f"solution of {models}",
            "target": 'ground_truth after "A: "',
            "rewards": f"is_correct of {models}",
            "policy_version": "the model's name",
        }

    @property
    def notes(self) -> Sequence[str]:
        return (f"a group's responses come from {len(self._models)} different models, not from one policy",)

    def identity(self, row: Row) -> Identity:
        if not isinstance(row.get("question"), str):
            raise RowRefusedError("question", f"expected text, got {clip(row.get('question'))}")
        if not _models(row):
            raise RowRefusedError("solution", "expected a dict of solution and is_correct a model, got none")
        return Identity(prompt_digest_id(row["question"]), is_whole_group=True)

    def learn(self, row: Row, identity: Identity) -> None:
        self._models.update(dict.fromkeys(_models(row)))

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        gold = _gold(row.get("ground_truth"))
        rollouts: list[Rollout] = []
        for index, model in enumerate(_models(row)):
            response = row[model]["solution"]
            if response is not None and not isinstance(response, str):
                raise RowRefusedError(f"{model}.solution", f"expected text, got {clip(response)}")
            rollouts.append(
                Rollout(
                    prompt_id=identity.prompt_id or "",
                    prompt=row["question"],
                    response=response,
                    target=gold,
                    rewards={"is_correct": reward_value(row[model].get("is_correct"), tally)},
                    policy_version=model,
                    source=Source(file=source.file, line=source.line, index=index),
                )
            )
        return rollouts


def _models(row: Row) -> list[str]:
    return [name for name, cell in row.items() if isinstance(cell, dict) and {"solution", "is_correct"} <= cell.keys()]


def _gold(ground_truth: object) -> str | None:
    """The final answer of a worked solution; the whole text where no mark stands in it."""
    if not isinstance(ground_truth, str) or not ground_truth.strip():
        return None
    text = f"\n{ground_truth}"
    for mark in ANSWER_MARKS:
        _, found, answer = text.rpartition(mark)
        if found and answer.strip():
            return answer.strip()
    return ground_truth
