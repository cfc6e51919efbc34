"""What the commands that run a policy ask for."""

from typing import Annotated

import typer

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
