r"""Texts that are meant to cost much: a few tokens, many times over."""

from dataclasses import dataclass

__all__ = ["FLOODS", "TOKENS", "Flood"]

TOKENS = (
    "a ", "seventeen ", r"\boxed{", "}", "{", r"\boxed", r"\boxed{1}", "$", "$$", "$a$ ", r"\(", r"\)", r"\[", r"\]",
    r"\(a\) ", "<answer>", "</answer>", "<think>", "</think>", "####", "#### 5\n", "Answer:", "The answer is ", "is ",
    "the final answer is not ", "**", "**Final Answer**\n", "答案：", "```", "```python\n", "<|im_end|>",
    "<|im_start|>user", "<!--", "-->", r"\phantom{", r"\text{", r"\frac{", r"\sqrt{", r"\left(", r"\neq ", " not ",
    " or ", " and ", ", ", "and    ", "E, ", "wait, that is wrong. ", "\n", " ", ". ", "123,", "1+", "x=", "^", "_",
    "-", "(", ")", "5", "-3", "1,234", "1/2", "(B)", "B", "~~", "<<3+4=7>>", "?", "\\", "１", "½", "−", "\u200b",
    "\x00", "\ud800", "İ",
)  # fmt: skip
"""Pieces of which texts are made that look like answers, or like their ruins."""


@dataclass(frozen=True, slots=True)
class Flood:
    """`before`, then `pump` so many times, then `after`; shown without its bulk."""

    name: str
    before: str
    pump: str
    times: int
    after: str

    @property
    def text(self) -> str:
        return self.before + self.pump * self.times + self.after

    def __str__(self) -> str:
        parts = [repr(self.before)] * bool(self.before) + [f"{self.pump!r} * {self.times}"]
        return " + ".join([*parts, *([repr(self.after)] * bool(self.after))])


FLOODS = (
    Flood("prose", "", "The sum keeps growing. ", 40_000, r"\boxed{42}"),
    Flood("open_thought", "<think>", "The sum keeps growing. ", 40_000, ""),
    Flood("announcements", "", "final answer is ", 20_000, "6"),
    Flood("answer_lines", "", "Answer: 5\n", 10_000, ""),
    Flood("hashes", "", "#", 40_000, " 5"),
    Flood("unclosed_boxes", "", r"\boxed{", 20_000, ""),
    Flood("boxes", "", r"\boxed{1} ", 20_000, ""),
    Flood("open_braces", r"\boxed{", "{", 100_000, "5}"),
    Flood("open_brackets", r"\boxed{", "(", 10_000, "}"),
    Flood("digits", r"\boxed{", "7", 200_000, "}"),
    Flood("groups", r"\boxed{", "123,", 20_000, "}"),
    Flood("minus_signs", "", "-", 100_000, "6"),
    Flood("sentences_in_a_box", r"\boxed{", "There are exactly seventeen of them, ", 20, "namely 4}"),
    Flood("long_word_in_a_box", r"\boxed{", "antidisestablishmentarian", 4, "*}"),
    Flood("dollars", "", "$a", 16_000, r" \boxed{6}"),
    Flood("tags", "", "<answer>5</answer>", 3_000, ""),
    Flood("angle_brackets", "", "<", 100_000, ""),
    Flood("stars", "", "*", 50_000, ""),
    Flood("spaces", "answer", " ", 50_000, "is 5"),
    Flood("newlines", "Answer", "\n", 50_000, "5"),
    Flood("sums", r"\boxed{", "1+", 5_000, "1}"),
    Flood("powers", r"\boxed{", "9^{", 1_000, "9" + "}" * 1_001),
    Flood("roots", r"\boxed{", r"\sqrt{", 1_000, "2" + "}" * 1_001),
    Flood("fractions", r"\boxed{", r"\frac{1}{1+", 1_000, "1" + "}" * 1_001),
    Flood("power_tower", r"\boxed{10", "^{10", 4, "}}}}}"),
    Flood("factorial", r"\boxed{1000000", "!", 3, "}"),
)
"""Every named flood."""
