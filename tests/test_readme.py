import os
import re
import subprocess
import sys
from pathlib import Path

import rewardgate

ROOT = Path(rewardgate.__file__).parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_audit_shown_is_what_the_command_prints() -> None:
    (block,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    command = [sys.executable, "-c", "from rewardgate.cli import main; main()", "audit", "fixtures/rollouts.jsonl"]
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=100, check=True)
    printed = {line.rstrip() for line in done.stdout.splitlines()}
    shown = [line for line in block.splitlines() if line and line != "[…]"]
    assert len(shown) > 20
    assert [line for line in shown if line not in printed] == []


def test_there_are_two_set_up_commands_and_ci_runs_both() -> None:
    commands = re.findall(r"```\n(pip install [^\n]*)\n```", README)
    assert commands == ["pip install . && rewardgate audit --demo", "pip install -e '.[test]' && pytest"]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in commands:
        assert command.removeprefix("pip install ") in ci


def test_the_python_examples_run_as_printed(tmp_path: Path) -> None:
    record, verify, train = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", record], capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path
    )
    assert done.stdout == "1.0\n"
    assert (tmp_path / "rollouts.jsonl").read_text(encoding="utf-8").count("\n") == 1
    done = subprocess.run([sys.executable, "-c", verify], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("correct ")
    compile(train, "README.md", "exec")  # it needs a model and TRL; tests/integrations/test_trl.py trains one


def test_every_page_that_the_readme_names_is_there() -> None:
    for page in re.findall(r"\]\((docs/[^)]*)\)", README):
        assert (ROOT / page).is_file(), page
