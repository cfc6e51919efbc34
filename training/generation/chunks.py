"""Which completions are sampled together: prompts of similar length, as many as a budget of cached tokens allows."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Chunk", "chunks"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Completions that are sampled together.

    Args:
        prompts: numbers of the prompts, each once.
        rows: of every completion the place of its prompt in `prompts`, and which sample of it this is.
    """

    prompts: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]


def chunks(lengths: Sequence[int], counts: Sequence[int], *, max_tokens: int, token_budget: int) -> list[Chunk]:
    """All completions, those of the longest prompts first: what does not fit into memory says so at the start.

    A chunk takes rows while rows * (its longest prompt + max_tokens) <= token_budget, and at least one. A prompt
    whose samples do not fit goes on in the next chunk.

    Example:
        >>> [len(chunk.rows) for chunk in chunks([4, 2], [2, 3], max_tokens=6, token_budget=30)]
        [3, 2]
    """
    order = sorted(range(len(lengths)), key=lambda prompt: -lengths[prompt])
    waiting = [(prompt, sample) for prompt in order for sample in range(counts[prompt])]
    found: list[Chunk] = []
    while waiting:
        size = max(1, token_budget // (lengths[waiting[0][0]] + max_tokens))
        taken, waiting = waiting[:size], waiting[size:]
        prompts = tuple(dict.fromkeys(prompt for prompt, _ in taken))
        place = {prompt: number for number, prompt in enumerate(prompts)}
        found.append(Chunk(prompts, tuple((place[prompt], sample) for prompt, sample in taken)))
    return found
