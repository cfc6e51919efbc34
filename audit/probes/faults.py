"""What each kind of fault means for a policy, and what to do about it."""

from collections.abc import Mapping
from typing import NamedTuple

from .model import Severity

__all__ = ["FAULTS", "Fault"]


class Fault(NamedTuple):
    """How grave it is, what is said of it, and why it matters with what to do."""

    severity: Severity
    title: str
    explanation: str


FAULTS: Mapping[str, Fault] = {
    "any_answer": Fault(
        "fail", "pays any answer", "Right and wrong answers are paid alike: nothing can be learnt from it."
    ),
    "wrong_value": Fault(
        "fail", "pays other values", "What is near, or another prompt's, is paid: see how the two values are compared."
    ),
    "empty": Fault(
        "fail",
        "pays an empty answer",
        "An empty text is part of every text, and no answer equals no target: refuse it first.",
    ),
    "substring": Fault(
        "fail",
        "pays the target's text as a part of other text",
        "Listing many values is then enough: extract one committed answer and compare that, whole.",
    ),
    "mention": Fault(
        "fail",
        "pays the target wherever it is mentioned",
        "A dismissed value is paid like an answer: read only where the response commits to one.",
    ),
    "first_number": Fault(
        "fail",
        "takes the first value in the response",
        "A given or dismissed value is paid, and a derivation before the answer is not: read the committed answer.",
    ),
    "last_number": Fault(
        "fail",
        "takes the last value in the response",
        "Whatever is said last is paid, a dismissed value too: read the committed answer, and only then fall back.",
    ),
    "prompt_echo": Fault(
        "fail",
        "pays a repetition of the prompt",
        "Copying the task earns the reward: judge the completion alone, and refuse what only stands in the prompt.",
    ),
    "thought": Fault(
        "fail", "pays what is only thought", "Take closed and unclosed thoughts away before reading an answer."
    ),
    "answer_in_thought": Fault(
        "warn",
        "pays an answer that stands in the thought alone",
        "The prompt asks for the answer behind the thought: a policy that never ends its thought is paid all the same.",
    ),
    "tool_output": Fault(
        "fail", "pays a tool's output", "The policy did not say it: read only the assistant's own last message."
    ),
    "hedge": Fault(
        "fail",
        "pays several answers at once",
        "A policy learns to list: refuse an answer that names several values which exclude one another.",
    ),
    "prefix": Fault(
        "fail",
        "pays what begins with the target",
        "420 is paid where 42 is right: compare whole answers, with an anchor at the end of a pattern.",
    ),
    "letter_in_word": Fault(
        "fail",
        "takes a letter out of a word for the choice",
        "The A of Answer is no choice: read the letter where the response commits to it, alone.",
    ),
    "part": Fault(
        "fail",
        "pays a part of the target",
        "`answer in target` is true of every digit of it: compare whole answers.",
    ),
    "sign": Fault("fail", "ignores the sign", "A wrong sign is a wrong answer: keep it through extraction."),
    "scale": Fault(
        "fail", "ignores the scale", "Ten times as much is not the same: check what the normalisation strips."
    ),
    "percent": Fault(
        "fail",
        "takes a number for a hundred times, or a hundredth of, it",
        "40 and 0.4 are different answers where no per cent sign stands: convert only what has one.",
    ),
    "pattern": Fault(
        "fail",
        "uses the target as a pattern",
        "A point in it matches any character, a bracket groups: escape it, or compare texts.",
    ),
    "one_line": Fault(
        "warn",
        "reads a thought on one line and none on several",
        "A point in a pattern matches no line end unless told to (re.DOTALL): every long thought costs the reward.",
    ),
    "truncation": Fault(
        "fail",
        "cuts decimals off",
        "7.9 is paid as 7: compare exact values, or round to the target's own digits.",
    ),
    "tolerance": Fault(
        "warn",
        "has a tolerance of one part in 10,000 or more",
        "Near misses are paid; for an integer target that is a wrong answer. State the tolerance, or compare exactly.",
    ),
    "loose_tolerance": Fault(
        "fail",
        "has a tolerance so wide that one more is the same",
        "Neighbouring integers are paid: a tolerance relative to the target grows with it. Compare integers exactly.",
    ),
    "inverted": Fault(
        "fail", "takes a fraction for its inverse", "Check the order in which numerator and denominator are read."
    ),
    "interval": Fault(
        "fail", "pays an interval around the target", "A range is no answer where one value is asked for."
    ),
    "equation": Fault(
        "fail",
        "pays a false equation",
        "`8=7` is accepted where 7 is right: an equation in place of a value must hold, or be refused.",
    ),
    "negation": Fault("fail", "pays a denial", '"not 7" is paid as 7: words around a value may deny it.'),
    "mutant_survives": Fault(
        "warn",
        "pays programs with a slip",
        "The tests let them through: add a case that tells each from the reference. One may mean the same after all.",
    ),
    "case_folding": Fault(
        "fail", "folds the case of symbols", "n and N are different symbols: fold the case of words only."
    ),
    "error_paid": Fault(
        "fail",
        "pays what it cannot read",
        "Nonsense earns rewards, as where an exception or a NaN counts as a match: what cannot be read is not right.",
    ),
    "length": Fault(
        "fail",
        "pays for length",
        "The same answer earns more in a longer text: a policy learns to write more, not better.",
    ),
    "lazy": Fault(
        "fail",
        "pays a response that never reads the task",
        "One fixed text earns rewards that it is not right for: a policy finds it.",
    ),
    "random": Fault(
        "fail",
        "says another thing when asked the same again",
        "Rewards that do not repeat are noise; rows of the matrix are then no evidence, and none is held against it.",
    ),
    "order_dependence": Fault(
        "fail",
        "judges a row by what was judged before or beside it",
        "State is kept between calls or rows: the reward of a rollout then depends on its place in the batch.",
    ),
    "thread": Fault(
        "warn",
        "fails outside the main thread",
        "Signals work in the main thread only; trainers call rewards from others. Use a time limit without signals.",
    ),
    "event_loop": Fault(
        "warn",
        "fails inside an event loop",
        "asyncio.run cannot be called where a loop runs; async trainers call rewards there.",
    ),
    "nan": Fault(
        "fail", "returns NaN", "One NaN makes the whole group's advantages NaN: return 0, or None for unknown."
    ),
    "none": Fault(
        "warn",
        "returns None for some responses",
        "An unscored response moves no advantage: a policy can buy its way out of a 0. Keep None for targets at fault.",
    ),
    "raises": Fault(
        "warn",
        "raises on some responses",
        "A trainer stops, or turns the exception into a reward: catch it where it arises.",
    ),
    "hangs": Fault("fail", "hangs", "One response stops the run, or costs the time limit each time: bound the work."),
    "crash": Fault(
        "fail", "ends its process", "One response takes the trainer with it: run it in a process that may die."
    ),
    "out_of_range": Fault(
        "warn",
        "returns rewards outside the range",
        "Thresholds, weights and logged rates assume rewards up to the one of a right answer (--correct-at).",
    ),
    "composition": Fault(
        "warn",
        "stumbles over a combination",
        "Each part alone is judged as it should be: the parts interact. The recipe is the least that shows it.",
    ),
    "inconsistent": Fault(
        "warn",
        "refuses right answers inconsistently",
        "It reads this of some targets and not of others of the same kind: right answers get 0, at random to a policy.",
    ),
    "tag_trips": Fault(
        "warn",
        "trips on a tag that touches the answer",
        "It reads the answer bare and between spaced tags, not between `<answer>` and `</answer>`: spacing decides.",
    ),
    "reference_refused": Fault(
        "warn",
        "refuses targets as answers to themselves",
        "Every rollout of these prompts is scored wrong, whatever it says: fix the targets or the verifier first.",
    ),
    "strict": Fault(
        "info", "is strict", "Consistent, so no fault: ask for this form in the prompt, or read more of them."
    ),
    "convention": Fault(
        "info", "goes by place", "Consistent, so no fault; know it, and keep the response to one answer."
    ),
    "asymmetry": Fault(
        "info",
        "is not symmetric",
        "Target and answer are read by different rules: take care in which order they are passed.",
    ),
    "domain": Fault(
        "info",
        "reads some kinds of targets only",
        "Nothing was probed on the others; probe it with your own targets (--rollouts) to know what matters to you.",
    ),
}
"""Every kind of fault by name; the `info` ones accuse nobody."""
