r"""Laws that a verifier, an extractor or a reward function keeps or breaks.

    from rewardgate.verifiers.testing import laws

    def test_my_reward_accepts_other_notations():
        laws.accepts_rewrites(my_reward, kinds=["integer", "fraction"], anchors=["boxed"])

Each law tries examples until one breaks it, makes that one small, and raises `LawBrokenError`, an AssertionError that
shows target, completion, the name of the rewrite or mutant, and what was returned. Examples are derandomised: what
fails today fails tomorrow. All but `bounded_time` call the subject in this process, where nothing can end a hang.
"""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from ...errors import ArgumentError, RewardgateError
from ..arguments import positive, whole
from ..base import Outcome, Verdict
from . import strategies
from .completions import ANCHORS, SURROUNDINGS, Wrapped
from .floods import FLOODS, Flood
from .killable import Killable
from .mutants import mutants
from .strategies import MATHS
from .subject import Subject, SubjectLike, as_subject

__all__ = [
    "LawBrokenError", "accepts_rewrites", "bounded_time", "never_raises", "order_independent", "rejects_mutants",
    "target_accepts_itself",
]  # fmt: skip

Targets = Sequence[str] | SearchStrategy[str]


class LawBrokenError(RewardgateError, AssertionError):
    """A subject broke a law; the message shows the smallest example found."""


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
    drawn, completions = _targets(targets, kinds), strategies.completions()

    def check(data: Any) -> None:
        target, completion = data.draw(drawn), data.draw(completions)
        verdict = tested.judge(completion, target)
        # A reward function may return None: it declines to say.
        if verdict.outcome is Outcome.ERROR and verdict.rule != "returned_none":
            raise LawBrokenError(_told("never_raises", tested, "failed", verdict, target=target, completion=completion))

    _hold(check, max_examples)


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
    drawn, places = _targets(targets, kinds), _places(anchors, surroundings)

    def check(data: Any) -> None:
        target = data.draw(drawn)
        wrapped = data.draw(strategies.wraps(target, **places, decoy=_decoy(target)))
        verdict = tested.judge(wrapped.text, target)
        if verdict.reward != 1:
            told = _told("target_accepts_itself", tested, "refused its own target", verdict, target=target, at=wrapped)
            raise LawBrokenError(told)

    _hold(check, max_examples)


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
    drawn, places = _targets(targets, kinds), _places(anchors, surroundings)

    def check(data: Any) -> None:
        target = data.draw(drawn)
        rewrite = data.draw(strategies.rewritten(target, conventions=conventions, without=without))
        assume(any(ANCHORS[name].can_hold(rewrite) for name in anchors))
        wrapped = data.draw(strategies.wraps(rewrite, **places, decoy=_decoy(target)))
        verdict = tested.judge(wrapped.text, target, wrapped.answer)
        if verdict.reward != 1:
            what = "refused its target in another notation"
            change = ("rewrite", rewrite.name)
            raise LawBrokenError(
                _told("accepts_rewrites", tested, what, verdict, target=target, at=wrapped, change=change)
            )

    _hold(check, max_examples)


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
    drawn, places = _targets(targets, kinds), _places(anchors, surroundings)

    def check(data: Any) -> None:
        target = data.draw(drawn)
        mutant = data.draw(strategies.mutated(target, conventions=conventions, without=without))
        wrapped = data.draw(strategies.wraps(mutant, **places, decoy=target))
        verdict = tested.judge(wrapped.text, target)
        if verdict.reward == 1:
            change = ("mutant", mutant.name)
            raise LawBrokenError(
                _told(
                    "rejects_mutants",
                    tested,
                    "accepted a wrong answer",
                    verdict,
                    target=target,
                    at=wrapped,
                    change=change,
                )
            )

    _hold(check, max_examples)


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
    drawn = _targets(targets, kinds)

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
            ways = {"in this order": in_order[place], "permuted": permuted[order.index(place)], "alone": alone[place]}
            if len({(verdict.outcome, verdict.reward) for verdict in ways.values()}) > 1:
                shown = "\n".join(f"    {way + ':':15} {_returned(verdict)}" for way, verdict in ways.items())
                batch = "\n".join(f"    {number}: {rows[number]!r}" for number in order)
                raise LawBrokenError(
                    f"order_independent: {tested.name} judged row {place} by the company that it is in\n{shown}\n"
                    f"  rows (completion, target), permuted:\n{batch}"
                )

    _hold(check, max_examples)


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
        _hold(lambda data: check(data.draw(random)), max_examples, shrink=False)


def _targets(targets: Targets | None, kinds: Sequence[str]) -> SearchStrategy[str]:
    if targets is None:
        return strategies.targets(*kinds)
    return targets if isinstance(targets, SearchStrategy) else st.sampled_from(list(targets))


def _places(anchors: Sequence[str], surroundings: Sequence[str]) -> dict[str, Sequence[str]]:
    for name, given_names, known in (("anchors", anchors, ANCHORS), ("surroundings", surroundings, SURROUNDINGS)):
        unknown = [] if isinstance(given_names, str) else [one for one in given_names if one not in known]
        if isinstance(given_names, str) or not given_names or unknown:
            got = ", ".join(unknown) or repr(given_names)
            raise ArgumentError(f"{name}: expected names among {', '.join(known)}, got {got}")
    return {"anchors": tuple(anchors), "surroundings": tuple(surroundings)}


def _decoy(target: str) -> str:
    """A wrong answer, for where a completion holds one that it does not commit to."""
    return mutants(target)[0].text


def _hold(check: Callable[[Any], None], max_examples: int, *, shrink: bool = True) -> None:
    """Run `check` on so many examples; raise the smallest failure without Hypothesis's own account of it."""
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    run = settings(
        max_examples=whole("max_examples", max_examples, at_least=1),
        phases=phases,
        database=None,
        deadline=None,
        derandomize=True,
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType] # its metaclass
    )(given(st.data())(lambda data: check(data)))
    try:
        run()
    except LawBrokenError as broken:
        raise LawBrokenError(str(broken)) from None
    except Flaky as flaky:
        seen = [str(one) for one in getattr(flaky, "exceptions", ()) if isinstance(one, LawBrokenError)]
        if not seen:
            raise
        raise LawBrokenError(
            f"{seen[0]}\n  and not every time: the same example passed when it was tried again"
        ) from None


def _told(
    law: str,
    subject: Subject,
    what: str,
    verdict: Verdict,
    *,
    target: str,
    completion: str = "",
    at: Wrapped | None = None,
    change: tuple[str, str] | None = None,
) -> str:
    lines = [f"{law}: {subject.name} {what}", f"  target:     {target}"]
    if change is not None and at is not None:
        lines.append(f"  {change[0] + ':':11} {at.answer or '(empty)'}  ({change[1]})")
    if at is not None:
        lines.append(f"  written:    {at.anchor}, {at.surrounding}")
    lines.append(f"  completion: {_clipped(at.text if at is not None else completion)!r}")
    lines.append(f"  returned:   {_returned(verdict)}")
    return "\n".join(lines)


def _returned(verdict: Verdict) -> str:
    if verdict.rule in ("returned", "raised", "found", "other_text", "no_answer"):
        return verdict.detail
    return f"{verdict.outcome}, reward {verdict.reward} ({verdict.rule}: {verdict.detail})"


def _clipped(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:120]} … {len(text) - 240} characters … {text[-120:]}"
