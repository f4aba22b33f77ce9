"""Runs the command that the user names.

A command is a function in a module of the same name, with `EXAMPLES` for its help. The module is
imported when the command runs, so that `penstock --help` does not wait for its libraries.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import FrameType
from typing import Annotated, Any

import typer

from .. import __version__
from .commands import EXIT_STATUSES, PROGRAM, Commands, examples, say_error
from .console import Printer, guard_terminal

APP = typer.Typer(
    cls=Commands,
    help="Reads deep-learning data sets: tools for the command line.",
    epilog=EXIT_STATUSES,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    rich_markup_mode=None,  # rich takes longer to import than a help text to read it
)
_UsageError: Any = typer.BadParameter.__base__  # typer does not export this class


@APP.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --version: print JSON, for programs.")
    ] = False,
) -> None:
    if version:
        print(json.dumps({PROGRAM: __version__}) if as_json else f"{PROGRAM} {__version__}")
        raise typer.Exit
    if as_json:
        context.fail("--json stands behind a command, or with --version.")
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


COMMANDS = {
    "inspect": "Show format, schema, counts and sizes of a data set.",
    "show": "Draw a contact sheet of samples or of a batch.",
    "convert": "Write a data set in another format.",
    "verify": "Check that A and B hold the same samples, or that A is sound.",
    "index": "Make or refresh the indexes of files with many samples.",
    "bench": "Measure the samples a second of a pipeline, and name its limit.",
    "tune": "Search for the fastest setting of a pipeline, and print it as arguments to copy.",
    "serve": "Answer requests over HTTP by a pipeline, or export it as a model of NVIDIA Triton.",
    "doctor": "Show whether pipelines work here, and what is missing.",
}
"""The summary of each command: the first line of its docstring."""


class ImportedCommands(Mapping[str, Any]):
    """The commands by name; a command's module is imported when the command is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return _imported(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def _imported(name: str) -> object:
    module = import_module(f".{name}", __package__)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, epilog=examples(*module.EXAMPLES))(getattr(module, name))
    return typer.main.get_command(app)


def _group() -> Any:
    group: Any = typer.main.get_command(APP)
    group.commands = ImportedCommands()
    group.summaries = COMMANDS
    return group


GROUP = _group()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line of this process; return the exit status: see `commands`."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup makes the process ignore SIGHUP
            signal.signal(number, _leave)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # file names may be no valid UTF-8
    guard_terminal()
    return run(arguments)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    try:
        return GROUP(args=arguments, prog_name=PROGRAM, standalone_mode=False) or 0
    except _UsageError as error:
        say_error(error.format_message().replace("Value error, ", ""))  # pydantic's, in typer
        path = error.ctx.command_path if error.ctx else PROGRAM
        Printer(sys.stderr).print(f"Try '{path} --help'.")
        return 2


def _leave(number: int, _: FrameType | None) -> None:
    """End by an exception, as Ctrl-C does, so that `finally` clauses run."""
    raise SystemExit(128 + number)
