r"""A reward function that is recorded in one line, and what the audit and a frozen test make of the record.

The reward is one as found in many training scripts: the text behind "Answer:" compared with the target as it stands.
Prints what was logged, what the audit finds, and the cases that a repaired reward must keep:

    16 rows, steps [1, 2]
    FAIL: 4 right answers scored wrong (extraction 4); 4 dead or nearly dead groups due to it
    frozen: accept 2
    as it is: 2 of 2 cases are broken
    repaired: keeps them all
"""

import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import rewardgate.verifiers as verifiers
from rewardgate.audit import audit
from rewardgate.audit.freezing import freeze
from rewardgate.audit.replaying import replay
from rewardgate.rollouts import read, record


def reward(completions: list[str], answer: list[str], **columns: Any) -> list[float]:
    return [
        float(text.rpartition("Answer:")[2].strip() == gold) for text, gold in zip(completions, answer, strict=True)
    ]


def repaired(completions: list[str], answer: list[str], **columns: Any) -> list[float | None]:
    judge = verifiers.get("math")
    return [judge.verify(text, gold).reward for text, gold in zip(completions, answer, strict=True)]


with tempfile.TemporaryDirectory() as folder:
    log = Path(folder) / "rollouts.jsonl"
    recorded = record(reward, log)  # this line, and `recorded` in the trainer's list of reward functions
    for step in (1, 2):  # what a trainer does
        for prompt, gold, written in (("Half of 1?", "1/2", "0.5"), ("Three quarters?", "0.75", "3/4")):
            recorded(
                prompts=[prompt] * 4,
                completions=[f"Answer: {text}" for text in (written, "7", "8", "9")],
                answer=[gold] * 4,
                trainer_state=SimpleNamespace(global_step=step),
            )

    reading = read(log)
    rollouts = [rollout for group in reading for rollout in group.rollouts]
    print(f"{len(rollouts)} rows, steps {sorted({rollout.step for rollout in rollouts})}")
    report = audit(reading)
    print(f"{report.severity.upper()}: {report.headline}")
    cases = freeze(report, reading)  # to a file: Path("faults.jsonl").write_text(frozen_text(cases))
    print("frozen:", *(f"{expected} {count}" for expected, count in Counter(case.expected for case in cases).items()))
    print("as it is:", str(replay(cases, reward)).partition("\n")[0])
    print("repaired:", str(replay(cases, repaired)) or "keeps them all")
