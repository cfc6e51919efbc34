"""How languages announce an answer: `Answer:`, `the answer is`, `Antwort:`, `答案是`, `답:` and their kin.

A word counts only with its sign behind it: a colon, one of its copulas, or a line of its own above the
answer. Scripts without spaces need no word boundary.
"""

import re
from dataclasses import dataclass
from functools import cached_property

_COLON = r"[:：﹕=]"
_CLOSERS = r"[*_\"'”`\])）】」]{0,4}"


@dataclass(frozen=True)
class AnswerWord:
    """One announcing word: the letters to search for, and the pattern that must match where they stand."""

    stem: str
    source: str
    flags: int = re.IGNORECASE

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when its stem is first met: most languages never are, and all of them take a tenth of a second."""
        return re.compile(self.source, self.flags)


_OF_WHAT = (
    r"(?:\s+(?:choice|option|value|key|here|then|thus|therefore)"
    r"|\s+(?:to|for|of|in|as|we\s+get|we\s+obtain)\s+[^\s.:：=]{1,24}(?:\s+[^\s.:：=]{1,24}){0,7}?"
    r"|\s*[(（][^()\n]{0,48}[)）])?"
)
_COPULA = (
    r"(?:is|are|was|will\s+be|would\s+(?:then\s+)?be|(?:could|may|might|can)\s+be|should\s+be"
    r"|must\s+(?:therefore\s+)?be|equals|comes\s+(?:out\s+)?to(?:\s+be)?"
    r"|turns\s+out\s+to\s+be|becomes)\b"
)
_ADVERBS = (
    r",?(?:\s+(?:therefore|thus|then|simply|just|indeed|hence|clearly|now|also|exactly|precisely|actually|still|again"
    r"|option|choice"
    r"|given\s+by|equal\s+to|indeed)\b,?)*"
)

_ENGLISH = (
    rf"nswers?{_CLOSERS}{_OF_WHAT}{_CLOSERS}\s{{0,3}}"
    rf"(?:{_COLON}|(?P<copula>{_COPULA})(?P<negation>\s*n['’]t\b|\s+(?:not|never)\b)?{_ADVERBS}\s{{0,3}}{_COLON}?"
    rf"|(?P<negated>(?:is|are|was)n['’]t\b)|(?P<heading>[*_#\s]{{0,8}}\n)|->|→|⇒|=>)"
)
_ABBREVIATION = rf"\*{{0,3}}(?:A|Ans|ANS|ans)\.?{_CLOSERS}\s?(?:{_COLON}|(?<=s\.))"


_OTHER_ADVERBS = r"(?:\s(?:donc|alors|also|daher|somit|folglich|entonces|pues|quindi|dunque|portanto|então)\b)?"


def _word(stem: str, copulas: str = "") -> AnswerWord:
    """The `AnswerWord` for `stem`, with its language's copulas."""
    copula = rf"|(?P<copula>{copulas}){_OTHER_ADVERBS}\s{{0,3}}{_COLON}?" if copulas else ""
    return AnswerWord(
        stem,
        rf"{stem}{_CLOSERS}(?:\s+[^\W\d]{{1,14}}(?:\s+[^\W\d]{{1,14}})?)?{_CLOSERS}\s{{0,3}}"
        rf"(?:{_COLON}{copula}|(?P<heading>[*_#\s]{{0,8}}\n))",
    )


_ENGLISH_WORDS = (AnswerWord("nswer", _ENGLISH), AnswerWord("NSWER", _ENGLISH))
ABBREVIATED = re.compile(_ABBREVIATION)
_ABBREVIATIONS = tuple(
    AnswerWord(stem, rf"\n{_ABBREVIATION}", 0) for stem in ("\nA:", "\nA：", "\nAns", "\nANS", "\nans", "\n*")
)

_ASCII_WORDS = (
    _word("Antwort", r"ist|lautet|betr[äa]gt|w[äa]re"),
    _word("espuesta", r"es|ser[íi]a"),
    _word("esposta", r"[ée]|ser[áa]"),
    _word("isposta", r"[èe]"),
    _word("ntwoord", r"is"),
    _word("Jawaban", r"adalah|nya"),
    _word("Jibu", r"ni"),
    _word("Cevap", r""),
    _word("cevap", r""),
    _word("aspunsul", r"este|e"),
    _word("aspuns", r"este|e"),
    _word("Vastaus", r"on"),
    _word("Svaret", r"[äe]r"),
    _word("Svar", r"[äe]r"),
)
ASCII_POOL = (*_ENGLISH_WORDS, *_ABBREVIATIONS, *_ASCII_WORDS)
"""The words to look for in every text."""
_STEMS = [word.stem for word in ASCII_POOL]
ASCII_STEMS = tuple(stem for stem in _STEMS if not any(part in stem and part != stem for part in _STEMS))
"""Where none of these stands, no word of the pool does: `Svaret` holds `Svar`."""

_OTHERS = (
    _word("éponse", r"est|vaut"),
    AnswerWord("故选", r"故选\s?[:：]?\s{0,3}", 0),
    _word("答案", r"(?:应该|應該|应|應|就|便|即)?(?:是|为|為|选|選)|等于"),
    _word("答", r""),
    _word("答え", r"は|が"),
    _word("解答", r"は|是|为"),
    _word("回答", r"は|是|为"),
    _word("답", r"은|이"),
    _word("정답", r"은|이"),
    _word("твет", r"равен|это|—|–|-"),
    _word("ідповідь", r"—|–|-"),
    _word("dpowiedź", r"to|brzmi|jest"),
    _word("dpověď", r"je|zní"),
    _word("álasz", r""),
    _word("ăspunsul", r"este|e"),
    _word("ăspuns", r"este|e"),
    _word("Đáp án", r"là"),
    _word("đáp án", r"là"),
    _word("Trả lời", r""),
    _word("उत्तर", r"है"),
    _word("উত্তর", r"হল|হলো"),
    _word("సమాధానం", r""),
    _word("คำตอบ", r"คือ"),
    _word("الإجابة", r"هي"),
    _word("الجواب", r"هو"),
    _word("תשובה", r"היא"),
    _word("πάντηση", r"είναι"),
)
OTHER_WORDS = tuple(sorted(_OTHERS, key=lambda word: -len(word.stem)))
"""Words that hold a letter outside ASCII; looked for only in texts that do.
The longest first: 答え before 答."""
