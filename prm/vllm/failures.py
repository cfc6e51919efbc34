"""What there is instead of an answer: one exception for all that a server, an engine or its answer can be at fault."""

__all__ = ["NOT_THE_ROWS", "PASSING", "NoAnswerError"]

PASSING = frozenset({"unreachable", "timeout", "server_error", "stopped", "engine_failed"})
"""Rules of failures that may pass: asked again another day, the same server may answer."""

NOT_THE_ROWS = PASSING | {
    "refused",
    "unreadable_answer",
    "wrong_length",
    "wrong_labels",
    "not_probabilities",
    "missing_logprob",
}
"""Rules of whatever is not the row's doing: behind another server, or after a repair, it may have scores."""


class NoAnswerError(Exception):
    """A request without a usable answer.

    Args:
        rule: what kind of failure, a short snake_case name.
        detail: one line for a person.
        again: whether another attempt may succeed.
        was_heard: whether a server answered at all, were it to refuse.
        wait_s: how long it asks to be left alone.
    """

    def __init__(
        self, rule: str, detail: str, *, again: bool = False, was_heard: bool = False, wait_s: float = 0.0
    ) -> None:
        super().__init__(f"{rule}: {detail}")
        self.rule, self.detail = rule, detail
        self.again, self.was_heard, self.wait_s = again, was_heard, wait_s
