import base64
import pickle
from pathlib import Path

import probed_graders
import pytest

from rewardgate.verifiers import get
from rewardgate.verifiers.workers.conditions import ONE_BY_ONE, UNREACHED, judged, warmed

ROWS = [("\\boxed{7}", "7", None), ("\\boxed{8}", "7", None)]


@pytest.mark.parametrize("how", ["batch", ONE_BY_ONE, "thread", "event loop"])
def test_a_function_is_asked_alike_under_every_condition_and_its_number_comes_back(how: str) -> None:
    found = judged(f"{Path(probed_graders.__file__)}:boxes_only", ROWS, how)
    assert [plain["reward"] * UNREACHED for plain in found] == [1.0, 0.0]


@pytest.mark.parametrize("how", ["batch", ONE_BY_ONE, "thread", "event loop"])
def test_a_shipped_verifier_gives_its_own_verdicts(how: str) -> None:
    found = judged(pickle.dumps(get("numeric")), ROWS, how)
    assert [plain["outcome"] for plain in found] == ["correct", "incorrect"]


@pytest.mark.filterwarnings("error")
def test_an_async_function_says_that_it_has_a_loop_of_its_own_and_leaves_no_coroutine_behind() -> None:
    rows = judged(f"{Path(probed_graders.__file__)}:awaited", ROWS, "event loop")
    assert all("cannot be called from a running event loop" in plain["detail"] for plain in rows)


def test_a_process_is_warmed_with_a_function_or_with_a_shipped_verifier() -> None:
    warmed("str", f"{Path(probed_graders.__file__)}:boxes_only")
    warmed("bytes", base64.b64encode(pickle.dumps(get("exact"))).decode("ascii"))
    with pytest.raises(FileNotFoundError):
        warmed("str", "absent.py:reward")
