r"""Laws that a verifier, an extractor or a reward function keeps or breaks.

    from rewardgate.verifiers.testing import laws

    def test_my_reward_accepts_other_notations():
        laws.accepts_rewrites(my_reward, kinds=["integer", "fraction"], anchors=["boxed"])

Each law tries examples until one breaks it, makes that one small, and raises `LawBrokenError`, an AssertionError that
shows target, completion, the name of the rewrite or mutant, and what was returned. Examples are derandomised: what
fails today fails tomorrow. All but `bounded_time` call the subject in this process, where nothing can end a hang.
"""

from collections.abc import Sequence
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from ..arguments import positive
from ..base import Outcome
from . import strategies
from .completions import ANCHORS, SURROUNDINGS
from .failures import LawBrokenError, returned, told
from .floods import FLOODS, Flood
from .killable import Killable
from .mutants import mutants
from .running import Targets, decoy, hold, places, targets_from
from .strategies import MATHS
from .subject import SubjectLike, as_subject

__all__ = [
    "LawBrokenError", "accepts_rewrites", "bounded_time", "never_raises", "order_independent", "rejects_mutants",
    "target_accepts_itself",
]  # fmt: skip


def never_raises(
    subject: SubjectLike,
    *,
    targets: Targets | None = None,
    kinds: Sequence[str] = MATHS,
    max_examples: int = 200,
    correct_at: float = 1.0,
) -> None:
    """Whatever the completion, there is a verdict or a number: no exception, no NaN, no ERROR.

    Args:
        subject: see `subject.as_subject`.
        targets: the user's own, or a strategy; by default drawn from `kinds`.
        kinds: keys of `strategies.KINDS`.
        max_examples: how many completions are tried.
        correct_at: what a reward function returns for a right answer, at least.

    Raises:
        LawBrokenError: with the smallest completion found.
    """
    tested = as_subject(subject, correct_at=correct_at)
    drawn, completions = targets_from(targets, kinds), strategies.completions()

    def check(data: Any) -> None:
        target, completion = data.draw(drawn), data.draw(completions)
        verdict = tested.judge(completion, target)
        # A reward function may return None: it declines to say.
        if verdict.outcome is Outcome.ERROR and verdict.rule != "returned_none":
            raise LawBrokenError(told("never_raises", tested, "failed", verdict, target=target, completion=completion))

    hold(check, max_examples)


def target_accepts_itself(
    subject: SubjectLike,
    *,
    targets: Targets | None = None,
    kinds: Sequence[str] = MATHS,
    anchors: Sequence[str] = tuple(ANCHORS),
    surroundings: Sequence[str] = tuple(SURROUNDINGS),
    max_examples: int = 200,
    correct_at: float = 1.0,
) -> None:
    """A completion that commits to the target as written is accepted, however it commits.

    Args:
        subject: see `subject.as_subject`.
        targets: the user's own, or a strategy; by default drawn from `kinds`.
        kinds: keys of `strategies.KINDS`.
        anchors: those that the subject is meant to read, keys of `completions.ANCHORS`.
        surroundings: keys of `completions.SURROUNDINGS`.
        max_examples: how many completions are tried.
        correct_at: what a reward function returns for a right answer, at least.

    Raises:
        LawBrokenError: with the smallest example found.
    """
    tested = as_subject(subject, correct_at=correct_at)
    drawn, ways = targets_from(targets, kinds), places(anchors, surroundings)

    def check(data: Any) -> None:
        target = data.draw(drawn)
        wrapped = data.draw(strategies.wraps(target, **ways, decoy=decoy(target)))
        verdict = tested.judge(wrapped.text, target)
        if verdict.reward != 1:
            what = "refused its own target"
            raise LawBrokenError(told("target_accepts_itself", tested, what, verdict, target=target, at=wrapped))

    hold(check, max_examples)


def accepts_rewrites(
    subject: SubjectLike,
    *,
    targets: Targets | None = None,
    kinds: Sequence[str] = MATHS,
    anchors: Sequence[str] = tuple(ANCHORS),
    surroundings: Sequence[str] = tuple(SURROUNDINGS),
    without: Sequence[str] = (),
    conventions: bool = False,
    max_examples: int = 200,
    correct_at: float = 1.0,
) -> None:
    r"""The target in another notation is accepted: `\frac{1}{2}` as `\dfrac{1}{2}`, `1/2` and `0.5`.

    Args:
        subject: see `subject.as_subject`.
        targets: the user's own, or a strategy; by default drawn from `kinds`.
        kinds: keys of `strategies.KINDS`.
        anchors: those that the subject is meant to read, keys of `completions.ANCHORS`.
        surroundings: keys of `completions.SURROUNDINGS`.
        without: rewrites that are left out, keys of `rewrites.REWRITES`.
        conventions: rewrites on which careful people disagree too.
        max_examples: how many completions are tried.
        correct_at: what a reward function returns for a right answer, at least.

    Raises:
        LawBrokenError: with the smallest example found.
    """
    tested = as_subject(subject, correct_at=correct_at)
    drawn, ways = targets_from(targets, kinds), places(anchors, surroundings)

    def check(data: Any) -> None:
        target = data.draw(drawn)
        rewrite = data.draw(strategies.rewritten(target, conventions=conventions, without=without))
        assume(any(ANCHORS[name].can_hold(rewrite) for name in anchors))
        wrapped = data.draw(strategies.wraps(rewrite, **ways, decoy=decoy(target)))
        verdict = tested.judge(wrapped.text, target, wrapped.answer)
        if verdict.reward != 1:
            what, change = "refused its target in another notation", ("rewrite", rewrite.name)
            raise LawBrokenError(
                told("accepts_rewrites", tested, what, verdict, target=target, at=wrapped, change=change)
            )

    hold(check, max_examples)


def rejects_mutants(
    subject: SubjectLike,
    *,
    targets: Targets | None = None,
    kinds: Sequence[str] = MATHS,
    anchors: Sequence[str] = tuple(ANCHORS),
    surroundings: Sequence[str] = tuple(SURROUNDINGS),
    without: Sequence[str] = (),
    conventions: bool = False,
    max_examples: int = 200,
    correct_at: float = 1.0,
) -> None:
    """A wrong answer near the target is refused, also where the target stands beside it, thought or corrected.

    Args:
        subject: see `subject.as_subject`.
        targets: the user's own, or a strategy; by default drawn from `kinds`.
        kinds: keys of `strategies.KINDS`.
        anchors: those that the subject is meant to read, keys of `completions.ANCHORS`.
        surroundings: keys of `completions.SURROUNDINGS`.
        without: mutants that are left out, keys of `mutants.MUTANTS`.
        conventions: mutants that some verifiers accept on purpose too.
        max_examples: how many completions are tried.
        correct_at: what a reward function returns for a right answer, at least.

    Raises:
        LawBrokenError: with the smallest example found.
    """
    tested = as_subject(subject, correct_at=correct_at)
    drawn, ways = targets_from(targets, kinds), places(anchors, surroundings)

    def check(data: Any) -> None:
        target = data.draw(drawn)
        mutant = data.draw(strategies.mutated(target, conventions=conventions, without=without))
        wrapped = data.draw(strategies.wraps(mutant, **ways, decoy=target))
        verdict = tested.judge(wrapped.text, target)
        if verdict.reward == 1:
            what, change = "accepted a wrong answer", ("mutant", mutant.name)
            raise LawBrokenError(
                told("rejects_mutants", tested, what, verdict, target=target, at=wrapped, change=change)
            )

    hold(check, max_examples)


def order_independent(
    subject: SubjectLike,
    *,
    targets: Targets | None = None,
    kinds: Sequence[str] = MATHS,
    max_examples: int = 100,
    correct_at: float = 1.0,
) -> None:
    """A completion gets one verdict, alone or in a batch, whatever was judged before it and beside it.

    Args:
        subject: see `subject.as_subject`.
        targets: the user's own, or a strategy; by default drawn from `kinds`.
        kinds: keys of `strategies.KINDS`.
        max_examples: how many batches are tried.
        correct_at: what a reward function returns for a right answer, at least.

    Raises:
        LawBrokenError: with the smallest batch found.
    """
    tested = as_subject(subject, correct_at=correct_at)
    drawn = targets_from(targets, kinds)

    def row(data: Any) -> tuple[str, str]:
        target = data.draw(drawn)
        answer = data.draw(st.sampled_from([target, *(mutant.text for mutant in mutants(target))]))
        return data.draw(strategies.wraps(answer)).text, target

    def check(data: Any) -> None:
        rows = [row(data) for _ in range(data.draw(st.integers(2, 5)))]
        order = data.draw(st.permutations(range(len(rows))))
        in_order = tested.judge_batch(rows)
        permuted = tested.judge_batch([rows[place] for place in order])
        alone = [tested.judge(*one) for one in rows]
        for place in range(len(rows)):
            verdicts = {
                "in this order": in_order[place],
                "permuted": permuted[order.index(place)],
                "alone": alone[place],
            }
            if len({(verdict.outcome, verdict.reward) for verdict in verdicts.values()}) > 1:
                shown = "\n".join(f"    {way + ':':15} {returned(verdict)}" for way, verdict in verdicts.items())
                batch = "\n".join(f"    {number}: {rows[number]!r}" for number in order)
                raise LawBrokenError(
                    f"order_independent: {tested.name} judged row {place} by the company that it is in\n{shown}\n"
                    f"  rows (completion, target), permuted:\n{batch}"
                )

    hold(check, max_examples)


def bounded_time(
    subject: SubjectLike,
    *,
    limit_s: float = 1.0,
    target: str = "42",
    max_examples: int = 50,
    correct_at: float = 1.0,
) -> None:
    """No text takes longer than `limit_s`, ends the process or eats its memory. Runs where it can be killed.

    Every named flood is tried, and as many random ones as said. A text that was too slow is tried once more, so that
    a busy machine breaks no law; nothing is made small, since each try costs the limit.

    Args:
        subject: see `subject.as_subject`; it must be importable or picklable, by dill too.
        limit_s: seconds that one completion may take.
        target: of every completion.
        max_examples: how many texts are tried besides the named ones.
        correct_at: what a reward function returns for a right answer, at least.

    Raises:
        LawBrokenError: with the text that was too much, told by what it repeats.
        ArgumentError: the subject cannot be sent to another process.
    """
    limit_s = positive("limit_s", limit_s, what="number of seconds")
    tested = as_subject(subject, correct_at=correct_at)

    with Killable(tested, limit_s) as there:

        def check(flood: Flood) -> None:
            failure = there.failure(flood.text, target)
            if failure is not None:
                raise LawBrokenError(
                    f"bounded_time: {tested.name} {failure}\n  target:     {target!r}\n  text:       {flood.name}, "
                    f"{len(flood.text):,} characters: {flood}"
                )

        for flood in FLOODS:
            check(flood)
        random = strategies.floods()
        hold(lambda data: check(data.draw(random)), max_examples, shrink=False)
