"""Reports of audits of step scorers for tests of what prints them: one of every part, and one that is hostile."""

import json
from pathlib import Path
from typing import Any

from scored_steps import Oracle

from rewardgate.audit.report.steps import StepsReport
from rewardgate.audit.steps import audit_steps
from rewardgate.rollouts.step_formats import read_steps


def steps_report(
    folder: Path, *, sources: tuple[str, str] = ("easy", "hard"), n: int = 40, **options: Any
) -> StepsReport:
    """n solutions of two sources and three difficulties, half of them wrong in their second step, one row refused."""
    rows: list[dict[str, Any]] = [
        {
            "problem": f"problem {number}",
            "steps": ["right", "wrong" if number % 2 else "right", "unknown"],
            "first_error": 1 if number % 2 else -1,
            "final_correct": not number % 2,
            "source": sources[number % 4 < 2],
            "difficulty": number % 3,
        }
        for number in range(n)
    ]
    rows.append({**rows[0], "first_error": 3})
    file = folder / "steps.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return audit_steps(read_steps(file), scorer=Oracle({"right": 0.9, "wrong": 0.2}), resamples=100, **options)
