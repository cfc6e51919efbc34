r"""Two equations, or inequalities, that say the same up to a constant factor: `y=2x+3` and `4x-2y+6=0`."""

import re

from .kinds import is_polynomial
from .parser import UnreadableError, parse
from .probing import Probe, probe, some_value
from .tree import Product, Sum, Tree, at_point, inverse, negated

__all__ = ["is_relation", "probe_relations"]

_RELATION = re.compile(r"\\(?:le|ge|ne|approx|equiv|in)(?![a-z])|[=<>]")
_TURNED = {"<": ">", "\\le": "\\ge"}


def is_relation(text: str) -> bool:
    """Whether `text` holds a sign of a relation."""
    return _RELATION.search(text) is not None


def probe_relations(first: str, second: str) -> Probe:
    r"""Whether two relations of two sides each are the same up to a constant factor.

    They are different only where that is certain: where both are polynomials.

    Raises:
        UnreadableError: one of the sides has no certain reading, or they are no such relations.

    Example:
        >>> probe_relations("y=2x+3", "4x-2y+6=0").equal, probe_relations("x+y<1", "x+y>1").equal
        (True, False)
    """
    (left, sign), (right, other_sign) = _difference(first), _difference(second)
    ratio = Product((left, inverse(right)))
    found = some_value(ratio)
    if found is None:
        return Probe(None, "no point where both differences are real")
    point, is_positive = found
    proportional = probe(ratio, at_point(ratio, point))
    if proportional.equal:
        same = sign == other_sign and (is_positive or sign in ("=", "\\ne"))
        return Probe(same, "up to a factor" if same else "another relation")
    if proportional.equal is False and is_polynomial(left) and is_polynomial(right):
        return Probe(False, proportional.reason)
    return Probe(None, proportional.reason)


def _difference(text: str) -> tuple[Tree, str]:
    r"""What stands on the larger side less the other, and the sign between them: `=`, `\ne`, `>` or `\ge`."""
    signs = _RELATION.findall(text)
    if len(signs) != 1 or signs[0] not in ("=", "\\ne", "<", ">", "\\le", "\\ge"):
        raise UnreadableError("no relation of two sides")
    sign = signs[0]
    left, right = (parse(side.strip()) for side in text.split(sign))
    if sign in _TURNED:
        left, right, sign = right, left, _TURNED[sign]
    return Sum((left, negated(right))), sign
