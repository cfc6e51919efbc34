"""math-verify, as its README recommends it, as the referee of an audit: what `audit --referee` would cost with it.

    rewardgate audit FILE --referee benchmarks/math_verify_referee.py:accepts
    python benchmarks/math_verify_referee.py FILE math-verify|rewardgate

The first asks it as a user's function, in killable workers. The second runs the same audit with the referee in its own
process, as nobody should call math-verify on other people's text: no worker's cost is left in the ratio. It prints the
audit's JSON with one more key, `referee_s`: the seconds spent inside the referee, the rest being the audit's own.
`audit_cost.py --peers` times all of them.
"""

import json
import sys
from functools import cache
from pathlib import Path
from time import perf_counter

sys.path.append(str(Path(__file__).resolve().parent))

from graders import GRADERS, Grader

from rewardgate.rollouts.messages import Completion, Prompt, completion_text
from rewardgate.verifiers.base import Outcome, Target, Verdict, Verifier, get
from rewardgate.verifiers.target_texts import target_texts


def accepts(completion: str, target: str) -> float | None:
    """1 or 0, None where math-verify cannot read the target."""
    accepted = _grader()(str(target), completion)
    return None if accepted is None else float(accepted)


class MathVerify:
    """The same, as a verifier that the audit calls directly."""

    version = "1"

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """Correct where any text of the target is accepted."""
        started = perf_counter()
        answers = [accepts(completion_text(completion), text) for text in target_texts(target)]
        seconds = perf_counter() - started
        if 1.0 in answers:
            return Verdict(Outcome.CORRECT, 1.0, rule="math_verify", seconds=seconds)
        if not answers or None in answers:
            return Verdict(Outcome.BAD_TARGET, None, rule="math_verify", seconds=seconds)
        return Verdict(Outcome.INCORRECT, 0.0, rule="math_verify", seconds=seconds)


class Timed:
    """A verifier that knows how long it has been asked for."""

    def __init__(self, verifier: Verifier) -> None:
        self.version = verifier.version
        self.seconds = 0.0
        self._verifier = verifier

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """What the verifier says."""
        started = perf_counter()
        try:
            return self._verifier.verify(completion, target, prompt=prompt)
        finally:
            self.seconds += perf_counter() - started


@cache
def _grader() -> Grader:
    return GRADERS["math-verify recommended"]()


if __name__ == "__main__":
    # Not above: a worker that only asks math-verify would pay for them.
    from rewardgate.audit import audit
    from rewardgate.rollouts.reading import read

    referee = Timed(MathVerify() if sys.argv[2] == "math-verify" else get("auto"))
    report = audit(read(Path(sys.argv[1])), referee=referee)
    print(json.dumps({"referee_s": referee.seconds, **report.model_dump(mode="json")}))
