"""The graders that the benchmarks compare, all with one shape: (gold, response) -> {"accepted": ..., "seconds": ...}.

`accepted` is None where the grader gives no verdict. Loaded by name inside killable workers, so that a grader
that hangs costs its time limit and nothing else.
"""

import re
from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any

Grader = Callable[[str, str], bool | None]


def graded(name: str, gold: str, response: str) -> dict[str, Any]:
    """What the grader `name` says, and the seconds that it took, its own imports left out."""
    grader = _built(name)
    started = perf_counter()
    accepted = grader(gold, response)
    return {"accepted": accepted, "seconds": perf_counter() - started}


@cache
def _built(name: str) -> Grader:
    return GRADERS[name]()


def _rewardgate(name: str) -> Grader:
    from rewardgate.verifiers import get

    verifier = get(name)

    def grade(gold: str, response: str) -> bool | None:
        reward = verifier.verify(response, gold).reward
        return None if reward is None else reward == 1

    return grade


def _math_verify_recommended() -> Grader:
    """math-verify as its README recommends: LaTeX inside an environment, LaTeX and plain expressions, boxes first."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

    in_gold = [LatexExtractionConfig(), ExprExtractionConfig()]
    in_response = [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]

    def grade(gold: str, response: str) -> bool | None:
        parsed_gold = parse(_in_dollars(gold), extraction_config=in_gold)
        return bool(verify(parsed_gold, parse(response, extraction_config=in_response))) if parsed_gold else None

    return grade


def _in_dollars(gold: str) -> str:
    """The gold as LaTeX in an environment: `$...$` unless it has one; an escaped `\\$` is a currency sign."""
    return gold if re.search(r"(?<!\\)\$", gold) else f"${gold}$"


def _math_verify_trl(prepared: Callable[[str], str] = str) -> Grader:
    """math-verify as TRL's accuracy_reward (huggingface/trl at 010eddf) calls it on the main thread.

    TRL also prints both parsed forms of every row, outside of any time limit; so does this. `prepared` is what the
    user did to the golds; TRL itself takes them as given.
    """
    from latex2sympy2_extended import NormalizationConfig
    from math_verify import LatexExtractionConfig, parse, verify

    in_response = [
        LatexExtractionConfig(
            normalization_config=NormalizationConfig(units=True),
            boxed_match_priority=0,
            try_extract_without_anchor=False,
        )
    ]

    def grade(gold: str, response: str) -> bool | None:
        parsed_gold = parse(prepared(gold), parsing_timeout=10)
        if not parsed_gold:
            return None
        answer = parse(response, extraction_config=in_response, extraction_mode="first_match", parsing_timeout=10)
        accepted = bool(verify(parsed_gold, answer, timeout_seconds=5))
        str(parsed_gold), str(answer)
        return accepted

    return grade


GRADERS: dict[str, Callable[[], Grader]] = {
    "rewardgate math": lambda: _rewardgate("math"),
    "rewardgate auto": lambda: _rewardgate("auto"),
    "math-verify recommended": _math_verify_recommended,
    "math-verify TRL": _math_verify_trl,
    "math-verify TRL, $gold$": lambda: _math_verify_trl(_in_dollars),
}
