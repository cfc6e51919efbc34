"""What flows: rollouts and groups, and the files they are read from and written to."""

from .messages import completion_text, message_text, prompt_text
from .reading import Reading, read, read_rows
from .recording import record
from .records import Group, Rollout, Source
from .refusals import Refusal, Summary
from .watching import watch
from .writing import refusal_row, rollout_row, row_text, verdict_row, write_rollouts, write_row

__all__ = [
    "Group",
    "Reading",
    "Refusal",
    "Rollout",
    "Source",
    "Summary",
    "completion_text",
    "message_text",
    "prompt_text",
    "read",
    "read_rows",
    "record",
    "refusal_row",
    "rollout_row",
    "row_text",
    "verdict_row",
    "watch",
    "write_rollouts",
    "write_row",
]
