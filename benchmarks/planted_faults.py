r"""Groups of rollouts with one planted fault each, and the cause that an audit should find.

The pipeline that is played: responses are asked for a box, and a strict grader pays 1 where the last box holds the
target letter for letter and ends the text. Each fault leaves all, or nearly all, of its group unpaid. Nothing here
imports the library.
"""

import html
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from planted_problems import Problem

__all__ = ["FAULTS", "WRONG", "Planted", "healthy", "plant"]

GROUP_SIZE = 8
_OPENERS = ("", "Let's see. ", "First, ", "We work step by step. ", "Okay. ", "So, ", "To begin: ", "Here we go. ")


@dataclass
class Planted:
    """A group: its target, its rollouts as (response, reward, further columns), and the truth."""

    cause: str
    kind: str
    prompt: str
    target: Any
    rows: list[tuple[Any, float | None, dict[str, Any]]] = field(default_factory=list)


Fault = Callable[[Problem, random.Random], Planted]


def healthy(problem: Problem, source: random.Random, *, n_wrong: tuple[int, ...] = (0, 2, 4, 6)) -> Planted:
    """A group that the grader judges as it should: right answers, and now and then one of `n_wrong` wrong ones."""
    wrong = source.choice(n_wrong) if problem.wrong else 0
    texts = _right(problem, source, GROUP_SIZE - wrong, boxed(problem.answer))
    rows = [(text, 1.0, {}) for text in texts] + _unpaid(_wrong(problem, source, wrong))
    source.shuffle(rows)
    return Planted("none", "healthy", problem.prompt, str(problem.answer), rows)


def boxed(answer: object) -> str:
    return f"So the final answer is $\\boxed{{{answer}}}$."


def _texts(bodies: tuple[str, ...], source: random.Random, n: int) -> Iterator[str]:
    openers = source.sample(_OPENERS, len(_OPENERS))
    for position in range(n):
        yield openers[position % len(openers)] + bodies[position % len(bodies)]


def _right(problem: Problem, source: random.Random, n: int, *endings: str) -> list[str]:
    """Right responses that commit with one of `endings`, in turn."""
    texts = _texts(problem.right, source, n)
    return [f"{text}\n{endings[position % len(endings)]}" for position, text in enumerate(texts)]


def _wrong(problem: Problem, source: random.Random, n: int) -> list[str]:
    bodies = tuple(f"{body}\n{boxed(answer)}" for body, answer in problem.wrong)
    return list(_texts(bodies, source, n)) if bodies else []


def _unpaid(texts: list[str], **columns: Any) -> list[tuple[Any, float | None, dict[str, Any]]]:
    return [(text, 0.0, dict(columns)) for text in texts]


def _all_refused(
    cause: str, kind: str, problem: Problem, source: random.Random, target: Any, *endings: str, ask: str = ""
) -> Planted:
    """Seven or eight right responses, none paid; now and then a wrong one among them."""
    n_wrong = source.choice((0, 0, 1)) if problem.wrong and not ask else 0
    texts = _right(problem, source, GROUP_SIZE - n_wrong, *endings) + _wrong(problem, source, n_wrong)
    return Planted(cause, kind, problem.prompt + ask, target, _unpaid(texts))


def _gold(kind: str, target: Callable[[int], Any], answer: Callable[[int], str] = str) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        ending = boxed(answer(problem.answer))
        return _all_refused("gold", kind, problem, source, target(problem.answer), ending)

    return fault


def _written(cause: str, kind: str, target: Callable[[int], str], *answers: Callable[[int], str]) -> Fault:
    """A target that the grader can read, and right answers that are written otherwise."""

    def fault(problem: Problem, source: random.Random) -> Planted:
        endings = [boxed(answer(problem.answer)) for answer in answers]
        ask = f" Write the answer as the task asks ({kind})." if target(7) != "7" else ""
        return _all_refused(cause, kind, problem, source, target(problem.answer), *endings, ask=ask)

    return fault


def _placed(kind: str, ending: Callable[[int], str]) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        place = ending(problem.answer)
        return _all_refused("false_negative:extraction", kind, problem, source, str(problem.answer), place)

    return fault


def _truncated(kind: str, **columns: Any) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        texts = [_cut(text, source) for text in _texts(problem.right, source, GROUP_SIZE)]
        return Planted("truncated", kind, problem.prompt, str(problem.answer), _unpaid(texts, **columns))

    return fault


def _cut(text: str, source: random.Random) -> str:
    """`text` up to the middle of a word in its last third."""
    places = [place for place in range(len(text) // 2, len(text) - 1) if text[place - 1 : place + 1].isalpha()]
    return text[: source.choice(places)] if places else text[: len(text) // 2] + " so we"


def _committing_to_nothing(kind: str, *endings: str) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        texts = [endings[position % len(endings)] for position in range(GROUP_SIZE)]
        return Planted("no_answer", kind, problem.prompt, str(problem.answer), _unpaid(texts))

    return fault


def _hedged(kind: str, *endings: Callable[[int], str]) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        texts = _right(problem, source, GROUP_SIZE, *(ending(problem.answer) for ending in endings))
        return Planted("hedged", kind, problem.prompt, str(problem.answer), _unpaid(texts))

    return fault


def _called(kind: str, call: Callable[[str], Any]) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        rows = [call(json.dumps(problem.prompt[:40])) for _ in range(GROUP_SIZE)]
        return Planted("tool_format", kind, problem.prompt, str(problem.answer), [(row, 0.0, {}) for row in rows])

    return fault


def _unparsed_message(question: str) -> list[dict[str, Any]]:
    text = f'I will compute it.\n<tool_call>\n{{"name": "python", "arguments": {{"code": {question}}}}}\n</tool_call>'
    return [{"role": "assistant", "content": text, "tool_calls": None}]


def _unscored(kind: str, reward: float | None, **columns: Any) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        texts = _right(problem, source, GROUP_SIZE, boxed(problem.answer))
        rows = [(text, reward, dict(columns)) for text in texts]
        return Planted("scoring_fault", kind, problem.prompt, str(problem.answer), rows)

    return fault


def _truly_wrong(kind: str, answer: Callable[[int], object] | None) -> Fault:
    def fault(problem: Problem, source: random.Random) -> Planted:
        texts = _wrong(problem, source, GROUP_SIZE)
        if answer is not None:
            bodies = tuple(body for body, _ in problem.wrong)
            texts = [f"{text}\n{boxed(answer(problem.answer))}" for text in _texts(bodies, source, GROUP_SIZE)]
        return Planted("undetermined", kind, problem.prompt, str(problem.answer), _unpaid(texts))

    return fault


FAULTS: tuple[Fault, ...] = (
    _gold("unbalanced brace", lambda n: rf"\frac{{{n}}}{{7", lambda n: rf"\frac{{{n}}}{{7}}"),
    _gold("unclosed text", lambda n: rf"{n} \text{{apples", lambda n: rf"{n} \text{{apples}}"),
    _gold("cut off", lambda n: f"({n}, ", lambda n: f"({n}, {n + 4})"),
    _gold("placeholder", lambda n: ("N/A", "None", "TODO", "see solution", "?")[n % 5]),
    _gold("empty", lambda n: ""),
    _gold("markup", lambda n: (f"<b>{n}</b>", f"{n}&nbsp;", f"<p>{n}</p>")[n % 3]),
    _gold("escaped", lambda n: html.escape(f"x < {n}"), lambda n: f"x < {n}"),
    _gold("double backslash", lambda n: rf"\\frac{{{n}}}{{7}}", lambda n: rf"\frac{{{n}}}{{7}}"),
    _gold("list as text", lambda n: f'["{n}"]'),
    _gold("sentence", lambda n: (f"The answer is {n}.", f"Answer: {n}", f"A: {n}")[n % 3]),
    _gold("worked solution", lambda n: f"We add 1 and {n - 1}.\n#### {n}"),
    _gold("box in the target", lambda n: rf"\boxed{{{n}}}"),
    _gold("unseen characters", lambda n: f"{n}\u200b" if n % 2 else f"\ufeff{n}"),
    _gold("mojibake", lambda n: f"{n}Â°", lambda n: rf"{n}^\circ"),
    _gold("latex that it cannot read", lambda n: rf"{n}\pi^2", lambda n: rf"{n}\pi^2"),
    _written("false_negative:format", "thousands", lambda n: str(n + 10**5), lambda n: f"{n + 10**5:,}"),
    _written("false_negative:format", "point zero", str, lambda n: f"{n}.0", lambda n: f"{n}.00"),
    _written("false_negative:format", "decimal", lambda n: f"{n}.5", lambda n: rf"\frac{{{2 * n + 1}}}{{2}}"),
    _written("false_negative:format", "dfrac", lambda n: rf"\frac{{{n}}}{{7}}", lambda n: rf"\dfrac{{{n}}}{{7}}"),
    _written("false_negative:format", "slash", lambda n: rf"\frac{{{n}}}{{7}}", lambda n: f"{n}/7"),
    _written("false_negative:format", "power", lambda n: f"{n}000", lambda n: rf"{n} \times 10^3"),
    _written("false_negative:format", "text", str, lambda n: rf"\text{{{n}}}", lambda n: rf"\mathbf{{{n}}}"),
    _written("false_negative:format", "unreduced", str, lambda n: rf"\frac{{{2 * n}}}{{2}}"),
    _written("false_negative:format", "terms in another order", lambda n: f"x+{n}", lambda n: f"{n}+x"),
    _placed("answer tag", lambda n: f"<answer>{n}</answer>"),
    _placed("hash", lambda n: f"#### {n}"),
    _placed("sentence", lambda n: f"The answer is {n}."),
    _placed("bold", lambda n: f"**Answer:** {n}"),
    _placed("sign-off behind", lambda n: rf"The final answer is \boxed{{{n}}}. I hope this helps! Good luck."),
    _placed("token behind", lambda n: rf"The final answer is $\boxed{{{n}}}$.<|im_end|>"),
    _written(
        "false_negative:tolerance",
        "target rounded",
        lambda n: f"{n + 1 / 7:.2f}",
        lambda n: rf"\frac{{{7 * n + 1}}}{{7}}",
    ),
    _written("false_negative:tolerance", "more digits", lambda n: f"{n + 1 / 7:.2f}", lambda n: f"{n + 1 / 7:.5f}"),
    _written("false_negative:tolerance", "fewer digits", lambda n: f"{n + 1 / 7:.5f}", lambda n: f"{n + 1 / 7:.3f}"),
    _written(
        "false_negative:tolerance", "third", lambda n: rf"\frac{{{3 * n + 1}}}{{3}}", lambda n: f"{n + 1 / 3:.7f}"
    ),
    _written("false_negative:tolerance", "pi", lambda n: rf"{n}\pi", lambda n: f"{n * 3.141592653589793:.6f}"),
    _written("false_negative:units", "dollars", str, lambda n: rf"\${n}", lambda n: f"{n} dollars"),
    _written("false_negative:units", "length", str, lambda n: rf"{n}\text{{ cm}}", lambda n: f"{n} cm"),
    _written("false_negative:units", "degree", lambda n: rf"{n}^\circ", str),
    _written("false_negative:units", "percent", lambda n: rf"{n}\%", str),
    _written("false_negative:units", "conversion", lambda n: f"{n} km", lambda n: f"{n}000 m"),
    _written("false_negative:units", "unit left out", lambda n: rf"{n}\text{{ square units}}", str),
    _written("false_negative:structure", "list order", lambda n: f"{n}, {n + 3}", lambda n: f"{n + 3}, {n}"),
    _written("false_negative:structure", "brackets left out", lambda n: f"({n}, {n + 3})", lambda n: f"{n}, {n + 3}"),
    _written("false_negative:structure", "set", lambda n: rf"\{{{n}, {n + 3}\}}", lambda n: f"{n + 3}, {n}"),
    _written("false_negative:structure", "labels", lambda n: f"({n}, {n + 3})", lambda n: f"x={n}, y={n + 3}"),
    _written("false_negative:format", "interval", lambda n: f"[{n}, {n + 3}]", lambda n: rf"{n} \le x \le {n + 3}"),
    _truncated("finish reason", finish_reason="length"),
    _truncated("flag", truncated=True),
    _truncated("visible only"),
    _committing_to_nothing("gives up", "I cannot solve this problem.", "There is not enough information to tell."),
    _committing_to_nothing("no word", "", " "),
    _committing_to_nothing("empty box", "After some thought, we get $\\boxed{}$.", "Thus $\\boxed{ }$."),
    _committing_to_nothing("asks back", "Could you tell me more about what is asked?", "What do you mean by that?"),
    _hedged("or", lambda n: boxed(f"{n} or {n + 1}")),
    _hedged("two boxes", lambda n: rf"The answer is \boxed{{{n}}} or \boxed{{{n + 2}}}."),
    _hedged("two lines", lambda n: f"Answer: {n}\nAnswer: {n + 1}", lambda n: f"#### {n}\n#### {2 * n}"),
    _hedged("either", lambda n: f"The answer is either {n} or {n + 5}.", lambda n: f"The answer is {n} or {2 * n}."),
    _called("bad JSON", lambda q: f'<tool_call>\n{{"name": "python", "arguments": {{"code": {q},}}\n</tool_call>'),
    _called("cut call", lambda q: f'Let me run it.\n<tool_call>\n{{"name": "python", "arguments": {{"code": {q}'),
    _called("no name", lambda q: f'<tool_call>\n{{"code": {q}}}\n</tool_call>'),
    _called(
        "XML for JSON", lambda q: f"<tool_call><function=python><parameter=code>{q}</parameter></function></tool_call>"
    ),
    _called("not parsed", _unparsed_message),
    _unscored("null", None),
    _unscored("NaN", float("nan")),
    _unscored("exception turned 0", 0.0, error="TimeoutError: verification took longer than 5 s"),
    _unscored("turned 0 in silence", 0.0),
    _unscored("sum below the outcome", 0.5, reward_accuracy=1.0, reward_length=-0.5),
)
"""What can be wrong with a pipeline, or with what it is fed."""

WRONG: tuple[Fault, ...] = (
    *[_truly_wrong("a model's own", None)] * 7,
    _truly_wrong("one more", lambda n: n + 1),
    _truly_wrong("ten times", lambda n: 10 * n),
    _truly_wrong("negated", lambda n: -n),
    _truly_wrong("half", lambda n: f"{n / 2:g}"),
)
"""Groups that are wrong and nothing else."""


def plant(faults: tuple[Fault, ...], right: Iterator[Problem], source: random.Random, n: int) -> Iterator[Planted]:
    """`n` groups of each fault."""
    for fault in faults:
        for _ in range(n):
            yield fault(next(right), source)
