"""A reward function in TRL's shape that scores as TRL 1.16's `accuracy_reward` does, targets as given.

Use it as a verifier under audit: `rewardgate audit FILE --verifier benchmarks/trl_accuracy_reward.py:accuracy_reward`.
Its fault is a real one: a target without `$` or `\\boxed` around it is not LaTeX to the parser, so that `\\frac{1}{2}`
is read as nothing or as a piece of itself.
"""

from latex2sympy2_extended import NormalizationConfig
from math_verify import LatexExtractionConfig, parse, verify

ANSWER = LatexExtractionConfig(
    boxed_match_priority=0,
    try_extract_without_anchor=False,
    normalization_config=NormalizationConfig(units=True),
)


def accuracy_reward(completions: list, solution: list[str], **kwargs: object) -> list[float | None]:
    """1.0 where the completion's boxed answer equals the parsed target, None where the target cannot be parsed."""
    rewards: list[float | None] = []
    for completion, target in zip(completions, solution, strict=True):
        text = completion if isinstance(completion, str) else completion[-1]["content"]
        parsed_target = parse(target, parsing_timeout=None)
        if not parsed_target:
            rewards.append(None)
            continue
        answer = parse(text, extraction_config=[ANSWER], extraction_mode="first_match", parsing_timeout=None)
        rewards.append(float(verify(parsed_target, answer, timeout_seconds=None)))
    return rewards
