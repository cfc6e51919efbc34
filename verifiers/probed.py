r"""The stage before the worker: expressions and equations that our own parser reads, decided by their values.

What it does not read for certain, or cannot decide, goes on to the next stage unchanged. Its verdicts carry
the rules `equal_expression`, `different_expression`, `equal_relation` and `different_relation`.
"""

from .expression.antiderivatives import probe_antiderivatives
from .expression.notations import in_one_notation
from .expression.parser import UnreadableError, parse
from .expression.probing import Probe, probe
from .expression.relations import is_relation, probe_relations
from .expression.renaming import with_names_of
from .expression.results import Symbolic, SymbolicResult, shown

__all__ = ["probed"]


def probed(symbolic: Symbolic) -> Symbolic:
    r"""A stage that probes first, and asks `symbolic` only where that decides nothing.

    Example:
        >>> probed(symbolic=lambda target, answer: 1 / 0)(r"\sqrt{8}", r"2\sqrt{2}").rule  # never asked
        'equal_expression'
    """

    def stage(target: str, answer: str) -> SymbolicResult:
        try:
            found, kind = _probe(target, answer)
        except UnreadableError:
            return symbolic(target, answer)
        if found.equal is None:
            return symbolic(target, answer)
        sign, rule = ("=", f"equal_{kind}") if found.equal else ("is not", f"different_{kind}")
        detail = f"{shown(answer)} {sign} {shown(target)} ({found.reason})"
        return SymbolicResult(found.equal, *found.values, detail, rule)

    return stage


def _probe(target: str, answer: str) -> tuple[Probe, str]:
    # The equals sign of a series, `\sum_{k=1}`, is no relation.
    target, answer = in_one_notation(target), in_one_notation(answer)
    if is_relation(target) and is_relation(answer):
        return probe_relations(target, answer), "relation"
    wanted, given = parse(target), parse(answer)
    found = probe(wanted, given)
    if (integrals := probe_antiderivatives(wanted, given)) is not None:
        return integrals, "expression"
    if found.equal is False:
        for renamed in with_names_of(wanted, given):
            if probe(wanted, renamed).equal:
                return Probe(True, "up to the names of constants"), "expression"
    return found, "expression"
