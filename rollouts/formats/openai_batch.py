"""Output of OpenAI's Batch API (and of servers that imitate it): one row a request, its choices the group.

The file holds no prompt, no target and no reward; `custom_id` is what joins it to them. A failed request
has no response, and its row is refused with the service's reason.
"""

from collections.abc import Mapping, Sequence

from ..fields import ReadOptions
from ..grouping import Identity
from ..records import Rollout, Source
from ..refusals import RowRefusedError, Tally, clip
from ..turns import only_text, response_value
from ..values import name_value, truncated_value
from .base import ReaderDefaults, Row, most


class Format:
    """Rows with `custom_id` and a `response` that is null or an HTTP answer with a body."""

    name = "openai_batch"

    def recognises(self, rows: Sequence[Row]) -> bool:
        return most(rows, lambda row: "custom_id" in row and _is_answer(row.get("response")))

    def reader(self, rows: Sequence[Row], options: ReadOptions) -> "OpenAIBatchReader":
        return OpenAIBatchReader()


class OpenAIBatchReader(ReaderDefaults):
    """One row is one group; its choices are its rollouts."""

    fields: Mapping[str, str] = {
        "prompt_id": "custom_id",
        "response": "response.body.choices",
        "policy_version": "response.body.model",
    }
    notes: Sequence[str] = ("no prompt, target or reward in a batch output: join them on custom_id",)

    def identity(self, row: Row) -> Identity:
        custom_id = name_value(row.get("custom_id"))
        if custom_id is None:
            raise RowRefusedError("custom_id", f"expected text, got {clip(row.get('custom_id'))}")
        response = row.get("response")
        body = response.get("body") if isinstance(response, dict) else None
        choices = body.get("choices") if isinstance(body, dict) else None
        if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
            raise RowRefusedError("response", f"expected choices, got {clip(_reason(row, body))}")
        return Identity(custom_id, is_whole_group=True)

    def rollouts(self, row: Row, identity: Identity, source: Source, tally: Tally) -> list[Rollout]:
        body = row["response"]["body"]
        choices = body["choices"]
        used = body.get("usage")
        n_tokens = used.get("completion_tokens") if len(choices) == 1 and isinstance(used, dict) else None
        rollouts: list[Rollout] = []
        for index, choice in enumerate(choices):
            message = choice.get("message")
            reason = name_value(choice.get("finish_reason"))
            response = response_value(message if message is not None else choice.get("text"), "choices")
            rollouts.append(
                Rollout(
                    prompt_id=identity.prompt_id or "",
                    response=only_text(response),
                    finish_reason=reason,
                    truncated=truncated_value(None, reason),
                    n_tokens=n_tokens if isinstance(n_tokens, int) else None,
                    policy_version=name_value(body.get("model")),
                    source=source.model_copy(update={"index": index}),
                )
            )
        return rollouts


def _is_answer(response: object) -> bool:
    return response is None or (isinstance(response, dict) and "body" in response)


def _reason(row: Row, body: object) -> object:
    error = body.get("error") if isinstance(body, dict) else None
    return row.get("error") or error or "no choices"
