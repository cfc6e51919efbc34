"""A policy that gives the task back earns nothing, whichever way it dresses the task up."""

import pytest

from rewardgate.verifiers import get

PROMPT = "Compute $12 + 8$."


def test_an_unreduced_fraction_of_the_task_is_an_echo() -> None:
    prompt = r"Reduce $\frac{8}{22}$."
    assert get("math").verify(r"\boxed{\frac{8}{22}}", r"\frac{4}{11}", prompt=prompt).rule == "echoed"


@pytest.mark.parametrize(
    "completion", [r"\boxed{12+8}", r"\boxed{12 + 8}.", "The answer is $12+8$.", "#### 12+8", "Answer: $12 + 8$"]
)
def test_the_tasks_own_formula_is_no_answer_where_the_prompt_is_known(completion: str) -> None:
    verdict = get("math").verify(completion, "20", prompt=PROMPT)
    assert (verdict.reward, verdict.rule) == (0, "echoed")
    assert get("math").verify(completion, "20", prompt=[{"role": "user", "content": PROMPT}]).reward == 0
    assert get("math").verify(completion, "20").reward == 1


@pytest.mark.parametrize(
    ("completion", "target", "prompt"),
    [
        (r"\boxed{20}", "20", PROMPT),
        (r"\boxed{8+12}", "20", PROMPT),
        (r"\boxed{x+1}", "x+1", "Which is a factor, $x+1$ or $x+2$?"),
        (r"\boxed{20}", "20", "Compute $12 + 8$. (A) 20 (B) 21"),
        (r"\boxed{-3}", "-3", "Is it $-3$ or $3$?"),
        (r"\boxed{1/2}", "0.5", "Two of 11/25 and 1/2 are equal to it. Which?"),
        (r"\boxed{\frac12}", "1/2", r"A coin shows heads with $\frac12$. What is the chance of tails?"),
        (r"\boxed{1+2}", "3", "Think of 11+22."),
        (r"\boxed{x=5}", "5", "Somebody says that $x=5$. Is it so?"),
    ],
)
def test_an_answer_that_is_worked_out_or_that_the_task_names_is_no_echo(
    completion: str, target: str, prompt: str
) -> None:
    assert get("math").verify(completion, target, prompt=prompt).reward == 1


@pytest.mark.parametrize(
    "completion",
    [
        "Compute $12+8$.", "Compute $12+8$. The answer is", "Compute $12+8$. We compute.", "Answer: Compute $12+8$.",
        "The answer is compute $12+8$.", "#### Find $12+8$.", "Answer: What is $12+8$?", "What is $12+8$? Therefore",
        "How many cups are needed if the flock is 20 chickens? We compute.",
        "Answer: How many cups are needed if the flock is 20 chickens?", "She has 20 hens. How many legs? We see.",
    ],
)  # fmt: skip
def test_a_task_commits_to_nothing(completion: str) -> None:
    assert get("math").verify(completion, "20").reward == 0


@pytest.mark.parametrize(
    "completion",
    ["Compute $12+8=20$.", "It takes 20 hours. That is all.", "We find that the sum is $20$.", "What is it? 20."],
)
def test_a_sentence_that_gives_the_answer_is_no_task(completion: str) -> None:
    assert get("math").verify(completion, "20").reward == 1


@pytest.mark.parametrize("said", ["Answer: {}", "The answer is {}.", "#### {}", "**Answer:** {}", "<answer>{}</answer>",
                                  r"The answer is $\boxed{{{}}}$."])  # fmt: skip
def test_stacked_answers_stay_a_hedge_when_the_last_is_said_again(said: str) -> None:
    lines = [said.format(number) for number in (12, 3, 3, 3)]
    assert get("math").verify("\n".join(lines), "3").rule in ("stacked_answers", "hedged")
    assert get("math").verify("\n".join(lines[1:]), "3").reward == 1
