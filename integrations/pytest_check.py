"""One check of a reward function, as one test: it passes, or fails with a message and no traceback."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from ..errors import RewardgateError

__all__ = ["Check"]


@dataclass(frozen=True, slots=True)
class Check:
    """A test's name, and what it asks: that returns, fails the test, or raises an error of the library."""

    name: str
    ask: Callable[[], None] = field(repr=False)

    def run(self) -> None:
        """Fail the running test where the reward does not keep this, or cannot be used."""
        told = None
        try:
            self.ask()
        except RewardgateError as error:  # a broken law is one too; its message says all
            told = str(error)
        if told is not None:  # out here, where no other exception is being handled, which pytest would show, too
            pytest.fail(told, pytrace=False)
