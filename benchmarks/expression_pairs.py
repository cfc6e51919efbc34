r"""Verdicts on generated pairs of equal and unequal expressions, beside math-verify in a killable worker.

    python benchmarks/expression_pairs.py [--pairs 2000] [--seed 0] [--alone]

sympy makes an expression, rewrites it (expanded, factored, together, apart, radicals and logarithms resolved ...) or
changes one of its parts, and prints both as LaTeX. Whether they are equal is known from how the pair was made, and for
a changed one from 60 digits at points of its own. Prints every row on which a grader errs, and for each family of
expressions the share that each grader gets right, decides at all, and the median milliseconds.
"""

import argparse
import random
import warnings
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import sympy
from sympy import Rational, cos, exp, expand, factor, log, sin, sqrt, symbols, tan

from rewardgate.verifiers.expression.normalise import normalise
from rewardgate.verifiers.expression.results import SymbolicError
from rewardgate.verifiers.probed import probed
from rewardgate.verifiers.symbolic import SymbolicStages

x, y, a, b = symbols("x y a b", real=True)
n = symbols("n", positive=True)


def number(chance: random.Random) -> Any:
    return Rational(chance.choice([-7, -5, -3, -2, -1, 1, 2, 3, 4, 5, 6, 11]), chance.choice([1, 1, 1, 2, 3, 7]))


def polynomial(chance: random.Random) -> Any:
    made = sympy.Integer(1)
    for _ in range(chance.randint(1, 3)):
        made *= number(chance) * chance.choice([x, y, x * y, x**2]) + number(chance)
    return made


def quotient(chance: random.Random) -> Any:
    return polynomial(chance) / (x + number(chance)) + number(chance) / (y - number(chance))


def radical(chance: random.Random) -> Any:
    made = number(chance)
    for _ in range(chance.randint(1, 3)):
        made += (
            number(chance)
            * sqrt(chance.choice([2, 3, 5, 6, 7, 8, 12, 18, 45, 200]))
            / chance.choice([1, sqrt(2), 1 + sqrt(3), sqrt(5) - 2])
        )
    return made


def trigonometric(chance: random.Random) -> Any:
    angle = chance.choice([x, 2 * x, x + y, x / 2, sympy.pi / 3 + x, a - b])
    part = chance.choice([sin, cos, tan])(angle)
    return number(chance) * part ** chance.choice([1, 2, 3]) + number(chance) * sin(x) * cos(y)


def exponential(chance: random.Random) -> Any:
    return number(chance) * exp(number(chance) * x + y) + chance.choice([2**x, exp(x) ** 2, x * exp(-x)]) * number(
        chance
    )


def logarithm(chance: random.Random) -> Any:
    return number(chance) * log(chance.choice([6, 8, 12, n, n**2, n * 6, n / 3])) + number(chance) * log(
        chance.choice([2, 3, n, n + 1])
    )


def complex_number(chance: random.Random) -> Any:
    one, other = (number(chance) + number(chance) * sympy.I for _ in range(2))
    return one / other + chance.choice([one**2, sympy.sqrt(-8), exp(sympy.I * sympy.pi / 3)])


def trigonometric_constant(chance: random.Random) -> Any:
    angle = sympy.pi * Rational(chance.randint(1, 11), chance.choice([3, 4, 6, 12]))
    return number(chance) * chance.choice([sin, cos])(angle, evaluate=False) + sqrt(chance.choice([2, 3])) + sympy.pi


FAMILIES: dict[str, Callable[[random.Random], Any]] = {
    family.__name__.replace("_", " "): family
    for family in (
        polynomial, quotient, radical, trigonometric, exponential, logarithm, complex_number, trigonometric_constant,
    )
}  # fmt: skip
REWRITES: tuple[Callable[[Any], Any], ...] = (
    expand, factor, sympy.together, sympy.cancel, sympy.radsimp, sympy.expand_trig,
    sympy.trigsimp, sympy.expand_log, sympy.logcombine, sympy.powsimp, sympy.simplify, sympy.expand_complex,
)  # fmt: skip


def changed(made: Any, chance: random.Random) -> Any:
    """`made` with one part changed: a number, a sign, a function, a variable, a power."""
    numbers = sorted(made.atoms(sympy.Rational), key=str) or [sympy.Integer(1)]
    picked = chance.choice(numbers)
    changes: list[Callable[[], Any]] = [
        lambda: made.xreplace({picked: picked + chance.choice([1, -1, Rational(1, 10)])}),
        lambda: made + chance.choice([1, -1, Rational(1, 100), sqrt(2)]),
        lambda: -made,
        lambda: made.xreplace({x: y, y: x}),
        lambda: made.replace(sin, cos),
        lambda: made.xreplace({x: x + 1}),
        lambda: 2 * made,
    ]
    return chance.choice(changes)()


def truly_equal(first: Any, second: Any) -> bool | None:
    """By 60 digits at points of its own; None where they have too few values."""
    names = sorted(first.free_symbols | second.free_symbols, key=str)
    agreed = 0
    for shift in range(12):
        point = {
            name: Rational(17 + 5 * index + 3 * shift, 7 + index) * (-1) ** (shift >> (index % 3))
            for index, name in enumerate(names)
        }
        values = [sympy.N(one.subs(point), 60) for one in (first, second)]
        if not all(value.is_number and value.is_finite for value in values) or (
            names and not all(value.is_real for value in values) and not first.has(sympy.I)
        ):
            continue
        if abs(values[0] - values[1]) > sympy.Float(10) ** -40 * (1 + abs(values[0])):
            return False
        agreed += 1
        if not names:
            break
    return True if agreed else None


def pairs(count: int, seed: int) -> list[tuple[str, str, str, bool]]:
    """(family, target, answer, equal) as LaTeX; never the same text twice."""
    chance = random.Random(seed)
    made: list[tuple[str, str, str, bool]] = []
    while len(made) < count:
        family = chance.choice(list(FAMILIES))
        first = FAMILIES[family](chance)
        equal = chance.random() < 0.5
        try:
            second = chance.choice(REWRITES)(first if equal else changed(first, chance))
            truth = truly_equal(first, second)
        except (sympy.PolynomialError, NotImplementedError, ValueError, TypeError, AttributeError):
            continue  # sympy's own faults on its own rewritings; without its truth a pair says nothing
        texts = [sympy.latex(one, ln_notation=True) for one in (first, second)]
        if truth is None or texts[0] == texts[1] or max(map(len, texts)) > 400:
            continue
        made.append((family, texts[0], texts[1], truth))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help="without math-verify")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ours, theirs = SymbolicStages(None, fallback=False, timeout_s=5), SymbolicStages(None, fallback=True, timeout_s=5)
    graders: dict[str, Callable[[], Any]] = {"probe": lambda: probed(ours())}
    if not options.alone:
        graders["worker"] = lambda: theirs()
    found: dict[tuple[str, str], list[tuple[bool | None, float]]] = defaultdict(list)
    for family, target, answer, equal in pairs(options.pairs, options.seed):
        for name, grader in graders.items():
            started = perf_counter()
            try:
                said: bool | None = grader()(normalise(target), normalise(answer)).equal
            except SymbolicError as error:
                said = None
                print(f"{name} undecided ({error.rule}): {target} | {answer}")
            found[family, name].append((None if said is None else said == equal, perf_counter() - started))
            if said is not None and said != equal:
                print(f"{name} says {said}, it is {equal}: {target} | {answer}")
    print(f"| family | grader | pairs | right | wrong | undecided | p50 ms |\n|{' --- |' * 7}")
    for (family, name), rows in sorted(found.items()):
        right, wrong, none = (sum(row[0] is one for row in rows) for one in (True, False, None))
        milliseconds = 1000 * median(row[1] for row in rows)
        print(f"| {family} | {name} | {len(rows)} | {right} | {wrong} | {none} | {milliseconds:.2f} |")


if __name__ == "__main__":
    main()
