"""What is asked: prompts and targets from a file, and the ids that a policy is given of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, InputError
from ..rollouts.containers import open_rows
from ..rollouts.fields import LOOSE_ID, PROMPT_ID, ColumnKinds, prompt_column, target_columns
from ..rollouts.formats.cells import cell
from ..rollouts.messages import Message
from ..rollouts.records import Target
from ..rollouts.refusals import RowRefusedError, clip
from ..rollouts.rows import Row, RowFile
from ..rollouts.turns import prompt_digest_id, prompt_identity, prompt_value
from ..rollouts.values import name_value, target_value

__all__ = ["Prompt", "PromptEncoder", "read_prompts", "without"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question.

    Args:
        prompt_id: no other prompt's.
        prompt: text, or chat messages in the OpenAI shape.
        target: what a verifier compares answers with.
        token_ids: what the policy reads; empty before a `PromptEncoder` has seen it.
    """

    prompt_id: str
    prompt: str | list[dict[str, Any]]
    target: Target
    token_ids: tuple[int, ...] = ()


def read_prompts(
    path: str | Path,
    *,
    prompt_key: str | None = None,
    target_key: str | None = None,
    prompt_id_key: str | None = None,
) -> list[Prompt]:
    """The prompts of a file, in its order: one a row, whatever else its columns hold.

    The same prompt twice is one. A prompt without an id of its own gets one made of its words, the same in every file.

    Args:
        path: JSON lines, a JSON array, CSV or Parquet; plain, gzip or Zstandard.
        prompt_key, target_key, prompt_id_key: columns; dots lead into objects. None: the first of a usual name.

    Raises:
        InputError: the file cannot be read, has no such column, holds a row without a prompt or a target, or says two
            things of one prompt: `prompts.jsonl:17: target: expected …, got …`.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        ...     print('{"id": 7, "question": "2+2?", "answer": 4}', file=file, flush=True)
        ...     read_prompts(file.name)
        [Prompt(prompt_id='7', prompt='2+2?', target='4', token_ids=())]
    """
    named = [one for one in (prompt_key, target_key, prompt_id_key) if one is not None]
    rows, kinds = open_rows(Path(path), tokens=False, columns=named), ColumnKinds()
    for _, value in _read(rows, path):
        kinds.add(value)
    if not kinds.counts:
        raise InputError(f"{path}: expected at least one prompt, got none")
    columns = _Columns.of(kinds, path, prompt=prompt_key, target=target_key, prompt_id=prompt_id_key)
    found: dict[str, Prompt] = {}
    for line, value in _read(rows, path):
        try:
            one = columns.prompt_of(value)
            known = found.setdefault(one.prompt_id, one)
            for name in ("prompt", "target"):
                if getattr(known, name) != getattr(one, name):
                    told = f'expected what prompt "{one.prompt_id}" had before, {clip(getattr(known, name))}'
                    raise RowRefusedError(name, f"{told}, got {clip(getattr(one, name))}")
        except RowRefusedError as refused:
            raise InputError(f"{path}:{line}: {refused.field}: {refused.reason}") from None
    return list(found.values())


def _read(rows: RowFile, path: str | Path) -> Iterator[tuple[int, Row]]:
    for row in rows.scan():
        if row.value is None:
            raise InputError(f"{path}:{row.line}: row: {row.problem}")
        yield row.line, row.value


def without(prompts: Sequence[Prompt], held_out: Sequence[Prompt]) -> list[Prompt]:
    """The prompts that are not held out, by their ids and by their words."""
    ids = {one.prompt_id for one in held_out}
    words = {prompt_identity(one.prompt) for one in held_out}
    return [one for one in prompts if one.prompt_id not in ids and prompt_identity(one.prompt) not in words]


class PromptEncoder:
    """Prompts as the ids that a policy reads.

    Args:
        tokenizer: of transformers.
        chat: write prompts by its chat template, the beginning of an answer behind them; None: where it has one.
        system: message before every prompt that has none; with a chat template only.
        template: text with `{prompt}` in it, put around every prompt of text.

    Raises:
        ArgumentError: a chat asked of a tokenizer without a template, or an option that does not fit.
    """

    def __init__(
        self, tokenizer: Any, *, chat: bool | None = None, system: str | None = None, template: str | None = None
    ) -> None:
        has_template = getattr(tokenizer, "chat_template", None) is not None
        self._chat = has_template if chat is None else chat
        if self._chat and not has_template:
            raise ArgumentError("chat: expected a tokenizer with a chat template, got one without")
        if system is not None and not self._chat:
            raise ArgumentError(f"system: expected None without a chat template, got {clip(system)}")
        if template is not None and "{prompt}" not in template:
            raise ArgumentError(f"template: expected a text with {{prompt}} in it, got {clip(template)}")
        self._tokenizer, self._system, self._template = tokenizer, system, template

    def __call__(self, prompt: str | Sequence[Message]) -> list[int]:
        """The ids of one prompt.

        Raises:
            ArgumentError: messages without a chat template.
        """
        if isinstance(prompt, str) and self._template is not None:
            prompt = self._template.replace("{prompt}", prompt)
        if not self._chat:
            if not isinstance(prompt, str):
                raise ArgumentError("prompt: expected text, got messages; the tokenizer has no chat template")
            return list(self._tokenizer.encode(prompt))
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        if self._system is not None and messages[0].get("role") != "system":
            messages = [{"role": "system", "content": self._system}, *messages]
        text = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        # The template writes its own special tokens.
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def encoded(self, prompts: Sequence[Prompt], *, max_tokens: int | None = None) -> list[Prompt]:
        """The prompts with their ids; those of more than `max_tokens` are left out.

        Raises:
            ArgumentError: a prompt of no token, or none left.
        """
        known = [replace(one, token_ids=tuple(self(one.prompt))) for one in prompts]
        for one in known:
            if not one.token_ids:
                raise ArgumentError(f'prompt "{one.prompt_id}": expected at least one token, got none')
        kept = [one for one in known if max_tokens is None or len(one.token_ids) <= max_tokens]
        if not kept:
            raise ArgumentError(f"max_prompt_tokens: expected a prompt of at most {max_tokens}, got longer ones only")
        return kept


@dataclass(frozen=True, slots=True)
class _Columns:
    prompt: str
    target: str
    prompt_id: str | None

    @classmethod
    def of(cls, kinds: ColumnKinds, path: str | Path, **given: str | None) -> "_Columns":
        for role, name in given.items():
            if name is not None and not {name, name.partition(".")[0]} & kinds.counts.keys():
                known = ", ".join(list(kinds.counts)[:40])
                raise InputError(f'{path}: {role}_key: expected a column of the file, got "{name}"; columns: {known}')
        prompt = given["prompt"] or prompt_column(kinds, None)
        prompt_id = given["prompt_id"] or next((one for one in (*PROMPT_ID, *LOOSE_ID) if one in kinds.counts), None)
        targets = [given["target"]] if given["target"] else target_columns(kinds, (prompt, prompt_id))
        for role, name in (("prompt", prompt), ("target", targets[0] if targets else None)):
            if name is None:
                known = ", ".join(list(kinds.counts)[:40]) or "none"
                raise InputError(f"{path}: expected a column of {role}s; {role}_key names one; columns: {known}")
        assert prompt is not None
        return cls(prompt, targets[0], prompt_id)

    def prompt_of(self, row: Mapping[str, Any]) -> Prompt:
        asked = prompt_value(cell(row, self.prompt), self.prompt)
        if asked is None:
            raise RowRefusedError(self.prompt, "expected a prompt, got none")
        target = target_value(cell(row, self.target))
        if target is None:
            raise RowRefusedError(self.target, f"expected a target, got {clip(cell(row, self.target))}")
        own = None if self.prompt_id is None else name_value(cell(row, self.prompt_id))
        return Prompt(prompt_digest_id(prompt_identity(asked)) if own is None else own, asked, target)
