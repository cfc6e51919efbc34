"""The names under which rollout files hold prompt, response, target and reward, and how one is chosen.

A name counts only where the column's cells could be what it stands for: `code` may be a response or an
error code, `label` a gold answer or a like/dislike flag. Where the choice needs more than names (a column
`answer` that varies inside a prompt is the model's answer and not the gold), `formats.columns` decides on
the whole file.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .turns import messages_in

RESPONSE = (
    *("response", "responses", "completion", "completions", "output", "outputs", "generation", "generations"),
    *("generated_text", "model_output", "model_outputs", "model_response", "samples", "rollouts", "candidates"),
    *("choices", "code", "message", "generated", "text", "content"),
)
PROMPT = (
    *("prompt", "question", "problem", "query", "input", "instruction", "prompts", "inputs", "questions"),
    *("user_prompt", "prompt_text", "problem_statement"),
)
MESSAGES = ("messages", "conversations", "conversation", "chat")
STRONG_TARGET = (
    *("target", "gold", "ground_truth", "gt", "gold_answer", "golden_answer", "correct_answer", "ref_answer"),
    *("reference_answer", "expected_answer", "expected", "targets", "golds", "gts", "ground_truths"),
    *("reference", "references", "reward_model"),
)
WEAK_TARGET = ("answer", "answers", "solution", "label", "labels")
REWARD = (
    *("reward", "rewards", "total_reward", "reward_total", "score", "scores", "reward_score", "outcome_reward"),
    *("correct", "is_correct", "correctness", "acc", "accuracy", "passed"),
)
GROUP = ("group_id", "group_uid", "group_idx", "group_index", "group_key", "group")
STEP = ("step", "global_step", "global_steps", "training_step", "train_step", "iteration")
PROMPT_ID = (
    *("prompt_id", "problem_id", "question_id", "task_id", "example_id", "doc_id", "query_id", "custom_id"),
    *("instance_id", "data_id", "prompt_idx", "problem_idx", "question_idx", "prompt_index", "problem_index"),
)
ROLLOUT_ID = ("rollout_id", "completion_id", "response_id", "generation_id", "trajectory_id", "sample_id", "request_id")
LOOSE_ID = ("id", "idx", "index", "uid", "uuid")
"""Names of a prompt's id in one file and of a rollout's in the next: told apart by whether they repeat."""
TRUNCATED = ("truncated", "is_truncated", "clipped", "is_clipped")
FINISH_REASON = ("finish_reason", "finish_reasons", "stop_reason", "stop_reasons")
N_TOKENS = (
    *("n_tokens", "num_tokens", "n_completion_tokens", "num_completion_tokens", "completion_tokens"),
    *("response_length", "completion_length", "num_output_tokens", "output_tokens"),
)
POLICY_VERSION = ("policy_version", "weight_version", "model_version", "model", "model_name", "checkpoint")
TOKEN_IDS = ("token_ids", "completion_ids", "response_ids", "completion_token_ids", "response_token_ids", "output_ids")
LOGPROBS = (
    *("rollout_logprobs", "rollout_log_probs", "sampling_logprobs", "generation_logprobs", "completion_logprobs"),
    *("token_logprobs", "old_logprobs", "logprobs"),
)
TRAINER_LOGPROBS = ("old_logprobs", "old_log_probs", "prev_logprobs", "trainer_logprobs", "logprobs")
"""Where trainers log log-probabilities of their own beside the sampler's; kept in `Rollout.meta` under their name."""

PROMPT_NAMES = frozenset((*PROMPT, *MESSAGES, *PROMPT_ID, *GROUP))
USUAL_NAMES = PROMPT_NAMES.union(RESPONSE, STRONG_TARGET, WEAK_TARGET, REWARD)
TOKEN_NAMES = frozenset((*TOKEN_IDS, *LOGPROBS, *TRAINER_LOGPROBS))

_REWARD_BEGINNINGS = ("reward_", "rewards_", "reward/", "rewards/", "reward.", "rewards.")
_NOT_A_REWARD_ENDINGS = ("_std", "_mean", "_max", "_min", "_weight", "_baseline", "_name", "_type", "_fn", "_model")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the caller said of a file; a name set here replaces the search for the usual ones.

    Args:
        prompt_key, prompt_id_key, response_key, target_key, reward_key, group_key: columns, as in `read`.
        tokens: whether token ids and log-probabilities are loaded.
    """

    prompt_key: str | None = None
    prompt_id_key: str | None = None
    response_key: str | None = None
    target_key: str | None = None
    reward_key: str | None = None
    group_key: str | None = None
    tokens: bool = False

    def named(self) -> dict[str, str]:
        """The arguments that name a column, and the column."""
        keys = ("prompt_key", "prompt_id_key", "response_key", "target_key", "reward_key", "group_key")
        return {key: value for key in keys if (value := getattr(self, key)) is not None}


@dataclass(slots=True)
class ColumnKinds:
    """Which columns a file has, and how often each holds which kind of cell.

    A kind is `"text"`, `"number"`, `"flag"`, `"dict"`, `"messages"` or `"list"`; empty cells count for
    nothing but the column's existence.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    numerals: Counter[str] = field(default_factory=Counter)
    """Of the text cells of a column, how many are a number: a table may have no other type."""

    MAX_COLUMNS = 2000

    def add(self, row: Mapping[str, Any]) -> None:
        """Count the cells of one row; columns beyond the first `MAX_COLUMNS` are not looked at."""
        for name, cell in row.items():
            kinds = self.counts.get(name)
            if kinds is None:
                if len(self.counts) >= self.MAX_COLUMNS:
                    continue
                kinds = self.counts[name] = Counter()
            if cell is not None and cell != "":
                kinds[kind_of(cell)] += 1
                if isinstance(cell, str) and len(cell) < 24 and _is_numeral(cell):
                    self.numerals[name] += 1

    def has(self, name: str, *kinds: str) -> bool:
        """Whether column `name` holds a cell of one of `kinds`."""
        counts = self.counts.get(name)
        return counts is not None and any(counts[kind] for kind in kinds)

    def main_kind(self, name: str) -> str:
        """The kind that most cells of column `name` have; empty where all are empty."""
        counts = self.counts.get(name)
        return max(counts, key=counts.__getitem__) if counts else ""

    def first(self, names: Iterable[str], *kinds: str) -> str | None:
        """The first of `names` that is a column with a cell of one of `kinds`."""
        return next((name for name in names if self.has(name, *kinds)), None)


def kind_of(cell: object) -> str:
    """The kind of a cell that is not empty, as `ColumnKinds` names it."""
    if isinstance(cell, str):
        return "text"
    if isinstance(cell, bool):
        return "flag"
    if isinstance(cell, (int, float)):
        return "number"
    if isinstance(cell, dict):
        return "messages" if messages_in(cell) else "dict"
    return "messages" if messages_in(cell) else "list"


def response_column(kinds: ColumnKinds) -> str | None:
    """The column of responses, by name; `solution` or `answer` only where another column is the target."""
    found = kinds.first(RESPONSE, "text", "messages", "list", "dict")
    conversation = kinds.first(MESSAGES, "messages", "list", "text")
    if found is not None and not (conversation and RESPONSE.index(found) >= RESPONSE.index("code")):
        return found
    if conversation is not None:
        return conversation
    for name in ("solution", "solutions", "answer"):
        others = [other for other in (*STRONG_TARGET, *WEAK_TARGET) if other != name]
        if kinds.has(name, "text", "list", "messages") and kinds.first(others, "text", "number", "list", "dict"):
            return name
    # Errored attempts alone may leave every response empty.
    return next((name for name in RESPONSE if name in kinds.counts), None)


def prompt_column(kinds: ColumnKinds, response: str | None) -> str | None:
    """The column of prompts; a conversation that does not hold the responses is a prompt too."""
    names = [name for name in (*PROMPT, *MESSAGES) if name != response]
    return kinds.first(names, "text", "messages")


def target_columns(kinds: ColumnKinds, taken: Iterable[str | None]) -> list[str]:
    """Columns that may hold the target, likeliest name first."""
    used = set(taken)
    found = [name for name in STRONG_TARGET if name not in used and kinds.has(name, "text", "number", "list", "dict")]
    # A flag is a like or a dislike under `label` and `answer`; a gold only under a name that leaves no doubt.
    found += [name for name in WEAK_TARGET if name not in used and kinds.has(name, "text", "number", "list", "dict")]
    flagged = [name for name in STRONG_TARGET if name not in used and kinds.has(name, "flag") and name not in found]
    return found + flagged


def reward_columns(kinds: ColumnKinds, taken: Iterable[str | None]) -> tuple[list[str], str | None]:
    """Columns of rewards, and the one that the trainer learned from where the names say so.

    The usual names first, then `*_reward`, `reward_*` and `rewards/*` that hold numbers (named parts).
    Advantages, lengths, log-probabilities and a reward model's scores are no rewards.
    """
    used = set(taken)
    main = [name for name in REWARD if name in kinds.counts and name not in used]
    if "label" in kinds.counts and "label" not in used and not main and kinds.has("label", "flag"):
        main = ["label"]
    parts = [
        name
        for name in kinds.counts
        if name not in main and name not in used and _names_a_part(name) and _is_numeric(kinds, name)
    ]
    totals = (name for name in main if kinds.main_kind(name) not in ("dict", ""))
    return main + parts, next(totals, None)


def _is_numeric(kinds: ColumnKinds, name: str) -> bool:
    return kinds.main_kind(name) in ("number", "flag") or 2 * kinds.numerals[name] > kinds.counts[name].total() > 0


def _is_numeral(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _names_a_part(name: str) -> bool:
    lowered = name.lower()
    looks_like_one = lowered.endswith(("_reward", "_rewards")) or lowered.startswith(_REWARD_BEGINNINGS)
    return looks_like_one and not lowered.endswith(_NOT_A_REWARD_ENDINGS)
