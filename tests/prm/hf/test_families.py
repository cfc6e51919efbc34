"""The table of families: what logits mean, and tokenizers that are another family's."""

from dataclasses import replace
from math import exp, inf, nan

import pytest
from tiny_prms import TOKENIZERS, llama3_tokenizer, mistral_tokenizer, plain_tokenizer, qwen_tokenizer

from rewardgate.errors import ArgumentError
from rewardgate.prm import StepRow
from rewardgate.prm.hf.families import FAMILIES

# P(right) = e^right / (e^wrong + e^right) = 1 / (1 + e^(wrong - right)); of a value, 1 / (1 + e^-value).
CASES = [("qwen", [1.0, 3.0], 2.0), ("trl", [3.0, 1.0], -2.0), ("rlhflow", [0.0, 0.5], 0.5), ("skywork", [-1.5], -1.5)]


@pytest.mark.parametrize(("family", "logits", "log_odds"), CASES)
def test_the_logits_of_a_step_become_the_probability_that_it_is_right(
    family: str, logits: list[float], log_odds: float
) -> None:
    score = FAMILIES[family].score(logits)
    assert score.value == pytest.approx(1 / (1 + exp(-log_odds)), abs=1e-15)
    assert (score.rule, score.detail) == ("learned", f"log-odds {log_odds:+.2f}")


def test_a_probability_may_underflow_to_exactly_zero_and_is_then_known() -> None:
    # e^-2000 is below the least double.
    assert FAMILIES["qwen"].score([1000.0, -1000.0]) == (0.0, "learned", "log-odds -2000.00")
    assert FAMILIES["skywork"].score([1e30]).value == 1.0


@pytest.mark.parametrize("logits", [[nan, 0.0], [0.0, inf], [-inf, 0.0]])
def test_a_logit_that_is_not_finite_is_no_score(logits: list[float]) -> None:
    score = FAMILIES["trl"].score(logits)
    assert (score.value, score.rule) == (None, "not_finite")
    assert str(logits[0]) in score.detail


def test_logits_of_another_head_are_refused() -> None:
    with pytest.raises(ArgumentError, match="expected 1 of a step for the family skywork, got 2"):
        FAMILIES["skywork"].score([0.0, 1.0])


@pytest.mark.parametrize(
    ("family", "tokenizer", "problem"),
    [
        ("qwen", plain_tokenizer, r"expected one token for '<extra_0>' \(family qwen\)"),
        ("math_shepherd", qwen_tokenizer, r"expected one token for 'ки' \(family math_shepherd\)"),
        ("rlhflow", plain_tokenizer, r"expected one with a chat template \(family rlhflow\)"),
        ("skywork", mistral_tokenizer, r"expected one token for '\\n' \(family skywork\)"),
    ],
)
def test_a_tokenizer_of_another_family_is_refused(family: str, tokenizer: object, problem: str) -> None:
    with pytest.raises(ArgumentError, match=problem):
        FAMILIES[family].encoder(tokenizer())  # type: ignore[operator]


def test_a_template_that_leaves_out_a_message_is_refused() -> None:
    tokenizer = llama3_tokenizer().__class__(tokenizer_object=llama3_tokenizer().backend_tokenizer)
    tokenizer.chat_template = "{{ messages[0]['content'] }}"
    with pytest.raises(ArgumentError, match="writes every message once"):
        FAMILIES["rlhflow"].encoder(tokenizer)


def test_a_tag_that_merges_with_what_stands_around_it_is_refused() -> None:
    # "par" is one token of this byte-level tokenizer, and " par" another.
    with pytest.raises(ArgumentError, match="a token of its own"):
        replace(FAMILIES["math_shepherd"], tag="par", labels=None, head="linear").encoder(plain_tokenizer())


def test_a_separator_of_trl_may_have_several_tokens_and_is_read_at_its_last() -> None:
    encoder = replace(FAMILIES["trl"], tag="<step>").encoder(plain_tokenizer())
    assert len(encoder.marks.tag) == 5  # < s te p >
    ids, positions = encoder.encode(StepRow("q", ("a", "b")))
    assert positions == [7, 13]  # <bos> q, then a or b and the five tokens of the separator
    assert len(ids) == 14


def test_every_family_has_a_tokenizer_here_that_fits_it() -> None:
    for name, family in FAMILIES.items():
        encoder = family.encoder(TOKENIZERS[name]())
        assert (encoder.label_ids is None) == (family.head != "vocabulary")
