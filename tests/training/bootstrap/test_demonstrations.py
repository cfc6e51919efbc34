from collections.abc import Iterable
from typing import Any

import pytest
from scripted_generator import Asked, ScriptedGenerator, numbered_prompts
from tiny_policies import character_tokenizer

from rewardgate import verifiers
from rewardgate.errors import ArgumentError
from rewardgate.rollouts.records import Rollout
from rewardgate.rollouts.refusals import Refusal
from rewardgate.training import Sampling
from rewardgate.training.bootstrap.demonstrations import Selection, demonstrated, rejection_sampled
from rewardgate.training.prompts import Prompt, PromptEncoder
from rewardgate.verifiers.base import Outcome, Verdict

EXACT = verifiers.get("exact")
TOKENIZER = character_tokenizer()
ENCODER = PromptEncoder(TOKENIZER)


def demo(
    response: Any = "3", *, prompt: Any = "1+2=", target: Any = "3", prompt_id: str = "p", **facts: Any
) -> Rollout:
    return Rollout(prompt_id=prompt_id, prompt=prompt, response=response, target=target, **facts)


def chosen(rows: Iterable[Rollout | Refusal], named: list[Prompt] | None = None, **options: Any) -> Selection:
    options = {"per_prompt": 4, "max_tokens": 8, **options}
    return demonstrated(rows, named or [], options.pop("verifier", EXACT), TOKENIZER, ENCODER, **options)


def test_what_the_verifier_confirms_is_learned_with_its_end_token() -> None:
    selection = chosen([demo("3"), demo("4")])
    (example,) = selection.examples
    assert (example.prompt_ids, TOKENIZER.decode(example.completion_ids)) == (tuple(ENCODER("1+2=")), "3<end>")
    assert (selection.seen, dict(selection.refused)) == (2, {"incorrect: other_text": 1})


def test_nothing_unverified_is_learned_and_its_reason_is_told() -> None:
    class Failing:
        version = "1"

        def verify(self, completion: Any, target: Any, *, prompt: Any = None) -> Verdict:
            return Verdict(Outcome.ERROR, None, rule="crashed")

    refusal = Refusal(file="demos.jsonl", line=3, field="row", reason="expected JSON, got {")
    rows = [
        refusal,
        demo(None),
        demo(truncated=True),
        demo(prompt=None),
        demo(target=None),
        demo([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}]),
        demo("3" * 20, target="3" * 20, prompt="a long one"),
    ]
    assert dict(chosen(rows).refused) == {
        "unreadable: row": 1,
        "no response": 1,
        "cut off": 1,
        "no prompt": 1,
        "no target": 1,
        "several messages": 1,
        "too long": 1,
    }
    assert dict(chosen([demo()], verifier=Failing()).refused) == {"error: crashed": 1}


def test_a_prompt_teaches_at_most_so_many_different_completions() -> None:
    rows = [demo(text, target=["3", "03", "003"]) for text in ("3", " 3\n", "03", "003")]
    selection = chosen(rows, per_prompt=2, verifier=verifiers.get("numeric"))
    assert [TOKENIZER.decode(one.completion_ids) for one in selection.examples] == ["3<end>", "03<end>"]
    assert dict(selection.refused) == {"duplicate": 1, "beyond 2 a prompt": 1}


def test_the_named_prompts_target_counts_and_not_the_files() -> None:
    named = [Prompt("q", "1+2=", "4", (9,))]
    selection = chosen([demo("3"), demo("4", target=None)], named)
    assert [(one.prompt_ids, TOKENIZER.decode(one.completion_ids)) for one in selection.examples] == [((9,), "4<end>")]
    assert selection.prompt_ids == ["q"]
    assert list(selection.prompts) == ["q"]


def test_a_row_without_a_prompt_is_found_by_its_id() -> None:
    named = [Prompt("p", "1+2=", "3", (9,))]
    assert chosen([demo("3", prompt=None)], named).prompt_ids == ["p"]


def test_one_message_is_its_text() -> None:
    assert len(chosen([demo([{"role": "assistant", "content": "3"}])]).examples) == 1


def test_prompts_met_are_told_whether_or_not_anything_was_learned_of_them() -> None:
    selection = chosen([demo("9"), demo("8"), demo("5", prompt="2+3=", target="5", prompt_id="r")])
    assert {name: one.target for name, one in selection.prompts.items()} == {"p": "3", "r": "5"}


def test_a_tokenizer_without_an_end_is_refused() -> None:
    endless = character_tokenizer()
    endless.eos_token = None
    with pytest.raises(ArgumentError, match="tokenizer: expected one with an end token, got none"):
        demonstrated([demo()], [], EXACT, endless, ENCODER, per_prompt=1, max_tokens=8)


def test_own_successes_are_learned_as_they_were_sampled() -> None:
    def say(asked: Asked) -> str:
        right = str(asked.prompt + 100)
        return [right, "no", f"{right}…", right, f" {right} "][asked.sample]

    generator = ScriptedGenerator(say)
    prompts = numbered_prompts(3)
    selection = rejection_sampled(
        prompts, generator, EXACT, Sampling(max_tokens=9), samples=5, per_prompt=4, seed=7, batch_prompts=2
    )
    assert [one.completion_ids for one in selection.examples] == [
        (*map(ord, str(number + 100)), 0) for number in range(3)
    ]
    assert selection.prompt_ids == ["p0", "p1", "p2"]
    assert (selection.seen, selection.tokens) == (15, 3 * (4 + 3 + 3 + 4 + 6))
    assert dict(selection.refused) == {"duplicate": 6, "incorrect: other_text": 3, "cut off": 3}
    assert [(names, seed) for names, _, _, seed in generator.calls] == [([0, 1], 7), ([2], 9)]


def test_the_cap_keeps_easy_prompts_from_crowding_out_the_others() -> None:
    def say(asked: Asked) -> str:
        return f"{'so ' * asked.sample}{asked.prompt + 100}" if asked.prompt == 0 or asked.sample == 0 else "no"

    selection = rejection_sampled(
        numbered_prompts(2),
        ScriptedGenerator(say),
        verifiers.get("numeric"),
        Sampling(max_tokens=9),
        samples=10,
        per_prompt=3,
        seed=0,
    )
    assert selection.prompt_ids == ["p0", "p0", "p0", "p1"]
    assert selection.refused["beyond 3 a prompt"] == 7
