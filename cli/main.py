"""Finds the command that was asked for.

A command is a module with `HELP`, `add_arguments(parser)` and `run(arguments) -> exit status`. It
imports what it works with only when it runs: `penstock --help` must not wait for that.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from .. import __version__
from . import doctor

COMMANDS = {"doctor": doctor}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status (2 for wrong usage, 130 for Ctrl-C)."""
    parser = argparse.ArgumentParser(
        prog="penstock", description="Reads deep-learning data sets: tools for the command line."
    )
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.__doc__)
        module.add_arguments(command)
    chosen = parser.parse_args(arguments)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _leave)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # file names need not be text
    try:
        status: int = COMMANDS[chosen.command].run(chosen)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # `penstock ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    return status


def _leave(number: int, _: FrameType | None) -> None:
    """End as at Ctrl-C: by an exception, so that what was begun is cleared away."""
    raise SystemExit(128 + number)
