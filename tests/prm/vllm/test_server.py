"""The scorer of a server, over a stand-in that does arithmetic where vLLM would run a model; see test_real_vllm.py."""

import random
import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stand_in_vllm import StandInProcess, label_probabilities, next_logprobs, stand_in
from tiny_prms import TOKENIZERS

from rewardgate.errors import ArgumentError
from rewardgate.prm import StepRow, StepScore, get
from rewardgate.prm.hf.families import FAMILIES
from rewardgate.prm.scoring import step_scores
from rewardgate.prm.vllm.server import VllmServerScorer

CLASSIFIERS, LANGUAGE_MODELS = ("qwen", "trl"), ("math_shepherd", "rlhflow")
ROWS = [
    StepRow("What is 2 + 3?", ("2 + 3 = 5.", "So it is 5.")),
    StepRow("What is 2 * 3?", ("2 * 3 = 6.",)),
    StepRow("What is 7 - 3?", ("7 - 3 = 4.", "That is 4.", "So 4.")),
]
PREFLIGHT = {"qwen": 2, "trl": 2, "math_shepherd": 2, "rlhflow": 2}
"""Requests before the first row: what is served, and one to try it."""


@pytest.fixture(scope="session")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("tokenizers")
    for family in (*CLASSIFIERS, *LANGUAGE_MODELS):
        TOKENIZERS[family]().save_pretrained(folder / family)
    return lambda family: folder / family


@pytest.fixture
def scorer_at(tokenizers: Callable[[str], Path]) -> Callable[..., VllmServerScorer]:
    def build(address: str, family: str = "qwen", **options: Any) -> VllmServerScorer:
        quick = {"timeout_s": 5.0, "patience_s": 20.0, "first_wait_s": 0.01}
        return VllmServerScorer(address, "prm", family=family, tokenizer=tokenizers(family), **{**quick, **options})

    return build


def expected(family: str, row: StepRow) -> list[float]:
    """P(right) of every step, from the arithmetic itself."""
    encoder = FAMILIES[family].encoder(TOKENIZERS[family]())
    ids, positions = encoder.encode(row)
    if encoder.label_ids is None:
        return [label_probabilities(ids)[place][1] for place in positions if place is not None]
    wrong, right = encoder.label_ids
    values = []
    for place in positions:
        assert place is not None
        top = next_logprobs(ids[: place + 1])
        odds = 2.718281828459045 ** (top[right] - top[wrong])
        values.append(odds / (1 + odds))
    return values


def values(scores: list[list[StepScore]]) -> list[list[float | None]]:
    return [[score.value for score in row] for row in scores]


def rules(scores: list[list[StepScore]]) -> list[set[str]]:
    return [{score.rule for score in row} for row in scores]


@pytest.mark.parametrize("family", [*CLASSIFIERS, *LANGUAGE_MODELS])
def test_every_step_has_the_models_score(scorer_at: Callable[..., VllmServerScorer], family: str) -> None:
    with stand_in() as server:
        scores = step_scores(scorer_at(server.address, family), ROWS)
        assert values(scores) == [pytest.approx(expected(family, row), abs=1e-12) for row in ROWS]
        assert len(server.requests) == PREFLIGHT[family] + len(ROWS)
    assert rules(scores) == [{"learned"}] * 3


@pytest.mark.parametrize("family", CLASSIFIERS)
def test_a_server_that_pools_by_steps_gives_the_same_scores(
    scorer_at: Callable[..., VllmServerScorer], family: str
) -> None:
    tag = FAMILIES[family].encoder(TOKENIZERS[family]()).marks.tag[-1]
    # The separator of trl is a line end, and a policy may write it in the middle of a step.
    rows = [*ROWS, StepRow("Write\nlines.", ("one\ntwo", "\n\nthree <extra_0> 3\n"))]
    with stand_in() as everything, stand_in(step_tag_id=tag) as steps:
        assert scorer_at(steps.address, family).score(rows) == scorer_at(everything.address, family).score(rows)


def test_scores_come_in_the_rows_order_whichever_is_answered_first(scorer_at: Callable[..., VllmServerScorer]) -> None:
    with stand_in(faults=[None, None, "hang"]) as server:
        scores = scorer_at(server.address, timeout_s=0.5).score(ROWS)
    assert values(scores) == [pytest.approx(expected("qwen", row)) for row in ROWS]


def test_no_more_requests_are_under_way_than_allowed(scorer_at: Callable[..., VllmServerScorer]) -> None:
    with stand_in() as server:
        scorer_at(server.address, concurrency=3).score(ROWS * 20)
        assert 1 < server.most_at_once <= 3


def test_no_rows_ask_nothing(scorer_at: Callable[..., VllmServerScorer]) -> None:
    with stand_in() as server:
        assert scorer_at(server.address).score([]) == []
        assert server.requests == []


def test_a_row_without_text_to_read_costs_no_request(scorer_at: Callable[..., VllmServerScorer]) -> None:
    rows = [StepRow("?", ()), StepRow("?", (" \n", "")), StepRow("?", ("", "1 = 1", "\t"))]
    with stand_in() as server:
        scores = scorer_at(server.address).score(rows)
        assert len(server.requests) == PREFLIGHT["qwen"] + 1
    assert [[score.rule for score in row] for row in scores] == [
        [],
        ["empty_step", "empty_step"],
        ["empty_step", "learned", "empty_step"],
    ]


@pytest.mark.parametrize("family", [*CLASSIFIERS, *LANGUAGE_MODELS])
def test_steps_beyond_what_the_server_takes_are_unknown_and_the_others_scored(
    scorer_at: Callable[..., VllmServerScorer], family: str
) -> None:
    row = StepRow("?", tuple(f"step {number}" for number in range(9)))
    encoder = FAMILIES[family].encoder(TOKENIZERS[family]())
    place = encoder.encode(row).positions[3]
    assert place is not None
    # The input up to the fourth step fits exactly; a language model also makes one token.
    fits = place + 1 + (family in LANGUAGE_MODELS)
    with stand_in(max_model_len=fits) as server:
        (scores,) = scorer_at(server.address, family).score([row])
    assert [score.rule for score in scores] == ["learned"] * 4 + ["too_long"] * 5
    assert [score.value for score in scores[:4]] == pytest.approx(expected(family, row)[:4])


def test_a_limit_of_ones_own_holds_where_it_is_the_lower(scorer_at: Callable[..., VllmServerScorer]) -> None:
    with stand_in() as server:
        scores = scorer_at(server.address, max_tokens=1).score(ROWS)
    assert rules(scores) == [{"too_long"}] * 3


@pytest.mark.parametrize(
    "text", ["\ud800 lone", "\x00", "ж" * 2000, "<extra_0>" * 50, "<|im_end|>", "🦜\u202e", "]\n\n["]
)
def test_no_text_breaks_a_row(scorer_at: Callable[..., VllmServerScorer], text: str) -> None:
    for family in (*CLASSIFIERS, *LANGUAGE_MODELS):
        with stand_in(max_model_len=1 << 20) as server:
            scores = step_scores(scorer_at(server.address, family), [StepRow(text, (text, "x", text))])
        assert rules(scores) == [{"learned"}]


PASSING = [500, 503, 429, "half", "closed", "hang"]
LASTING = {
    400: "refused",
    404: "refused",
    b"no json": "unreadable_answer",
    b"[]": "unreadable_answer",
    b"null": "unreadable_answer",
    b'{"data": null}': "unreadable_answer",
    b'{"data": []}': "wrong_length",
    b'{"data": [{"data": []}]}': "wrong_length",
    b'{"data": [{"data": [[0.5, 0.5]]}]}': "wrong_length",
    b'{"data": [{"data": "AACAPw=="}]}': "unreadable_answer",
    b'{"data": [{"index": 0}]}': "unreadable_answer",
    b'{"data": [{"data": []}, {"data": []}]}': "wrong_length",
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_passing_fault_costs_no_row(scorer_at: Callable[..., VllmServerScorer], fault: Any) -> None:
    with stand_in(faults=[fault, fault, None, None, fault, None, fault]) as server:
        scores = scorer_at(server.address, timeout_s=0.5).score(ROWS)
    assert values(scores) == [pytest.approx(expected("qwen", row)) for row in ROWS]


@pytest.mark.parametrize("fault", LASTING)
def test_an_answer_that_does_not_fit_costs_its_row_alone_and_is_no_score(
    scorer_at: Callable[..., VllmServerScorer], fault: Any
) -> None:
    with stand_in(faults=[None, None, None, fault]) as server:
        scores = step_scores(scorer_at(server.address, concurrency=1), ROWS)
    assert rules(scores) == [{"learned"}, {LASTING[fault]}, {"learned"}]
    assert values(scores)[1] == [None]


def spoiled(change: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
    def fault(said: Any) -> Any:
        rows = said["data"][0]["data"]
        return {**said, "data": [{**said["data"][0], "data": change(rows)}]}

    return fault


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda rows: rows[:-1], "wrong_length"),
        (lambda rows: [*rows, rows[-1]], "wrong_length"),
        (lambda rows: [[p for p in row if p] * 2 for row in rows], "wrong_labels"),
        (lambda rows: [row[1:] for row in rows], "wrong_labels"),
        (lambda rows: [[4.0, -3.5] for _ in rows], "not_probabilities"),
        (lambda rows: [[None, None] for _ in rows], "not_finite"),
    ],
)
def test_rows_that_do_not_fit_are_no_scores(
    scorer_at: Callable[..., VllmServerScorer], change: Callable[[list[Any]], Any], rule: str
) -> None:
    with stand_in(faults=[None, None, None, spoiled(change)]) as server:
        scores = scorer_at(server.address, concurrency=1).score(ROWS)
    assert rules(scores) == [{"learned"}, {rule}, {"learned"}]
    assert values(scores)[1] == [None]


@given(st.lists(st.sampled_from([*[None] * 12, 500, "half", "closed", *LASTING]), min_size=40, max_size=80))
@settings(max_examples=8)
def test_in_any_storm_a_score_is_the_right_one_or_unknown(tokenizers: Callable[[str], Path], faults: list[Any]) -> None:
    rows = [StepRow(f"What is {number}?", (f"It is {number}.", "So.")) for number in range(30)]
    with stand_in(faults=[None, None, *faults]) as server:
        scorer = VllmServerScorer(
            server.address, "prm", family="qwen", tokenizer=tokenizers("qwen"), first_wait_s=0.001, concurrency=4
        )
        scores = step_scores(scorer, rows)
    for row, said in zip(rows, scores, strict=True):
        if said[0].rule == "learned":
            assert [score.value for score in said] == pytest.approx(expected("qwen", row))
        else:
            assert {score.value for score in said} == {None}
            assert {score.rule for score in said} <= {*LASTING.values(), "server_error", "unreachable"}


def test_choices_are_put_in_order_by_their_index(scorer_at: Callable[..., VllmServerScorer]) -> None:
    def shuffled(said: Any) -> Any:
        return {**said, "choices": random.Random(0).sample(said["choices"], len(said["choices"]))}

    with stand_in(faults=[None, None, *[shuffled] * 3]) as server:
        scores = scorer_at(server.address, "rlhflow").score(ROWS)
    assert values(scores) == [pytest.approx(expected("rlhflow", row)) for row in ROWS]


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (lambda choices: choices[:-1], "wrong_length"),
        (lambda choices: [choices[0]] * len(choices), "wrong_length"),
        (lambda choices: [{**choice, "logprobs": None} for choice in choices], "unreadable_answer"),
        (lambda choices: [{**one, "logprobs": {"top_logprobs": [None]}} for one in choices], "unreadable_answer"),
        (lambda choices: [{**one, "logprobs": {"top_logprobs": []}} for one in choices], "unreadable_answer"),
        (
            lambda choices: [{**one, "logprobs": {"top_logprobs": [{"+": -1, "-": -1}]}} for one in choices],
            "missing_logprob",
        ),
        (lambda choices: None, "unreadable_answer"),
    ],
)
def test_choices_that_do_not_fit_are_no_scores(
    scorer_at: Callable[..., VllmServerScorer], spoil: Callable[[Any], Any], rule: str
) -> None:
    with stand_in(faults=[None, None, None, None, lambda said: {**said, "choices": spoil(said["choices"])}]) as server:
        scores = scorer_at(server.address, "math_shepherd", concurrency=1).score(ROWS)
    assert rules(scores) == [{"learned"}, {"learned"}, {rule}]
    assert values(scores)[2] == [None] * 3


def test_a_version_that_ignores_the_tokens_asked_for_is_read_where_they_are_among_the_best(
    scorer_at: Callable[..., VllmServerScorer],
) -> None:
    rows = [StepRow(f"What is {number}?", (f"{number} = {number}.",)) for number in range(60)]
    with stand_in(knows_token_ids=False) as server:
        scores = [scores[0] for scores in scorer_at(server.address, "math_shepherd").score(rows)]
    known = [number for number, score in enumerate(scores) if score.value is not None]
    # Two given tokens of 600 are both among the best twenty of one row in about 900.
    assert all(scores[number].value == pytest.approx(expected("math_shepherd", rows[number])[0]) for number in known)
    assert {score.rule for score in scores} <= {"learned", "missing_logprob"}
    assert len(known) < 10


def test_a_server_that_is_killed_and_stays_away_leaves_every_row_a_reason(
    scorer_at: Callable[..., VllmServerScorer],
) -> None:
    rows = ROWS * 10
    with StandInProcess() as server:
        server.start(dies_after=PREFLIGHT["qwen"] + 12)
        scores = step_scores(scorer_at(server.address, timeout_s=1.0, patience_s=1.0, concurrency=4), rows)
    for row, said in zip(rows, scores, strict=True):
        if said[0].value is None:
            assert {(score.value, score.rule) for score in said} == {(None, "unreachable")}
            assert "127.0.0.1" in said[0].detail
        else:
            assert [score.value for score in said] == pytest.approx(expected("qwen", row))
    n_scored = sum(said[0].value is not None for said in scores)
    assert 8 <= n_scored <= 11  # up to four were under way when the twelfth of them killed it


def test_a_server_that_comes_back_goes_on_where_it_was(scorer_at: Callable[..., VllmServerScorer]) -> None:
    rows = ROWS * 10
    with StandInProcess() as server:
        server.start(dies_after=PREFLIGHT["qwen"] + 12)
        first = server.process
        assert first is not None
        assert first.stdout is not None

        def start_again() -> None:
            first.wait()
            server.start()

        again = Thread(target=start_again)
        again.start()
        scores = scorer_at(server.address, patience_s=60.0, concurrency=4).score(rows)
        again.join()
        first.stdout.close()
        assert first.returncode == -9
    assert values(scores) == [pytest.approx(expected("qwen", row)) for row in rows]


def test_a_server_that_is_not_there_gives_every_row_the_reason(scorer_at: Callable[..., VllmServerScorer]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        scorer = scorer_at(f"http://127.0.0.1:{free.getsockname()[1]}", timeout_s=0.2, patience_s=0.3)
        scores = step_scores(scorer, [*ROWS, StepRow("?", ("",))])
    assert rules(scores) == [{"unreachable"}] * 3 + [{"empty_step"}]


def test_a_cache_is_told_to_keep_nothing_that_is_not_the_rows(scorer_at: Callable[..., VllmServerScorer]) -> None:
    kept = {"learned", "empty_step", "not_finite"}
    assert scorer_at("http://h:1").transient_rules & kept == set()
    assert {*LASTING.values(), "unreachable", "too_long"} <= scorer_at("http://h:1").transient_rules
    assert "too_long" not in scorer_at("http://h:1", max_tokens=100).transient_rules


def test_what_the_caller_got_wrong_is_an_error_before_the_first_row(scorer_at: Callable[..., VllmServerScorer]) -> None:
    with (
        stand_in(model="other") as server,
        pytest.raises(ArgumentError, match=r"model: expected .*\(other\), got 'prm'"),
    ):
        scorer_at(server.address).score(ROWS)
    with stand_in(step_tag_id=599) as server, pytest.raises(ArgumentError, match=r"wrong_length.*--pooler-config"):
        scorer_at(server.address).score(ROWS)
    logits = spoiled(lambda rows: [[3.0, -2.0] for _ in rows])
    with stand_in(faults=[None, logits]) as server, pytest.raises(ArgumentError, match="not_probabilities"):
        scorer_at(server.address).score(ROWS)
    with stand_in(faults=[None, 404]) as server, pytest.raises(ArgumentError, match="set up for the family rlhflow"):
        scorer_at(server.address, "rlhflow").score(ROWS)


def test_the_key_is_read_at_each_call_and_a_wrong_one_is_an_error(
    scorer_at: Callable[..., VllmServerScorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    with stand_in(api_key="secret") as server:
        scorer = scorer_at(server.address, api_key_env="THE_KEY")
        with pytest.raises(ArgumentError, match="status 401"):
            scorer.score(ROWS)
        monkeypatch.setenv("THE_KEY", "wrong")
        with pytest.raises(ArgumentError, match="status 401"):
            scorer.score(ROWS)
        monkeypatch.setenv("THE_KEY", "secret")
        assert rules(scorer.score(ROWS)) == [{"learned"}] * 3


def test_it_is_registered_and_its_version_names_family_and_model(tokenizers: Callable[[str], Path]) -> None:
    scorer = get("vllm_server", address="http://h:1", model="prm", family="qwen", tokenizer=tokenizers("qwen"))
    assert isinstance(scorer, VllmServerScorer)
    assert scorer.version == "1 qwen prm unlimited"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"family": "skywork"},
            r"family: expected one that vLLM can run \(qwen, trl, math_shepherd, rlhflow\), got skywork",
        ),
        ({"family": "qwem"}, "family: expected one of qwen, trl, math_shepherd, rlhflow, got 'qwem'"),
        ({"family": None}, "family: expected one of"),
        ({"model": ""}, "model: expected a name, got ''"),
        ({"address": "host"}, "address: expected an address like http://host:8000, got 'host'"),
        ({"concurrency": 0}, "concurrency: expected a whole number >= 1, got 0"),
        ({"max_tokens": 0}, "max_tokens: expected a whole number >= 1, got 0"),
        ({"timeout_s": 0}, "timeout_s: expected a positive number of seconds, got 0"),
        ({"patience_s": 1}, "patience_s: expected at least timeout_s, 120"),
        ({"attempts": 0}, "attempts: expected a whole number >= 1, got 0"),
        ({"connect_timeout_s": -1}, "connect_timeout_s: expected a positive number of seconds, got -1"),
        ({"tokenizer": "/nowhere"}, "tokenizer: expected a folder or a model of the hub, got /nowhere"),
        ({"family": "math_shepherd"}, "tokenizer: expected one token for 'ки'"),
    ],
)
def test_options_are_checked(tokenizers: Callable[[str], Path], options: dict[str, Any], message: str) -> None:
    given = {"address": "http://h:1", "model": "prm", "family": "qwen", "tokenizer": tokenizers("qwen"), **options}
    with pytest.raises(ArgumentError, match=message):
        get("vllm_server", **given)
