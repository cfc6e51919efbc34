"""Verdicts that explain themselves.

Prints, for each of six completions, the outcome, the reward, the rule that decided and why:

    correct      1.0   ...  Half of it, so \\boxed{\\frac12}.
    incorrect    0.0   ...  The answer is not 0.5.
    hedged       0.0   ...  It is 0.5 or 0.25.
    no_answer    0.0   ...  <think>\\boxed{0.5}
    incorrect    0.0   ...  \\boxed{0.51}
    bad_target   None  ...  (any completion, against an empty target)
"""

import rewardgate.verifiers as verifiers

COMPLETIONS = [
    r"Half of it, so \boxed{\frac12}.",
    "The answer is not 0.5.",
    "The answer is 0.5 or 0.25.",
    r"<think>\boxed{0.5}",
    r"\boxed{0.51}",
]

verifier = verifiers.get("math")
for completion in COMPLETIONS:
    verdict = verifier.verify(completion, "0.5")
    print(f"{verdict.outcome:10} {verdict.reward!s:5} {verdict.rule:22} {completion:34} {verdict.detail}")

verdict = verifier.verify(r"\boxed{0.5}", "")
print(f"{verdict.outcome:10} {verdict.reward!s:5} {verdict.rule:22} {verdict.detail}")
