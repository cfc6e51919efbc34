"""How a law is run: its targets and ways of writing checked and drawn, its examples tried, its failure made small."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

from ...errors import ArgumentError
from ..arguments import whole
from . import strategies
from .completions import ANCHORS, SURROUNDINGS
from .failures import LawBrokenError
from .mutants import mutants

__all__ = ["Targets", "decoy", "hold", "places", "targets_from"]

Targets = Sequence[str] | SearchStrategy[str]


def targets_from(targets: Targets | None, kinds: Sequence[str]) -> SearchStrategy[str]:
    """The user's targets as a strategy, or those of the kinds."""
    if targets is None:
        return strategies.targets(*kinds)
    return targets if isinstance(targets, SearchStrategy) else st.sampled_from(list(targets))


def places(anchors: Sequence[str], surroundings: Sequence[str]) -> dict[str, Sequence[str]]:
    """The options of `strategies.wraps`.

    Raises:
        ArgumentError: a name is unknown, or there is none.
    """
    for name, given_names, known in (("anchors", anchors, ANCHORS), ("surroundings", surroundings, SURROUNDINGS)):
        unknown = [] if isinstance(given_names, str) else [one for one in given_names if one not in known]
        if isinstance(given_names, str) or not given_names or unknown:
            got = ", ".join(unknown) or repr(given_names)
            raise ArgumentError(f"{name}: expected names among {', '.join(known)}, got {got}")
    return {"anchors": tuple(anchors), "surroundings": tuple(surroundings)}


def decoy(target: str) -> str:
    """A wrong answer, for where a completion holds one that it does not commit to."""
    return mutants(target)[0].text


def hold(check: Callable[[Any], None], max_examples: int, *, shrink: bool = True) -> None:
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
