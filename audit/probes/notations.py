r"""Right answers written differently: the same value in another notation, and the same answer in other surroundings.

Each is one row of the matrix, so that a verifier that reads no thin spaces is told from one that reads them sometimes.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .targets import ProbeTarget

__all__ = ["NOTATIONS", "SURROUNDINGS", "Notation", "Surrounding"]


@dataclass(frozen=True, slots=True)
class Notation:
    """Another notation: `write` gives the answer so written, or None where a target has no such notation."""

    name: str
    meaning: str
    write: Callable[[ProbeTarget], str | None]


@dataclass(frozen=True, slots=True)
class Surrounding:
    """What stands around a response that commits to an answer, and changes nothing of what it says."""

    name: str
    meaning: str
    around: Callable[[str], str]


_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
_NUMBERS = ("integer", "decimal", "fraction")
_MAGNITUDES = ("quantity", "money", "degree")


def _grouped(comma: str) -> Callable[[ProbeTarget], str | None]:
    def write(target: ProbeTarget) -> str | None:
        if target.kind != "integer" or target.value is None or abs(target.value) < 1000:
            return None
        return f"{int(target.value):,}".replace(",", comma)

    return write


def _of(*kinds: str) -> Callable[[Callable[[ProbeTarget], str | None]], Callable[[ProbeTarget], str | None]]:
    """Restricts a writer to targets of `kinds`."""

    def restricted(write: Callable[[ProbeTarget], str | None]) -> Callable[[ProbeTarget], str | None]:
        return lambda target: write(target) if target.kind in kinds else None

    return restricted


@_of("integer")
def _scientific(target: ProbeTarget) -> str | None:
    digits = str(abs(int(target.value or 0)))
    if len(digits) < 4:
        return None
    rest = digits[1:].rstrip("0")
    mantissa = digits[0] + (f".{rest}" if rest else "")
    return rf"{'-' if target.answer.startswith('-') else ''}{mantissa} \times 10^{{{len(digits) - 1}}}"


def _frac(command: str) -> Callable[[ProbeTarget], str | None]:
    def write(target: ProbeTarget) -> str | None:
        if "frac{" not in target.answer:
            return None
        return re.sub(r"\\[dt]?frac", lambda _: f"\\{command}", target.answer)

    return _of("fraction", "constant", "expression")(write)


@_of("fraction")
def _slash(target: ProbeTarget) -> str | None:
    value = target.value or Fraction(0)
    return None if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


@_of("fraction")
def _as_frac(target: ProbeTarget) -> str | None:
    value = target.value or Fraction(0)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}" if value.denominator > 1 else None


@_of("constant", "expression")
def _plain(target: ProbeTarget) -> str | None:
    text = re.sub(r"\\sqrt\{(\d+)\}", r"sqrt(\1)", target.answer).replace(r"\pi", "pi")
    text = re.sub(r"\^\{(\w+)\}", r"^\1", text)
    return None if "\\" in text else re.sub(r"(?<=\d)(?=[a-z])", "*", text)


@_of("tuple", "interval")
def _left_right(target: ProbeTarget) -> str | None:
    opening, closing = target.brackets
    return rf"\left{opening}{','.join(target.items)}\right{closing}"


@_of("tuple", "interval")
def _spaced(target: ProbeTarget) -> str | None:
    opening, closing = target.brackets
    return f"{opening}{', '.join(target.items)}{closing}"


def _number(target: ProbeTarget) -> str:
    value = target.value or Fraction(0)
    return str(int(value)) if value.denominator == 1 else str(float(value))


NOTATIONS: Mapping[str, Notation] = {
    one.name: one
    for one in (
        Notation("comma", "12,345", _grouped(",")),
        Notation("braced_comma", "12{,}345", _grouped("{,}")),
        Notation("thin_space", r"12\,345", _grouped(r"\,")),
        Notation("unicode_thin_space", "12 345 with U+2009", _grouped("\u2009")),
        Notation("point_zero", "7.0 for 7", _of("integer")(lambda target: f"{_number(target)}.0")),
        Notation("trailing_zero", "0.50 for 0.5", _of("decimal")(lambda target: f"{target.answer}0")),
        Notation("scientific", r"1.2 \times 10^{3}", _scientific),
        Notation(
            "full_width", "full-width digits", _of("integer")(lambda target: target.answer.translate(_FULL_WIDTH))
        ),
        Notation(
            "unicode_minus",
            "−5 with U+2212",
            _of(*_NUMBERS)(lambda target: target.answer.replace("-", "−") if "-" in target.answer else None),
        ),
        Notation("dfrac", r"\dfrac{1}{2}", _frac("dfrac")),
        Notation("tfrac", r"\tfrac{1}{2}", _frac("tfrac")),
        Notation("slash", "1/2", _slash),
        Notation("frac", r"\frac{1}{2}", _as_frac),
        Notation("plain", "sqrt(3), pi, 3*x^2: LaTeX as one would type it", _plain),
        Notation("left_right", r"\left(1,2\right)", _left_right),
        Notation("spaced_items", "(1, 2)", _spaced),
        Notation("text_around_all", r"\text{36 cm}", _of("quantity")(lambda t: rf"\text{{{_number(t)} {t.unit}}}")),
        Notation("text_around_unit", r"36 \text{ cm}", _of("quantity")(lambda t: rf"{_number(t)} \text{{ {t.unit}}}")),
        Notation("mathrm_unit", r"36\,\mathrm{cm}", _of("quantity")(lambda t: rf"{_number(t)}\,\mathrm{{{t.unit}}}")),
        Notation("plain_unit", "36 cm", _of("quantity")(lambda target: f"{_number(target)} {target.unit}")),
        Notation("degree_sign", "60°", _of("degree")(lambda target: f"{_number(target)}°")),
        Notation("braced_circ", r"60^{\circ}", _of("degree")(lambda target: rf"{_number(target)}^{{\circ}}")),
        Notation("degree_word", "60 degrees", _of("degree")(lambda target: f"{_number(target)} degrees")),
        Notation("latex_dollar", r"\$45", _of("money")(lambda target: rf"\${_number(target)}")),
        Notation("plain_dollar", "$45", _of("money")(lambda target: f"${_number(target)}")),
        Notation("dollar_word", "45 dollars", _of("money")(lambda target: f"{_number(target)} dollars")),
        Notation(
            "text_command",
            r"\text{Paris}",
            _of("text", "letter", "integer")(lambda target: rf"\text{{{target.answer}}}"),
        ),
        Notation("letter_in_parentheses", "(C)", _of("letter")(lambda target: f"({target.answer})")),
    )
}
"""Every notation by name."""

_THOUGHT = "<think>\nFirst guess: 619. No, that does not fit, so let me do it again from the start.\n</think>\n\n"
_SHORT_THOUGHT = "<think>That is plain enough.</think>\n"
_CODE = "```python\ntotal = 517 + 64\nprint(total)\n```\n\n"
_PROSE = "Let us do this step by step. First, 517 + 64 = 581, and the rest follows from what is given.\n\n"

SURROUNDINGS: Mapping[str, Surrounding] = {
    one.name: one
    for one in (
        Surrounding("prose_before", "a derivation before the answer", lambda text: _PROSE + text),
        Surrounding("thought_before", "a closed <think> block before it", lambda text: _THOUGHT + text),
        Surrounding("short_thought_before", "a thought on one line before it", lambda text: _SHORT_THOUGHT + text),
        Surrounding("code_before", "a block of code before it", lambda text: _CODE + text),
        Surrounding("newlines_behind", "blank lines behind it", lambda text: f"{text}\n\n"),
        Surrounding("crlf", "CRLF line ends", lambda text: (_PROSE + text + "\n").replace("\n", "\r\n")),
        Surrounding("end_of_turn", "<|im_end|> behind it", lambda text: f"{text}<|im_end|>"),
        Surrounding("end_of_sequence", "</s> behind it", lambda text: f"{text}</s>"),
        Surrounding("sign_off", "a friendly sign-off behind it", lambda text: f"{text}\n\nI hope this helps!"),
    )
}
"""Every surrounding by name."""
