"""What the commands that run a policy ask for, and where they write what was sampled."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError
from .options import torch_room

if TYPE_CHECKING:
    from ..rollouts.records import Group

ModelOption = Annotated[str, typer.Option(help="Folder of a causal language model of transformers.", metavar="FOLDER")]
SystemOption = Annotated[
    str | None, typer.Option(help="Message before every prompt that has none; with a chat template only.")
]
TemplateOption = Annotated[str | None, typer.Option(help="Text with {prompt} in it, put around every prompt of text.")]
ChatOption = Annotated[
    bool | None,
    typer.Option("--chat/--no-chat", help="Write prompts by the tokenizer's chat template. Default: if it has one."),
]
DeviceOption = Annotated[str | None, typer.Option(help="Of torch. Default: the first accelerator, else the CPU.")]
DtypeOption = Annotated[str, typer.Option(help="Of the weights: float32, bfloat16 or float64.")]
MaxPromptTokens = Annotated[
    int | None, typer.Option(min=1, help="Prompts of more tokens are left out, and counted. Default: none is.")
]
EngineOption = Annotated[str, typer.Option(help="What samples: hf, vllm, vllm_server, or another by entry point.")]
EngineOptions = Annotated[str, typer.Option(help="Options of the engine, a JSON object.", metavar="JSON")]
RolloutsOption = Annotated[
    Path | None, typer.Option(help="Write every rollout as it comes, for `rewardgate audit`; JSON lines.")
]


def engine_of(stack: ExitStack, name: str, options: str, policy: Any) -> Any:
    """The engine of that name, closed with the command."""
    try:
        values = json.loads(options)
    except ValueError as error:
        raise ArgumentError(f"--engine-options: expected a JSON object, got {options!r}: {error}") from None
    if not isinstance(values, dict):
        raise ArgumentError(f"--engine-options: expected a JSON object, got {options!r}")
    generator = torch_room("training.generation").generators.create(name, policy.model, policy.tokenizer, **values)
    stack.callback(generator.close)
    return generator


def encoded_prompts(prompts: Sequence[Any], encoder: Any, max_tokens: int | None) -> list[Any]:
    """The prompts with their ids; says on stderr how many were too long."""
    kept = encoder.encoded(prompts, max_tokens=max_tokens)
    if len(kept) < len(prompts):
        typer.echo(
            f"{len(prompts) - len(kept)} of {len(prompts)} prompts are longer than {max_tokens} tokens", err=True
        )
    return kept


def group_writer(stack: ExitStack, path: Path | None, *sources: Path | None) -> "Callable[[Group], None]":
    """Appends the rollouts of a group to a new file at `path`, at once: they survive whatever ends the command."""
    from ..rollouts.output import told_as
    from ..rollouts.writing import rollout_row, write_row

    if path is None:
        return lambda group: None
    for source in sources:
        if source is not None and path.exists() and source.exists() and path.samefile(source):
            raise ArgumentError(f"--rollouts: expected another file than the input, got {path}")
    with told_as("--rollouts", str(path)):
        file = stack.enter_context(path.open("w", encoding="ascii", newline="\n"))

    def write(group: "Group") -> None:
        with told_as("--rollouts", str(path)):
            for rollout in group.rollouts:
                write_row(file, rollout_row(rollout, group_id=group.group_id))
            file.flush()

    return write
