"""OpenRLHF: our verifiers as its reward function. A file of your own,

    from rewardgate.integrations.openrlhf import reward_func_of

    reward_func = reward_func_of("math")

given as `--reward.remote_url path/to/it.py`. Needs no OpenRLHF; torch is imported at the first call.

OpenRLHF 0.11 calls the function with one row at a time, in a thread that nothing can end, swallows what it raises
(the reward is then None, which stops the training later, or silently asks for a reward model), and takes numbers only.
So this one never raises and judges in processes that can be killed. No hook of OpenRLHF lets a row be left out, but its
dynamic filtering drops a group whose mean score is not inside a range, and NaN is inside none: that is the score of a
row whose reward is not known. Without `--algo.dynamic_filtering_enable` the group is compared with `unscored`.
"""

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

from ..verifiers.base import Outcome, Verdict, Verifier
from ..verifiers.rows import error
from .outcome_verifier import judged, outcome_verifier

__all__ = ["END_TOKENS", "response_of", "reward_func_of"]

END_TOKENS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<end_of_turn>", "</s>", "<eos>")
"""What ends a response in the text that OpenRLHF decodes, as it keeps special tokens."""

_LEAST_PROMPT = 16
"""Characters of a prompt cut on the left that are too many to stand at the start of a query by chance."""


def reward_func_of(
    verifier: str | Verifier,
    *,
    workers: int = 2,
    timeout_s: float | None = 30.0,
    unscored: float = 0.0,
    end_tokens: Sequence[str] = END_TOKENS,
    **options: Any,
) -> Callable[[Sequence[str], Sequence[str], Sequence[Any]], dict[str, Any]]:
    """A `reward_func(queries, prompts, labels)` for OpenRLHF.

    It returns `rewards` and `scores` (B,), and `extra_logs`, of which OpenRLHF keeps the first entry of each and logs
    the mean: `rewardgate_unscored`, and `verdicts/<outcome>` for each outcome. Its `score` in the logs is NaN in a step
    that kept a row without a reward.

    Args:
        verifier, workers, timeout_s, options: as in `outcome_verifier`. One response that alone exhausts its seconds
            gets 0.
        unscored: the reward of a row whose reward is not known, where its group is not dropped for its score. Not NaN,
            which makes all advantages of the group NaN.
        end_tokens: taken off the end of responses.

    Raises:
        UnknownNameError, InputError, ArgumentError: of the set-up, when the file is loaded.
    """
    built = outcome_verifier(verifier, workers=workers, timeout_s=timeout_s, options=options)

    def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]) -> dict[str, Any]:
        import torch

        verdicts = [_judged(built, *row, end_tokens) for row in zip(queries, prompts, labels, strict=True)]
        rewards = torch.tensor([unscored if verdict.reward is None else verdict.reward for verdict in verdicts])
        scores = torch.tensor([nan if verdict.reward is None else verdict.reward for verdict in verdicts])
        is_unscored = torch.tensor([float(verdict.reward is None) for verdict in verdicts])
        shares = {
            f"verdicts/{outcome}": torch.tensor([float(verdict.outcome is outcome) for verdict in verdicts])
            for outcome in Outcome
        }
        extra_logs = {"rewardgate_unscored": is_unscored, **shares}
        return {"rewards": rewards, "scores": scores, "extra_logs": extra_logs}

    return reward_func


def response_of(query: str, prompt: str, end_tokens: Sequence[str] = END_TOKENS) -> str | None:
    """The response in a query (prompt and response, decoded together); None where the prompt is not found.

    A special token may stand before the prompt, and OpenRLHF cuts long prompts on the left.

    Example:
        >>> response_of("<s>2+2?4<|im_end|>", "2+2?")
        '4'
        >>> response_of("long prompt. What is 2+2?4", "A very long prompt. What is 2+2?")
        '4'
    """
    at = query.find(prompt)
    if at >= 0:
        response = query[at + len(prompt) :]
    else:
        starts = range(1, len(prompt) - _LEAST_PROMPT + 1)
        cut = next((start for start in starts if query.startswith(prompt[start:])), None)
        if cut is None:
            return None
        response = query[len(prompt) - cut :]
    while (stripped := _without_end(response, end_tokens)) != response:
        response = stripped
    return response


def _without_end(response: str, end_tokens: Sequence[str]) -> str:
    stripped = response.rstrip()
    for token in end_tokens:
        if stripped.endswith(token):
            return stripped.removesuffix(token)
    return response


def _judged(verifier: Verifier, query: str, prompt: str, label: Any, end_tokens: Sequence[str]) -> Verdict:
    response = response_of(query, prompt, end_tokens)
    if response is None:
        return error("prompt_not_found", "the query does not contain the prompt, so that its response is not known")
    return judged(verifier, response, label, prompt)
