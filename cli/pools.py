"""`rewardgate pools`: which prompts are too hard, too easy or worth drawing, by all steps of a run."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError, InputError
from .options import FileArgument, FormatName, GroupKey, PromptIdKey, PromptKey, ResponseKey, RewardKey, TargetKey

if TYPE_CHECKING:
    from ..audit.pooling import Pooling
    from ..rollouts.output import Output


def pools(
    file: FileArgument,
    out: Annotated[
        str, typer.Option(help="Where the rows go, a prompt each: JSON lines, or Parquet by its name; - for stdout.")
    ] = "-",
    state: Annotated[str | None, typer.Option(help="Write PromptPools.state_dict as JSON, for a trainer.")] = None,
    audit: Annotated[
        Path | None, typer.Option(help="`audit --json` of the same files: groups with a fault go to quarantine.")
    ] = None,
    quarantine: Annotated[Path | None, typer.Option(help="Ids of suspect prompts, one a line.")] = None,
    evaluation: Annotated[Path | None, typer.Option("--eval", help="Ids of prompts held out, one a line.")] = None,
    hard_below: Annotated[float, typer.Option(help="Success rate below which a prompt is too hard.")] = 0.1,
    easy_above: Annotated[float, typer.Option(help="Success rate above which a prompt is too easy.")] = 0.9,
    correct_at: Annotated[float, typer.Option(help="Logged reward from which a rollout counts as correct.")] = 1.0,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    reward_key: RewardKey = None,
    group_key: GroupKey = None,
) -> None:
    """Replay the rewards of FILE, or of a run's folder, in the order of its steps, and write a row a prompt."""
    from ..audit.pooling import pools_of
    from ..diagnostics.pools import PoolRules
    from ..rollouts.output import Output
    from ..rollouts.reading import read
    from ..rollouts.writing import row_text

    rules = PoolRules(hard_below=hard_below, easy_above=easy_above, correct_at=correct_at)
    suspect = [] if audit is None else _suspect(audit)
    with ExitStack() as stack:
        target = stack.enter_context(Output("--out", out, source=file))
        kept = None if state is None else stack.enter_context(Output("--state", state, source=file))
        reading = read(
            file,
            format=format_name,
            prompt_key=prompt_key,
            prompt_id_key=prompt_id_key,
            response_key=response_key,
            target_key=target_key,
            reward_key=reward_key,
            group_key=group_key,
        )
        found = pools_of(
            reading,
            rules=rules,
            evaluation=_ids(evaluation),
            quarantine=_ids(quarantine),
            suspect=suspect,
        )
        if found.n_unknown == found.n_groups:
            raise ArgumentError(f"{file}: expected a reward that is known, got none; name it with --reward-key")
        table = found.pools.table()
        if not found.steps:
            table["last_step"] = [None] * len(found.pools)
        if out.endswith(".parquet"):
            _write_parquet(table, target, out)
        else:
            for values in zip(*table.values(), strict=True):
                target.write(row_text(dict(zip(table, values, strict=True))) + "\n")
        if kept is not None:
            kept.write(row_text(found.pools.state_dict()) + "\n")
    typer.echo(_told(found, n_refused=reading.summary.n_refused), err=True)


def _told(found: "Pooling", *, n_refused: int) -> str:
    """What was found, on one line."""
    counts = " · ".join(f"{pool} {count}" for pool, count in found.pools.counts().items())
    over = (
        f"steps {found.steps[0]} to {found.steps[-1]}" if found.steps else "no steps logged: visits in the file's order"
    )
    left_out = "".join(
        f", {count} {what}"
        for count, what in (
            (found.n_unknown, "without a known reward"),
            (found.n_without_step, "left out for want of a step"),
        )
        if count
    )
    return (
        f"{len(found.pools)} prompts in {found.n_groups} groups{left_out}, {n_refused} rows refused, {over} · {counts}"
    )


def _ids(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: expected a text file of prompt ids, got: {error}") from error
    return [line for line in lines if line.strip()]


def _suspect(path: Path) -> list[str]:
    from pydantic import ValidationError

    from ..audit.pooling import suspect_groups
    from ..audit.report.model import AuditReport

    try:
        report = AuditReport.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(f"{path}: expected what `audit --json` writes, got: {error.errors()[0]['msg']}") from error
    if report.n_cards_left_out:
        typer.echo(f"rewardgate: {path}: {report.n_cards_left_out} groups have no card there: not looked at", err=True)
    return suspect_groups(report)


def _write_parquet(table: dict[str, list[Any]], target: "Output", out: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    from ..rollouts.output import told_as

    kinds = {"ema": pa.float64(), "last_step": pa.int64()}  # which may be null throughout
    with told_as("--out", out):
        parquet.write_table(pa.table({name: pa.array(table[name], kinds.get(name)) for name in table}), target.binary)
