"""The same checkpoints in vLLM and in transformers: the same scores, whatever is killed meanwhile. Run by .ci/vllm."""

import json
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from real_vllm import KEY, MAX_TOKENS, SETTINGS, RealServer, answers_until
from tiny_prms import TOKENIZERS, save_tiny_prm

from rewardgate.errors import ArgumentError, WorkerError
from rewardgate.prm import StepRow, StepScore
from rewardgate.prm.hf.families import FAMILIES
from rewardgate.prm.hf.scorer import HfScorer
from rewardgate.prm.scoring import step_scores
from rewardgate.prm.vllm.failures import PASSING
from rewardgate.prm.vllm.offline import VllmScorer
from rewardgate.prm.vllm.server import VllmServerScorer
from rewardgate.verifiers.isolation import Workers

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(find_spec("vllm") is None, reason="NOT RUN: vLLM is not installed; run .ci/vllm"),
]

CLASSIFIERS, LANGUAGE_MODELS = ("qwen", "trl"), ("math_shepherd", "rlhflow")
TOLERANCE = 1e-5
# vLLM has no kernel for heads of 8; weights of the usual spread for this width keep logits in the usual range.
SHAPE = {"hidden_size": 128, "initializer_range": 0.15}
ENGINE = {"enforce_eager": True, "seed": 0}

ROWS = [
    StepRow("What is 2 + 3?", ("2 + 3 = 5.", "So it is 5.")),
    StepRow("What is 2 + 3?", ("2 + 3 = 6.", "So it is 6.", "Or 5.")),  # shares its beginning with the first
    StepRow([{"role": "system", "content": "Box it."}, {"role": "user", "content": "7 * 3?"}], ("7 * 3 = 21.",)),
    StepRow("Tags.\n", ("one\ntwo", " ", "<extra_0> ки + - <|im_end|>", "\n\n")),
    StepRow("日本 🦜", ("ж" * 20, "é\ud800")),
    StepRow("Nothing.", ()),
    StepRow("White.", (" ", "\n")),
    StepRow("Long.", tuple(f"This is step {number} of many: {number} = {number}." for number in range(60))),
    *(StepRow(f"Add {number}.", tuple(f"{k} + {number} = {k + number}" for k in range(number))) for number in range(8)),
]


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("VLLM_API_KEY", KEY)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("checkpoints")
    for family in FAMILIES:
        save_tiny_prm(folder / family, family, **SHAPE)
    return lambda family: folder / family


@pytest.fixture(scope="session")
def by_transformers(checkpoint: Callable[[str], Path]) -> Callable[[str], list[list[StepScore]]]:
    """What the same weights say in transformers, of inputs up to vLLM's limit."""

    def scores(family: str) -> list[list[StepScore]]:
        limit = MAX_TOKENS - (family in LANGUAGE_MODELS)
        return HfScorer(checkpoint(family), family=family, dtype="float32", max_tokens=limit).score(ROWS)

    return scores


@pytest.fixture
def server(request: pytest.FixtureRequest, checkpoint: Callable[[str], Path], tmp_path: Path) -> Iterator[RealServer]:
    family, pooler = request.param
    with RealServer(checkpoint(family), tmp_path / "vllm.log", pooler=pooler) as running:
        yield running


def scorer_of(server: RealServer, folder: Path, family: str, **options: Any) -> VllmServerScorer:
    return VllmServerScorer(server.address, "prm", family=family, tokenizer=folder, **options)


def check_same(name: str, ours: list[list[StepScore]], theirs: list[list[StepScore]]) -> None:
    """The same steps are unknown for the same reasons, and no score is further apart than the tolerance."""
    assert [[score.rule for score in row] for row in ours] == [[score.rule for score in row] for row in theirs]
    assert {"learned", "empty_step", "too_long"} == {score.rule for row in theirs for score in row}
    pairs = [
        (one.value, other.value)
        for mine, their in zip(ours, theirs, strict=True)
        for one, other in zip(mine, their, strict=True)
        if one.value is not None and other.value is not None
    ]
    furthest = max(abs(one - other) for one, other in pairs)
    spread = max(one for one, _ in pairs) - min(one for one, _ in pairs)
    print(f"{name}: {len(pairs)} scores over {spread:.2f}, at most {furthest:.1e} from transformers")  # noqa: T201
    assert furthest <= TOLERANCE
    assert spread > 0.1  # a model that always says the same would agree with anything


@pytest.mark.parametrize("family", [*CLASSIFIERS, *LANGUAGE_MODELS])
def test_the_offline_engine_scores_as_transformers(
    checkpoint: Callable[[str], Path], by_transformers: Callable[[str], list[list[StepScore]]], family: str
) -> None:
    limit = MAX_TOKENS - (family in LANGUAGE_MODELS)
    scorer = VllmScorer(checkpoint(family), family=family, dtype="float32", max_tokens=limit, engine=ENGINE)
    try:
        check_same(f"offline {family}", step_scores(scorer, ROWS), by_transformers(family))
    finally:
        scorer.close()


ALL = {"tok_pooling_type": "ALL"}
TAGS = {family: FAMILIES[family].encoder(TOKENIZERS[family]()).marks.tag[-1] for family in CLASSIFIERS}
SERVED = [
    ("qwen", ALL),
    ("qwen", {"tok_pooling_type": "STEP", "step_tag_id": TAGS["qwen"]}),
    ("trl", ALL),
    ("math_shepherd", None),
    ("rlhflow", None),
]


@pytest.mark.parametrize(
    ("server", "family"),
    [(one, one[0]) for one in SERVED],
    indirect=["server"],
    ids=[f"{family}-{(pooler or {}).get('tok_pooling_type', 'completions')}" for family, pooler in SERVED],
)
def test_a_server_scores_as_transformers(
    server: RealServer,
    checkpoint: Callable[[str], Path],
    by_transformers: Callable[[str], list[list[StepScore]]],
    family: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scorer = scorer_of(server, checkpoint(family), family)
    check_same(f"http {family}", step_scores(scorer, ROWS), by_transformers(family))
    with pytest.raises(ArgumentError, match=r"model: expected one that is served \(prm\), got 'other'"):
        VllmServerScorer(server.address, "other", family=family, tokenizer=checkpoint(family)).score(ROWS)
    other = "rlhflow" if family in CLASSIFIERS else "qwen"
    with pytest.raises(ArgumentError, match=f"set up for the family {other}, got refused: status 404"):
        scorer_of(server, checkpoint(other), other).score(ROWS)
    monkeypatch.setenv("VLLM_API_KEY", "wrong")
    with pytest.raises(ArgumentError, match="status 401"):
        scorer.score(ROWS)


@pytest.mark.parametrize("server", [("qwen", None)], indirect=True)
def test_a_server_left_at_its_defaults_is_refused_before_the_first_row(
    server: RealServer, checkpoint: Callable[[str], Path]
) -> None:
    # It pools token 151651, which no other tokenizer has, and would answer with no rows at all.
    with pytest.raises(ArgumentError, match="wrong_length: expected 4 rows, one a token, got 0; start it with"):
        scorer_of(server, checkpoint("qwen"), "qwen").score(ROWS)


@pytest.mark.parametrize("server", [("qwen", ALL)], indirect=True)
def test_a_server_killed_amid_a_batch_loses_no_row_and_is_used_again(
    server: RealServer,
    checkpoint: Callable[[str], Path],
    by_transformers: Callable[[str], list[list[StepScore]]],
) -> None:
    rows, right = ROWS * 40, by_transformers("qwen") * 40

    def killed_amid(*, comes_back: bool, patience_s: float) -> list[list[StepScore]]:
        server._log.write_bytes(b"")
        stop = Event()
        killing = Thread(target=answers_until, args=(server, 100, stop))

        def kill_and_start() -> None:
            killing.join()
            if comes_back and not stop.is_set():
                server.launch()

        starting = Thread(target=kill_and_start)
        killing.start()
        starting.start()
        try:
            scorer = scorer_of(
                server,
                checkpoint("qwen"),
                "qwen",
                concurrency=8,
                timeout_s=min(60.0, patience_s),
                patience_s=patience_s,
            )
            return step_scores(scorer, rows)
        finally:
            stop.set()
            starting.join()

    def check(scores: list[list[StepScore]]) -> int:
        """Every score is the right one of its own row, or unknown because nobody answered; how many are the latter."""
        unanswered = 0
        for said, theirs in zip(scores, right, strict=True):
            for one, other in zip(said, theirs, strict=True):
                if one.rule in PASSING:
                    assert one.value is None
                    assert server.address in one.detail
                    unanswered += 1
                else:
                    assert one.rule == other.rule
                    assert one.value == (None if other.value is None else pytest.approx(other.value, abs=TOLERANCE))
        return unanswered

    n_steps = sum(len(row.steps) for row in rows)
    unanswered = check(killed_amid(comes_back=False, patience_s=20.0))
    print(f"killed for good: {n_steps} steps, {unanswered} reported as unknown")  # noqa: T201
    assert 0 < unanswered < n_steps
    server.launch()
    print(f"started again in {server.await_start():.0f} s")  # noqa: T201
    unanswered = check(killed_amid(comes_back=True, patience_s=300.0))
    print(f"killed and started again: {n_steps} steps, {unanswered} reported as unknown")  # noqa: T201
    assert unanswered == 0


def test_an_engine_killed_with_two_of_its_batches_loses_no_row(
    checkpoint: Callable[[str], Path],
    by_transformers: Callable[[str], list[list[StepScore]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = {"dtype": "float32", "max_tokens": MAX_TOKENS, "engine": ENGINE, "batch_rows": 8}
    scorer = VllmScorer(checkpoint("qwen"), family="qwen", **options)
    asked, killed = scorer._asked, []

    def asked_and_killed(questions: Any) -> Any:
        # Twice, and a whole batch each time: a row that is alone when it happens for the second time is given up.
        if len(questions) > 1 and len(killed) < 2:
            (worker,) = (one for one in scorer._workers._processes if one.is_usable())
            killed.append(worker)
            Thread(target=worker.interrupt).start()
        return asked(questions)

    monkeypatch.setattr(scorer, "_asked", asked_and_killed)
    try:
        scores = step_scores(scorer, ROWS * 2)
    finally:
        scorer.close()
    assert len(killed) == 2
    for said, theirs in zip(scores, by_transformers("qwen") * 2, strict=True):
        assert [score.rule for score in said] == [score.rule for score in theirs]
        assert [score.value for score in said] == [
            None if score.value is None else pytest.approx(score.value, abs=TOLERANCE) for score in theirs
        ]


@pytest.mark.parametrize("architecture", ["Qwen2ForPrmModel", "Qwen2ForCausalLM"])
def test_vllm_itself_refuses_a_value_head(checkpoint: Callable[[str], Path], tmp_path: Path, architecture: str) -> None:
    """Why the family skywork is refused at the door, under its own name and under the one that vLLM knows."""
    folder = tmp_path / "skywork"
    shutil.copytree(checkpoint("skywork"), folder)
    config = json.loads((folder / "config.json").read_text())
    config = {**{name: value for name, value in config.items() if name != "auto_map"}, "architectures": [architecture]}
    (folder / "config.json").write_text(json.dumps(config))
    options = json.dumps({"model": str(folder), "dtype": "float32", "pooling": True, "max_model_len": 64, **ENGINE})
    with (
        Workers(memory_bytes=None, start_timeout_s=300.0) as workers,
        pytest.raises(WorkerError, match=r"Qwen2ForPrmModel.* are not supported|no module or parameter named 'v_head'"),
    ):
        workers.call("rewardgate.prm.vllm.engine:limit", options, timeout_s=300.0)


def test_the_rows_above_hold_what_they_say() -> None:
    """Some share a beginning, one is too long, and some steps are white space: whatever the tokenizer."""
    for family in (*CLASSIFIERS, *LANGUAGE_MODELS):
        encoder = FAMILIES[family].encoder(TOKENIZERS[family]())
        positions = [encoder.encode(row).positions for row in ROWS]
        assert any(place is None for row in positions for place in row)
        assert any(place is not None and place >= MAX_TOKENS for row in positions for place in row)
        assert all(one < other for row in positions for one, other in pairwise(p for p in row if p is not None))
