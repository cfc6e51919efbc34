"""A chat model as a step scorer: it is asked which step is the first wrong one."""

import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from json import dumps
from threading import Lock
from typing import Any, NamedTuple

from ...errors import ArgumentError
from ...rollouts.messages import prompt_text
from ...verifiers.arguments import number, positive, whole
from ...verifiers.workers.ahead import asked_ahead
from ..base import StepRow, StepScore
from .answers import READERS, Answer, UnreadableError
from .endpoint import Address, ChatClient, EndpointError
from .prompts import BOXED, JSON, asked, checked_template
from .replies import Reply
from .usage import Usage, checked_prices
from .votes import vote_scores

__all__ = ["JudgeScorer"]

_TEMPLATES = {"boxed": BOXED, "json": JSON}
_RESERVED = frozenset({"messages", "model", "n", "stream"})


class JudgeScorer:
    """Asks an OpenAI-compatible chat endpoint for the first wrong step of each row.

    The steps before it score 1, it scores 0, and those behind it have no score: of them the judge says nothing. With
    several votes a score is the share that holds the step right (`votes.vote_scores`). What the judge cannot be
    understood in is counted and never a score.

    Args:
        base_url: what `/chat/completions` is put behind: `https://api.openai.com/v1`, `http://localhost:8000/v1`.
        model: as the endpoint calls it. A cache takes it by this name for the same model wherever it is served.
        api_key_env: the environment variable that holds the key, read at each call; unset, no key is sent.
        votes: answers asked for each row, each in a request of its own, since not every endpoint knows `n`.
        temperature: of the sampling; None leaves it to the endpoint (some models take none). Several votes at 0
            would be one vote counted several times, and are refused.
        max_tokens: of an answer, which is unreadable where it is cut off; None sends none (where a model wants
            `max_completion_tokens`, give that in `extra_body`).
        seed: vote v is asked with `seed` + v; None sends none.
        answer: the form: `"boxed"`, critique first and the index in a box, or `"json"`, an object with `first_error`.
        response_format: sent as it is, for endpoints that can hold a model to a form.
        template: replaces our question: `{problem}` and `{steps}` stand for both, `{count}` for the number of steps.
            It has to ask for the form that `answer` reads.
        extra_body: further fields of the request (`{"top_p": 0.8}`).
        timeout_s: that one attempt may take.
        retries: further attempts where the reason may pass: 408, 409, 425, 429, 5xx, a time-out, a connection that
            breaks, a body that is no completion.
        first_wait_s: before the second attempt; later waits double, and `Retry-After` is kept, up to a minute.
        patience_s: of silence to every request of a call, after which each that is left is made only once.
        concurrency: requests under way at once.
        prices: of a million tokens, `{"prompt": 0.15, "completion": 0.6}`, and `cached`; for `usage.cost`.

    Raises:
        ArgumentError: an option breaks its rule.

    Attributes:
        version: names the model and a digest of whatever shapes its answers.
        transient_rules: rules of scores that were made or missed for a reason which may pass; a cache keeps none.
    """

    transient_rules = frozenset({"judge_unavailable", "judge_refused", "votes_lost"})

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key_env: str = "OPENAI_API_KEY",
        votes: int = 1,
        temperature: float | None = 0.0,
        max_tokens: int | None = 4096,
        seed: int | None = None,
        answer: str = "boxed",
        response_format: Mapping[str, Any] | None = None,
        template: str | None = None,
        extra_body: Mapping[str, Any] | None = None,
        timeout_s: float = 120.0,
        retries: int = 4,
        first_wait_s: float = 0.5,
        patience_s: float = 120.0,
        concurrency: int = 8,
        prices: Mapping[str, float] | None = None,
    ) -> None:
        self._address = Address.of(base_url)
        if not isinstance(model, str) or not model:
            raise ArgumentError(f"model: expected the name of a model, got {model!r}")
        if not isinstance(api_key_env, str) or not api_key_env:
            raise ArgumentError("api_key_env: expected the name of a variable, got something else")
        if answer not in READERS:
            raise ArgumentError(f"answer: expected one of {', '.join(READERS)}, got {answer!r}")
        self._key_name = api_key_env
        self._votes = whole("votes", votes, at_least=1)
        if self._votes > 1 and temperature == 0:
            raise ArgumentError(f"votes: expected 1 at temperature 0, got {votes}; give a temperature above 0")
        self._template = checked_template(_TEMPLATES[answer] if template is None else template)
        self._read = READERS[answer]
        self._seed = None if seed is None else whole("seed", seed, at_least=0)
        self._timeout_s = positive("timeout_s", timeout_s, what="number of seconds")
        self._retries = whole("retries", retries, at_least=0)
        self._first_wait_s = positive("first_wait_s", first_wait_s, what="number of seconds")
        self._patience_s = positive("patience_s", patience_s, what="number of seconds")
        self._concurrency = whole("concurrency", concurrency, at_least=1)
        self._prices = checked_prices(prices)
        fields = {
            "model": model,
            "temperature": None if temperature is None else number("temperature", temperature),
            "max_tokens": None if max_tokens is None else whole("max_tokens", max_tokens, at_least=1),
            "response_format": response_format,
        }
        self._fields = {name: value for name, value in fields.items() if value is not None}
        self._fields |= _checked_extra(extra_body)
        self._usage = Usage(cost=None if prices is None else 0.0)
        self._lock = Lock()
        shaping = _as_json([self._template, answer, self._votes, self._seed, self._fields])
        self.version = f"1 {model} {sha256(shaping.encode()).hexdigest()[:12]}"

    @property
    def usage(self) -> Usage:
        """What all calls so far have cost."""
        return self._usage

    def score(self, rows: Sequence[StepRow]) -> list[list[StepScore]]:
        """One list of scores for each row, in order; an endpoint that fails gives scores without a value.

        May be called from several threads, and from within a running event loop, which waits meanwhile:
        `await asyncio.to_thread(scorer.score, rows)` lets it go on.

        Raises:
            ArgumentError: the endpoint refuses the key, or does not serve the model.
        """
        client = ChatClient(
            self._address,
            self._key(),
            self._key_name,
            timeout_s=self._timeout_s,
            retries=self._retries,
            first_wait_s=self._first_wait_s,
            patience_s=self._patience_s,
        )

        def ask(question: _Question) -> _Vote:
            return self._vote(client, question)

        questions = self._questions(rows)
        n_asked = self._votes * sum(bool(row.steps) for row in rows)
        votes: list[list[_Vote]] = [[] for _ in rows]
        for question, vote in asked_ahead(
            ask, questions, threads=max(1, min(self._concurrency, n_asked)), stop=client.stop
        ):
            votes[question.row].append(vote)
            with self._lock:
                is_readable = isinstance(vote.said, Answer)
                self._usage = self._usage.plus(vote.reply, is_readable=is_readable, prices=self._prices)
        return [self._scores(row, said) for row, said in zip(rows, votes, strict=True)]

    def _questions(self, rows: Sequence[StepRow]) -> Iterator["_Question"]:
        for number_of_row, row in enumerate(rows):
            if not row.steps:
                continue
            content = asked(self._template, prompt_text(row.prompt), row.steps)
            body = {**self._fields, "messages": [{"role": "user", "content": content}]}
            for vote in range(self._votes):
                seeded = body if self._seed is None else {**body, "seed": self._seed + vote}
                yield _Question(number_of_row, len(row.steps), seeded)

    def _vote(self, client: ChatClient, question: "_Question") -> "_Vote":
        try:
            reply = client.ask(question.body)
        except EndpointError as error:
            rule = "judge_refused" if error.is_refusal else "judge_unavailable"
            return _Vote(None, StepScore(None, rule, str(error)))
        except ArgumentError:
            client.stop()  # or an earlier row that waits for its answer would hold the error back
            raise
        try:
            return _Vote(reply, self._read(reply, question.n_steps))
        except UnreadableError as error:
            return _Vote(reply, StepScore(None, "unreadable_answer", str(error)))

    def _scores(self, row: StepRow, votes: Sequence["_Vote"]) -> list[StepScore]:
        failures = [vote.said for vote in votes if isinstance(vote.said, StepScore)]
        transient = [failure for failure in failures if failure.rule in self.transient_rules]
        answers = [vote.said for vote in votes if isinstance(vote.said, Answer)]
        if not answers:
            return (transient or failures)[:1] * len(row.steps)
        scores = vote_scores(answers, len(row.steps), n_asked=self._votes)
        # Paid for and of use, but asked again the row would have all its votes: nothing to keep in a cache.
        return [score._replace(rule="votes_lost") for score in scores] if transient else scores

    def _key(self) -> str:
        key = os.environ.get(self._key_name, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ArgumentError(f"api_key_env: expected a key in ${self._key_name}, got characters that no key has")
        return key


class _Question(NamedTuple):
    """One vote to ask for."""

    row: int
    n_steps: int
    body: dict[str, Any]


class _Vote(NamedTuple):
    """What came of a question: the endpoint's reply, and what it says or why it says nothing."""

    reply: Reply | None
    said: Answer | StepScore


def _checked_extra(extra_body: object) -> dict[str, Any]:
    if extra_body is None:
        return {}
    if not isinstance(extra_body, Mapping) or _RESERVED & set(extra_body):
        reserved = ", ".join(sorted(_RESERVED))
        raise ArgumentError(f"extra_body: expected fields other than {reserved}, got {extra_body!r}")
    return dict(extra_body)


def _as_json(fields: object) -> str:
    try:
        return dumps(fields, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"response_format, extra_body: expected what JSON can hold, got: {error}") from None
