import os
from pathlib import Path

import pytest

from rewardgate.errors import ArgumentError, InputError, UnavailableError, UnknownNameError
from rewardgate.verifiers import Outcome, Verdict
from rewardgate.verifiers.batch import verify_many
from rewardgate.verifiers.functions import FunctionVerifier, load_verifier

SOURCE = """
import os, sys, time
from rewardgate.errors import UnavailableError

def misbehave(completion):
    if completion == "hang": time.sleep(600)
    if completion == "die": os._exit(1)
    if completion == "exit": sys.exit(1)
    if completion == "raise": raise ValueError("no " + completion)
    if completion == "demand": raise UnavailableError("require: expected user namespaces, got none")

def trl(prompts, completions, solution, **kwargs):
    for completion in completions: misbehave(completion)
    print("noise")
    return [1.0 if text.endswith(target) else 0.0 for text, target in zip(completions, solution)]

def trl_of_chats(completions, **kwargs):
    return [float(chat[0]["content"] == target) for chat, target in zip(completions, kwargs["answer"])]

def trl_that_loses_a_row(completions, **kwargs):
    return [1.0] * (len(completions) - 1)

def verl(data_source, solution_str, ground_truth, extra_info=None):
    return {"score": 1.0 if solution_str == ground_truth else -1.0, "acc": True}

def plain(response, answer, prompt=None):
    misbehave(response)
    return {"none": None, "nan": float("nan"), "two": 2, "half": 0.5, "words": "1.0"}.get(response, response == answer)

def swapped(target, response):
    return response.startswith(target)

async def awaited(completion, answer):
    return completion == answer

class Judge:
    version = "7"
    def verify(self, completion, target, *, prompt=None):
        return 1.0 if completion == target else 0.0

def trl_of_dialogues(prompts, completions, answer, **kwargs):
    return [
        float(prompt[-1]["content"] == "2+2?" and chat[-1]["content"] == target)
        for prompt, chat, target in zip(prompts, completions, answer)
    ]

def trl_of_another_column(completions, right_answer, **kwargs):
    return [float(text == right) for text, right in zip(completions, right_answer)]

class Whole:
    version = "1"
    def verify(self, completion, target, *, prompt=None):
        from rewardgate.verifiers import Outcome, Verdict
        return Verdict(Outcome.BAD_TARGET, None, extracted="e", span=(0, 1), rule="theirs")

def of_one(completion):
    return 1.0
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def verdicts(source: Path, name: str, *completions: str, target: str = "4", timeout_s: float = 20.0) -> list[Verdict]:
    verifier = load_verifier(f"{source}:{name}", workers=1, timeout_s=timeout_s)
    assert isinstance(verifier, FunctionVerifier)
    try:
        return verify_many(verifier, [(completion, target) for completion in completions])
    finally:
        verifier.close()


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("trl", "trl"),
        ("trl_of_chats", "trl"),
        ("verl", "verl"),
        ("plain", "plain"),
        ("awaited", "plain"),
        ("Judge", "verifier"),
    ],
)
def test_the_signature_is_worked_out_and_told(source: Path, name: str, signature: str) -> None:
    verifier = FunctionVerifier(f"{source}:{name}", workers=1)
    assert verifier.signature == signature
    assert verifier.told
    assert verifier.verify("4", "4").reward == 1.0
    assert (verifier.verify("5", "4").reward or 0) < 1
    verifier.close()


def test_a_target_first_signature_is_not_called_backwards(source: Path) -> None:
    assert [verdict.reward for verdict in verdicts(source, "swapped", "42 it is", target="42")] == [1.0]


def test_a_number_is_the_reward_and_one_means_correct(source: Path) -> None:
    found = verdicts(source, "plain", "4", "5", "half", "two")
    assert [(verdict.outcome, verdict.reward) for verdict in found] == [
        (Outcome.CORRECT, 1.0), (Outcome.INCORRECT, 0.0), (Outcome.INCORRECT, 0.5), (Outcome.CORRECT, 1.0),
    ]  # fmt: skip
    assert found[3].detail == "the function returned 2"
    assert [verdict.reward for verdict in verdicts(source, "verl", "5")] == [-1.0]


def test_what_the_function_does_not_say_is_unknown_and_never_zero(source: Path) -> None:
    found = verdicts(source, "plain", "none", "nan", "words", "raise", "exit", "4")
    assert [verdict.rule for verdict in found[:4]] == ["returned_none", "returned_nan", "raised", "raised"]
    assert [verdict.reward for verdict in found] == [None, None, None, None, None, 1.0]


def test_a_hang_and_a_crash_are_told_apart_and_cost_no_other_row(source: Path) -> None:
    found = verdicts(source, "plain", "4", "hang", "5", "die", "4", timeout_s=1.0)
    assert [verdict.rule for verdict in found] == ["returned", "timed_out", "returned", "crashed", "returned"]
    assert [verdict.reward for verdict in found] == [1.0, None, 0.0, None, 1.0]


@pytest.mark.parametrize("name", ["plain", "trl"])
def test_what_the_machine_lacks_is_no_verdict(source: Path, name: str) -> None:
    with pytest.raises(UnavailableError, match="require: expected user namespaces"):
        verdicts(source, name, "4", "demand")


def test_one_bad_row_of_a_batch_function_costs_itself_alone(source: Path) -> None:
    found = verdicts(source, "trl", "is 4", "raise", "is 5", "die", "is 4")
    assert [verdict.reward for verdict in found] == [1.0, None, 0.0, None, 1.0]


def test_a_batch_function_that_returns_too_few_rewards_is_unknown(source: Path) -> None:
    assert [verdict.reward for verdict in verdicts(source, "trl_that_loses_a_row", "4", "4", "4")] == [None, None, None]


def test_a_registered_name_is_that_verifier() -> None:
    assert load_verifier("math").verify("4", "4").reward == 1.0
    with pytest.raises(UnknownNameError, match="known: "):
        load_verifier("maths")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("{source}:nothing", "no attribute 'nothing'"),
        ("{source}:of_one", "expected .*completions.* got .completion."),
        ("nowhere.py:f", "no file nowhere.py"),
        ("no_such_module:f", "No module named 'no_such_module'"),
    ],
)
def test_a_function_that_cannot_be_used_is_refused_when_named(source: Path, spec: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        load_verifier(spec.format(source=source))


def test_a_file_that_exits_when_imported_is_refused(tmp_path: Path) -> None:
    (tmp_path / "exits.py").write_text("import os\nos._exit(5)\n")
    with pytest.raises(InputError, match="exit code 5"):
        load_verifier(f"{tmp_path / 'exits.py'}:f")


def test_the_callers_search_path_is_left_alone(source: Path) -> None:
    import sys

    before = list(sys.path)
    verdicts(source, "verl", "4")
    assert sys.path == before
    assert "mine" not in sys.modules


def test_options_out_of_range_are_refused(source: Path) -> None:
    with pytest.raises(ArgumentError, match="timeout_s"):
        FunctionVerifier(f"{source}:verl", timeout_s=0)
    with pytest.raises(ArgumentError, match="correct_at"):
        FunctionVerifier(f"{source}:verl", correct_at=float("nan"))
    with pytest.raises(ArgumentError, match="batch_size"):
        FunctionVerifier(f"{source}:verl", batch_size=0)


def test_where_right_is_worth_more_than_one_a_part_of_it_is_a_part_of_one(tmp_path: Path) -> None:
    (tmp_path / "points.py").write_text("def points(completion, target): return float(completion)\n")
    verifier = FunctionVerifier(f"{tmp_path / 'points.py'}:points", workers=1, correct_at=4.0)
    found = verify_many(verifier, [("4", "x"), ("1", "x"), ("-2", "x")])
    verifier.close()
    # 4 of 4, 1 of 4, -2 of 4: a returned 1 is no longer a reward of 1, which would say "correct".
    assert [(verdict.outcome, verdict.reward) for verdict in found] == [
        (Outcome.CORRECT, 1.0), (Outcome.INCORRECT, 0.25), (Outcome.INCORRECT, -0.5),
    ]  # fmt: skip


def test_a_function_of_conversations_gets_prompts_in_their_form_too(source: Path) -> None:
    verifier = FunctionVerifier(f"{source}:trl_of_dialogues", workers=1)
    chat = [{"role": "assistant", "content": "4"}]
    found = verify_many(verifier, [("4", "4", "2+2?"), (chat, "4", "2+2?"), ("4", "4", "3+3?")])
    assert [verdict.reward for verdict in found] == [1.0, 1.0, 0.0]
    verifier.close()


def test_a_function_of_texts_gets_the_text_of_a_conversation(source: Path) -> None:
    verifier = FunctionVerifier(f"{source}:trl", workers=1)
    assert verifier.verify([{"role": "assistant", "content": "is 4"}], "4").reward == 1.0
    verifier.close()


def test_the_target_column_may_have_any_name(source: Path) -> None:
    assert [verdict.reward for verdict in verdicts(source, "trl_of_another_column", "4", "5")] == [1.0, 0.0]


def test_a_verdict_of_the_users_own_verifier_comes_back_whole(source: Path) -> None:
    (found,) = verdicts(source, "Whole", "anything")
    assert found == Verdict(Outcome.BAD_TARGET, None, extracted="e", span=(0, 1), rule="theirs")


def test_a_file_that_hangs_when_imported_is_refused_in_time(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text("import time\ntime.sleep(600)\n")
    with pytest.raises(InputError, match=r"start within 0\.5 s"):
        load_verifier(f"{tmp_path / 'hangs.py'}:f", start_timeout_s=0.5)


def test_a_slow_import_counts_against_no_row_even_after_a_kill(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import os, time\ntime.sleep(0.6)\n"
        "def f(completion, target):\n"
        "    if completion == 'die': os._exit(1)\n"
        "    return completion == target\n"
    )
    verifier = load_verifier(f"{tmp_path / 'slow.py'}:f", workers=2, timeout_s=0.5, batch_size=1)
    found = verify_many(verifier, [("4", "4"), ("die", "4"), ("4", "4"), ("5", "4")])
    assert isinstance(verifier, FunctionVerifier)
    verifier.close()
    assert [verdict.reward for verdict in found] == [1.0, None, 1.0, 0.0]


def test_a_file_named_like_a_module_of_the_standard_library_shadows_nothing(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("import tempfile\ndef f(completion, target): return tempfile is not None\n")
    verifier = FunctionVerifier(f"{tmp_path / 'random.py'}:f", workers=1)
    assert verifier.verify("4", "4").reward == 1.0
    verifier.close()


def test_a_file_that_was_patched_at_once_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "grader.py"
    rewards = []
    for comparison in ("in", "=="):  # of one length, and of one moment as Python's bytecode tells them
        path.write_text(f"def grade(completion, target):\n    return float(target {comparison} completion)\n")
        os.utime(path, (1_700_000_000, 1_700_000_000))
        rewards.append(FunctionVerifier(f"{path}:grade").verify("not 5 but 6", "5").reward)
    assert rewards == [1.0, 0.0]
    assert [one.name for one in tmp_path.iterdir()] == ["grader.py"]
