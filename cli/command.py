"""The command itself: what it knows, and how it ends.

Every error that the library raises on purpose becomes one line on stderr and exit code 2. Heavy rooms are
imported by the command that needs them, so that `--help` is quick.
"""

import os
import signal
import sys
from typing import Annotated, Any

import typer
from typer.main import get_command

from .. import __version__
from ..errors import InputError, RewardgateError
from .advantages import advantages
from .audit import audit
from .bootstrap import bootstrap
from .doctor import doctor
from .explore import explore
from .export import export
from .label import label
from .names import list_names
from .pools import pools
from .probe import probe
from .score import score
from .train import train
from .verify import verify
from .watch import watch

_SETTINGS: dict[str, Any] = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}
app = typer.Typer(**_SETTINGS)
app.command()(audit)
app.command()(verify)
app.command()(score)
app.command()(advantages)
app.command()(probe)
app.command()(watch)
app.command()(pools)
app.command()(explore)
app.command()(bootstrap)
app.command()(export)
app.command()(train)
app.command()(doctor)
app.command("list")(list_names)
app.add_typer(label, name="label")

_UsageError: Any = typer.BadParameter.__bases__[0]
"""click's, which some versions of typer import and others bring along."""


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    """Verify, audit and gate the rewards of language models trained by reinforcement learning."""
    if version:
        typer.echo(f"rewardgate {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


def main() -> None:
    """The entry point: runs the command, and turns every error of ours, or of usage, into one line and exit code 2.

    Exit codes: 0; 1 where `--fail-on` says so and for nothing else; 2; 3 where `bootstrap` ends without enough
    support for RL; 130 after Ctrl-C; 141 where the reader of our output went away (`| head`), as the shell reports it
    of any other program.
    """
    # numpy's threads cost 0.1 s to start; our matrices, and a worker's beside others, gain nothing from them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(_exit_code(sys.argv[1:]))


def _exit_code(arguments: list[str]) -> int:
    if sys.stdout is None:  # `>&-`: the next file that is opened would be what others take for stdout
        return _refused("stdout: expected an open stream, got a closed one")
    # Not `app()`: typer answers a broken pipe with exit code 1, and an error of usage with four lines.
    command = get_command(_app_for(arguments))
    try:
        try:
            with command.make_context("rewardgate", arguments) as context:
                command.invoke(context)
            code = 0
        except typer.Exit as done:
            code = done.exit_code
        _flush_stdout()
    except _UsageError as error:
        at = "rewardgate" if error.ctx is None else error.ctx.command_path
        return _refused(f"{error.format_message().rstrip('.')}; see {at} --help")
    except BrokenPipeError:
        # Point stdout at nothing, so that the interpreter does not complain when it flushes for the last time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except RewardgateError as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(_told(error))
    return code


def _app_for(arguments: list[str]) -> typer.Typer:
    """`app`; of its commands only the one asked for, since all are built of what is handed on, in 60 ms."""
    asked = [
        one for one in app.registered_commands if arguments[:1] == [one.name or getattr(one.callback, "__name__", "")]
    ]
    if not asked:
        return app
    narrowed = typer.Typer(**_SETTINGS)
    narrowed.registered_callback, narrowed.registered_commands = app.registered_callback, asked
    return narrowed


def _flush_stdout() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"stdout: expected a writable file, got: {error.strerror}") from error


def _told(error: OSError) -> str:
    """What the system refused, as we say it."""
    reason = error.strerror or str(error)
    return reason if error.filename is None else f"{error.filename}: expected a usable file or folder, got: {reason}"


def _refused(message: str) -> int:
    typer.echo(f"rewardgate: {' '.join(message.split())}", err=True)
    return 2
