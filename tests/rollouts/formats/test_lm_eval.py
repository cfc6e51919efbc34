import json
from pathlib import Path
from typing import Any

import pytest
from rollout_records import write_lines
from tool_dumps import samples_row

from rewardgate.errors import NoUsableRowsError
from rewardgate.rollouts import Reading, read

NAME = "samples_sums_2026-11-30T03-21-02.695278.jsonl"


def rewards_of(reading: Reading) -> list[dict[str, Any]]:
    return [dict(rollout.rewards) for group in reading for rollout in group.rollouts]


def test_the_rows_of_a_document_are_one_rollout_with_the_scores_of_all_filters(tmp_path: Path) -> None:
    rows = [
        samples_row(doc, ["so 4"], name, [found], exact_match=score)
        for name, found, score in (("strict-match", "[invalid]", 0.0), ("flexible-extract", "4", 1.0))
        for doc in (2, 3)
    ]
    reading = read(write_lines(tmp_path / NAME, *rows))
    assert reading.format == "lm_eval"
    first, second = reading
    assert (first.group_id, second.group_id, first.target) == ("2", "3", "4")
    (rollout,) = first.rollouts
    assert rollout.rewards == {"exact_match@strict-match": 0.0, "exact_match@flexible-extract": 1.0}
    assert (rollout.reward, rollout.response, rollout.truncated) == (0.0, "so 4", None)
    assert rollout.meta["extracted"] == {"strict-match": "[invalid]", "flexible-extract": "4"}
    assert rollout.prompt == "Question: 2+2?\nAnswer:"


def test_a_filter_that_takes_the_first_scores_no_other(tmp_path: Path) -> None:
    reading = read(write_lines(tmp_path / NAME, samples_row(2, ["4", "5", "6"], "none", ["4"], exact_match=1.0)))
    assert [found["exact_match@none"] for found in rewards_of(reading)] == [1.0, None, None]


@pytest.mark.parametrize(
    ("name", "filtered"),
    [("maj@3", ["4"]), ("mine", ["4"]), ("all3", [["4", "5", "6"]]), ("all3", ["4", "5", "6"])],
    ids=["a vote", "a name that tells nothing", "a mean", "one list"],
)
def test_a_score_of_the_document_is_no_responses(tmp_path: Path, name: str, filtered: Any) -> None:
    reading = read(write_lines(tmp_path / NAME, samples_row(2, ["4", "5", "6"], name, filtered, exact_match=0.375)))
    assert [found[f"exact_match@{name}"] for found in rewards_of(reading)] == [None, None, None]


def test_the_results_beside_the_samples_say_what_a_filter_does(tmp_path: Path) -> None:
    def chain(*functions: str) -> list[dict[str, str]]:
        return [{"function": function} for function in functions]

    filters = [
        {"name": "mine", "filter": chain("regex", "take_first")},
        {"name": "first-vote", "filter": chain("regex", "majority_vote", "take_first")},
    ]
    results = {"results": {}, "configs": {"sums": {"filter_list": filters}}}
    (tmp_path / "results_2026-11-30T03-21-02.695278.json").write_text(json.dumps(results))
    rows = [samples_row(2, ["4", "5"], name, ["4"], exact_match=1.0) for name in ("mine", "first-vote")]
    reading = read(write_lines(tmp_path / NAME, *rows))
    assert rewards_of(reading)[0] == {"exact_match@mine": 1.0, "exact_match@first-vote": None}
    assert [rollout.reward for group in reading for rollout in group.rollouts] == [None, None]


def test_requests_of_a_chat_model_and_of_older_versions_are_prompts(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "2+2?"}]
    rows = [samples_row(doc, ["4"], "none", ["4"], exact_match=1.0) for doc in (2, 3)]
    rows[0]["arguments"] = {"gen_args_0": {"arg_0": [json.dumps(messages)], "arg_1": {}}}
    rows[1]["arguments"] = [["3+2?", {"until": []}]]
    assert [group.prompt for group in read(write_lines(tmp_path / NAME, *rows))] == [messages, "3+2?"]


def test_choices_scored_by_likelihood_are_refused_with_the_reason(tmp_path: Path) -> None:
    row = samples_row(2, [], "none", [["-0.3", "False"]], acc=1.0)
    row["resps"] = [[["-0.3", "False"]], [["-0.8", "False"]]]
    with pytest.raises(NoUsableRowsError, match="a log-likelihood task has no responses"):
        read(write_lines(tmp_path / NAME, row))


def test_documents_of_two_tasks_in_one_folder_are_kept_apart(tmp_path: Path) -> None:
    for task in ("a", "b"):
        write_lines(
            tmp_path / f"samples_{task}_2026-11-30T03-21-02.1.jsonl", samples_row(2, ["4"], "none", ["4"], em=1.0)
        )
    assert [(group.group_id, len(group)) for group in read(tmp_path)] == [("2", 1), ("2#2", 1)]
