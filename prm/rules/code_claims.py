"""What a step holds of code, of output that is said to be printed, and of values that its words assert.

Read over the whole row: code runs in the order of the steps, and words speak of the code before them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ...verifiers.answers.code_blocks import FENCE
from ..arithmetic.surroundings import is_taken_back

__all__ = ["Part", "Said", "parts_of", "said_outputs", "said_values"]

_PYTHON = frozenset({"python", "py", "python3", "ipython", "ipython3"})
_OUTPUT = frozenset({"output", "stdout", "console"})
_PLAIN = frozenset({"", "text", "txt", "plaintext"})
_ANNOUNCED_OUTPUT = re.compile(r"\b(?:outputs?|prints?|printed|displays?)\b[^\n]{0,40}[:.]?[*_]*\s*\Z", re.IGNORECASE)
_CODE = re.compile(
    r"^(?:print\(|assert |def \w+\(|import \w|from \w[\w.]* import |for \w.*:$|[A-Za-z_]\w* = )", re.MULTILINE
)
_CODE_LINE = re.compile(
    r"\s*(?:\#.*|@\w.*|(?:print|assert|def|class|import|from|for|while|if|elif|else|try|except|finally|with|return|pass)\b.*"
    r"|[A-Za-z_][\w.\[\]'\", ]*\s*(?:[-+*/%|&]|//|\*\*)?=(?!=).*|[)\]}].*|[\w.]+\(.*|)\s*"
)
_MARKER = re.compile(r"\bprint\(|^(?:assert|import|from|def|for|while) |#", re.MULTILINE)

_PLAIN_VALUE = (
    r"-?[0-9](?:[0-9_]|,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|'[^'\n]{0,80}'|\"[^\"\n]{0,80}\"|\[[^\]\n]{0,200}\]"
    r"|True|False|None"
)
_IN_TICKS = re.compile(
    r"`(?P<name>[A-Za-z_]\w{0,40})`\s+(?:is now|is|equals|becomes|holds|has the value|==?)\s+`?"
    rf"(?P<value>{_PLAIN_VALUE})"
    rf"|`(?P<name2>[A-Za-z_]\w{{0,40}})\s*==?\s*(?P<value2>{_PLAIN_VALUE})`"
)
_IN_WORDS = re.compile(
    r"(?<![\w.`=+*/-])(?P<name>[A-Za-z_]\w{0,40})\s+"
    r"(?P<verb>is now|now is|now equals|now holds|becomes|==|=|is|equals)\s+"
    rf"(?P<value>{_PLAIN_VALUE})"
)
_SURE_VERBS = frozenset({"is now", "now is", "now equals", "now holds", "becomes", "==", "="})
_AFTER_RUN = re.compile(
    r"\b(?:after (?:this|that|the code|running)|at this point|now|the code)\b[^.\n]{0,60}\Z", re.IGNORECASE
)
_BEHIND = re.compile(r"[`*_]{0,3}(?:[.,;!?)](?![0-9])|\s*\Z|\s+(?![-+*/%=<>^(]|[0-9]|\\|times\b|percent\b))")
_SUPPOSED = re.compile(
    r"\b(?:if|suppos\w*|assum\w*|let|would|should|could|might|may|want|expect\w*|before|initially|at first|until|when"
    r"|unless|set|sets|define\w*|assign\w*|use|using|try|change\w*|replac\w*|not|never|instead|previously|originally"
    r"|start\w*|or)\b|n't\b",
    re.IGNORECASE,
)
_PRINTS = re.compile(
    r"\b(?:it|this|that|which|code|program|script|and|output)\s+(?:will\s+)?(?:outputs?|prints?|printed|is|displays?):?\s+"
    r"(?:`(?P<ticks>[^`\n]{1,200})`|" rf"(?P<value>{_PLAIN_VALUE}))" + _BEHIND.pattern
    + r"|^[*_]*output[*_]*:[*_]*\s*`?(?P<line>[^`\n]{1,200}?)`?\s*$",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_OUTPUT_IS = re.compile(r"\boutput\b|\bprint|\bdisplay", re.IGNORECASE)


class Part(NamedTuple):
    """A stretch of a step: code, printed output, or words."""

    kind: Literal["code", "output", "words"]
    text: str


class Said(NamedTuple):
    """A value that words assert: of a name, as a Python literal."""

    name: str
    value: str


def parts_of(step: str) -> list[Part]:
    """The parts of a step, in order.

    A fence that is marked as Python, or with nothing and looks like it, is code; one that is marked as output, or that
    words such as "Output:" announce, is output; any other is left out. A step without fences is code where every line
    of it is.

    Example:
        >>> [part.kind for part in parts_of("So:\\n```python\\nprint(1)\\n```\\nOutput:\\n```\\n1\\n```\\nIt is 1.")]
        ['words', 'code', 'words', 'output', 'words']
        >>> [part.kind for part in parts_of("x = 3\\nprint(x)")], [part.kind for part in parts_of("x = 3, so y = 4")]
        (['code'], ['words'])
    """
    if "```" not in step and "~~~" not in step:
        return [Part("code" if _is_code(step) else "words", step)]
    return list(_fenced_parts(step))


def said_values(words: str, *, in_ticks_only: bool = False) -> Iterator[Said]:
    """The values that `words` assert of names, as of what some code has done; no suppositions.

    Args:
        words: text without code blocks.
        in_ticks_only: only names that are written as code count.

    Example:
        >>> list(said_values("After this, x = 12 and `total` is 40. If y = 3, we stop."))
        [Said(name='total', value='40'), Said(name='x', value='12')]
    """
    for found in _IN_TICKS.finditer(words):
        if _stands(words, found):
            yield Said(found["name"] or found["name2"], found["value"] or found["value2"])
    for found in () if in_ticks_only else _IN_WORDS.finditer(words):
        is_sure = found["verb"] in _SURE_VERBS or "_" in found["name"]
        if (is_sure or _AFTER_RUN.search(words[max(0, found.start() - 100) : found.start()])) and _stands(words, found):
            yield Said(found["name"], found["value"])


def said_outputs(words: str) -> Iterator[str]:
    """What `words` say that the code before them printed.

    Example:
        >>> list(said_outputs("This prints `12`. The output is 12.")), list(said_outputs("Output: 1 2"))
        (['12', '12'], ['1 2'])
    """
    for found in _PRINTS.finditer(words):
        if _OUTPUT_IS.search(found.group()) and _stands(words, found, behind=False):
            yield found["ticks"] or found["value"] or found["line"]


def _stands(words: str, found: re.Match[str], *, behind: bool = True) -> bool:
    if behind and _BEHIND.match(words, found.end()) is None:
        return False
    start = max(words.rfind(mark, max(0, found.start() - 200), found.start()) for mark in (". ", "\n", "? ", "! ")) + 1
    is_supposed = _SUPPOSED.search(words, start, found.end()) is not None
    return not is_supposed and not is_taken_back(words, found.start(), found.end())


def _fenced_parts(step: str) -> Iterator[Part]:
    opening: re.Match[str] | None = None
    start = 0
    parts: list[Part] = []
    for fence in FENCE.finditer(step):
        if opening is None:
            parts.append(Part("words", step[start : fence.start()]))
            opening = fence
        elif fence["ticks"].startswith(opening["ticks"]) and not fence["language"]:
            parts += _block(opening["language"].lower(), step[opening.end() + 1 : fence.start()], parts)
            opening, start = None, fence.end()
    if opening is None:
        parts.append(Part("words", step[start:]))
    else:
        # Never closed: cut off, or it goes on in the next step.
        parts += _block(opening["language"].lower(), step[opening.end() + 1 :], parts)
    return (part for part in parts if part.text.strip())


def _block(language: str, text: str, before: Sequence[Part]) -> list[Part]:
    words = before[-1].text if before and before[-1].kind == "words" else ""
    if language in _OUTPUT or (language in _PLAIN and _ANNOUNCED_OUTPUT.search(words)):
        return [Part("output", text)]
    if language in _PYTHON or (not language and _CODE.search(text)):
        return [Part("code", text)]
    return []


def _is_code(step: str) -> bool:
    lines = step.splitlines()
    return _MARKER.search(step) is not None and _CODE.search(step) is not None and all(map(_CODE_LINE.fullmatch, lines))
