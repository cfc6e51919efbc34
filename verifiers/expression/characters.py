r"""Unicode characters of mathematical answers and what they are in plain LaTeX.

Not NFKC: that would make `103` of `10³` and a fraction slash of `½`.
"""

import re
import unicodedata

__all__ = ["without_unicode"]

_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓ", "0123456789+-=()nx", strict=True))

_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "θ": "theta", "λ": "lambda", "μ": "mu",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ω": "omega", "Δ": "Delta", "Σ": "Sigma", "Ω": "Omega",
}  # fmt: skip

_CHARACTERS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "×": r"\times ", "✕": r"\times ", "·": r"\cdot ",
    "⋅": r"\cdot ", "∙": r"\cdot ", "•": r"\cdot ", "÷": "/", "∕": "/", "⁄": "/", "≤": r"\le ", "⩽": r"\le ",
    "≦": r"\le ", "≥": r"\ge ", "⩾": r"\ge ", "≧": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "≃": r"\approx ",
    "∞": r"\infty ", "√": r"\sqrt ", "∛": r"\sqrt[3]", "∪": r"\cup ", "∩": r"\cap ", "∈": r"\in ", "∉": r"\notin ",
    "±": r"\pm ", "∓": r"\mp ", "°": r"^\circ ", "º": r"^\circ ", "′": "'", "’": "'", "‘": "'", "“": '"', "”": '"',
    "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℕ": r"\mathbb{N}", "ℚ": r"\mathbb{Q}", "∅": r"\emptyset ", "…": r"\ldots ",
    "∶": ":", "、": ", ", "。": ".", "，": ",", "；": ";", "：": ":", "｜": "|", "∧": r"\land ", "∨": r"\lor ",
    "∑": r"\sum ", "∏": r"\prod ", "∫": r"\int ", "∠": r"\angle ", "△": r"\triangle ", "⟨": r"\langle ",
    "⟩": r"\rangle ", "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ", "∖": r"\setminus ",
    "⇒": r"\Rightarrow ", "→": r"\to ", "∣": "|", "％": "%", "﹪": "%",
    **{character: rf"\frac{{{fraction.replace('/', '}{')}}}" for character, fraction in _VULGAR.items()},
    **{character: rf"\{name} " for character, name in _GREEK.items()},
}  # fmt: skip

_CHARACTER_TABLE = str.maketrans(_CHARACTERS)
_SUPERSCRIPT_RUN = re.compile(f"[{re.escape(''.join(_SUPERSCRIPTS))}]+")
_SUBSCRIPT_RUN = re.compile(f"[{re.escape(''.join(_SUBSCRIPTS))}]+")
_SUPERSCRIPT_TABLE = str.maketrans(_SUPERSCRIPTS)
_SUBSCRIPT_TABLE = str.maketrans(_SUBSCRIPTS)
_ROOT_OF_NUMBER = re.compile(r"√(\d+(?:\.\d+)?)")
_SPACED_DIGITS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")


def without_unicode(text: str) -> str:
    r"""`text` with its mathematical characters as LaTeX and its digits as ASCII digits.

    Letters of other alphabets stay as they are: a Cyrillic `х` is not `x`.

    Example:
        >>> without_unicode("−½×10³ ≤ ２π")
        '-\\frac{1}{2}\\times 10^{3} \\le  2\\pi '
    """
    text = _SPACED_DIGITS.sub("", text)
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^{" + run.group().translate(_SUPERSCRIPT_TABLE) + "}", text)
    text = _SUBSCRIPT_RUN.sub(lambda run: "_{" + run.group().translate(_SUBSCRIPT_TABLE) + "}", text)
    text = _ROOT_OF_NUMBER.sub(r"\\sqrt{\1}", text)
    text = text.translate(_CHARACTER_TABLE)
    return text if text.isascii() else "".join(map(_plain_character, text))


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    code = ord(character)
    if 0xFF01 <= code <= 0xFF5E:  # full-width forms of ASCII
        return chr(code - 0xFEE0)
    if 0x1D400 <= code <= 0x1D7FF:  # mathematical alphabets
        return unicodedata.normalize("NFKC", character)
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.digit(character))
    if category == "Zs":
        return " "
    return "" if category == "Cf" else character
