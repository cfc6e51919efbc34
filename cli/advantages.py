"""`rewardgate advantages`: the gated advantages of every rollout."""

from collections import Counter
from typing import Annotated

import typer

from ..errors import ArgumentError
from .options import (
    CacheFolder,
    FileArgument,
    FormatName,
    GroupKey,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    RewardKey,
    ScorerOptions,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    named_scorer,
    named_verifier,
    torch_room,
)


def advantages(
    file: FileArgument,
    estimator: Annotated[str, typer.Option(help="Of mixed groups; see `rewardgate list estimators`.")] = "grpo",
    scorer: Annotated[str, typer.Option(help="Scores the steps of open groups; `list scorers`.")] = "arithmetic",
    option: ScorerOptions = None,
    cache: CacheFolder = None,
    mode: Annotated[str, typer.Option("--gate", help="How step scores become credit; `list gates`.")] = "rules",
    tokenizer: Annotated[
        str | None, typer.Option(help="tokenizer.json, its folder or a hub name. Default: one advantage a step.")
    ] = None,
    verifier: Annotated[
        str | None,
        typer.Option(help="Judges outcomes: a name, pkg.mod:fn or path/file.py:fn. Default: logged rewards."),
    ] = None,
    out: Annotated[str, typer.Option(help="Where the rows go, one JSON line a rollout; - for stdout.")] = "-",
    batch_groups: Annotated[int, typer.Option(min=1, help="Groups whose scale is matched together.")] = 64,
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    reward_key: RewardKey = None,
    group_key: GroupKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
) -> None:
    """Write the gated advantages of every rollout of FILE: a step's, or with a tokenizer each token's."""
    from ..prm.tokenizers import load_tokenizer
    from ..rollouts.output import Output
    from ..rollouts.reading import read
    from ..rollouts.writing import row_text

    pipeline, grpo = torch_room("pipeline"), torch_room("grpo")
    grpo.estimators.factory(estimator)
    config = grpo.gate_mode(mode, estimator=estimator)
    totals = Counter[str]()
    with Output("--out", out, source=file) as target:
        judge = None if verifier is None else named_verifier(verifier, workers=workers, timeout_s=timeout_s)
        reading = read(
            file,
            format=format_name,
            prompt_key=prompt_key,
            prompt_id_key=prompt_id_key,
            response_key=response_key,
            target_key=target_key,
            reward_key=reward_key,
            group_key=group_key,
            tokens=tokenizer is not None,
        )
        batches = pipeline.iter_token_advantages(
            reading,
            judge,
            named_scorer(scorer, option, cache=cache),
            config,
            None if tokenizer is None else load_tokenizer(tokenizer),
            batch_groups=batch_groups,
        )
        for batch in batches:
            for row in pipeline.advantage_rows(batch, first_row=totals["rollouts"]):
                target.write(row_text(row) + "\n")
            totals.update(pipeline.totals(batch))
        if totals["unknown"] == totals["rollouts"]:
            raise ArgumentError(f"{file}: expected a reward that is known, got none; name a --verifier")
    typer.echo(
        f"{totals['rollouts']} rollouts ({totals['unknown']} without an outcome, {totals['misfits']} whose tokens are "
        f"not their text), {reading.summary.n_refused} rows refused · {totals['opened']} of {totals['groups']} groups "
        f"opened · {scorer} asked about {totals['asked']} rollouts · {totals['nonzero']} of {totals['units']} "
        f"{'steps' if tokenizer is None else 'tokens'} have an advantage other than 0",
        err=True,
    )
