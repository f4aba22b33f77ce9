"""What all commands have in common: messages of errors, exit statuses, and examples in the help.

Exit statuses:

    0    the command did its work, and all is well
    1    the work failed or showed a fault: damaged data, a difference, a device that does not work
    2    wrong usage: an unknown option, a path that does not exist, a format that is not known
    130  Ctrl-C; 141: the reader of the output went away; 143: the process was told to end
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar, cast

import typer
from typer.core import TyperGroup

from ..engine.errors import ArgumentError, PenstockError
from ..engine.suggestions import listed
from .console import Printer

PROGRAM = "penstock"
EXIT_STATUSES = (
    "Exit status: 0 if all is well; 1 if the work failed or showed a fault (damaged data, a "
    "difference, a device that does not work); 2 for wrong usage (also a path that does not "
    "exist); 130 after Ctrl-C."
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
PipelineArguments = Annotated[
    list[str] | None,
    typer.Option(
        "--arg", metavar="NAME=VALUE", help="Argument of the pipeline's function; repeatable."
    ),
]

BATCH_SIZE = 64
"""Samples of a batch where neither the user nor the pipeline says."""

_USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__base__)
"""The error of wrong usage, which Typer does not export; what is used of it BadParameter has."""

_WRONG_USAGE = (ArgumentError, FileNotFoundError, FileExistsError, NotADirectoryError)


class CommandFailed(PenstockError):  # noqa: N818  (a state, not a fault of this program)
    """A command cannot go on.

    Attributes:
        status: the exit status.
    """

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Commands(TyperGroup):
    """The group of all commands: an error of the user ends a command with a message.

    Attributes:
        summaries: of the commands by name, for the help.
    """

    summaries: Mapping[str, str] = {}

    def format_commands(self, ctx: object, formatter: Any) -> None:
        """Write the commands with their summaries, which needs none of their modules."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `help` and `help COMMAND` for the option `--help`."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; the error of an unknown one lists all."""
        try:
            return super().resolve_command(ctx, args)
        except _USAGE_ERROR as error:
            error.message += f" The commands are {', '.join(self.commands)}."
            raise

    def invoke(self, ctx: Any) -> object:
        """Run the command; return its exit status."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
        except BrokenPipeError:  # `penstock ... | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 128 + signal.SIGPIPE
        except (PenstockError, OSError) as error:
            say_error(message_of(error))
            return status_of(error)
        return status


def refuse_options(purpose: str, options: Mapping[str, object]) -> None:
    """Raise CommandFailed if an option is given that would have no effect.

    Args:
        purpose: what the options are for.
        options: their values by name; false ones are not given.
    """
    if given := [f"--{name}" for name, value in options.items() if value]:
        raise CommandFailed(f"leave out {listed(given)}: for {purpose}", 2)


Number = TypeVar("Number", int, float)


def between(least: Number, most: Number | None = None) -> Callable[[Any], Number]:
    """Return the parser of an option's number, from `least` on, at most `most`.

    >>> between(1, 100)("50")
    50
    """
    kind = type(least)
    wanted = f"{'a whole number' if kind is int else 'a number'} from {least:,} "
    wanted += "on" if most is None else f"to {most:,}"

    def parse(value: Any) -> Number:
        try:
            number = kind(value)
        except ValueError:
            number = None
        if number is None or not number >= least or (most is not None and number > most):
            raise typer.BadParameter(f"{str(value)[:50]!r} is not {wanted}")
        return number

    return parse


Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=between(1),
        help="Workers; by default as many as cores.",
        show_default=False,
    ),
]


def status_of(error: BaseException) -> int:
    """Return the exit status of a command that ends with an error."""
    if isinstance(error, CommandFailed):
        return error.status
    return 2 if isinstance(error, _WRONG_USAGE) else 1


def message_of(error: BaseException) -> str:
    """Return an error's text for users, with its notes.

    >>> message_of(FileNotFoundError(2, "No such file or directory", "cats"))
    'cats: No such file or directory'
    """
    text = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"{os.fsdecode(error.filename)}: {error.strerror}"
    return "\n  ".join([text, *getattr(error, "__notes__", ())])


def say_error(message: str) -> None:
    """Print a message to standard error, after the program's name."""
    Printer(sys.stderr).print(f"{PROGRAM}: ", ("error: ", "bold red"), message)


def examples(*lines: str) -> str:
    """Return the end of a command's help: examples, one a line, then the exit statuses."""
    listed = "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])  # \b keeps lines
    return f"{listed}\n\n{EXIT_STATUSES}"
