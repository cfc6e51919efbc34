"""Unicode forms that mean the same as ASCII, rewritten so that readers need to know only ASCII.

Plain NFKC is not enough for mathematics: it turns `10³` into `103` and `1½` into `11⁄2`. What carries
meaning by its shape is rewritten first, and the rest is left to NFKC.
"""

import re
import unicodedata

ZERO_WIDTH = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u180e"
)
"""Characters that print nothing: zero-width spaces and joiners, soft hyphens, direction marks."""

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ"
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"
_SUPERSCRIPT_RUN = re.compile(f"[{_SUPERSCRIPTS}]+")
_SUBSCRIPT_RUN = re.compile(f"[{_SUBSCRIPTS}]+")
_FROM_SUPERSCRIPT = str.maketrans(_SUPERSCRIPTS, "0123456789+-=()ni")
_FROM_SUBSCRIPT = str.maketrans(_SUBSCRIPTS, "0123456789+-=()")
_VULGAR = re.compile("[¼½¾⅐-⅞↉]")
_HALF_WIDTH = str.maketrans(
    {**{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)}, "\u3000": " ", "、": ",", "。": "."}
)
_ONE_FOR_ONE = str.maketrans(
    {
        **dict.fromkeys("−‐‑‒–—―﹣－", "-"),
        **dict.fromkeys("⁄∕", "/"),
        **dict.fromkeys("‘’‚′ʹ", "'"),
        **dict.fromkeys("“”„″«»", '"'),
        **dict.fromkeys("、", ","),
        **dict.fromkeys("。", "."),
        **dict.fromkeys(ZERO_WIDTH, None),
    }
)


def ascii_forms(text: str) -> str:
    """`text` with every compatibility form rewritten: full-width, minus signs, scripts, vulgar fractions.

    Superscripts become `^{…}`, subscripts `_{…}`, `1½` becomes `1 1/2`; zero-width characters go; letters
    of other scripts stay, so that a Cyrillic х never becomes a Latin x. Not length-preserving.

    Example:
        >>> ascii_forms("１，２３４"), ascii_forms("5×10³"), ascii_forms("−1½")
        ('1,234', '5×10^{3}', '-1 1/2')
    """
    if text.isascii():
        return text
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^{" + run.group().translate(_FROM_SUPERSCRIPT) + "}", text)
    text = _SUBSCRIPT_RUN.sub(lambda run: "_{" + run.group().translate(_FROM_SUBSCRIPT) + "}", text)
    text = _VULGAR.sub(_written_out, text)
    return unicodedata.normalize("NFKC", text).translate(_ONE_FOR_ONE)


def half_width(text: str) -> str:
    """`text` with the full-width forms of ASCII characters as those; of the same length, so that offsets stay true.

    Example:
        >>> half_width("（Ａ）。")
        '(A).'
    """
    return text if text.isascii() else text.translate(_HALF_WIDTH)


def _written_out(match: re.Match[str]) -> str:
    fraction = unicodedata.normalize("NFKC", match.group()).replace("⁄", "/")
    follows_digit = match.start() > 0 and match.string[match.start() - 1].isdigit()
    return f" {fraction}" if follows_digit else fraction
