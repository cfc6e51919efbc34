"""`rewardgate verify`: one verdict per row."""

from typing import Annotated

import typer

from .options import (
    FileArgument,
    FormatName,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    ShowsProgress,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    named_verifier,
    shows_progress,
)


def verify(
    file: FileArgument,
    verifier: Annotated[str, typer.Option(help="A name, pkg.mod:fn or path/file.py:fn.")] = "auto",
    out: Annotated[str, typer.Option(help="Where the verdicts go, one JSON line per input row; - for stdout.")] = "-",
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    progress: ShowsProgress = None,
) -> None:
    """Write one verdict per row of FILE, in order, refused rows included."""
    from ..rollouts.output import Output
    from ..rollouts.reading import read_rows
    from ..rollouts.writing import row_text
    from ..verifiers.verdict_rows import verdict_rows

    with Output("--out", out, source=file) as target:
        judge = named_verifier(verifier, workers=workers, timeout_s=timeout_s)
        rows = read_rows(
            file,
            format=format_name,
            prompt_key=prompt_key,
            prompt_id_key=prompt_id_key,
            response_key=response_key,
            target_key=target_key,
        )
        for row in verdict_rows(rows, judge, name=verifier, progress=shows_progress(progress)):
            target.write(row_text(row) + "\n")
