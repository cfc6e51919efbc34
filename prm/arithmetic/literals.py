r"""Numbers written over several tokens: mixed numbers, divisors, scientific notation.

`3 1/2`, `3 and 1/2`, `3\frac12`, the half in `6 / 1/2`, `6.02 × 10^{23}`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .patterns import at, is_fraction, is_glued, is_mixed
from .tokens import Token

__all__ = ["Literal", "literal_at"]

_MAX_MANTISSA = 3
_MAX_EXPONENT = 4


class Literal(NamedTuple):
    """A number and how it is written.

    Args:
        plain: its plain spelling.
        n_tokens: the tokens that it takes.
        is_power: it is a product with a power of ten, to be computed.
        is_doubtful: those tokens may belong to two numbers.
    """

    plain: str
    n_tokens: int
    is_power: bool = False
    is_doubtful: bool = False


def literal_at(tokens: Sequence[Token], index: int, *, before: str = "") -> Literal:
    """The number that begins with the token at `index`.

    Args:
        tokens, index: where it begins.
        before: the plain spelling of what stands before it in its operand.

    Example:
        >>> from rewardgate.prm.arithmetic.tokens import tokens_of
        >>> [literal_at(tokens_of(text), 0).plain for text in ("3 1/2", "6.02 × 10^{23}", "3 + 1")]
        ['(3+1/2)', '(6.02*10^23)', '3']
    """
    plain = tokens[index].plain
    if is_mixed(tokens, index):
        return Literal(f"({plain}+{tokens[index + 1].plain}/{tokens[index + 3].plain})", 4)
    if at(tokens, index + 1, "word") and tokens[index + 1].plain == "and" and is_mixed(tokens, index, gap=2):
        # `2 and 1/2 cups`, or `he eats 2 and 1/2 * 6 = 3 more`.
        return Literal(f"({plain}+{tokens[index + 2].plain}/{tokens[index + 4].plain})", 5, is_doubtful=True)
    if plain.isdigit() and at(tokens, index + 1, "constant") and "frac" in tokens[index + 1].plain:
        return Literal(plain + tokens[index + 1].plain, 2)
    if before == "/" and not is_glued(tokens, index) and is_fraction(tokens, index):
        return Literal(f"({plain}/{tokens[index + 2].plain})", 3)
    exponent = None if before == "^" else _power_of_ten(tokens, index)
    if exponent is not None:
        # `6 / 2 × 10^3` is 3000, and `6 × 10^8 / 2 × 10^3` mostly means 3 × 10^5.
        return Literal(f"({plain}*10^{exponent[0]})", exponent[1], is_power=True, is_doubtful=before == "/")
    # `5-1/2` may be five and a half.
    is_hyphenated = (
        at(tokens, index + 1, "operator") and tokens[index + 1].plain == "-" and is_fraction(tokens, index + 2)
    )
    is_tight = is_glued(tokens, index + 1) and is_glued(tokens, index + 2)
    return Literal(plain, 1, is_doubtful=is_hyphenated and is_tight and not before)


def _power_of_ten(tokens: Sequence[Token], index: int) -> tuple[str, int] | None:
    """The exponent of the ten that multiplies the number at `index`, and the tokens that all of it takes."""
    plain = tokens[index].plain
    is_mantissa = at(tokens, index, "number") and plain[0].isdigit() and (len(plain) <= _MAX_MANTISSA or "." in plain)
    if not is_mantissa or index + 3 >= len(tokens):
        return None
    sign, ten, power = tokens[index + 1 : index + 4]
    if (sign.plain != "*" and not (sign.kind == "word" and sign.plain in "xX")) or ten.plain != "10":
        return None
    if power.kind == "superscript":
        return power.plain, 4
    if power.kind != "power":
        return None
    position = index + 4
    is_bracketed = at(tokens, position, "open")
    position += is_bracketed
    minus = "-" if at(tokens, position, "operator") and tokens[position].plain == "-" else ""
    position += bool(minus)
    if not at(tokens, position, "number") or not tokens[position].plain.isdigit():
        return None
    exponent = tokens[position].plain
    position += 1
    if len(exponent) > _MAX_EXPONENT or (is_bracketed and not at(tokens, position, "close")):
        return None
    return minus + exponent, position + is_bracketed - index
