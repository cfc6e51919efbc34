r"""The formats in which an answer can be offered.

An honest verifier may insist on one of them; it is then probed in that one, and its strictness is told, not held
against it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FORMS", "Form"]


@dataclass(frozen=True, slots=True)
class Form:
    """How a response commits to an answer.

    Args:
        name: a key of `FORMS`.
        family: formats that a careful reader would read alike.
        before, after: what stands around the answer.
        is_expected: whether a verifier that reads no such thing fails a row of the matrix. The others are tried so
            that a strict verifier is understood; nobody need read them.
    """

    name: str
    family: str
    before: str
    after: str
    is_expected: bool = True

    def offer(self, answer: str) -> str:
        r"""A response that is nothing but `answer` in this format.

        Example:
            >>> FORMS["answer_tag"].offer("7"), FORMS["dollars"].offer(r"\$45")
            ('<answer>7</answer>', '$\\$45$')
        """
        inside = json.dumps(answer)[1:-1] if self.family == "json" else answer
        return f"{self.before}{inside}{self.after}"


_THOUGHT = "<think>\nStep by step, this is what comes out.\n</think>\n"

FORMS: Mapping[str, Form] = {
    form.name: form
    for form in (
        Form("boxed", "box", "\\boxed{", "}"),
        Form("boxed_in_dollars", "box", "$\\boxed{", "}$"),
        Form("answer_tag", "tag", "<answer>", "</answer>"),
        Form("answer_tag_spaced", "tag", "<answer> ", " </answer>"),
        Form("hash", "hash", "#### ", ""),
        Form("answer_line", "words", "Answer: ", ""),
        Form("the_answer_is", "words", "The answer is ", "."),
        Form("dollars", "dollars", "$", "$"),
        Form("bold", "bold", "**", "**"),
        Form("bare", "bare", "", ""),
        Form("answer_tag_lines", "tag", "<answer>\n", "\n</answer>", is_expected=False),
        Form("thought_then_tag", "thought", f"{_THOUGHT}<answer>", "</answer>", is_expected=False),
        Form("thought_then_tag_lines", "thought", f"{_THOUGHT}<answer>\n", "\n</answer>", is_expected=False),
        Form("thought_then_box", "thought", f"{_THOUGHT}\\boxed{{", "}", is_expected=False),
        Form("box_in_tag", "tag", "<answer>\\boxed{", "}</answer>", is_expected=False),
        Form("thought_then_box_in_tag", "thought", f"{_THOUGHT}<answer>\\boxed{{", "}</answer>", is_expected=False),
        Form(
            "final_answer",
            "words",
            "Final Answer: The final answer is $",
            "$. I hope it is correct.",
            is_expected=False,
        ),
        Form("boxed_text", "box", "\\boxed{\\text{", "}}", is_expected=False),
        Form("parenthesised", "words", "The answer is (", ").", is_expected=False),
        Form("json", "json", '{"answer": "', '"}', is_expected=False),
        Form("code_block", "code", "```\n", "\n```", is_expected=False),
        Form("python_print", "code", "```python\nprint(", ")\n```", is_expected=False),
    )
}
"""Every format by name; those that a verifier reads alike are tried in this order."""
