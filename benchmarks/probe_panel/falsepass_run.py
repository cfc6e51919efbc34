"""One grader of the panel under falsepass, run by the Python of falsepass's own environment; prints one line of JSON.

    PYTHON falsepass_run.py FOLDER GRADER

The grader is called as falsepass calls TRL's reward functions: one completion a call, every column by name. Its source
lies where falsepass's static scan looks. FOLDER is an empty folder of this run's own.
"""

import contextlib
import inspect
import io
import json
import sys
from pathlib import Path
from time import perf_counter, process_time

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from panel import PANEL, Grader, function_of  # noqa: E402 (its folder is on the path only now)
from rows import rows  # noqa: E402

SHIM = """import sys

sys.path.insert(0, {here!r})
from panel import asked, function_of

grade = function_of({file!r}, {name!r})


def reward(prompts, completions, answer, **columns):
    return [asked(grade, *row) for row in zip(prompts, completions, answer, strict=True)]
"""


def main() -> None:
    from falsepass import report, runner
    from falsepass.draft import NEEDS_JUDGEMENT  # its own list: strictness, not a defect

    folder = Path(sys.argv[1]).resolve()
    grader = next(one for one in PANEL if one.name == sys.argv[2])
    prepare(folder, grader)
    with contextlib.redirect_stdout(io.StringIO()):
        runner.run(folder / "warm", n=25)
        started, processor = perf_counter(), process_time()
        payload = runner.run(folder / "measured", n=25)
        seconds, processor = perf_counter() - started, process_time() - processor
    kept = json.loads((folder / "measured" / "completions.json").read_text(encoding="utf-8"))
    rows_of = rows(grader.kind, grader.form)
    findings = [
        {
            "said": f"{row['probe']} {row['name']}/{row['variant']}: {row['detail'] or row['errors'][:1]}",
            "completion": kept.get(row["completion_id"], row["completion"]),
            "prompt": rows_of[int(row["example"].removeprefix("row-"))].prompt,
            "target": rows_of[int(row["example"].removeprefix("row-"))].target,
            "is_strictness": row["probe"] in NEEDS_JUDGEMENT,
        }
        for row in payload["results"]
        # Its data-set checks (P12) judge the rows, not the grader.
        if row["probe"] != "P12" and not row["passed"]
    ]
    headline = report.headline(payload["results"])
    print(
        json.dumps(
            {
                "seconds": seconds,
                "processor_s": processor,
                "findings": findings,
                "headline": headline,
                "calls": len(payload["results"]),
            }
        )
    )


def prepare(folder: Path, grader: Grader) -> None:
    """The audit's folder, twice: a warm-up and the one that is measured."""
    source = inspect.getsource(function_of(grader.file, grader.name))
    for name in ("warm", "measured"):
        audit = folder / name
        (audit / "src").mkdir(parents=True)
        shim, data = audit / "reward_shim.py", audit / "rows.jsonl"
        shim.write_text(SHIM.format(here=str(HERE), file=grader.file, name=grader.name), encoding="utf-8")
        data.write_text(
            "".join(
                json.dumps({"prompt": row.prompt, "answer": row.target}) + "\n"
                for row in rows(grader.kind, grader.form)
            ),
            encoding="utf-8",
        )
        (audit / "src" / "grader.py").write_text(source, encoding="utf-8")
        settings = {"id": f"panel/{grader.name}", "framework": "reward", "task": str(shim), "dataset": str(data)}
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        (audit / "env.toml").write_text("\n".join(["[env]", *lines, 'functions = ["reward"]', ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
