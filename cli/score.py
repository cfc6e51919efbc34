"""`rewardgate score`: what a step scorer says of every step."""

import warnings
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from ..errors import ArgumentError
from .options import (
    ActorsOption,
    BlockRows,
    CacheFolder,
    Engine,
    EngineOption,
    FileArgument,
    FormatName,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    ScorerOptions,
    ShowsProgress,
    TargetKey,
    folder_of,
    named_scorer,
    option_values,
    rows_counted,
    shows_progress,
)

if TYPE_CHECKING:
    from ..prm.base import StepScorer
    from ..prm.scored_rows import ScoredRow

_RULES_SHOWN = 6


def score(
    file: FileArgument,
    scorer: Annotated[str, typer.Option(help="See `rewardgate list scorers`.")] = "arithmetic",
    option: ScorerOptions = None,
    split: Annotated[str, typer.Option(help="Where steps begin: auto, blank_lines, lines, ...")] = "auto",
    out: Annotated[str, typer.Option(help="Where the scores go, one JSON line per input row; - for stdout.")] = "-",
    cache: CacheFolder = None,
    engine: EngineOption = Engine.LOCAL,
    actors: ActorsOption = None,
    block_rows: BlockRows = 4096,
    batch: Annotated[int, typer.Option(min=1, help="Rows that the scorer is asked about together.")] = 64,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    progress: ShowsProgress = None,
) -> None:
    """Write the scores of every step of every row of FILE, in order, refused rows included.

    With --engine ray, as `rewardgate verify` does.
    """
    from ..prm.scored_rows import scored_rows
    from ..prm.steps import Rule
    from ..rollouts.output import Output
    from ..rollouts.reading import read_rows
    from ..rollouts.writing import row_text, step_scores_row

    if split not in get_args(Rule):
        raise ArgumentError(f"--split: expected one of {', '.join(get_args(Rule))}, got {split!r}")
    reading: dict[str, Any] = {
        "format": format_name,
        "prompt_key": prompt_key,
        "prompt_id_key": prompt_id_key,
        "response_key": response_key,
        "target_key": target_key,
    }
    if engine is Engine.RAY:
        if cache is not None:
            raise ArgumentError("--cache: expected none with --engine ray; its lock does not hold between machines")
        from ..integrations import ray

        with rows_counted(progress) as counted:
            done = ray.score(
                file,
                scorer,
                folder_of(out),
                options=option_values(option or []),
                split=cast("Rule", split),
                batch=batch,
                num_workers=actors,
                block_rows=block_rows,
                progress=counted,
                **reading,
            )
        typer.echo(done, err=True)
        return
    totals = _Totals()
    with warnings.catch_warnings(), Output("--out", out, source=file) as target:
        warnings.filterwarnings("ignore", message="the cache ")  # told at the end, in one line
        judge = named_scorer(scorer, option, cache=cache)
        rows = read_rows(file, **reading)
        scored = scored_rows(rows, judge, split=cast("Rule", split), batch=batch)
        for number, one in enumerate(_shown(scored) if shows_progress(progress) else scored):
            totals.add(one)
            row = step_scores_row(one.rollout, row=number, steps=one.written, scorer=scorer, version=judge.version)
            target.write(row_text(row) + "\n")
        totals.refuse_nothing(scorer, getattr(judge, "transient_rules", frozenset()))
    typer.echo(f"{totals} · {scorer} {judge.version}", err=True)
    for line in _accounts(scorer, judge):
        typer.echo(line, err=True)


class _Totals:
    """What a whole file came to."""

    def __init__(self) -> None:
        self._count = Counter[str]()
        self._unknown = Counter[str]()
        self._last_unknown = ""

    def add(self, one: "ScoredRow") -> None:
        from ..rollouts.refusals import Refusal

        if isinstance(one.rollout, Refusal):
            self._count["refused"] += 1
            return
        self._count["rollouts"] += 1
        self._count["without a response"] += one.scores is None
        for said in one.scores or []:
            self._count["steps"] += 1
            if said.value is None:
                self._unknown[said.rule] += 1
                self._last_unknown = f"{said.rule}: {said.detail}"

    def refuse_nothing(self, scorer: str, transient_rules: frozenset[str]) -> None:
        """Raises where the scorer was out of reach for every step: a file of nothing would look like an answer."""
        if self._unknown and self._unknown.total() == self._count["steps"] and set(self._unknown) <= transient_rules:
            raise ArgumentError(f"--scorer: expected an answer from {scorer}, got none; {self._last_unknown}")

    def __str__(self) -> str:
        count, n_unknown = self._count, self._unknown.total()
        rules = ", ".join(f"{rule} {n}" for rule, n in self._unknown.most_common(_RULES_SHOWN))
        return (
            f"{count['rollouts']} rollouts ({count['without a response']} without a response), "
            f"{count['refused']} rows refused · {count['steps'] - n_unknown} of {count['steps']} steps scored"
            f"{f', unknown: {rules}' if rules else ''}"
        )


def _accounts(name: str, scorer: "StepScorer") -> Iterator[str]:
    """What a scorer, and those within it, tell of their cost and of their cache."""
    counts, usage = getattr(scorer, "counts", None), getattr(scorer, "usage", None)
    if counts is not None:
        yield f"cache: {counts}"
    if usage is not None:
        yield f"{name}: {usage}"
    inner = getattr(scorer, "scorer", None)
    if inner is not None:
        yield from _accounts(name, inner)
    for member_name, member in getattr(scorer, "members", {}).items():
        yield from _accounts(member_name, member)


def _shown(rows: Iterator["ScoredRow"]) -> Iterator["ScoredRow"]:
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("rows"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("rows", total=None)
        for row in rows:
            bar.advance(task)
            yield row
