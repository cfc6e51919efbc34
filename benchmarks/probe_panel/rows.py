"""25 questions of each kind, made from a seed: prompt and target, and the sentence that asks for the answer's form."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

ASKS = {
    "box": "Put your final answer in \\boxed{}.",
    "thought": "Think between <think> and </think>; only then put your final answer in \\boxed{}.",
    "hash": "Put your final answer on a last line of its own, behind ####.",
    "tag": "Think between <think> and </think>, then put your final answer between <answer> and </answer>.",
    "letter": 'End with a line "Answer: X", where X is the letter of your choice.',
    "bare": "Reply with the answer alone.",
}
"""The sentence of each form, which every prompt ends with."""

_CAPITALS = (
    "Paris Lyon Nice", "Rome Milan Turin", "Madrid Seville Bilbao", "Berlin Hamburg Munich", "Vienna Graz Linz",
    "Lisbon Porto Braga", "Oslo Bergen Tromso", "Warsaw Lodz Gdansk", "Athens Patras Volos", "Dublin Cork Galway",
    "Tokyo Osaka Kyoto", "Seoul Busan Daegu", "Cairo Giza Luxor", "Lima Cusco Piura", "Quito Cuenca Loja",
    "Ottawa Toronto Calgary", "Canberra Sydney Perth", "Delhi Mumbai Pune", "Ankara Izmir Bursa", "Accra Kumasi Tema",
    "Helsinki Turku Oulu", "Prague Brno Plzen", "Budapest Szeged Pecs", "Sofia Varna Plovdiv", "Stockholm Uppsala Lund",
)  # fmt: skip
_SYMBOLS = (
    "mW MW", "MW mW", "mm Mm", "Mm mm", "Pa pA", "pA Pa", "Mg mg", "mg Mg", "mV MV", "MV mV", "mA MA", "MA mA", "mJ MJ",
    "MJ mJ", "Ps ps", "ps Ps", "mHz MHz", "MHz mHz", "mN MN", "MN mN", "pF PF", "PF pF", "mK MK", "MK mK", "mS MS",
)  # fmt: skip


class Row(NamedTuple):
    """One question."""

    prompt: str
    target: str


def rows(kind: str, form: str, *, n: int = 25, seed: int = 0) -> list[Row]:
    """`n` questions of a kind, each ending with the sentence that asks for `form`."""
    source = random.Random(f"{seed} {kind}")
    return [Row(f"{question} {ASKS[form]}", target) for question, target in _KINDS[kind](source, n)]


def _integers(source: random.Random, n: int) -> list[tuple[str, str]]:
    found = []
    for number in range(n):
        one, other, less = source.randint(12, 97), source.randint(12, 97), source.randint(2, 9)
        total = one * other - less if number % 5 else one - other - 100 - less
        text = (
            f"{one} crates hold {other} pens each; then {less} are sold"
            if number % 5
            else (f"It is {one - 100} degrees, gets {other} colder, and {less} colder still")
        )
        found.append((f"{text}. What is the number now?", str(total)))
    return found


def _decimals(source: random.Random, n: int) -> list[tuple[str, str]]:
    prices = [(source.randint(111, 998) * 10 + source.choice((1, 3, 7, 9)), source.randint(3, 9)) for _ in range(n)]
    return [
        (
            f"A metre of cloth costs ${cents / 100:.2f}. What do {many} metres cost, in dollars?",
            f"{cents * many / 100:.2f}",
        )
        for cents, many in prices
    ]


def _fractions(source: random.Random, n: int) -> list[tuple[str, str]]:
    found = []
    while len(found) < n:
        first = Fraction(source.randint(1, 9), source.randint(2, 13))
        second = Fraction(source.randint(1, 9), source.randint(2, 13))
        total = first + second
        if total.denominator > 1 and total.numerator > 1:
            found.append((f"What is {first} plus {second}, as a fraction?", f"{total.numerator}/{total.denominator}"))
    return found


def _letters(source: random.Random, n: int) -> list[tuple[str, str]]:
    found = []
    for cities in _CAPITALS[:n]:
        capital, *others = cities.split()
        options = source.sample([capital, *others, "None"], 4)
        listed = " ".join(f"{letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
        found.append((f"Which of these is a capital? {listed}", "ABCD"[options.index(capital)]))
    return found


def _words(source: random.Random, n: int) -> list[tuple[str, str]]:
    asked = []
    for cities in _CAPITALS[:n]:
        names = cities.split()
        asked.append((f"Which of these cities is a capital: {', '.join(source.sample(names, 3))}?", names[0]))
    return asked


def _symbols(source: random.Random, n: int) -> list[tuple[str, str]]:
    meanings = {
        "m": "a thousandth of",
        "M": "a million",
        "p": "a millionth of a millionth of",
        "P": "ten to the fifteen",
    }
    asked = []
    for symbols in _SYMBOLS[:n]:
        right = symbols.split()[0]
        meaning = meanings.get(right[0], "one") if right != "Pa" else "one"
        asked.append(
            (f"A gauge shows {source.randint(2, 9)} units, each {meaning} base unit. Which symbol is on it?", right)
        )
    return asked


_KINDS: dict[str, Callable[[random.Random, int], list[tuple[str, str]]]] = {
    "integers": _integers,
    "decimals": _decimals,
    "fractions": _fractions,
    "letters": _letters,
    "words": _words,
    "symbols": _symbols,
}
