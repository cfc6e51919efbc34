import json
from pathlib import Path

import pytest
from audited import audited, group

from rewardgate.audit.copies.traces import Traces
from rewardgate.audit.report.duplicates import Duplicates
from rewardgate.rollouts.records import Group

LONG = "A farmer has {} sheep and buys {} more at the market before he sells a third of them to his neighbour"
WORDS = "we count the sheep that the farmer had and those that he bought then divide them by three and so get there"


def copies_of(*groups: Group, **options: object) -> Duplicates:
    found = audited(*groups, **options).duplicates
    assert found is not None
    return found


def right(name: str, prompt: str, *responses: str, reward: float = 1.0, **fields: object) -> Group:
    texts = responses or (r"\boxed{4}", r"so \boxed{4}")
    return group(name, "4", [(text, reward, dict(fields)) for text in texts], prompt=prompt)


def test_exact_near_and_variant_prompts_are_told_apart() -> None:
    one = LONG.format(12, 9)
    found = copies_of(
        right("first", one),
        right("exact", one.replace(" ", "\n ")),
        right("near", f"{one} yesterday"),
        right("variant", LONG.format(24, 8)),
        right("other", "What is two and two?"),
    )
    assert {(pair.kind, pair.group_id, pair.other_id) for pair in found.prompt_pairs} == {
        ("exact", "first", "exact"),
        ("near", "first", "near"),
        ("variant", "first", "variant"),
    }
    assert found.pairs == {"exact": 1, "near": 1, "variant": 1}
    # 22 words have 18 shingles of 5, and one word more has 19, of which 18 are shared.
    near = next(pair for pair in found.prompt_pairs if pair.kind == "near")
    assert near.similarity == pytest.approx(18 / 19)


def test_a_prompt_that_comes_again_at_another_step_is_no_copy() -> None:
    def at(name: str, prompt_id: str, step: int) -> Group:
        return right(name, "What is two and two?", prompt_id=prompt_id, step=step)

    assert copies_of(at("a", "p", 1), at("b", "p", 2)).pairs == {}
    assert copies_of(at("a", "p", 1), at("b", "p", 1)).pairs == {"exact": 1}
    assert copies_of(at("a", "p", 1), at("b", "q", 2)).pairs == {"exact": 1}


def test_right_rollouts_of_nearly_one_text_are_of_low_diversity() -> None:
    alike = [f"{WORDS} \\boxed{{4}}", f"{WORDS} is \\boxed{{4}}", f"Well {WORDS} \\boxed{{4}}"]
    apart = [r"Two and two are \boxed{4}", r"By the table of sums \boxed{4}", r"Adding both numbers: \boxed{4}"]
    found = copies_of(
        right("alike", "?", *alike), right("apart", "?!", *apart), right("wrong", "!", *alike, reward=0.0)
    )
    assert found.n_all_correct == 2
    assert [one.group_id for one in found.low_diversity] == ["alike"]
    assert found.low_diversity[0].median_similarity > 0.8


def test_long_rollouts_that_copy_another_are_counted_and_short_ones_are_not() -> None:
    long = f"{WORDS} \\boxed{{4}}"
    found = copies_of(right("a", "?", long, long, f"{long}.", long), right("b", "!", r"\boxed{4}", r"\boxed{4}"))
    assert (found.n_same_rollouts, found.n_groups_with_same_rollouts) == (2, 1)


def test_responses_that_stand_in_the_traces_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "sft.jsonl"
    file.write_text("".join(json.dumps({"prompt": "?", "completion": text}) + "\n" for text in ("x " * 20, WORDS)))
    found = copies_of(
        right("memory", "?", f"{WORDS} \\boxed{{4}}", r"It is \boxed{4}"),
        right("own", "!", r"Two and two are \boxed{4} as everybody knows who ever learned to add", r"\boxed{4}"),
        sft=file,
    )
    assert (found.n_traces, found.n_overlapping) == (2, 1)
    (overlap,) = found.overlaps
    assert (overlap.group_id, overlap.source, overlap.n_rollouts) == ("memory", f"{Traces(file).path}:2", 1)
    assert overlap.containment > 0.5


def test_a_prompt_that_holds_its_target_is_set_against_those_that_hold_anothers() -> None:
    def asked(name: str, prompt: str, target: str) -> Group:
        return group(name, target, [(rf"\boxed{{{target}}}", 1.0)] * 2, prompt=prompt)

    found = copies_of(
        asked("told", "Show that the sum is 1234.", "1234"),
        asked("another's", "Is it 1234 or more?", "5678"),
        asked("none", "What is 12345 less 1?", "1234"),
        asked("short", "What is 4?", "4"),
    )
    assert [one.group_id for one in found.targets_in_prompts] == ["told"]
    assert (found.n_target_in_prompt, found.by_chance_in_prompt) == (1, 1)
