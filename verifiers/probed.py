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
from .patterns import lazy_pattern

__all__ = ["probed"]

_CONSTANT_SIDE = lazy_pattern(r"(?:=|\+) ?C\Z")
_SMALL_C = lazy_pattern(r"(?<![\\a-zA-Z_])c(?![a-zA-Z_])")
"""The constant of integration of an implicit solution, `x^2+y^2=C`, by its other name."""


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


def _probe_infinite_series(target: str, answer: str) -> Probe | None:
    """Equal, where two series without an end are equal up to every one; else nothing is known."""
    if not all("\\sum{" in text and "N" not in text for text in (target, answer)):
        return None
    found = probe(*(parse(text.replace("{\\infty}", "{N}")) for text in (target, answer)))
    return found if found.equal else None


def _probe(target: str, answer: str) -> tuple[Probe, str]:
    # The equals sign of a series, `\sum_{k=1}`, is no relation.
    target, answer = (in_one_notation(text.replace("^\\infty", "^{\\infty}")) for text in (target, answer))
    if "\\infty" in target and "\\infty" in answer and (series := _probe_infinite_series(target, answer)) is not None:
        return series, "expression"
    if is_relation(target) and is_relation(answer):
        if _CONSTANT_SIDE.search(target) and not _SMALL_C.search(target) and "C" not in answer:
            answer = _SMALL_C.sub("C", answer)
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
