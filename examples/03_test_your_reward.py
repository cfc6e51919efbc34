r"""Laws that a reward function breaks, each with the smallest example that shows it.

The reward function is one as found in many training scripts: the last `\boxed{…}` by a regular expression, compared as
numbers. Four laws find four faults; the repaired one keeps them. Prints, for the first:

    target_accepts_itself: reward refused its own target
      target:     \frac{1}{2}
      written:    boxed, alone
      completion: '\\boxed{\\frac{1}{2}}'
      returned:   the function returned 0

Needs the extra `testing` (Hypothesis).
"""

import math
import re

import rewardgate.verifiers as verifiers
from rewardgate.verifiers.testing import LawBrokenError, laws


def reward(completion: str, target: str) -> float:
    found = re.findall(r"\\boxed\{(.*?)\}", completion)  # stops at the first "}"
    answer = found[-1].replace(",", "")  # raises where there is no box
    try:
        return float(math.isclose(float(answer), float(target), rel_tol=1e-3))  # 12345 is not 12346
    except ValueError:
        return float(answer == target)


def repaired(completion: str, target: str) -> float:
    verdict = verifiers.get("math", extractor="boxed").verify(completion, target)
    return verdict.reward or 0.0


BOXES = {
    "kinds": ["integer", "fraction"],
    "anchors": ["boxed", "boxed_in_dollars"],
    "surroundings": ["alone", "prose_before", "thought"],
}

for name, options in (
    ("target_accepts_itself", BOXES),
    ("never_raises", {}),
    ("rejects_mutants", {**BOXES, "targets": ["12345"]}),
    ("accepts_rewrites", {**BOXES, "targets": ["12345"], "without": ["scientific"]}),
):
    law = getattr(laws, name)
    try:
        law(reward, **options)
    except LawBrokenError as broken:
        print(f"{broken}\n")
    law(repaired, **options)

print("repaired: keeps all four")
