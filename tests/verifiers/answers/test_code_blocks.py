from rewardgate.verifiers import Outcome
from rewardgate.verifiers.answers.code_blocks import code_block_answer


def test_a_longer_fence_holds_shorter_ones() -> None:
    found = code_block_answer(None, "````\n```\ninner\n```\n````")
    assert found is not None
    assert found.text == "```\ninner\n```"


def test_code_keeps_its_indentation_and_its_place() -> None:
    text = "So:\n```py\n    x = 1\n```"
    found = code_block_answer(None, text)
    assert found is not None
    assert found.span is not None
    assert text[slice(*found.span)] == found.text == "    x = 1"


def test_a_block_that_is_cut_off_is_no_answer_even_after_a_whole_one() -> None:
    found = code_block_answer(None, "```\nx\n```\n```\ny")
    assert found is not None
    assert found.outcome is Outcome.NO_ANSWER


def test_other_languages_are_passed_over() -> None:
    assert code_block_answer("python", "```bash\nls\n```") is None
