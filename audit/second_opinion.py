"""math-verify as a second opinion, for an audit whose suspect and referee are the same verifier.

Where both are the same they agree, and agreement shows nothing. math-verify reads the same response by
other code. It has faults of its own, in both directions, so what it says goes to a person and never into a
cause. It runs in a killable worker, because it may hang.
"""

from collections.abc import Sequence

from ..errors import WorkerError
from ..rollouts.messages import completion_text
from ..rollouts.records import Rollout
from ..verifiers.base import Verifier
from ..verifiers.isolation import Workers
from .golds.texts import gold_text

__all__ = ["SecondOpinion", "accepts", "is_same_verifier"]

_ACCEPTS = "rewardgate.audit.second_opinion:accepts"
_TAIL_CHARS = 4_000
_TIMEOUT_S = 5.0
_ROWS = 32
_SAME_ON_TEXT = frozenset({"MathVerifier", "AutoVerifier"})


class SecondOpinion:
    """math-verify in its recommended configuration, target in `$…$`, asked about refused responses.

    Use it as a context manager: its workers end with it.
    """

    name = "math-verify 0.9"

    def __init__(self, workers: int = 1) -> None:
        self._workers = Workers(workers, preload=("math_verify",))

    def __enter__(self) -> "SecondOpinion":
        return self

    def __exit__(self, *error: object) -> None:
        self._workers.close()

    def accepts(self, rollouts: Sequence[Rollout]) -> list[bool | None]:
        """Whether it accepts each rollout's response; None where it has nothing to say, or ran out of time."""
        pairs = [_pair(rollout) for rollout in rollouts]
        asked = [pair for pair in pairs if pair is not None]
        answers = iter(
            [answer for start in range(0, len(asked), _ROWS) for answer in self._ask(asked[start : start + _ROWS])]
        )
        return [None if pair is None else next(answers) for pair in pairs]

    def _ask(self, pairs: list[tuple[str, str]]) -> list[bool | None]:
        try:
            return self._workers.call(_ACCEPTS, pairs, timeout_s=_TIMEOUT_S)
        except WorkerError:
            if len(pairs) == 1:
                return [None]
            return [answer for pair in pairs for answer in self._ask([pair])]


def is_same_verifier(suspect: Verifier, referee: Verifier) -> bool:
    """Whether two verifiers judge alike by construction, so that comparing them shows nothing.

    `math` and `auto` are the same on mathematics; two objects of one of our classes are the same where they
    are built alike.
    """
    if suspect is referee:
        return True
    names = {type(suspect).__name__, type(referee).__name__}
    ours = all(type(verifier).__module__.startswith("rewardgate.verifiers.") for verifier in (suspect, referee))
    if not ours or hasattr(suspect, "verify_batch") or hasattr(referee, "verify_batch"):
        return False
    return names <= _SAME_ON_TEXT or (len(names) == 1 and repr(vars(suspect)) == repr(vars(referee)))


def accepts(pairs: Sequence[tuple[str, str]]) -> list[bool | None]:
    """What runs in the worker: whether math-verify accepts each (target, response); None where it reads neither."""
    import logging

    from math_verify import parse, verify

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    # 0 is no limit: its own would set SIGALRM, and whoever asked kills this process anyway.
    answers: list[bool | None] = []
    for target, response in pairs:
        gold = parse(f"${target.strip().strip('$')}$", parsing_timeout=0)
        answer = parse(response, parsing_timeout=0)
        answers.append(bool(verify(gold, answer, timeout_seconds=0)) if gold and answer else None)
    return answers


def _pair(rollout: Rollout) -> tuple[str, str] | None:
    target = gold_text(rollout.target)
    if target is None or rollout.response is None:
        return None
    return target, completion_text(rollout.response)[-_TAIL_CHARS:]
