"""What a probe could not tell, why, and what would make it tell."""

from collections.abc import Iterator

from .findings import Evidence
from .model import Unmeasured

__all__ = ["unmeasured"]


def unmeasured(of: Evidence) -> Iterator[Unmeasured]:
    """One entry for each thing that this audit says nothing of."""
    if not of.controlled.readable:
        yield Unmeasured(
            what="rows of the matrix",
            why="no reference is accepted in any format",
            enable="fix the verifier's call, or probe it with targets of its kind (--rollouts)",
        )
        return
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
    yield Unmeasured(
        what="programs judged by tests",
        why="targets that are specifications have no text to offer or mutate",
        enable="probe a verifier of texts",
    )
