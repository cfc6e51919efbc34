"""`rewardgate export`: rollouts in the shape of another tool's viewer."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError
from .options import (
    FileArgument,
    FormatName,
    GroupKey,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    RewardKey,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    named_verifier,
)


def export(
    file: FileArgument,
    out: Annotated[Path, typer.Argument(help="A log of Inspect's, ending in .eval.", metavar="OUT.eval")],
    verifier: Annotated[
        str | None, typer.Option(help="Its verdicts become a score: a name, or path/file.py:fn.")
    ] = None,
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
    """Write the rollouts of FILE as a log for `inspect view`: a prompt is a sample, a rollout an epoch of it."""
    from ..rollouts.inspect_log import write_inspect_log
    from ..rollouts.output import Output, told_as
    from ..rollouts.reading import read
    from ..verifiers.batch import verify_many

    if out.suffix != ".eval":
        raise ArgumentError(f"OUT.eval: expected a name that ends in .eval, got {out}")
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
    )
    with told_as("OUT.eval", str(out)), Output("OUT.eval", str(out), source=file) as target:
        write_inspect_log(
            target.binary,
            reading,
            task=file.stem,
            verdicts=None if judge is None else lambda group: verify_many(judge, group.rollouts),
            verifier=verifier or "verifier",
        )
