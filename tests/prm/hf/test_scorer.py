"""The scorer against a plain forward pass of each family, and what may not change its scores."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tiny_prms import TOKENIZERS, save_tiny_prm
from torch import nn

import rewardgate.prm as prm
from rewardgate.errors import ArgumentError
from rewardgate.prm import StepRow
from rewardgate.prm.hf.families import FAMILIES
from rewardgate.prm.hf.scorer import HfScorer
from rewardgate.prm.scoring import step_scores

WORDS = ["the", "sum", "of", "two", "odd", "numbers", "is", "so", "x", "=", "7", "<extra_0>", "ки", "+", "-", "日本"]
Saved = tuple[Path, nn.Module]


def words(generator: Random, count: int) -> str:
    return " ".join(generator.choice(WORDS) for _ in range(count))


def some_rows(seed: int, *, prompts: int = 3, responses: int = 4) -> list[StepRow]:
    """Responses of several prompts, with blank steps, without steps, and one twice."""
    generator = Random(seed)
    rows = []
    for _ in range(prompts):
        problem = words(generator, generator.randint(3, 25))
        for _ in range(responses):
            steps = [words(generator, generator.randint(1, 12)) for _ in range(generator.randint(0, 5))]
            rows.append(StepRow(problem, tuple(step if generator.random() < 0.9 else " \n" for step in steps)))
    return [*rows, rows[1]]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Saved]:
    """The folder of a random checkpoint of a family, and the model that was saved there."""
    known: dict[str, Saved] = {}

    def one(family: str) -> Saved:
        if family not in known:
            folder = tmp_path_factory.mktemp(family)
            known[family] = (folder, save_tiny_prm(folder, family))
        return known[family]

    return one


def plain_probabilities(model: nn.Module, family: str, row: StepRow) -> list[float | None]:
    """Row by row, from the logits of the whole sequence and by the formulas of the model cards."""
    tokenizer = TOKENIZERS[family]()
    ids, positions = FAMILIES[family].encoder(tokenizer).encode(row)
    with torch.no_grad():
        if family in ("qwen", "skywork"):
            states = model.model(torch.tensor([ids]), use_cache=False).last_hidden_state[0]
            logits = model.score(states) if family == "qwen" else model.v_head.summary(states)
        else:
            logits = model(torch.tensor([ids]), use_cache=False).logits[0]
    if family in ("math_shepherd", "rlhflow"):
        plus, minus = (tokenizer(sign, add_special_tokens=False)["input_ids"][0] for sign in "+-")
        probabilities = logits[:, [plus, minus]].softmax(-1)[:, 0]
    else:
        probabilities = logits.sigmoid()[:, 0] if family == "skywork" else logits.softmax(-1)[:, 1]
    return [None if place is None else probabilities[place].item() for place in positions]


def values(scorer: HfScorer, rows: list[StepRow]) -> list[list[float | None]]:
    return [[score.value for score in row] for row in step_scores(scorer, rows)]


def largest_difference(one: list[list[float | None]], other: list[list[float | None]]) -> float:
    largest = 0.0
    for row, same in zip(one, other, strict=True):
        for value, equal in zip(row, same, strict=True):
            assert (value is None) == (equal is None)
            if value is not None and equal is not None:
                largest = max(largest, abs(value - equal))
    return largest


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_are_those_of_a_plain_forward_pass(saved: Callable[[str], Saved], family: str) -> None:
    folder, model = saved(family)
    rows = [*some_rows(0, prompts=2), *some_rows(1, prompts=2)]
    expected = [plain_probabilities(model, family, row) for row in rows]
    found = values(HfScorer(folder, family=family), rows)
    assert largest_difference(found, expected) <= 1e-5
    known = [value for row in found for value in row if value is not None]
    assert max(known) - min(known) > 0.05  # the steps differ, so that a shifted score would show


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("dtype", "bound"), [("float32", 1e-5), ("bfloat16", 5e-2)])
def test_neither_order_nor_batches_nor_reuse_change_a_score(
    saved: Callable[[str], Saved], family: str, dtype: str, bound: float
) -> None:
    folder, _ = saved(family)
    alone = HfScorer(folder, family=family, dtype=dtype, reuse=False, batch_tokens=1)
    scorers = {reuse: HfScorer(folder, family=family, dtype=dtype, reuse=reuse) for reuse in (True, False)}

    @settings(max_examples=4)
    @given(st.integers(0, 2**32), st.randoms(), st.booleans(), st.sampled_from([1, 150, 400, 16_384]))
    def holds(seed: int, shuffle: Random, reuse: bool, batch_tokens: int) -> None:
        rows = some_rows(seed, prompts=2, responses=3)
        expected = values(alone, rows)
        order = list(range(len(rows)))
        shuffle.shuffle(order)
        with batches_of(scorers[reuse], batch_tokens) as scorer:
            found = values(scorer, [rows[number] for number in order])
        assert largest_difference(found, [expected[number] for number in order]) <= bound

    holds()


@contextmanager
def batches_of(scorer: HfScorer, tokens: int) -> Iterator[HfScorer]:
    """The scorer with another budget; loading it anew for every example would take the time of the test."""
    before, scorer._batch_tokens = scorer._batch_tokens, tokens
    try:
        yield scorer
    finally:
        scorer._batch_tokens = before


def test_a_sliding_window_shorter_than_the_prompt_changes_nothing(tmp_path: Path) -> None:
    model = save_tiny_prm(tmp_path, "math_shepherd", sliding_window=24)
    rows = some_rows(3)
    expected = [plain_probabilities(model, "math_shepherd", row) for row in rows]
    found = values(HfScorer(tmp_path, family="math_shepherd"), rows)
    assert largest_difference(found, expected) <= 1e-5


def test_positions_that_turn_on_the_longest_input_are_kept_to_the_length_where_they_do_not(tmp_path: Path) -> None:
    # Beyond its 96 tokens this RoPE stretches, for every input of the batch and for those that come after it.
    rope = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10_000.0}
    model = save_tiny_prm(tmp_path, "trl", rope_parameters=rope, max_position_embeddings=96)
    rows = [StepRow("the sum", tuple(words(Random(seed), 8) for _ in range(8))) for seed in range(4)]
    found = values(HfScorer(tmp_path), rows)
    for row, scored in zip(rows, found, strict=True):
        fitting = sum(value is not None for value in scored)
        assert 0 < fitting < 8
        assert scored[:fitting] == pytest.approx(
            plain_probabilities(model, "trl", StepRow(row.prompt, row.steps[:fitting])), abs=1e-5
        )
    with pytest.raises(ArgumentError, match="max_tokens: expected at most 96"):
        HfScorer(tmp_path, max_tokens=97)


def test_a_step_beyond_the_limit_is_not_scored_and_the_others_are_as_without_a_limit(
    saved: Callable[[str], Saved],
) -> None:
    folder, _ = saved("trl")
    row = StepRow("q", ("a", "b", "c"))  # <bos> q a \n b \n c \n: read at 3, 5 and 7
    whole = HfScorer(folder).score([row])[0]
    cut = HfScorer(folder, max_tokens=6).score([row])[0]
    assert [score.rule for score in cut] == ["learned", "learned", "too_long"]
    assert cut[2] == (None, "too_long", "read at token 8, beyond 6")
    assert [score.value for score in cut[:2]] == pytest.approx([score.value for score in whole[:2]], abs=1e-6)


def test_a_prompt_beyond_the_limit_leaves_every_step_unscored(saved: Callable[[str], Saved]) -> None:
    folder, _ = saved("qwen")
    rows = [StepRow("why " * 200, ("a", " ", "b")), StepRow("q", ("a",))]
    found = HfScorer(folder, max_tokens=150).score(rows)
    assert [[score.rule for score in row] for row in found] == [["too_long", "empty_step", "too_long"], ["learned"]]


def test_the_limit_is_that_of_the_configuration_unless_told(tmp_path: Path) -> None:
    save_tiny_prm(tmp_path, "trl", max_position_embeddings=6)
    assert [score.rule for score in HfScorer(tmp_path).score([StepRow("q", ("a", "b", "c"))])[0]][1:] == [
        "learned",
        "too_long",
    ]


def test_without_rows_or_steps_there_is_nothing_to_score(saved: Callable[[str], Saved]) -> None:
    folder, _ = saved("qwen")
    scorer = HfScorer(folder)
    assert scorer.score([]) == []
    blank = (None, "empty_step", "nothing but white space")
    assert scorer.score([StepRow("q", ()), StepRow("", ("\t",))]) == [[], [blank]]


def test_dropout_of_training_is_off(tmp_path: Path) -> None:
    model = save_tiny_prm(tmp_path, "trl", attention_dropout=0.5, classifier_dropout=0.5)
    rows = some_rows(5)
    scorer = HfScorer(tmp_path)
    found = values(scorer, rows)
    assert found == values(scorer, rows)
    assert largest_difference(found, [plain_probabilities(model, "trl", row) for row in rows]) <= 1e-5


def test_a_padding_token_that_is_the_separator_adds_no_score(saved: Callable[[str], Saved]) -> None:
    folder, model = saved("qwen")
    scorer = HfScorer(folder)
    scorer.tokenizer.pad_token = "<extra_0>"
    rows = some_rows(6)
    assert largest_difference(values(scorer, rows), [plain_probabilities(model, "qwen", row) for row in rows]) <= 1e-5


def weights_changed(folder: Path, there: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> Path:
    """A copy of the checkpoint in `folder` with other tensors."""
    for path in folder.iterdir():
        (there / path.name).write_bytes(path.read_bytes())
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, there / "model.safetensors", metadata={"format": "pt"})
    return there


def test_a_probability_of_exactly_zero_is_a_score(saved: Callable[[str], Saved], tmp_path: Path) -> None:
    def certain(tensors: dict[str, torch.Tensor]) -> None:
        tensors["score.bias"] = torch.tensor([5000.0, -5000.0])

    folder = weights_changed(saved("trl")[0], tmp_path, certain)
    assert [score.value for score in HfScorer(folder).score([StepRow("q", ("a", "b"))])[0]] == [0.0, 0.0]


def test_a_logit_that_is_not_finite_is_unknown(saved: Callable[[str], Saved], tmp_path: Path) -> None:
    def broken(tensors: dict[str, torch.Tensor]) -> None:
        tensors["score.bias"][1] = torch.nan

    folder = weights_changed(saved("trl")[0], tmp_path, broken)
    found = HfScorer(folder).score([StepRow("q", ("a", ""))])[0]
    assert [(score.value, score.rule) for score in found] == [(None, "not_finite"), (None, "empty_step")]


def test_threads_get_the_scores_of_their_own_rows(saved: Callable[[str], Saved]) -> None:
    scorer = HfScorer(saved("qwen")[0])
    batches = [some_rows(seed, prompts=1) for seed in range(6)]
    expected = [values(scorer, rows) for rows in batches]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda rows: values(scorer, rows), batches)) == expected


def test_a_bar_is_drawn_on_stderr_only_when_asked_for(
    saved: Callable[[str], Saved], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what pytest captures into is no terminal
    scorer = HfScorer(saved("qwen")[0])
    capsys.readouterr()
    scorer.score(some_rows(7))
    assert capsys.readouterr() == ("", "")
    scorer.progress = True
    scorer.score(some_rows(7))
    drawn = capsys.readouterr()
    assert drawn.out == ""
    assert "rows scored" in drawn.err
    assert "13/13" in drawn.err


def test_the_version_tells_family_weights_dtype_and_limit_apart(saved: Callable[[str], Saved], tmp_path: Path) -> None:
    folder, _ = saved("trl")

    def nudged(tensors: dict[str, torch.Tensor]) -> None:
        tensors["score.bias"] += 1e-3

    other = weights_changed(folder, tmp_path, nudged)
    first = HfScorer(folder).version
    assert first.startswith("trl:")
    assert first == HfScorer(folder, batch_tokens=100, reuse=False).version
    others = [
        HfScorer(other).version,
        HfScorer(folder, dtype="bfloat16").version,
        HfScorer(folder, max_tokens=9).version,
    ]
    assert len({first, *others}) == 4


def test_it_is_known_by_name(saved: Callable[[str], Saved]) -> None:
    assert isinstance(prm.get("hf", model=saved("qwen")[0]), HfScorer)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"batch_tokens": 0}, "batch_tokens: expected a positive number, got 0"),
        ({"max_tokens": -1}, "max_tokens: expected a positive number, got -1"),
        ({"dtype": "int8"}, "dtype: expected auto, float32, bfloat16, float16, got 'int8'"),
        ({"device": "warp"}, "device: expected"),
        ({"family": "qwem"}, "family: expected auto or one of qwen"),
        ({"revision": "main"}, "revision: expected none for a local folder"),
    ],
)
def test_options_that_break_a_rule_are_refused(
    saved: Callable[[str], Saved], options: dict[str, object], problem: str
) -> None:
    with pytest.raises(ArgumentError, match=problem):
        HfScorer(saved("trl")[0], **options)  # type: ignore[arg-type]


def test_a_checkpoint_that_asks_for_code_of_its_own_runs_none(saved: Callable[[str], Saved]) -> None:
    folder, _ = saved("qwen")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["auto_map"] == {"AutoModel": "modeling_qwen2_rm.Qwen2ForProcessRewardModel"}  # which is nowhere
    assert HfScorer(folder).version.startswith("qwen:")
