"""A place in a list of tokens."""

from collections.abc import Callable

from .tokens import Token, UnreadableError
from .tree import Tree, negated

__all__ = ["Cursor"]


class Cursor:
    """Reads tokens one by one."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0

    def peek(self) -> str | None:
        """The next token's text, left where it is; None at the end."""
        return self.tokens[self.position].text if self.position < len(self.tokens) else None

    def next(self) -> Token:
        """The next token, and past it.

        Raises:
            UnreadableError: there is none.
        """
        if self.position >= len(self.tokens):
            raise UnreadableError("it ends too early")
        self.position += 1
        return self.tokens[self.position - 1]

    def expect(self, text: str) -> None:
        """Past the next token, which must be `text`.

        Raises:
            UnreadableError: it is not.
        """
        if self.next().text != text:
            raise UnreadableError(f"no {text!r} where it should stand")

    def signed(self, read: Callable[[int], Tree], depth: int) -> Tree:
        """What `read` reads, after any number of signs."""
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.next().text == "-"
        return negated(read(depth)) if negative else read(depth)
