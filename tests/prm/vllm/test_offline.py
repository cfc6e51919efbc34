"""The scorer of the offline engine, over a module that stands where vLLM would; see test_real_vllm.py."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stand_in_vllm import label_probabilities, next_logprobs
from tiny_prms import TOKENIZERS, save_tiny_prm

from rewardgate.errors import ArgumentError, MissingExtraError, WorkerError
from rewardgate.prm import StepRow, StepScore, get
from rewardgate.prm.hf.families import FAMILIES
from rewardgate.prm.scoring import step_scores
from rewardgate.prm.vllm.offline import VllmScorer

RUN_BY_VLLM = ("qwen", "trl", "math_shepherd", "rlhflow")
ROWS = [StepRow(f"What is {number} + 3?", (f"{number} + 3 = {number + 3}.", "So.")) for number in range(6)]
POISON = "~"  # a letter that is a token of its own in every tokenizer here
POISONED = StepRow("?", ("1 = 1", f"a {POISON} b"))

Build = Callable[..., VllmScorer]


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("checkpoints")
    for family in RUN_BY_VLLM:
        save_tiny_prm(folder / family, family)
    return lambda family: folder / family


@pytest.fixture
def build(checkpoints: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    """Scorers whose worker finds the stand-in, all closed in the end."""
    support = Path(__file__).resolve().parents[2] / "support"
    monkeypatch.syspath_prepend(support / "engine_stand_in")
    built: list[VllmScorer] = []

    def build(family: str = "qwen", *, at_poison: str | None = None, **options: Any) -> VllmScorer:
        engine = options.pop("engine", {})
        if at_poison:
            (token,) = TOKENIZERS[family]()(POISON, add_special_tokens=False)["input_ids"][-1:]
            engine = {**engine, "at_token": {str(token): at_poison}}
        built.append(VllmScorer(checkpoints(family), family=family, engine=engine, **options))
        return built[-1]

    yield build
    for scorer in built:
        scorer.close()


def expected(family: str, row: StepRow) -> list[float]:
    encoder = FAMILIES[family].encoder(TOKENIZERS[family]())
    ids, positions = encoder.encode(row)
    places = [place for place in positions if place is not None]
    if encoder.label_ids is None:
        return [label_probabilities(ids)[place][1] for place in places]
    wrong, right = encoder.label_ids
    tops = [next_logprobs(ids[: place + 1]) for place in places]
    return [1 / (1 + 2.718281828459045 ** (top[wrong] - top[right])) for top in tops]


def values(scores: list[list[StepScore]]) -> list[list[float | None]]:
    return [[score.value for score in row] for row in scores]


@pytest.mark.parametrize("family", RUN_BY_VLLM)
def test_every_step_has_the_models_score(build: Build, family: str) -> None:
    scores = step_scores(build(family), ROWS)
    assert values(scores) == [pytest.approx(expected(family, row), abs=1e-12) for row in ROWS]


@pytest.mark.parametrize("batch_rows", [1, 4])
def test_batches_change_nothing(build: Build, batch_rows: int) -> None:
    scores = build(batch_rows=batch_rows).score(ROWS)
    assert values(scores) == [pytest.approx(expected("qwen", row), abs=1e-12) for row in ROWS]


def test_the_caller_never_imports_vllm(build: Build) -> None:
    build().score(ROWS)
    assert "vllm" not in sys.modules


@pytest.mark.parametrize("family", RUN_BY_VLLM)
def test_steps_beyond_the_limit_are_unknown_and_the_others_scored(build: Build, family: str) -> None:
    row = StepRow("?", tuple(f"step {number}" for number in range(9)))
    place = FAMILIES[family].encoder(TOKENIZERS[family]()).encode(row).positions[3]
    assert place is not None
    (scores,) = build(family, max_tokens=place + 1).score([row])
    assert [score.rule for score in scores] == ["learned"] * 4 + ["too_long"] * 5
    assert [score.value for score in scores[:4]] == pytest.approx(expected(family, row)[:4])


def test_nothing_to_read_is_not_asked(build: Build) -> None:
    scorer = build(at_poison="die")
    rows = [StepRow(POISON, ()), StepRow(POISON, (" ", "\n"))]
    assert scorer.score([]) == []
    assert [[score.rule for score in row] for row in scorer.score(rows)] == [[], ["empty_step", "empty_step"]]


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ("die", r"worker: ended during the call \(signal 9\)"),
        ("hang", "worker: call ran past 2 s and was killed"),
        ("raise", "RuntimeError: a kernel failed"),
    ],
)
def test_a_row_that_ends_the_engine_costs_no_other_row(build: Build, fault: str, detail: str) -> None:
    rows = [*ROWS[:3], POISONED, *ROWS[3:]]
    scores = step_scores(build(at_poison=fault, timeout_s=2.0), rows)
    assert {(score.value, score.rule) for score in scores[3]} == {(None, "engine_failed")}
    assert scores[3][0].detail == detail.replace("\\", "")
    others = [one for number, one in enumerate(scores) if number != 3]
    assert values(others) == [pytest.approx(expected("qwen", row)) for row in ROWS]


def test_an_engine_that_fails_too_often_is_given_up_and_every_row_says_so(build: Build) -> None:
    scorer = build(at_poison="die", restarts=2, batch_rows=4)
    scores = step_scores(scorer, [*ROWS[:3], POISONED, POISONED, *ROWS[3:]])
    # The first batch ends one worker, its poisoned row another, and the second batch the third.
    assert values(scores)[:3] == [pytest.approx(expected("qwen", row)) for row in ROWS[:3]]
    assert [{(score.value, score.rule) for score in row} for row in scores[3:]] == [{(None, "engine_failed")}] * 5
    assert scores[-1][0].detail.startswith("given up after too many failures; last: worker: ended")


def test_the_next_call_starts_anew(build: Build) -> None:
    scorer = build(at_poison="die", restarts=0)
    assert {score.rule for score in scorer.score([POISONED])[0]} == {"engine_failed"}
    assert values(scorer.score(ROWS)) == [pytest.approx(expected("qwen", row)) for row in ROWS]
    scorer.close()
    assert values(scorer.score(ROWS)) == [pytest.approx(expected("qwen", row)) for row in ROWS]


def test_an_output_that_is_not_one_row_a_token_is_an_error_of_its_row(build: Build) -> None:
    scores = step_scores(build(at_poison="short"), [ROWS[0], POISONED, ROWS[1]])
    assert {(score.value, score.rule) for score in scores[1]} == {(None, "wrong_length")}
    assert scores[1][0].detail.endswith("rows, one a token, got 0")
    assert values(scores)[::2] == [pytest.approx(expected("qwen", row)) for row in ROWS[:2]]


def test_a_model_that_cannot_be_loaded_is_an_error_that_says_why(build: Build) -> None:
    with pytest.raises(WorkerError, match="did not start: ValueError: no memory for the weights"):
        build(engine={"cannot_load": True}).score(ROWS)


def test_without_vllm_it_names_the_extra(checkpoints: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rewardgate.prm.vllm.offline.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rewardgate\[vllm\]'"):
        get("vllm", model=checkpoints("qwen"), family="qwen")


def test_the_version_follows_the_weights_and_what_the_engine_makes_of_them(build: Build, tmp_path: Path) -> None:
    save_tiny_prm(tmp_path / "other", "qwen", seed=1)
    versions = [
        build().version,
        build("trl").version,
        build(dtype="float32").version,
        build(max_tokens=100).version,
        build(engine={"quantization": "fp8"}).version,
        VllmScorer(tmp_path / "other", family="qwen").version,
    ]
    assert len(set(versions)) == len(versions)
    assert build().version == versions[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": "skywork"}, "family: expected one that vLLM can run"),
        ({"model": "/nowhere/at/all"}, "model: expected a folder or the id of a model, got /nowhere/at/all"),
        ({"batch_rows": 0}, "batch_rows: expected a whole number >= 1, got 0"),
        ({"restarts": -1}, "restarts: expected a whole number >= 0, got -1"),
        ({"timeout_s": 0}, "timeout_s: expected a positive number of seconds, got 0"),
        ({"start_timeout_s": "1"}, "start_timeout_s: expected a positive number of seconds, got '1'"),
        ({"max_tokens": 0}, "max_tokens: expected a whole number >= 1, got 0"),
        ({"engine": {"runner": "generate"}}, "engine: expected none that has an argument of its own here, got runner"),
        ({"engine": {"dtype": object()}}, "engine: expected none that has an argument of its own here, got dtype"),
        ({"engine": {"seed": object()}}, "engine: expected plain data, got what JSON cannot carry"),
    ],
)
@pytest.mark.usefixtures("build")
def test_options_are_checked(checkpoints: Callable[[str], Path], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        get("vllm", **{"model": checkpoints("qwen"), "family": "qwen", **options})
