"""`rewardgate explore`: what a model can do with some prompts before it is trained on them."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError
from .options import (
    PromptIdKey,
    PromptKey,
    ShowsProgress,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    named_verifier,
    shows_progress,
    torch_room,
)
from .policy_options import (
    ChatOption,
    DeviceOption,
    DtypeOption,
    EngineOption,
    EngineOptions,
    MaxPromptTokens,
    ModelOption,
    RolloutsOption,
    SystemOption,
    TemplateOption,
    encoded_prompts,
    engine_of,
    group_writer,
)

if TYPE_CHECKING:
    from ..rollouts.records import Group
    from ..training.explore import ExploreReport


def explore(
    prompts: Annotated[Path, typer.Argument(help="Prompts with targets: JSONL, JSON, CSV or Parquet.")],
    model: ModelOption,
    group_size: Annotated[str, typer.Option(help="Rollouts a group: one number, or several as 8,32.")] = "8",
    temperature: Annotated[str, typer.Option(help="Of the sampling: one number, or several as 0.7,1.0.")] = "1.0",
    verifier: Annotated[str, typer.Option(help="A name, pkg.mod:fn or path/file.py:fn.")] = "auto",
    max_tokens: Annotated[int, typer.Option(min=1, help="Of a completion, its end token included.")] = 512,
    top_p: Annotated[float, typer.Option(help="Share of the probability that is sampled from.")] = 1.0,
    top_k: Annotated[int | None, typer.Option(min=1, help="Tokens that are sampled from. Default: all.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask so many of the prompts, drawn by --seed.")] = None,
    least_mixed: Annotated[
        float, typer.Option(help="Share of mixed groups that a setting must be sure of to be recommended.")
    ] = 0.25,
    json_path: Annotated[str | None, typer.Option("--json", help="Write the report as JSON; - for stdout.")] = None,
    rollouts: RolloutsOption = None,
    max_prompt_tokens: MaxPromptTokens = None,
    system: SystemOption = None,
    template: TemplateOption = None,
    chat: ChatOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the sampling and of the bootstrap.")] = 0,
    batch_prompts: Annotated[int, typer.Option(min=1, help="Prompts that are sampled together.")] = 32,
    engine: EngineOption = "hf",
    engine_options: EngineOptions = "{}",
    device: DeviceOption = None,
    dtype: DtypeOption = "float32",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    target_key: TargetKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
    progress: ShowsProgress = None,
) -> None:
    """Sample and judge groups of PROMPTS, and say which group size and temperature a run should begin with."""
    from ..audit.report.json_text import report_json
    from ..rollouts.output import Output

    sizes, temperatures = _numbers("--group-size", group_size, int), _numbers("--temperature", temperature, float)
    rooms = {name: torch_room(f"training.{name}") for name in ("base", "explore", "policy", "prompts")}
    sampling = rooms["base"].Sampling(max_tokens=max_tokens, top_p=top_p, top_k=top_k)
    judge = named_verifier(verifier, workers=workers, timeout_s=timeout_s)
    asked = rooms["prompts"].read_prompts(
        prompts, prompt_key=prompt_key, target_key=target_key, prompt_id_key=prompt_id_key
    )
    with ExitStack() as stack:
        out = None if json_path is None else stack.enter_context(Output("--json", json_path, source=prompts))
        if limit is not None:
            asked = _drawn(asked, limit, seed)
        policy = rooms["policy"].load_policy(model, dtype=dtype, device=device)
        encoder = rooms["prompts"].PromptEncoder(policy.tokenizer, chat=chat, system=system, template=template)
        asked = encoded_prompts(asked, encoder, max_prompt_tokens)
        on_group = group_writer(stack, rollouts, prompts)
        if shows_progress(progress):
            on_group = _shown(stack, on_group, len(asked) * len(set(temperatures)))
        report = rooms["explore"].explore(
            asked,
            engine_of(stack, engine, engine_options, policy),
            judge,
            group_sizes=sizes,
            temperatures=temperatures,
            sampling=sampling,
            least_mixed=least_mixed,
            batch_prompts=batch_prompts,
            seed=seed,
            on_group=on_group,
            named={"model": model, "prompts_file": str(prompts), "verifier": verifier},
        )
        if out is not None:
            out.write(report_json(report, indent=2) + "\n")
    if json_path != "-":
        for line in _told(report):
            typer.echo(line)


def _numbers(option: str, text: str, kind: Callable[[str], Any]) -> list[Any]:
    """`8,32` as numbers."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        wanted = "whole numbers" if kind is int else "numbers"
        raise ArgumentError(f"{option}: expected {wanted} with commas between them, got {text!r}") from None


def _drawn(prompts: list[Any], limit: int, seed: int) -> list[Any]:
    """So many of the prompts, in the order of the file."""
    from random import Random

    if limit >= len(prompts):
        return prompts
    return [prompts[place] for place in sorted(Random(seed).sample(range(len(prompts)), limit))]


def _shown(stack: ExitStack, write: "Callable[[Group], None]", n_groups: int) -> "Callable[[Group], None]":
    """`write`, with a bar that moves on."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("groups"), MofNCompleteColumn(), TimeElapsedColumn())
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("groups", total=n_groups)

    def on_group(group: "Group") -> None:
        write(group)
        bar.advance(task)

    return on_group


def _told(report: "ExploreReport") -> list[str]:
    """The report for a person."""
    lines = [f"{report.prompts} prompts, {report.samples} rollouts each, judged by {report.verifier}"]
    for at in report.temperatures:
        faults = ", ".join(f"{name} {count}" for name, count in at.faults.items())
        form = "not told by a reward function" if at.format_failures is None else _share(at.format_failures)
        per_success = (
            "no success" if at.tokens_per_success is None else f"{at.tokens_per_success:,.0f} tokens a success"
        )
        lines += [
            "",
            f"temperature {at.temperature:g}: success {_share(at.success)}, {at.never_solved} of {at.prompts} prompts "
            "without one",
            f"  no single answer to read: {form}",
            f"  cut off: {_share(at.truncated)}",
            f"  without a verdict: {at.unscored} of {at.rollouts}{f' ({faults})' if faults else ''}",
            f"  {at.tokens:,} tokens, {per_success}; {at.generating_s:.1f} s sampling, {at.judging_s:.1f} s judging",
        ]
        for one in report.settings:
            if one.temperature == at.temperature:
                left_out = f", {one.left_out} prompts left out" if one.left_out else ""
                lines.append(
                    f"  G {one.group_size}: pass@{one.group_size} {_share(one.pass_at_g)}, mixed groups "
                    f"{_share(one.mixed)}{left_out}"
                )
    advice = report.recommendation
    return [*lines, "", *advice.arithmetic, "", *advice.cautions, advice.sentence]


def _share(share: Any) -> str:
    """`25.0 % (12.5–40.1)`."""
    if share.value is None:
        return "unknown"
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f}–{100 * share.high:.1f})"
