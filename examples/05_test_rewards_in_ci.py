r"""What an audit found becomes tests that a build runs: one test a fault, under pytest, with JUnit for the CI service.

The audit is that of the rollouts that ship with rewardgate; the reward function, one as found in many training scripts.
Its repair is the `math` verifier. Prints:

    rewards.py:accuracy keeps 3 of 15 cases
    Failed: faults.jsonl:1: rewards.py:accuracy refuses a right answer
      offered:  There are 8 marbles and 3 of them are red, so the probability is \boxed{\frac{3}{8}}.
      target:   \frac{3}{8}
      paid:     0
      should:   1 or more
      ...
    rewards.py:repaired keeps 15 of 15 cases

Needs the extra `testing` (pytest). The same from a shell stands in docs/pytest.md.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from rewardgate.audit import audit
from rewardgate.audit.freezing import freeze
from rewardgate.audit.replaying import frozen_text
from rewardgate.cli.audit import DEMO
from rewardgate.rollouts.reading import read

REWARDS = r"""
import re

import rewardgate.verifiers as verifiers

MATH = verifiers.get("math")


def accuracy(completion: str, target: str) -> float:
    found = re.findall(r"\\boxed\{(.*?)\}", completion)  # stops at the first "}"
    return float(bool(found) and found[-1] == target)


def repaired(completion: str, target: str) -> float:
    return MATH.verify(completion, target).reward or 0.0
"""

with tempfile.TemporaryDirectory() as made:
    folder = Path(made)
    (folder / "rewards.py").write_text(REWARDS, encoding="utf-8")
    reading = read(DEMO)
    cases = freeze(audit(reading), reading)
    (folder / "faults.jsonl").write_text(frozen_text(cases), encoding="utf-8")
    for reward in ("rewards.py:accuracy", "rewards.py:repaired"):
        asked = ["--rewardgate-faults=faults.jsonl", f"--rewardgate-reward={reward}", "--junitxml=junit.xml", "-q"]
        subprocess.run([sys.executable, "-m", "pytest", *asked], cwd=folder, capture_output=True, check=False)
        tests = ElementTree.parse(folder / "junit.xml").findall(".//testcase")
        broken = [found.get("message", "") for test in tests for found in test.findall("failure")]
        print(f"{reward} keeps {len(tests) - len(broken)} of {len(tests)} cases")
        for message in broken[:1]:
            print(message)
