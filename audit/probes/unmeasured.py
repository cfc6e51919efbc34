"""What a probe could not tell, why, and what would make it tell."""

from collections.abc import Iterator

from .findings import Evidence
from .model import Unmeasured

__all__ = ["unmeasured"]


def unmeasured(of: Evidence) -> Iterator[Unmeasured]:
    """One entry for each thing that this audit says nothing of."""
    if n := of.unasked.get("budget"):
        yield Unmeasured(
            what=f"{n} cases",
            why="it is slow, and they would have taken longer than an audit may",
            enable="a longer --budget asks them too",
        )
    if n := of.unasked.get("lost"):
        yield Unmeasured(
            what=f"{n} cases",
            why=f"a case like them hung or ended its process ({', '.join(of.lost)})",
            enable="bound what it does, then probe it again",
        )
    if of.programs is not None and not of.targets:
        yield Unmeasured(
            what="answers in texts",
            why="all targets are specifications",
            enable="targets that are texts, or the shipped ones",
        )
        yield from _programs(of)
        return
    if not of.controlled.readable:
        yield Unmeasured(
            what="rows of the matrix",
            why="no reference is accepted in any format",
            enable="fix the verifier's call, or probe it with targets of its kind (--rollouts)",
        )
        return
    if of.is_shipped:
        yield Unmeasured(
            what="your own targets",
            why=f"the {len(of.targets)} shipped ones were used",
            enable="--rollouts FILE takes targets and prompts from your file",
        )
    if any(target.prompt is None for target in of.targets):
        yield Unmeasured(
            what="echoes of the prompt", why="targets without a prompt", enable="a file with a column of prompts"
        )
    if of.conduct.random:
        yield Unmeasured(
            what="threads, order and compositions",
            why="the verdicts do not repeat",
            enable="make the verifier deterministic first",
        )
    elif of.lost:
        yield Unmeasured(
            what="compositions",
            why="the verifier hangs or ends its process on single responses",
            enable="bound what it does, then probe it again",
        )
    if of.conduct.event_loop is None:
        yield Unmeasured(
            what="an event loop",
            why="the function is async and is awaited from outside one here",
            enable="nothing: your trainer awaits it inside its own loop",
        )
    yield from _programs(of)


def _programs(of: Evidence) -> Iterator[Unmeasured]:
    if of.programs is None:
        yield Unmeasured(
            what="programs judged by tests",
            why="no target is a specification with a reference program",
            enable="--rollouts FILE with targets that hold `reference` beside their tests",
        )
    elif of.programs.n_foreign:
        yield Unmeasured(
            what=f"mutants of {of.programs.n_foreign} programs",
            why="their references are no Python",
            enable="nothing: only Python is mutated here",
        )
