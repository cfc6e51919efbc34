r"""The two sides of an equality in running text, rewritten into the plain language that `evaluate` computes.

What cannot be read for certain is not read: a letter that may be an unknown, a word that may be one more
term, an operator without its other side. Nothing is computed here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .neighbours import Ending, Tie, ending, tie
from .patterns import is_glued
from .reader import Reader
from .tokens import Token, tokens_of

__all__ = ["Operand", "read_left", "read_right"]


@dataclass(frozen=True, slots=True)
class Operand:
    """One side of an equality.

    Args:
        plain: the expression in the language of `evaluate`, with two marks that may follow a number and may
            count or not: `%`, and `@3600` where a word beside it is worth that factor (an hour, a dozen).
        start, end: where it stands in the text, in characters; a unit at its end is left out.
        is_number: it is one literal, not an expression.
        head: the literal with which it begins, empty where that is a sign or a bracket.
        labels: what the words beside its numbers name: dimensions of units, stems of other words.
        letters: a letter beside each of its terms, that may be a unit or an unknown (`2L + 8L`).
        names: capital letters that stand for values (`A * B`); `plain` holds them.
        has_currency, has_words: a sign of money, a unit or another word stands in it.
        has_groups: a number in it is written in groups of three digits.
        is_dashed: a dash stands before it that was taken for a bullet and may be a minus.
        is_doubtful: another reading is possible; it may confirm an equality but not refute one.
        is_truncated: its last digits are left out (`0.333...`).
        reaches_end: nothing but its unit stands between it and the end of what was searched.
    """

    plain: str
    start: int
    end: int
    is_number: bool
    head: str = ""
    labels: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    has_currency: bool = False
    has_words: bool = False
    has_groups: bool = False
    is_dashed: bool = False
    is_doubtful: bool = False
    is_truncated: bool = False
    reaches_end: bool = False


def read_right(text: str, start: int, end: int) -> Operand | None:
    """The operand with which `text[start:end]` begins; None where none does, or where it may go on unread.

    Example:
        >>> read_right("3*4 + 1, so", 0, 11).plain, read_right("3x + 1", 0, 6)
        ('3*4+1', None)
    """
    reader = Reader(tokens_of(text, start, end), 0)
    reader.run()
    if reader.wants:
        return None
    behind = ending(reader.tokens, reader.position, reader.stopped_by)
    # An unclosed bracket is a slip where the next sign follows, and a pair or a list where a comma does.
    if behind is Ending.OPEN or (reader.opened and reader.stopped_by):
        return None
    # `5+1 = 6 times $5` and `100-25 = 75 percent of 50` may end before the word.
    return _operand(reader, is_doubtful=behind is Ending.DOUBTFUL or reader.has_word_operator)


def read_left(text: str, start: int, end: int, *, is_cut: bool = False) -> Operand | None:
    """The operand with which `text[start:end]` ends; None where none does, or where it may have begun unread.

    Args:
        text, start, end: what stands before the sign of equality.
        is_cut: text before `start` belongs to it and was left out.

    Example:
        >>> read_left("she pays 2 * $3", 0, 15).plain, read_left("tax + 2 * 3", 0, 11)
        ('2*3', None)
    """
    tokens = tokens_of(text, start, end)
    reader = None
    position = 0
    while position < len(tokens):
        reader = Reader(tokens, position)
        reader.run()
        position = max(reader.position, position + 1)
    if reader is None or reader.wants or reader.stopped_by or (is_cut and reader.first == 0):
        return None
    is_number = not reader.n_operators
    # A number with its unit names what is counted: `5 books = 5 * 3`. A letter may be named after any word.
    tied = tie(tokens, reader.first, is_number=is_number and not reader.names)
    if (is_number and reader.has_words) or tied is Tie.TIED:
        return None
    # The dash of `- 100 / 60` may begin an item, and `2 + 3 times 4` is 14 or 20.
    is_item = tokens[reader.first].plain == "-" and not is_glued(tokens, reader.first + 1)
    is_doubtful = is_item or tied is Tie.DOUBTFUL or (reader.has_word_operator and reader.n_terms > 1)
    return _operand(reader, is_doubtful=is_doubtful, is_dashed=_is_dash(tokens, reader.first - 1))


def _is_dash(tokens: Sequence[Token], index: int) -> bool:
    return index >= 0 and tokens[index].kind == "stop" and tokens[index].plain in ("-", "–")


def _operand(reader: Reader, *, is_doubtful: bool = False, is_dashed: bool = False) -> Operand | None:
    """What was read, without unclosed brackets at its beginning; None where others are open."""
    leading = len(reader.opened)
    read = reader.tokens[reader.first : reader.position]
    if reader.opened and reader.opened[-1][0] != reader.first + leading - 1:
        return None
    # `2L + 8L` counts in L whatever L is; `2L + 8` and `2L * 8L` do not.
    if reader.letters and (len(reader.letters) > 1 or reader.n_lettered != reader.n_terms):
        return None
    return Operand(
        "".join(reader.pieces[leading:]),
        reader.tokens[reader.first + leading].start,
        reader.tokens[(reader.unit_start or reader.position) - 1].end,
        is_number=not reader.n_operators,
        head=reader.head,
        labels=frozenset(reader.labels),
        letters=frozenset(reader.letters),
        names=frozenset(reader.names),
        has_currency=reader.has_currency,
        has_words=reader.has_words,
        has_groups=any(token.kind == "number" and token.end - token.start > len(token.plain) for token in read),
        is_dashed=is_dashed,
        is_doubtful=reader.is_doubtful or is_doubtful,
        is_truncated=reader.stopped_by == "ellipsis",
        reaches_end=not reader.stopped_by,
    )
