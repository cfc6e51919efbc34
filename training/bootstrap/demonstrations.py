"""Completions worth learning: demonstrations that a verifier has confirmed, and the policy's own successes.

Nothing is learned that was not verified. What could not be is counted by its reason, and nothing else happens to it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import ArgumentError
from ...prm.tokenizers import encoded
from ...rollouts.messages import completion_text
from ...rollouts.records import Rollout
from ...rollouts.refusals import Refusal
from ...rollouts.turns import prompt_identity
from ...verifiers.base import Verifier
from ...verifiers.batch import verify_many
from ..base import Generator, Sampling
from ..groups.asking import attempt
from ..groups.judging import judging_by
from ..prompts import Prompt, PromptEncoder
from ..sft import Example

__all__ = ["Selection", "demonstrated", "rejection_sampled"]


@dataclass(slots=True)
class Selection:
    """What was chosen, and what became of the rest.

    Args:
        per_prompt: completions of one prompt that are taken at most.
        examples: chosen.
        prompt_ids: whose they are, one an example.
        prompts: every prompt met, by its id, chosen from or not.
        seen: rows or completions looked at.
        refused: the others by reason: an outcome and its rule, `duplicate`, `beyond k`, `cut off`, `too long`, ….
        tokens: generated for it.
        seconds: wall-clock time.
    """

    per_prompt: int
    examples: list[Example] = field(default_factory=list)
    prompt_ids: list[str] = field(default_factory=list)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    seen: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    seconds: float = 0.0
    _words: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def offer(self, prompt: Prompt, text: str, completion_ids: Sequence[int]) -> None:
        """Take a verified completion, unless its prompt has the same words already, or enough others."""
        words, known = " ".join(text.split()), self._words[prompt.prompt_id]
        if words in known:
            self.refused["duplicate"] += 1
        elif len(known) >= self.per_prompt:
            self.refused[f"beyond {self.per_prompt} a prompt"] += 1
        else:
            known.add(words)
            self.examples.append(Example(prompt.token_ids, tuple(completion_ids)))
            self.prompt_ids.append(prompt.prompt_id)


def demonstrated(
    rows: Iterable[Rollout | Refusal],
    named: Sequence[Prompt],
    verifier: Verifier,
    tokenizer: Any,
    encoder: PromptEncoder,
    *,
    per_prompt: int,
    max_tokens: int,
    workers: int = 0,
) -> Selection:
    """The demonstrations that the verifier confirms, as examples.

    Args:
        rows: of a file of demonstrations: prompt, response and, where no named prompt has it, a target.
        named: prompts whose targets count before those of the file: by them the run will be judged.
        max_tokens: of a completion with its end token; a longer one could not be sampled whole.
        workers: see `verifiers.iter_verdicts`.

    Raises:
        ArgumentError: the tokenizer has no end token: what is learned would never end.
    """
    if tokenizer.eos_token_id is None:
        raise ArgumentError("tokenizer: expected one with an end token, got none")
    selection = Selection(per_prompt)
    asked = list(_demonstrations(rows, named, encoder, selection))
    verdicts = verify_many(verifier, [(text, one.target, one.prompt) for one, text in asked], workers=workers)
    for (prompt, text), verdict in zip(asked, verdicts, strict=True):
        ids = [*encoded(tokenizer, text), tokenizer.eos_token_id]
        if verdict.reward != 1:
            selection.refused[f"{verdict.outcome}: {verdict.rule}"] += 1
        elif len(ids) > max_tokens:
            selection.refused["too long"] += 1
        else:
            selection.offer(prompt, text, ids)
    return selection


def rejection_sampled(
    prompts: Sequence[Prompt],
    generator: Generator,
    verifier: Verifier,
    sampling: Sampling,
    *,
    samples: int,
    per_prompt: int,
    seed: int,
    batch_prompts: int = 32,
    workers: int = 0,
) -> Selection:
    """The policy's own completions that the verifier confirms, as they were sampled: the first that differ.

    Args:
        samples: a prompt.
        seed: of the sampling.
        batch_prompts: prompts that are sampled and held at once.
        workers: killable processes that judge, held until the end; 0: in this one.

    Source:
        RAFT (arXiv 2304.06767) and STaR (arXiv 2203.14465), in one round; the cap a prompt keeps easy prompts from
        crowding out the others.
    """
    selection = Selection(per_prompt)
    with judging_by(verifier, workers=workers) as judging:
        for start in range(0, len(prompts), batch_prompts):
            asked = prompts[start : start + batch_prompts]
            done = attempt(asked, samples, generator, judging, sampling, seed=seed + start)
            selection.seconds += done.generating_s + done.judging_s
            for one in done.attempts:
                selection.tokens += one.n_tokens
                for completion, verdict in zip(one.completions, one.verdicts, strict=True):
                    selection.seen += 1
                    if verdict.reward != 1:
                        selection.refused[f"{verdict.outcome}: {verdict.rule}"] += 1
                    elif completion.finish_reason == "length":
                        # Right by chance of where it was cut: it would teach not to stop.
                        selection.refused["cut off"] += 1
                    else:
                        selection.offer(one.prompt, completion.text, completion.token_ids)
    return selection


def _demonstrations(
    rows: Iterable[Rollout | Refusal], named: Sequence[Prompt], encoder: PromptEncoder, selection: Selection
) -> Iterator[tuple[Prompt, str]]:
    """Every row with a prompt, a response and a target, as a prompt with its ids and the text."""
    by_id = {one.prompt_id: one for one in named}
    by_words = {prompt_identity(one.prompt): one for one in named}
    for row in rows:
        selection.seen += 1
        if isinstance(row, Refusal):
            selection.refused[f"unreadable: {row.field}"] += 1
            continue
        known = by_id.get(row.prompt_id) if row.prompt is None else by_words.get(prompt_identity(row.prompt))
        if row.response is None:
            selection.refused["no response"] += 1
        elif not isinstance(row.response, str) and len(row.response) != 1:
            selection.refused["several messages"] += 1
        elif row.truncated:
            selection.refused["cut off"] += 1
        elif known is None and row.prompt is None:
            selection.refused["no prompt"] += 1
        elif known is None and row.target is None:
            selection.refused["no target"] += 1
        else:
            if known is None:
                assert row.prompt is not None
                assert row.target is not None
                known = Prompt(row.prompt_id, row.prompt, row.target, tuple(encoder(row.prompt)))
                by_words[prompt_identity(row.prompt)] = known
            selection.prompts.setdefault(known.prompt_id, known)
            yield known, completion_text(row.response)
