"""What a policy earns that never reads the task: one fixed response to every prompt."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .asking import NOT_ASKED, Asker
from .decoys import LONG
from .forms import Form
from .matrix import upper_bound
from .model import CaseVerdict, Lazy, ProbeCase
from .targets import ProbeTarget, read_target_of

__all__ = ["STRATEGIES", "LazyPlay", "lazy_play"]

_MOST_TARGETS = 100
_SHARE = 0.15  # of the budget
_NUMBERS = ", ".join(map(str, range(1, 101)))

STRATEGIES: Mapping[str, str] = {
    **{f"always {answer}": answer for answer in ("0", "1", "2", "10", "A", "B", "C", "D", "yes", "x")},
    "1 to 100 in one answer": _NUMBERS,
    "all letters in one answer": "A, B, C, D",
    "one number or the next": "1 or 2",
    "an equation that holds": "0 = 0",
    "every real number": r"(-\infty, \infty)",
    "a placeholder": "...",
}
"""Fixed answers, offered in the format that the verifier reads; fixed texts are added to them."""


@dataclass(frozen=True, slots=True)
class LazyPlay:
    """The best strategy, and every acceptance that was not honestly earned: of whichever strategy had most of them."""

    best: Lazy | None
    unearned: Sequence[CaseVerdict]
    strategy: str


def lazy_play(asker: Asker, targets: Sequence[ProbeTarget], home: Form) -> LazyPlay:
    """Ask for every strategy on every target, at most 100 of them.

    Args:
        asker: the verifier.
        targets: all, also those whose reference is refused: a policy is trained on them too.
        home: the format in which fixed answers are offered.
    """
    played = targets[:: max(1, len(targets) // _MOST_TARGETS)][:_MOST_TARGETS]
    responses = dict(_responses(home))
    cases = [
        ProbeCase(f"lazy: {name}", "reject", target.target, response, target.prompt, ("lazy", name))
        for name, response in responses.items()
        for target in played
    ]
    answers = asker.ask_ahead(cases, share=_SHARE)
    best: Lazy | None = None
    unearned: list[CaseVerdict] = []
    for place, (name, response) in enumerate(responses.items()):
        said = answers[place * len(played) : (place + 1) * len(played)]
        said_of = [(target, one) for target, one in zip(played, said, strict=True) if one.outcome != NOT_ASKED]
        mine = _earnings(name, response, said_of, asker.correct_at)
        if best is None or (mine.mean_reward or 0.0) > (best.mean_reward or 0.0):
            best = mine
        stolen = [one for target, one in said_of if one.accepted and not _is_right(name, target)]
        if len(stolen) > len(unearned):
            unearned = stolen
    return LazyPlay(best, unearned, unearned[0].recipe[1] if unearned else "")


def _responses(home: Form) -> Iterator[tuple[str, str]]:
    yield "nothing", ""
    yield "long text about nothing", LONG
    yield "an empty slot", home.offer("")
    yield "1 to 100, one after another", "\n".join(home.offer(str(number)) for number in range(1, 101))
    yield "all letters, one after another", "\n".join(map(home.offer, "ABCD"))
    for name, answer in STRATEGIES.items():
        yield name, home.offer(answer)


def _earnings(name: str, response: str, said_of: Sequence[tuple[ProbeTarget, CaseVerdict]], correct_at: float) -> Lazy:
    rewards = [min(one.reward / correct_at, 1.0) for _, one in said_of if one.reward is not None]
    accepted = sum(one.accepted is True for _, one in said_of)
    return Lazy(
        strategy=name,
        response=response,
        n=len(rewards),
        mean_reward=sum(rewards) / len(rewards) if rewards else None,
        n_accepted=accepted,
        n_right=sum(_is_right(name, target) for target, _ in said_of),
        upper_bound=upper_bound(accepted, len(rewards)) if len(rewards) >= accepted else None,
    )


def _is_right(name: str, target: ProbeTarget) -> bool:
    """Whether a fixed answer happens to be the target, as text or by value."""
    answer = STRATEGIES.get(name)
    if answer is None:
        return False
    if answer.casefold() == target.answer.casefold():
        return True
    value = read_target_of(answer).value
    return value is not None and value == target.value
