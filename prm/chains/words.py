"""What the words between two equations, or around one, allow to conclude of the two."""

import re

__all__ = [
    "asks_to_rewrite",
    "defines",
    "has_other_algebra",
    "holds_only_where",
    "leaves_open",
    "lists",
    "manipulates",
    "neglects",
    "substitutes",
    "tries",
]

# Another case, another number, a supposition, a trial, a denial: what follows need not follow from what precedes.
_OPEN = re.compile(
    r"\b(?:cases?|either|or|new|old|different|both(?! sides)|respectively|otherwise|alternatively|other|another|second"
    r"|third|roots|solutions|values|similarly|likewise|also|instead|however|but|meanwhile|plus or minus|if|suppos\w*"
    r"|assum\w*|imagin\w*|tr(?:y|ies|ying)|test\w*|guess\w*|when(?:ever)?|would|could|might|may|unless|whether|check\w*|verif\w*"
    r"|say|choos\w*|pick\w*|possib\w*|example|instance|want\w*|should|at (?:most|least)|until|let(?![’']s)|take|set"
    r"|setting|consider|range\w*|limit\w*|approach\w*|minimum|maximum|not|no|cannot|contradict\w*|impossible|closest"
    r"|nearest|round\w*|approximat\w*|about|estimate\w*|mod|modulo|remainder|plug\w*|substitut\w*|original|vertex"
    r"|prove|true|replac\w*|chang\w*)\b"
    r"|\b(?:part|for|at|with|where|as)\W*\Z|n[’']t\b|\\pm|±|\\mp|\?|(?<![a-z])[a-h]\)",
    re.IGNORECASE,
)
_MANIPULATING = re.compile(
    r"\b(?:(?:divid|multipl|subtract|add|squar|simplif|rearrang|expand|distribut|factor|isolat|cross[- ]multipl|combin"
    r"|collect|cancel|reduc|transpos|solv)\w*|both sides|like terms|in terms of)\b",
    re.IGNORECASE,
)
# `x-3 = 5, x-3 = -5` lists what it finds.
_LISTED = re.compile(r"(?:[ $]|\\q?quad)*(?:[,;]|and\b)(?:[ $]|and\b|\\q?quad)*")
# What a manipulation of one equation takes from elsewhere.
_SUBSTITUTING = re.compile(
    r"\b(?:substitut\w*|plug\w*|replac\w*|system|equations|using|use|since|because|given|know|known|from(?! both)"
    r"|eliminat\w*|second|third|last|other|another|two|sum|total|product|ratio|says?|tells?|also|each)\b",
    re.IGNORECASE,
)
_REWRITING = re.compile(r"\W*(?:simplify|expand|factor(?:ise|ize)?|multiply out|completely factor)\b", re.IGNORECASE)
_TRYING = re.compile(
    r"\b(?:if|when|plug\w*|substitut\w*|tr(?:y|ies|ying)|test\w*|check\w*|verif\w*|suppos\w*|assum\w*|let(?![’']s)|works?"
    r"|satisf\w*)\b",
    re.IGNORECASE,
)
# A modulus, a base, an operation of the problem's own, or nothing but some digits of a number.
_OTHER_ALGEBRA = re.compile(
    r"\b(?:mod|modulo|modular|modulus|congruen\w*|residues?|remainders?|binary|octal|hexadecimal|xor|boolean|bitwise"
    r"|cryptarithm\w*|tropical|clock|in base|operat(?:ion|or)|matri(?:x|ces)|quaternions?"
    r"|roots? of unity|characteristic (?:\d|two|p\b)"
    r"|(?:units?|last|ones|final|tens) (?:two )?digits?|digit sums?|(?:finite|prime) field)\b"
    r"|\\(?:[bp]?mod|equiv|oplus)(?![a-z])|[≡⊕]|\bbase[- ~$]*(?:\d|b\b|two|three|four|five|six|seven|eight|nine|twelve)"
    r"|\\mathbb\{?\s*[ZF]\}?\s*(?:_|/)|\bdefin\w*[^=\n]{0,60}[a-z]\s?(?:[*@#&★◦∘]|\\(?:star|circ|ast|diamond)\b)\s?[a-z]",
    re.IGNORECASE,
)
# Where a false rewriting holds, said behind it: `(a+b)^2 = a^2+b^2 iff ab = 0`, or `so 2ab = 0`.
_CONDITION = re.compile(
    r"[\s$,)\]\\]{0,6}(?:(?:iff|if|only|when(?:ever)?|exactly|precisely|for(?! (?:all|any|every))|holds|has)\b"
    r"|\\(?:iff|Leftrightarrow)|⇔)"
    r"|[^=.\n]{0,60}[a-z](?:\^\{?[0-9]\}?)?\s?=\s?0(?![\d.])",
    re.IGNORECASE,
)
# Terms that are left out on purpose, or 0 for what the letters stand for.
_NEGLIGENT = re.compile(
    r"\b(?:small|neglect\w*|negligible|ignor\w*|(?:higher|first|second)[- ]order|lineari[sz]\w*|approximat\w*|vectors?"
    r"|orthogonal|anti-?commut\w*)\b"
    r"|[a-z]\s?=\s?0(?![\d.])",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?:;])\s+|\n+")


def leaves_open(between: str) -> bool:
    """Whether words between two equations may lead on to another case, value or supposition.

    Example:
        >>> leaves_open("or"), leaves_open("Dividing both sides by 2, we get")
        (True, False)
    """
    return _OPEN.search(between) is not None or lists(between)


def lists(between: str) -> bool:
    """Whether nothing but a comma or an "and" stands between two equations."""
    return _LISTED.fullmatch(between) is not None


def manipulates(between: str) -> bool:
    """Whether words between two equations say that the one is made of the other."""
    return _MANIPULATING.search(_last_sentences(between)) is not None


def substitutes(between: str) -> bool:
    """Whether words between two equations may bring in a third."""
    return _SUBSTITUTING.search(_last_sentences(between)) is not None


def tries(text: str) -> bool:
    """Whether `text` puts a value in to see what comes out."""
    return _TRYING.search(text) is not None


def holds_only_where(behind: str) -> bool:
    """Whether the words behind an equation say for which values it holds.

    Example:
        >>> holds_only_where("$ iff $ab = 0$."), holds_only_where(", so the area is 12.")
        (True, False)
    """
    return _CONDITION.match(behind) is not None


def neglects(before: str) -> bool:
    """Whether the words before an equation say that some of its terms are 0, or as good as that.

    Example:
        >>> neglects("For small x,"), neglects("Expanding,")
        (True, False)
    """
    return _NEGLIGENT.search(before) is not None


def has_other_algebra(text: str) -> bool:
    """Whether `text` speaks of an arithmetic in which other equations hold.

    Example:
        >>> has_other_algebra("We work modulo 7."), has_other_algebra("She reads on 3 days of the week.")
        (True, False)
    """
    return _OTHER_ALGEBRA.search(text) is not None


def asks_to_rewrite(prompt: str) -> bool:
    """Whether a prompt asks for another form of an expression, and for no solution.

    Example:
        >>> asks_to_rewrite("Simplify $2(x+1)-x$."), asks_to_rewrite("Simplify, then solve $2x = 4$.")
        (True, False)
    """
    return _REWRITING.match(prompt) is not None and not re.search(r"[=<>]|\bsolve", prompt)


def defines(between: str, name: str) -> bool:
    """Whether words between two equations say (again) what the letter `name` stands for."""
    letter = rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])"
    return (
        re.search(
            rf"\b(?:let|call|denote|define|represent)\b[^.]{{0,60}}{letter}"
            rf"|{letter}\W{{0,3}}\s*(?:be|represents?|denotes?|stands?|is the|to be)\b",
            between,
            re.IGNORECASE,
        )
        is not None
    )


def _last_sentences(text: str) -> str:
    return " ".join([sentence for sentence in _SENTENCES.split(text[-400:].rstrip()) if sentence.strip(" $\\[(.")][-1:])
