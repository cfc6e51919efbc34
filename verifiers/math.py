r"""The maths verifier: identical text, exact numbers, structures, values of expressions, and last a worker.

The stages, cheapest first: (1) the same text after normalisation; (2) exact numbers of any size, with units;
(3) tuples, lists, sets, intervals, labels, ratios, matrices, part by part; (4) expressions and equations that
our own parser reads, by their values (`probed`); (5) everything else by math-verify in a killable worker. The
calling process never imports sympy and never runs model text. The policies stand where they are carried out:
`expression.quantities` for values, `expression.compare` for structures.
"""

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from ..rollouts.messages import Completion, Prompt, is_completion
from .answers.echoes import is_echo
from .base import Extracted, Extractor, Outcome, Target, Verdict, as_extractor
from .expression.arithmetic import CostlyError
from .expression.compare import compare
from .expression.letters import compare_letters, without_letter
from .expression.normalise import normalise
from .expression.results import Comparison, SymbolicError, shown
from .expression.structures import read
from .probed import probed
from .rows import unreadable
from .symbolic import SymbolicStages
from .targets import INTEGER, ReadTarget, integer_text, is_too_long, read_targets

if TYPE_CHECKING:
    from .isolation import Workers

__all__ = ["MathVerifier"]

_CORRECT, _INCORRECT = Outcome.CORRECT, Outcome.INCORRECT


class MathVerifier:
    r"""Judges the committed answer of a completion against a mathematical target.

    A target may be a worked solution (`… #### 18`, `\boxed{}`, `Answer:`): its final answer is read, and the
    detail says so. Of a list of targets any one is right.

    Args:
        extractor: what finds the committed answer: a registered name, or an extractor.
        fallback: whether what exact comparison cannot decide goes to math-verify in a worker; without it
            such an answer is UNSUPPORTED.
        timeout_s: seconds of symbolic work for one verdict.
        workers: the killable workers to use; None takes the process's shared ones when first needed.

    Raises:
        ArgumentError: `timeout_s` is not positive, or `extractor` neither a name nor an extractor.
        UnknownNameError: nobody registered `extractor`.

    Example:
        >>> verdict = MathVerifier().verify(r"Hence \boxed{\frac{3}{2}}.", "1.5")
        >>> verdict.outcome, verdict.rule, verdict.detail
        (<Outcome.CORRECT: 'correct'>, 'exact_number', '\\frac{3}{2} = 1.5')
    """

    version = "1"

    def __init__(
        self,
        extractor: str | Extractor = "auto",
        *,
        fallback: bool = True,
        timeout_s: float = 5.0,
        workers: "Workers | None" = None,
    ) -> None:
        self._extractor = as_extractor(extractor)
        self._symbolic = SymbolicStages(workers, fallback, timeout_s)

    def verify(self, completion: Completion, target: Target, *, prompt: Prompt | None = None) -> Verdict:
        """The verdict; never raises on any completion or target."""
        started = perf_counter()
        if not is_completion(completion):
            return unreadable(completion)
        extracted = self._extractor.extract(completion, prompt=prompt)
        if isinstance(target, str) and extracted is not None and extracted.outcome is None:
            # The everyday case first, and at once: a plain integer against a plain integer.
            text = extracted.text
            number = integer_text(text)
            if number is not None and INTEGER.fullmatch(target):
                if number == target:
                    outcome, reward, detail = _CORRECT, 1.0, f"{text} = {target}"
                else:
                    outcome, reward, detail = _INCORRECT, 0.0, f"{text} is not {target}"
                seconds = perf_counter() - started
                return Verdict(outcome, reward, text, extracted.span, "exact_number", detail, seconds)
        try:
            verdict = self._verdict(extracted, read_targets(target), started)
            if prompt is not None and verdict.reward == 1 and is_echo(verdict, prompt):
                detail = f"{shown(verdict.extracted or '')} stands in the prompt as it is"
                return replace(verdict, outcome=Outcome.NO_ANSWER, reward=0.0, rule="echoed", detail=detail)
            return verdict
        except Exception as error:  # a fault of ours must not cost the rows beside this one
            detail = f"{type(error).__name__}: {error}"
            return Verdict(Outcome.ERROR, None, rule="internal", detail=detail, seconds=perf_counter() - started)

    def _verdict(self, extracted: Extracted | None, wanted: list[ReadTarget], started: float) -> Verdict:
        readable = [one for one in wanted if one.text]
        if not readable:
            note = wanted[0].note if wanted else "expected a string, a list of strings or a mapping with an answer"
            return Verdict(Outcome.BAD_TARGET, None, rule="bad_target", detail=note, seconds=perf_counter() - started)
        if extracted is None:
            detail = "no committed answer found"
            return Verdict(Outcome.NO_ANSWER, 0.0, rule="no_answer", detail=detail, seconds=perf_counter() - started)
        text, span = extracted.text, extracted.span
        if extracted.outcome is not None:
            detail = f"decided by the extractor ({extracted.method})"
            return Verdict(extracted.outcome, 0.0, text, span, extracted.rule, detail, perf_counter() - started)
        return self._best(readable, extracted, started)

    def _best(self, targets: list[ReadTarget], extracted: Extracted, started: float) -> Verdict:
        """The verdict against the first target that accepts; else an unknown one, else the first."""
        # What is far too long to be compared is not normalised either.
        answer = extracted.text.strip() if is_too_long(extracted.text) else normalise(extracted.text)
        verdicts: list[Verdict] = []
        for target in targets:
            comparison, reward = self._judge(target, extracted.text, answer)
            verdict = Verdict(
                comparison.outcome,
                reward,
                extracted.text,
                extracted.span,
                comparison.rule,
                comparison.detail + target.note,
                perf_counter() - started,
            )
            if reward == 1:
                return verdict
            verdicts.append(verdict)
        return next((verdict for verdict in verdicts if verdict.reward is None), verdicts[0])

    def _judge(self, target: ReadTarget, raw: str, answer: str) -> tuple[Comparison, float | None]:
        try:
            comparison = self._compared(target, raw, answer)
        except CostlyError as error:
            # The target was read before, so that the answer alone is at fault.
            return Comparison(Outcome.BUDGET, "too_costly", f"{shown(answer)}: {error}"), 0.0
        except SymbolicError as error:
            return Comparison(error.outcome, error.rule, error.detail), None if error.target_alone else 0.0
        return comparison, 1.0 if comparison.is_correct else 0.0

    def _compared(self, target: ReadTarget, raw: str, answer: str) -> Comparison:
        if raw.strip() == target.raw or answer == target.text:
            return Comparison(Outcome.CORRECT, "identical_text", f"{shown(answer)} = {shown(target.text)}")
        if not answer:
            return Comparison(Outcome.NO_ANSWER, "empty", "the answer is empty")
        letters = compare_letters(target.text, answer)
        if letters is not None:
            sign = "=" if letters else "is not"
            outcome = Outcome.CORRECT if letters else Outcome.INCORRECT
            return Comparison(outcome, "choice_letter", f"{shown(answer)} {sign} {shown(target.text)}")
        if target.node is None:
            raise SymbolicError(Outcome.BUDGET, "too_costly", shown(target.text), target_alone=True)
        if is_too_long(answer):
            raise CostlyError(f"an answer of {len(answer)} characters")
        return compare(target.node, read(without_letter(target.text, answer)), probed(self._symbolic()))
