"""Every `rewardgate …` line of the documentation runs as printed, page by page, in a folder with the files it names."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from library_tree import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REWARDS = """
def accuracy(completions, answer, **columns):
    texts = [one if isinstance(one, str) else one[-1]["content"] for one in completions]
    return [1.0 if f"boxed{{{target}}}" in text else 0.0 for text, target in zip(texts, answer)]

accuracy_reward = accuracy
"""


def commands(page: Path) -> list[str]:
    """The lines of fenced blocks that begin with the command, comments and all."""
    blocks = re.findall(r"^```(?:sh|bash|console)?\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("rewardgate ")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rollouts = ROOT / "fixtures" / "rollouts.jsonl"
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "RUN_DIR").mkdir()
    for name in ("rollouts.jsonl", "run.jsonl", "fixtures/rollouts.jsonl", "RUN_DIR/rollouts.jsonl"):
        shutil.copy(rollouts, tmp_path / name)
    for name in ("rewards.py", "my_rewards.py"):
        (tmp_path / name).write_text(REWARDS, encoding="utf-8")
    return tmp_path


def test_there_are_commands_to_run() -> None:
    assert sum(len(commands(page)) for page in PAGES) > 20


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_one_after_the_other(page: Path, folder: Path) -> None:
    ends = {}
    for command in commands(page):
        run = subprocess.run(
            ["bash", "-c", f'PATH="{Path(sys.executable).parent}:$PATH"; {command}'],
            cwd=folder, input="q", capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        may_fail = "--fail-on" in command or "--verify-fix" in command
        if run.returncode not in ({0, 1} if may_fail else {0}) or "Traceback" in run.stderr:
            ends[command] = (run.returncode, run.stderr[-500:])
    assert not ends, json.dumps(ends, indent=1)
