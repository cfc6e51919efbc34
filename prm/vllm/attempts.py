"""Asking again: which failures are worth another attempt, after how long, and when the server is given up.

Two clocks. A row has `patience_s` from its first attempt. The server has `patience_s` from the last time that any row
of the call heard from it; once it was silent for so long, the rows that are left are given up at once, or a thousand
of them would each wait as long.
"""

import random
import threading
from dataclasses import dataclass
from time import monotonic
from typing import Any

from ...errors import ArgumentError
from ...verifiers.arguments import positive, whole
from .endpoint import Endpoint
from .failures import NoAnswerError

__all__ = ["Call", "Patience"]

_LONGEST_WAIT_S = 8.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often a server is asked.

    Args:
        timeout_s: seconds for one attempt, from the connection to the last byte of the answer.
        patience_s: seconds that a row may take over all its attempts, and that the server may be silent to all rows.
            A server that starts again within it is used again.
        attempts: how often a row is asked that the server answers with an error of its own (429, 500, 503 …); one
            that is not there is asked until the patience is over.
        first_wait_s: before the second attempt; each later wait is twice as long, at most 8 s, or what the server
            asks for. Jittered: all who were refused together would come again together.

    Raises:
        ArgumentError: a number is not positive, or `patience_s` is shorter than `timeout_s`.
    """

    timeout_s: float = 120.0
    patience_s: float = 300.0
    attempts: int = 5
    first_wait_s: float = 0.25

    def __post_init__(self) -> None:
        for name in ("timeout_s", "patience_s", "first_wait_s"):
            positive(name, getattr(self, name), what="number of seconds")
        whole("attempts", self.attempts, at_least=1)
        if self.patience_s < self.timeout_s:
            rule = f"at least timeout_s, {self.timeout_s:g}: an answer may take as long"
            raise ArgumentError(f"patience_s: expected {rule}, got {self.patience_s:g}")


class Call:
    """The rows of one call of `score`, asked from any number of threads.

    Args:
        endpoint: who is asked.
        patience: for how long.
    """

    def __init__(self, endpoint: Endpoint, patience: Patience) -> None:
        self._endpoint, self._patience = endpoint, patience
        self._heard_at = monotonic()
        self._stopped = threading.Event()

    def answer(self, path: str, body: Any = None) -> Any:
        """What the server answers, after as many attempts as it takes.

        Raises:
            NoAnswerError: the last attempt's, where there was none; `unreachable` where the server was given up.
        """
        patience = self._patience
        until = monotonic() + patience.patience_s
        refusals = tries = 0
        while True:
            now = monotonic()
            if now - self._heard_at > patience.patience_s:
                detail = f"{self._endpoint.address} was silent to every row for {patience.patience_s:g} s: given up"
                raise NoAnswerError("unreachable", detail)
            if self._stopped.is_set():
                raise NoAnswerError("stopped", "the caller broke off")
            tries += 1
            try:
                timeout_s = max(min(patience.timeout_s, until - now), 0.001)
                answer = self._endpoint.answer(path, body, timeout_s=timeout_s, stop=self._stopped)
                self._heard_at = monotonic()
                return answer
            except NoAnswerError as error:
                if error.was_heard:
                    self._heard_at = monotonic()
                    refusals += 1
                own_s = min(_LONGEST_WAIT_S, patience.first_wait_s * 2.0 ** min(tries - 1, 30))
                wait_s = max(error.wait_s, own_s * random.uniform(0.5, 1.0))
                is_last = not error.again or refusals >= patience.attempts or monotonic() + wait_s >= until
                if is_last:
                    times = f" ({tries} attempts)" if tries > 1 else ""
                    raise NoAnswerError(error.rule, error.detail + times) from None
                self._stopped.wait(wait_s)

    def stop(self) -> None:
        """End every exchange under way and every wait; later questions raise at once."""
        self._stopped.set()
