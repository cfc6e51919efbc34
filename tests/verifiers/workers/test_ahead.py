import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.workers.ahead import asked_ahead


def never() -> None:
    raise AssertionError("stopped, though nobody broke off")


@given(st.lists(st.integers()), st.integers(1, 4))
def test_answers_come_in_the_order_of_the_questions(questions: list[int], threads: int) -> None:
    answers = list(asked_ahead(lambda question: -question, questions, threads=threads, stop=never))
    assert answers == [(question, -question) for question in questions]


def test_at_most_two_questions_a_thread_are_taken_ahead() -> None:
    taken: list[int] = []

    def questions() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    answers = asked_ahead(lambda question: question, questions(), threads=3, stop=list)
    next(answers)
    assert len(taken) <= 6
    answers.close()


def test_a_caller_who_breaks_off_stops_the_questions_that_wait() -> None:
    hanging = threading.Event()
    n_stopped = 0

    def ask(question: int) -> int:
        if question:
            hanging.wait()
            raise RuntimeError("stopped")
        return question

    def stop() -> None:
        nonlocal n_stopped
        n_stopped += 1
        hanging.set()

    answers = asked_ahead(ask, range(100), threads=2, stop=stop)
    assert next(answers) == (0, 0)
    answers.close()
    assert n_stopped


def test_what_asking_raises_comes_out_in_its_place_and_stops_the_rest() -> None:
    stopped = threading.Event()

    def ask(question: int) -> int:
        if question == 1:
            raise KeyError("one")
        if question > 1:
            stopped.wait()
        return question

    answers = asked_ahead(ask, range(4), threads=2, stop=stopped.set)
    assert next(answers) == (0, 0)
    with pytest.raises(KeyError, match="one"):
        next(answers)
    assert stopped.is_set()


SCRIPT = """
import time
from rewardgate.verifiers import Outcome, Verdict
from rewardgate.verifiers.batch import iter_verdicts

class Hangs:
    version = "1"
    def verify(self, completion, target, *, prompt=None):
        if completion != "good":
            time.sleep(600)
        return Verdict(Outcome.CORRECT, 1.0)

verdicts = iter_verdicts(Hangs(), [("good", "")] * 16 + [("hang", "")] * 64, workers=2)
print(next(verdicts).reward)
"""


def test_a_script_that_breaks_off_ends_though_a_row_hangs() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1.0\n", "")
