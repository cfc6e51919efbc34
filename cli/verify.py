"""`rewardgate verify`: one verdict per row."""

from typing import Annotated, Any

import typer

from .options import (
    ActorsOption,
    BlockRows,
    Engine,
    EngineOption,
    FileArgument,
    FormatName,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    ShowsProgress,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    folder_of,
    named_verifier,
    rows_counted,
    shows_progress,
)


def verify(
    file: FileArgument,
    verifier: Annotated[str, typer.Option(help="A name, pkg.mod:fn or path/file.py:fn.")] = "auto",
    out: Annotated[str, typer.Option(help="Where the verdicts go, one JSON line per input row; - for stdout.")] = "-",
    engine: EngineOption = Engine.LOCAL,
    actors: ActorsOption = None,
    block_rows: BlockRows = 4096,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    progress: ShowsProgress = None,
) -> None:
    """Write one verdict per row of FILE, in order, refused rows included.

    With --engine ray, FILE may be a glob in quotes, and --out is a folder of Parquet files; the blocks of rows that it
    holds already are not judged again.
    """
    from ..rollouts.output import Output
    from ..rollouts.reading import read_rows
    from ..rollouts.writing import row_text
    from ..verifiers.verdict_rows import verdict_rows

    reading: dict[str, Any] = {
        "format": format_name,
        "prompt_key": prompt_key,
        "prompt_id_key": prompt_id_key,
        "response_key": response_key,
        "target_key": target_key,
    }
    if engine is Engine.RAY:
        from ..integrations import ray

        with rows_counted(progress) as counted:
            done = ray.verify(
                file,
                verifier,
                folder_of(out),
                timeout_s=timeout_s,
                num_workers=actors,
                block_rows=block_rows,
                progress=counted,
                **reading,
            )
        typer.echo(done, err=True)
        return
    with Output("--out", out, source=file) as target:
        judge = named_verifier(verifier, workers=workers, timeout_s=timeout_s)
        rows = read_rows(file, **reading)
        for row in verdict_rows(rows, judge, name=verifier, progress=shows_progress(progress)):
            target.write(row_text(row) + "\n")
