"""The files of docs/quickstart_trl.md, run one after the other as the page prints them; see test_trl.py."""

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("trl") is None:
    pytest.skip("NOT RUN: TRL is not installed; .ci/host-trl installs it and runs this", allow_module_level=True)

from library_tree import ROOT

pytestmark = pytest.mark.trl

PAGE = (ROOT / "docs" / "quickstart_trl.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(python|diff|)\n(.*?)^```$", re.M | re.S)


@pytest.mark.timeout(3600)  # a minute and a half of one core, in five commands
def test_the_files_of_the_page_run_and_log_what_it_says(tmp_path: Path) -> None:
    written: dict[str, str] = {}
    logged: list[list[dict[str, float]]] = []
    for block in BLOCK.finditer(PAGE, PAGE.index("## A policy")):
        kind, text = block.groups()
        if kind == "python":
            (name,) = re.findall(r"`(\w+\.py)`", PAGE[: block.start()])[-1:]
            written[name] = text
        elif kind == "diff":
            written["train.py"] = changed(written["train.py"], text)
        else:
            for name, content in written.items():
                (tmp_path / name).write_text(content, encoding="utf-8")
            logged.append(run(text, tmp_path))
    _, plain, rewarded, gated, _ = logged
    assert [len(steps) for steps in (plain, rewarded, gated)] == [5, 5, 5]
    assert "gate/groups/opened" not in rewarded[0]
    assert sum(step["reward"] for step in plain) > sum(step["reward"] for step in rewarded)  # a summand is no answer
    assert [step["gate/groups/opened"] for step in gated] == [step["frac_reward_zero_std"] for step in gated]
    assert sum(step["gate/gated_share"] for step in gated) > 0
    assert (tmp_path / "run.html").stat().st_size > 10_000


def changed(text: str, diff: str) -> str:
    """`text` with the block of lines that `diff` shows replaced; it must be there once."""
    lines = diff.splitlines()
    before = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
    after = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
    assert text.count(before) == 1, before
    return text.replace(before, after)


def run(command: str, folder: Path) -> list[dict[str, float]]:
    """The dictionaries that it prints."""
    ended = subprocess.run(
        ["bash", "-c", f'PATH="{Path(sys.executable).parent}:$PATH"; {command}'],
        cwd=folder, env={**os.environ, "HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return [ast.literal_eval(line) for line in ended.stdout.splitlines() if line.startswith("{'step'")]
