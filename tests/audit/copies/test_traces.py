import json
from pathlib import Path

import pytest

from rewardgate.audit.copies.traces import Traces
from rewardgate.errors import NoUsableRowsError

TRACE = "first we add the two numbers and then we halve the sum of them"


def written(folder: Path, *rows: object) -> Path:
    path = folder / "traces.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_share_of_a_response_that_stands_in_the_traces(tmp_path: Path) -> None:
    traces = Traces(written(tmp_path, {"prompt": "2+2?", "solution": "too short"}, {"solution": TRACE}))
    assert traces.n_texts == 1
    assert traces.containment(TRACE) == (1.0, f"{traces.path}:2")
    # 14 words have 7 sequences of 8; of these 14, the first 9 are the trace's, which makes 2 of the 7.
    other = " ".join(TRACE.split()[:9]) + " but not in this case"
    assert traces.containment(other)[0] == pytest.approx(2 / 7)


def test_prompts_and_other_peoples_turns_are_no_traces(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": TRACE}, {"role": "assistant", "content": "a b c d e f g h i"}]
    traces = Traces(written(tmp_path, {"prompt": TRACE, "messages": messages}))
    assert traces.containment(TRACE)[0] == 0
    assert traces.containment("a b c d e f g h i")[0] == 1


def test_a_response_of_a_few_words_says_nothing(tmp_path: Path) -> None:
    assert Traces(written(tmp_path, {"solution": TRACE})).containment("first we add the two")[0] == 0


def test_a_file_without_texts_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoUsableRowsError, match="expected texts of at least 8 words, got none"):
        Traces(written(tmp_path, {"answer": "18"}))
