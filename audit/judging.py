"""One pass over a file: every rollout is judged, and only what the audit needs of it is kept.

Groups stream through in blocks; a response is dropped as soon as its verdicts and its facts are known, so
that memory grows with the number of rollouts and not with their length.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress, islice

from ..rollouts.messages import prompt_text
from ..rollouts.records import Group, Rollout, Target
from ..verifiers.base import Outcome, Verdict, Verifier
from ..verifiers.batch import iter_verdicts
from .copies.survey import CopySurvey
from .responses.scoring_marks import outcome_component, scoring_error
from .responses.texts import ANSWER_CHARS, TextFacts, clipped, text_facts
from .second_opinion import SecondOpinion

__all__ = ["REFUSED", "Judged", "JudgedGroup", "Judgement", "blocks_of", "judge", "shown"]

BLOCK_ROLLOUTS = 512
PROMPT_CHARS = 300
_CLAIMS = (
    *("has_rewards", "has_unnamed_reward", "has_responses", "has_targets", "has_tool_calls", "says_truncated"),
    "has_second_opinion",
)
REFUSED = frozenset({Outcome.INCORRECT, Outcome.NO_ANSWER, Outcome.HEDGED})
"""Outcomes by which a verifier says that a response is not right, and not merely that it cannot tell."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One rollout without its response.

    Args:
        source: where it was read.
        logged: the reward in the file; None where it is null or absent.
        is_logged: whether the file has a reward for it, null or not.
        suspect: the verdict under audit; None where logged rewards are audited.
        scored: the reward under audit: the suspect's, else the logged one.
        referee: None where there is no response or no target to judge.
        facts: None where no response was logged.
        n_tokens: as logged, or counted from logged token ids.
        second_opinion: whether math-verify accepts what the referee refused; None where it was not asked or
            had nothing to say.
        outcome: the reward in the file that says whether the answer is right, where that is not the one that was
            learned from; None where there is none, or it is null.
        error: an error that the row logs beside its reward; empty where none.
    """

    source: str
    logged: float | None
    is_logged: bool
    suspect: Verdict | None
    scored: float | None
    referee: Verdict | None
    facts: TextFacts | None
    n_tokens: int | None
    second_opinion: bool | None = None
    outcome: float | None = None
    error: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the referee finds it right."""
        return self.referee is not None and self.referee.outcome is Outcome.CORRECT


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    """The rollouts of one prompt; `prompt` is clipped."""

    group_id: str
    prompt_id: str
    prompt: str
    target: Target | None
    rollouts: Sequence[Judged]
    step: int | None = None


@dataclass(slots=True)
class Judgement:
    """All groups of a file, and what the file holds at all."""

    groups: list[JudgedGroup] = field(default_factory=list)
    has_rewards: bool = False
    has_unnamed_reward: bool = False
    has_responses: bool = False
    has_targets: bool = False
    has_tool_calls: bool = False
    says_truncated: bool = False
    has_second_opinion: bool = False
    outcome_name: str | None = None
    """The reward that says whether an answer is right, where it is not the one that was learned from."""

    def rollouts(self) -> Iterator[tuple[JudgedGroup, Judged]]:
        """Every rollout with its group, in the file's order."""
        for group in self.groups:
            for rollout in group.rollouts:
                yield group, rollout

    def extend(self, later: "Judgement") -> None:
        """Take over the judgement of the groups that follow."""
        self.groups += later.groups
        for name in _CLAIMS:
            setattr(self, name, getattr(self, name) or getattr(later, name))
        self.outcome_name = later.outcome_name if self.outcome_name is None else self.outcome_name

    def scored_by_referee(self) -> "Judgement":
        """The same with the referee's verdicts in the place of the rewards that the file does not have."""
        return replace(
            self,
            groups=[
                replace(group, rollouts=[_scored_by_referee(rollout) for rollout in group.rollouts])
                for group in self.groups
            ],
        )


def judge(
    groups: Iterable[Group],
    *,
    suspect: Verifier | None,
    referee: Verifier,
    second: SecondOpinion | None = None,
    correct_at: float,
    copies: CopySurvey | None = None,
    progress: bool = False,
) -> Judgement:
    """Judge every rollout of `groups` by the referee and, where there is one, by the suspect.

    Args:
        groups: iterated once.
        suspect: the verifier under audit; None audits the rewards in the file.
        referee: whom it is compared with.
        second: asked about what the referee refuses, where suspect and referee are the same (then the
            suspect is not asked again).
        correct_at: from which reward a rollout counts as correct; texts of those are not kept.
        copies: shown every group while its texts are there.
        progress: whether a bar is drawn on stderr.
    """
    found = Judgement(has_second_opinion=second is not None)
    for block in blocks_of(shown(groups, progress)):
        rows = [rollout for group in block for rollout in group.rollouts]
        by_referee = _verdicts(referee, rows)
        by_suspect = [None] * len(rows)
        if suspect is not None:
            by_suspect = by_referee if second is not None else _verdicts(suspect, rows)
        scored = [rollout.reward for rollout in rows]
        if suspect is not None:
            scored = [None if verdict is None else verdict.reward for verdict in by_suspect]
        opinions = [None] * len(rows) if second is None else _second_opinions(second, rows, by_referee)
        judged = map(partial(_judged, correct_at), rows, by_suspect, scored, by_referee, opinions)
        for group in block:
            kept = list(islice(judged, len(group)))
            prompt = "" if group.prompt is None else clipped(prompt_text(group.prompt), PROMPT_CHARS)
            step = group.rollouts[0].step
            found.groups.append(JudgedGroup(group.group_id, group.prompt_id, prompt, group.target, kept, step))
            if copies is not None:
                rewards = [one.scored for one in kept if one.scored is not None]
                copies.add(group, successes=sum(reward >= correct_at for reward in rewards), scored=len(rewards))
        _note(found, rows)
    for _, rollout in found.rollouts():
        found.has_tool_calls |= rollout.facts is not None and rollout.facts.calls.found > 0
        found.says_truncated |= rollout.facts is not None and rollout.facts.is_truncated is not None
    return found


def blocks_of(groups: Iterable[Group]) -> Iterator[list[Group]]:
    """`groups` in order, a few hundred rollouts at a time."""
    block: list[Group] = []
    n_rollouts = 0
    for group in groups:
        block.append(group)
        n_rollouts += len(group)
        if n_rollouts >= BLOCK_ROLLOUTS:
            yield block
            block, n_rollouts = [], 0
    if block:
        yield block


def _verdicts(verifier: Verifier, rollouts: Sequence[Rollout]) -> list[Verdict | None]:
    """One verdict a rollout; None where there is nothing to judge."""
    is_judged = [rollout.response is not None and rollout.target is not None for rollout in rollouts]
    verdicts = iter_verdicts(verifier, compress(rollouts, is_judged))
    return [_clipped(next(verdicts)) if judged else None for judged in is_judged]


def _clipped(verdict: Verdict) -> Verdict:
    extracted = verdict.extracted
    if (extracted is None or len(extracted) <= ANSWER_CHARS) and len(verdict.detail) <= ANSWER_CHARS:
        return verdict
    extracted = None if extracted is None else clipped(extracted)
    return replace(verdict, extracted=extracted, detail=clipped(verdict.detail))


def _judged(
    correct_at: float,
    rollout: Rollout,
    suspect: Verdict | None,
    scored: float | None,
    referee: Verdict | None,
    second_opinion: bool | None,
) -> Judged:
    n_tokens = rollout.n_tokens
    if n_tokens is None and rollout.token_ids is not None:
        n_tokens = len(rollout.token_ids)
    logged = rollout.reward
    facts = text_facts(rollout, referee)
    if referee is not None and referee.rule == "no_verifier":
        referee = None  # that we have no verifier for this kind of target says nothing about the target
    is_correct = referee is not None and referee.outcome is Outcome.CORRECT
    if facts is not None and scored is not None and scored >= correct_at and is_correct:
        facts = replace(facts, excerpt="")  # nobody asks for evidence of an agreement
    source = "" if rollout.source is None else str(rollout.source)
    component = outcome_component(rollout)
    return Judged(
        source=source,
        logged=logged,
        is_logged=bool(rollout.rewards),
        suspect=suspect,
        scored=scored,
        referee=referee,
        facts=facts,
        n_tokens=n_tokens,
        second_opinion=second_opinion,
        outcome=None if component is None else component[1],
        error=scoring_error(rollout),
    )


def _scored_by_referee(rollout: Judged) -> Judged:
    reward = None if rollout.referee is None else rollout.referee.reward
    return replace(rollout, suspect=rollout.referee, scored=reward)


def _second_opinions(
    second: SecondOpinion, rollouts: Sequence[Rollout], by_referee: Sequence[Verdict | None]
) -> list[bool | None]:
    """What `second` says of each response that the referee refused; None for the others."""
    is_refused = [verdict is not None and verdict.outcome in REFUSED for verdict in by_referee]
    answers = iter(second.accepts(list(compress(rollouts, is_refused))))
    return [next(answers) if refused else None for refused in is_refused]


def _note(found: Judgement, rollouts: Sequence[Rollout]) -> None:
    for rollout in rollouts:
        # Null for every name is what a scorer leaves that failed; nothing at all is what no scorer leaves.
        is_null = bool(rollout.rewards) and all(value is None for value in rollout.rewards.values())
        found.has_rewards |= rollout.reward is not None or is_null
        found.has_unnamed_reward |= rollout.reward is None and any(
            value is not None for value in rollout.rewards.values()
        )
        found.has_responses |= rollout.response is not None
        found.has_targets |= rollout.target is not None
        if found.outcome_name is None and (component := outcome_component(rollout)) is not None:
            found.outcome_name = component[0]


def shown(groups: Iterable[Group], progress: bool) -> Iterator[Group]:
    """`groups`, with a bar on stderr that counts their rollouts where `progress` is true."""
    if not progress:
        yield from groups
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} rollouts judged"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("judging", total=None)
        for group in groups:
            yield group
            bar.advance(task, len(group))
