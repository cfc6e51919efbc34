import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, cast

import pytest

import rewardgate
from rewardgate.cli import main

ROOT = Path(rewardgate.__file__).parent
FIXTURE = ROOT / "fixtures" / "rollouts.jsonl"
COMMAND = [sys.executable, "-c", "from rewardgate.cli import main; main()"]
VERDICT_FIELDS = [
    "row", "line", "prompt_id", "outcome", "reward", "extracted", "span", "rule", "detail", "seconds", "verifier",
    "version",
]  # fmt: skip


class Done(NamedTuple):
    """What a command left, under subprocess's names."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, run in this process: a start of its own, torch and all, is for what only a process can show."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["rewardgate", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Done(cast("int", ended.value.code), captured.out, captured.err)

    return run


def write_rows(path: Path, *rows: dict | str) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_the_demo_audits_the_fixture_and_exits_0(run: Run) -> None:
    done = run("audit", "--demo")
    assert (done.returncode, done.stderr) == (0, "")
    for section in ("GOLDS", "GROUPS", "CAUSES", "STAKE"):
        assert section in done.stdout


def test_json_holds_everything_and_has_a_schema_version(run: Run) -> None:
    done = run("audit", FIXTURE, "--json", "-")
    report = json.loads(done.stdout)
    assert report["schema_version"]
    assert "NaN" not in done.stdout


def test_fail_on_turns_the_severity_into_an_exit_code(run: Run) -> None:
    assert run("audit", "--demo", "--fail-on", "fail").returncode == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "no usable"), ("not json\n", "no usable"), ('{"a": 1}\n', "no usable")],
)
def test_a_file_without_a_usable_row_is_unreadable_and_never_healthy(
    run: Run, tmp_path: Path, content: str, words: str
) -> None:
    file = tmp_path / "rollouts.jsonl"
    file.write_text(content)
    done = run("audit", file)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert words in done.stderr.lower() or "rollouts.jsonl" in done.stderr


def test_a_missing_file_is_one_line_and_exit_2(run: Run, tmp_path: Path) -> None:
    done = run("audit", tmp_path / "nothing.jsonl")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_an_unknown_verifier_lists_the_known_ones(run: Run) -> None:
    done = run("verify", FIXTURE, "--verifier", "numerc")
    assert done.returncode == 2
    assert 'unknown name "numerc"; known: ' in done.stderr


@pytest.mark.parametrize("name", ["all_of", "first_that_decides", "weighted"])
def test_a_verifier_that_needs_options_is_refused_in_one_line(run: Run, name: str) -> None:
    done = run("verify", FIXTURE, "--verifier", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'rewardgate: verifier "{name}": expected parts among the options, got none\n'


def test_verify_writes_one_line_a_row_in_order_refused_rows_included(run: Run, tmp_path: Path) -> None:
    rows = write_rows(
        tmp_path / "rows.jsonl",
        {"response": r"\boxed{4}", "target": "4"},
        "{broken",
        {"response": r"\boxed{5}", "target": "4"},
        {"response": "4", "target": None},
        {"response": "The answer is 4.", "target": "4", "prompt_id": "p"},
    )
    out = tmp_path / "verdicts.jsonl"
    done = run("verify", rows, "--verifier", "math", "--out", out)
    assert done.returncode == 0, done.stderr
    verdicts = [json.loads(line) for line in out.read_text().splitlines()]
    assert [list(verdict) for verdict in verdicts] == [VERDICT_FIELDS] * 5
    assert [verdict["row"] for verdict in verdicts] == [0, 1, 2, 3, 4]
    assert [verdict["line"] for verdict in verdicts] == [1, 2, 3, 4, 5]
    assert [verdict["outcome"] for verdict in verdicts] == ["correct", "error", "incorrect", "bad_target", "correct"]
    assert [verdict["reward"] for verdict in verdicts] == [1.0, None, 0.0, None, 1.0]
    assert verdicts[4]["prompt_id"] == "p"


def test_a_users_function_is_a_verifier(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def judge(completion, target):\n    return float(target in completion)\n")
    rows = write_rows(tmp_path / "rows.jsonl", {"response": "4", "target": "4"}, {"response": "5", "target": "4"})
    done = run("verify", rows, "--verifier", "mine.py:judge")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["reward"] for line in done.stdout.splitlines()] == [1.0, 0.0]


@pytest.mark.parametrize("arguments", [("verify", FIXTURE), ("audit", "--demo", "--json", "-")])
def test_a_reader_that_goes_away_is_no_traceback_and_no_finding(arguments: tuple[str | Path, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as gone:
        done = subprocess.run([*COMMAND, *map(str, arguments)], stdout=gone, stderr=subprocess.PIPE, timeout=100)
    assert (done.returncode, done.stderr) == (141, b"")  # as `seq 100000 | head` under pipefail; 1 is --fail-on's


@pytest.mark.parametrize("command", ["verify", "audit"])
@pytest.mark.parametrize("n_rows", [1, 100])
def test_an_interrupted_command_ends_at_once_exits_130_and_leaves_nothing(
    tmp_path: Path, command: str, n_rows: int
) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    (tmp_path / "mine.py").write_text(
        "import os, time\n"
        "def judge(completion, target):\n"
        f"    with open({str(started)!r}, 'w') as file: print(os.getpid(), file=file)\n"
        "    time.sleep(600)\n"
    )
    rows = write_rows(tmp_path / "rows.jsonl", *[{"prompt": "2+2?", "response": "4", "target": "4"}] * n_rows)
    option = "--json" if command == "audit" else "--out"
    # A shell starts background jobs with Ctrl-C ignored, and so would be whatever such a job starts.
    takes_interrupts = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    start = [*COMMAND[:-1], takes_interrupts + COMMAND[-1]]
    arguments = [*start, command, rows.name, "--verifier", "mine.py:judge", option, "out", "--timeout", "300"]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        worker = int(started.read_text().split()[0])  # waits until the function runs
        interrupted = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=50)
    assert (process.returncode, errors) == (130, "")
    assert time.monotonic() - interrupted < 10  # not the 300 s of a call; 0.4 s where the machine is idle
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    left = set(os.listdir(tmp_path)) - {"__pycache__"}  # Python's own, of the user's module
    assert left == {"mine.py", "rows.jsonl", "started"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("verify",), "'FILE'"),
        (("verify", "rows.jsonl", "--nothing-of-the-kind"), "--nothing-of-the-kind"),
        (("audit", "rows.jsonl", "--near", "-1"), "--near"),
        (("audit", "--demo", "--correct-at", "0"), "--correct-at: expected a positive number, got 0"),
        (("audit", "--demo", "--correct-at", "nan"), "--correct-at: expected a positive number, got nan"),
        (("list", "nothings"), "verifiers"),
        (("nothing",), "nothing"),
        (("audit",), "neither"),
    ],
)
def test_an_error_of_usage_is_one_line_and_exit_2(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("rewardgate: ")
    assert words in done.stderr


@pytest.mark.parametrize("arguments", [(), ("--help",), ("audit", "--help")])
def test_help_is_on_stdout_and_exits_0(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.lstrip().startswith("Usage: rewardgate")


def test_verdicts_on_stdout_leave_it_open() -> None:
    call = f"app(['verify', {str(FIXTURE)!r}], standalone_mode=False)"
    script = f"from rewardgate.cli import app; {call}; print('open')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout.splitlines()[-1:] == ["open"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("verify", FIXTURE, "--out", "/dev/full"), "--out: expected a writable file, got /dev/full: No space left"),
        (("audit", FIXTURE, "--json", "/dev/full"), "--json: expected a writable file, got /dev/full: No space left"),
        (("audit", "--demo", "--json", "/nowhere/x"), "--json: expected a writable file, got /nowhere/x: No such file"),
        (("advantages", FIXTURE, "--out", "/nowhere/x"), "--out: expected a writable file, got /nowhere/x"),
    ],
)
def test_output_that_cannot_be_written_names_its_option_and_exits_2(
    run: Run, arguments: tuple[str | Path, ...], words: str
) -> None:
    if "/dev/full" in arguments and not Path("/dev/full").exists():
        pytest.skip("NOT RUN: no /dev/full here")
    done = run(*arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"rewardgate: {words}")


@pytest.mark.parametrize("arguments", [("verify", FIXTURE), ("audit", "--demo"), ("list", "verifiers")])
@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
def test_a_stdout_that_takes_nothing_is_one_line_and_exit_2(
    arguments: tuple[str | Path, ...], redirection: str
) -> None:
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("NOT RUN: no /dev/full here")
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "No space left" in done.stderr or "closed" in done.stderr


@pytest.mark.parametrize(("command", "option"), [("verify", "--out"), ("audit", "--json"), ("advantages", "--out")])
def test_no_command_writes_over_its_input(run: Run, tmp_path: Path, command: str, option: str) -> None:
    rollouts = two_groups(tmp_path)
    before = rollouts.read_bytes()
    done = run(command, rollouts, option, rollouts)
    assert (done.returncode, done.stdout, rollouts.read_bytes()) == (2, "", before)
    assert done.stderr == f"rewardgate: {option}: expected another file than the input, got {rollouts}\n"


def test_a_reading_that_fails_leaves_no_output_behind(run: Run, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", "not json")
    done = run("verify", rows, "--out", tmp_path / "out.jsonl")
    assert (done.returncode, os.listdir(tmp_path)) == (2, ["rows.jsonl"])


def two_groups(tmp_path: Path) -> Path:
    rows = [
        {"prompt": "p", "response": text, "target": "13", "reward": 0.0}
        for text in ("3 * 4 = 11\n\n11 + 1 = 12", "3 * 4 = 12\n\n12 + 2 = 14")
    ]
    mixed = [{"prompt": "q", "response": f"\\boxed{{{n}}}", "target": "1", "reward": float(n)} for n in (0, 1)]
    return write_rows(tmp_path / "rollouts.jsonl", *rows, *mixed)


def test_advantages_are_written_a_rollout_a_line_and_summed_up_on_stderr(run: Run, tmp_path: Path) -> None:
    done = run("advantages", two_groups(tmp_path))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [row["kind"] for row in rows] == ["all_wrong", "all_wrong", "mixed", "mixed"]
    assert [row["unit"] for row in rows] == ["step"] * 4
    assert rows[0]["advantages"][0] < 0
    assert rows[1]["advantages"] == [0.0, 0.0]
    assert rows[2]["advantages"][0] == pytest.approx(-rows[3]["advantages"][0])
    assert "1 of 2 groups opened · arithmetic asked about 2 rollouts · 4 of 6 steps" in done.stderr


def test_advantages_by_token_name_the_tokens_and_their_steps(run: Run, tmp_path: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(letters, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    done = run("advantages", two_groups(tmp_path), "--tokenizer", tmp_path, "--out", tmp_path / "out.jsonl")
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert (done.returncode, done.stdout) == (0, "")
    assert first["unit"] == "token"
    assert len(first["advantages"]) == len(first["step_ids"]) == len(first["token_ids"]) == 23
    assert first["step_ids"] == [0] * 12 + [1] * 11


@pytest.mark.parametrize(
    "option", [("--estimator", "nope"), ("--scorer", "nope"), ("--gate", "nope"), ("--estimator", "ema")]
)
def test_a_name_that_advantages_cannot_use_is_one_line_and_exit_2(
    run: Run, tmp_path: Path, option: tuple[str, str]
) -> None:
    done = run("advantages", two_groups(tmp_path), *option)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("verifiers", {"auto", "choice", "exact", "math", "numeric"}),
        ("extractors", {"auto", "boxed", "hash"}),
        ("formats", {"native", "columns"}),
        ("scorers", {"arithmetic"}),
        ("estimators", {"grpo", "rloo"}),
        ("gates", {"rules", "verigate"}),
    ],
)
def test_list_names_what_is_registered(run: Run, kind: str, names: set[str]) -> None:
    assert names <= set(run("list", kind).stdout.split())


@pytest.mark.parametrize(("command", "name"), [("export", "run.eval"), ("pools", "pools.parquet")])
def test_what_is_written_in_bytes_neither_is_the_input_nor_takes_the_place_of_a_read_only_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    option = [] if command == "export" else ["--out"]
    place, other_name = tmp_path / name, tmp_path / f"linked_{name}"
    shutil.copy(FIXTURE, place)
    other_name.hardlink_to(place)
    done = run(command, place, *option, other_name)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "expected another file than the input" in done.stderr

    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write all files
    done = run(command, FIXTURE, *option, place)
    assert done.stderr.endswith(f"expected a writable file, got {place}: the file is read-only\n")
    assert place.read_bytes() == FIXTURE.read_bytes()


@pytest.mark.parametrize(("command", "name"), [("export", "run.eval"), ("pools", "pools.parquet")])
def test_what_is_written_in_bytes_goes_through_a_link_and_keeps_the_mode(
    run: Run, tmp_path: Path, command: str, name: str
) -> None:
    (tmp_path / name).write_text("old")
    (tmp_path / name).chmod(0o640)
    link = tmp_path / f"link_{name}"
    link.symlink_to(name)
    assert run(command, FIXTURE, *([] if command == "export" else ["--out"]), link).returncode == 0
    assert link.is_symlink()
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o640
    assert (tmp_path / name).read_bytes()[:2] == (b"PK" if command == "export" else b"PA")
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([name, link.name])


def test_what_the_system_refuses_is_told_with_its_file_and_without_a_number(run: Run, tmp_path: Path) -> None:
    done = run("watch", tmp_path)
    told = f"rewardgate: {tmp_path}: expected a usable file or folder, got: Is a directory\n"
    assert done == (2, "", told)


def test_one_look_at_a_log_that_is_not_there_is_no_success(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "nothing.jsonl"
    assert run("watch", "--once", log) == (2, "", f"rewardgate: {log}: expected a log to look at, got no such file\n")
    assert list(tmp_path.iterdir()) == []


def test_labels_of_a_folder_without_a_name_have_a_place(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = f"rewardgate: labels: expected a file of labels, got {tmp_path}.labels.sqlite: No such file\n"
    assert run("label", "export", ".", "--out", "labels.csv") == (2, "", told)
