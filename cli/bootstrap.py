"""`rewardgate bootstrap`: a short SFT that gives a policy enough successes to explore from, and no more."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError
from .options import (
    FormatName,
    PromptIdKey,
    PromptKey,
    ResponseKey,
    TargetKey,
    TimeoutOption,
    WorkersOption,
    named_verifier,
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
    from ..training.bootstrap import Look

NOT_ENOUGH_SUPPORT = 3
"""The exit code of a result: the policy cannot be trained by RL on these prompts as it is."""

REPORT = "bootstrap.json"
"""Written beside the checkpoint."""

_ROOMS = ("base", "bootstrap", "policy", "prompts", "sft")


def bootstrap(
    model: ModelOption,
    out: Annotated[Path, typer.Option(help="New folder for the checkpoint and its report.")],
    demos: Annotated[
        Path | None, typer.Option(help="Demonstrations: prompt, response and target; JSONL, JSON, CSV or Parquet.")
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(help="Prompts with targets that are to become explorable. Default: those of --demos."),
    ] = None,
    rejection_samples: Annotated[
        int, typer.Option(min=0, help="Sample so many completions a prompt, and learn the right ones too.")
    ] = 0,
    rejection_temperature: Annotated[float, typer.Option(help="At which these are sampled.")] = 1.0,
    per_prompt: Annotated[int, typer.Option(min=1, help="Different completions of a prompt that are learned.")] = 4,
    verifier: Annotated[str, typer.Option(help="A name, pkg.mod:fn or path/file.py:fn.")] = "auto",
    group_size: Annotated[int, typer.Option(help="Rollouts a group, as the run after it will have.")] = 8,
    temperature: Annotated[float, typer.Option(help="Of the looks, likewise.")] = 1.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Of a completion, its end token included.")] = 512,
    least_mixed: Annotated[float, typer.Option(help="Share of mixed groups to be sure of; then it ends.")] = 0.25,
    confidence: Annotated[float, typer.Option(help="Of that, for all looks together.")] = 0.95,
    look_groups: Annotated[int, typer.Option(min=1, help="Groups a look.")] = 128,
    look_every: Annotated[int, typer.Option(min=1, help="SFT steps between two looks.")] = 20,
    max_steps: Annotated[int, typer.Option(min=1, help="SFT steps after which it ends anyway.")] = 400,
    lr: Annotated[float, typer.Option(help="Of AdamW, constant behind the warm-up.")] = 1e-5,
    batch_size: Annotated[int, typer.Option(min=1, help="Examples an SFT step.")] = 16,
    warmup_steps: Annotated[int, typer.Option(min=0, help="Over which the rate grows.")] = 10,
    rollouts: RolloutsOption = None,
    max_prompt_tokens: MaxPromptTokens = None,
    system: SystemOption = None,
    template: TemplateOption = None,
    chat: ChatOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Of sampling and of the order of examples.")] = 0,
    engine: EngineOption = "hf",
    engine_options: EngineOptions = "{}",
    device: DeviceOption = None,
    dtype: DtypeOption = "float32",
    format_name: FormatName = "auto",
    prompt_key: PromptKey = None,
    prompt_id_key: PromptIdKey = None,
    response_key: ResponseKey = None,
    target_key: TargetKey = None,
    workers: WorkersOption = 2,
    timeout_s: TimeoutOption = 30.0,
) -> None:
    """Learn verified completions until the prompts can be explored; 3 is the exit code where they cannot be."""
    from ..audit.report.json_text import report_json

    if demos is None and not rejection_samples:
        raise ArgumentError("--demos: expected a file, or --rejection-samples, got neither")
    if demos is None and prompts is None:
        raise ArgumentError("--prompts: expected a file where there are no --demos, got none")
    rooms = {name: torch_room(f"training.{name}") for name in _ROOMS}
    config = rooms["bootstrap"].BootstrapConfig(
        sampling=rooms["base"].Sampling(max_tokens=max_tokens, temperature=temperature),
        looks=rooms["bootstrap"].LookRules(
            group_size=group_size, groups=look_groups, least_mixed=least_mixed, confidence=confidence
        ),
        sft=rooms["sft"].SftConfig(lr=lr, batch_size=batch_size, warmup_steps=warmup_steps, seed=seed),
        look_every=look_every,
        max_steps=max_steps,
        seed=seed,
    )
    at_rejection = rooms["base"].Sampling(max_tokens=max_tokens, temperature=rejection_temperature)
    rooms["policy"].check_new_folder(out)
    judge = named_verifier(verifier, workers=workers, timeout_s=timeout_s)
    keys: dict[str, Any] = {"prompt_key": prompt_key, "target_key": target_key, "prompt_id_key": prompt_id_key}
    named = [] if prompts is None else rooms["prompts"].read_prompts(prompts, **keys)
    rows = None
    if demos is not None:  # read before the model is, which may be a download
        from ..rollouts.reading import read_rows

        rows = read_rows(demos, format=format_name, response_key=response_key, **keys)
    policy = rooms["policy"].load_policy(model, dtype=dtype, device=device)
    encoder = rooms["prompts"].PromptEncoder(policy.tokenizer, chat=chat, system=system, template=template)
    named = encoded_prompts(named, encoder, max_prompt_tokens) if named else []
    shown = None
    if rows is not None:
        shown = rooms["bootstrap"].demonstrated(
            rows, named, judge, policy.tokenizer, encoder, per_prompt=per_prompt, max_tokens=max_tokens
        )
        named = named or list(shown.prompts.values())
        typer.echo(_told_of("demonstrations", shown), err=True)
    if not named:
        raise ArgumentError(f"--demos: expected a row with a prompt, a response and a target, got none in {demos}")

    with ExitStack() as stack:
        generator = engine_of(stack, engine, engine_options, policy)

        def rejection() -> Any:
            found = rooms["bootstrap"].rejection_sampled(
                named, generator, judge, at_rejection, samples=rejection_samples, per_prompt=per_prompt, seed=seed
            )
            typer.echo(_told_of("samples", found), err=True)
            return found

        report = rooms["bootstrap"].bootstrap(
            policy.model,
            named,
            generator,
            judge,
            config,
            demonstrations=shown,
            rejection=rejection if rejection_samples else None,
            on_look=lambda look: typer.echo(_told(look, group_size), err=True),
            on_group=group_writer(stack, rollouts, demos, prompts),
            named={"model": model, "verifier": verifier},
        )

    def beside(folder: Path) -> None:
        (folder / REPORT).write_text(report_json(report, indent=2) + "\n", encoding="utf-8")

    rooms["policy"].save_policy(out, policy.model, policy.tokenizer, beside=beside)
    typer.echo(report.sentence)
    if not report.is_explorable:
        raise typer.Exit(NOT_ENOUGH_SUPPORT)


def _told_of(what: str, selection: Any) -> str:
    refused = ", ".join(f"{reason} {count}" for reason, count in selection.refused.most_common())
    chosen = f"{len(selection.examples)} of {selection.seen} {what} are learned"
    return f"{chosen}{f'; not: {refused}' if refused else ''}"


def _told(look: "Look", group_size: int) -> str:
    if look.mixed.value is None or look.mixed.low is None or look.pass_at_g.value is None:
        return f"{look.sft_steps} steps: {look.left_out} groups, none with all its verdicts"
    return (
        f"{look.sft_steps} steps: pass@{group_size} {look.pass_at_g.value:.1%}, mixed {look.mixed.value:.1%} "
        f"(at least {look.mixed.low:.1%}), success {look.success:.2%}; {look.standing.replace('_', ' ')}"
    )
