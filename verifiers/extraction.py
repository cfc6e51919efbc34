r"""Where the committed answer is: the extractors `boxed`, `answer_tag`, `hash`, `phrase`, `last_number`,
`choice`, `code_block` and `auto`.

All of them read only the answer's region (`regions`: after the thought, before the next turn, the last
32,768 characters) and leave an answer as it was written, less its wrappers. The order of `auto` is told in
`committed`; what the words around an answer do to it, in `commitment`, `denials` and `corrections`; what stands
beside a box, in `beside_boxes`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ..rollouts.messages import Completion, Prompt
from .answers.code_blocks import code_block_answer
from .answers.committed import announced, boxed_only, choice_answer, committed_answer, number_anywhere, tagged_only
from .answers.plain_endings import plain_ending
from .answers.regions import answer_region
from .base import Extracted


@dataclass(frozen=True, slots=True)
class RegionExtractor:
    """An extractor made of a function that reads the answer's region.

    Args:
        name: the method reported where the region itself decides (an unclosed thought).
        find: from the region's text to the answer, its span relative to that text; None where the
            pattern does not occur.
        takes_short_way: a text that ends with one boxed integer or `#### 42` is read the short way (`plain_endings`).
    """

    name: str
    find: Callable[[str], Extracted | None]
    takes_short_way: bool = False

    def extract(self, completion: Completion, *, prompt: Prompt | None = None) -> Extracted | None:
        """The committed answer; None where the pattern does not occur. Never raises on any text."""
        if self.takes_short_way and (plain := plain_ending(completion, prompt)) is not None:
            return plain
        region = answer_region(completion, prompt)
        if region.outcome is not None:
            return Extracted("", None, self.name, region.outcome, region.rule)
        found = self.find(region.text)
        if found is None or found.span is None or region.start == 0:
            return found
        return replace(found, span=(found.span[0] + region.start, found.span[1] + region.start))


def boxed() -> RegionExtractor:
    r"""The last box, or the adjacent ones before it too, joined.

    Example:
        >>> boxed().extract(r"\boxed{1} and \boxed{2}").text
        '1, 2'
        >>> boxed().extract(r"\boxed{1} was tried first; the corrected value is \boxed{2}").text
        '2'
    """
    return RegionExtractor("boxed", boxed_only)


def answer_tag() -> RegionExtractor:
    """The last `<answer>…</answer>`, read inside for a box or an announcement.

    Example:
        >>> answer_tag().extract("<answer> 5 </answer> hmm, redo: <answer>6</answer>").text
        '6'
    """
    return RegionExtractor("answer_tag", tagged_only)


def hash() -> RegionExtractor:
    """The last `#### …`, as GSM8K writes it; a markdown heading of words is none.

    Example:
        >>> hash().extract("6 * 7 = 42\\n#### 42\\nwhich was to be found").text
        '42'
    """
    return RegionExtractor("hash", partial(announced, frozenset({"hash"})))


def phrase() -> RegionExtractor:
    """The last announcement: "the answer is …", "Answer: …", "**Final Answer**", in many languages.

    Example:
        >>> phrase().extract("**Final Answer:** The largest $n$ is 34. I hope it is correct.").text
        '34'
    """
    return RegionExtractor("phrase", partial(announced, frozenset({"phrase"})))


def last_number() -> RegionExtractor:
    """The last number wherever it stands, even in a text that breaks off.

    Example:
        >>> last_number().extract("5 apples at $1.20 make $6.00 in all").text
        '$6.00'
    """
    return RegionExtractor("last_number", number_anywhere)


def choice() -> RegionExtractor:
    """The committed choice letter, A to J, of any anchor or of words such as "option B" or "**B**".

    Several letters named in one breath are joined and listed in `alternatives`. Where an anchor holds no
    letter, its answer is left as it stands (the verifier may know the option's text).

    Example:
        >>> choice().extract("The answer is B. Not C.").text
        'B'
    """
    return RegionExtractor("choice", choice_answer)


def code_block(*, language: str | None = None) -> RegionExtractor:
    """The inside of the last fenced code block; NO_ANSWER where its fence is never closed.

    Args:
        language: only blocks that are marked with it, or with nothing, count.

    Example:
        >>> code_block().extract("Here:\\n```python\\nprint(4)\\n```\\nIt prints 4.").text
        'print(4)'
    """
    return RegionExtractor("code_block", partial(code_block_answer, None if language is None else language.casefold()))


def auto(*, last_number: bool = True) -> RegionExtractor:
    """The last committed answer by any anchor, in the order of `committed`.

    Args:
        last_number: whether a text without any anchor commits to what it ends with.

    Example:
        >>> auto().extract("<think>41?</think> So we end up with 42 apples.").text
        '42'
    """
    return RegionExtractor("auto", partial(committed_answer, last_number), takes_short_way=True)
