"""Groups built by hand for tests of the audit, and verifiers under audit with one fault each."""

from collections.abc import Iterator, Sequence
from typing import Any

from rewardgate.audit import AuditReport, audit
from rewardgate.rollouts.records import Group, Rollout, Source
from rewardgate.rollouts.refusals import Summary
from rewardgate.verifiers import Outcome, Verdict

Member = tuple[Any, Any] | tuple[Any, Any, dict[str, Any]]


class Groups:
    """What `rollouts.reading.read` returns, for groups that are in no file."""

    format = "by hand"

    def __init__(self, *groups: Group) -> None:
        self._groups = groups
        self.fields = {"response": "response"}

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups)

    @property
    def summary(self) -> Summary:
        n = sum(map(len, self._groups))
        sizes: dict[int, int] = {}
        for group in self._groups:
            sizes[len(group)] = sizes.get(len(group), 0) + 1
        return Summary(n_rows=n, n_rollouts=n, n_groups=len(self._groups), group_sizes=sizes, n_refused=0)


def group(name: str, target: Any, members: Sequence[Member], *, prompt: str = "?") -> Group:
    """A group of (response, reward) or (response, reward, more fields); a reward "absent" logs none at all."""
    rollouts = []
    for line, (response, reward, *more) in enumerate(members, start=1):
        rollouts.append(
            Rollout(
                **{
                    "prompt_id": name,
                    "prompt": prompt,
                    "response": response,
                    "target": target,
                    "rewards": {} if reward == "absent" else {"reward": reward},
                    "source": Source(file=f"{name}.jsonl", line=line),
                    **(more[0] if more else {}),
                }
            )
        )
    return Group(group_id=name, rollouts=tuple(rollouts))


def audited(*groups: Group, **options: Any) -> AuditReport:
    """The audit of `groups`."""
    return audit(Groups(*groups), **options)


def causes_of(report: AuditReport) -> dict[str, int]:
    """Cause -> rollouts, without the zeros."""
    return {count.cause: count.rollouts for count in report.causes if count.rollouts}


class Suspect:
    """A verifier under audit made of a function (completion, target) -> reward or None."""

    version = "test"

    def __init__(self, judge: Any) -> None:
        self._judge = judge

    def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
        reward = self._judge(completion, target)
        if reward is None:
            return Verdict(Outcome.ERROR, None, rule="returned_none")
        return Verdict(Outcome.CORRECT if reward == 1 else Outcome.INCORRECT, reward, rule="returned")
