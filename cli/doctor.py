"""Shows what this machine has for Penstock, what is missing, and how fast PATH is read.

Exit status: 0 if pipelines for --device would work on this machine, 1 if not, 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from .progress import Progress

HELP = "show what this machine has, what is missing, and how fast a path is read"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "path",
        metavar="PATH",
        nargs="?",
        default=".",
        help="a file to read, or a folder where a file of at most 256 MiB is made, read and "
        "removed (default: the current folder)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--device",
        choices=("cpu", "mixed", "gpu"),
        default="cpu",
        help="what has to work (default: cpu)",
    )
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=seconds,
        default=10.0,
        help="how long each look at a library or driver may take (default: 10)",
    )
    # A module with further jobs: tests have jobs that hang and crash.
    parser.add_argument("--jobs", metavar="MODULE", help=argparse.SUPPRESS)


def seconds(text: str) -> float:
    """Return a number of seconds; raise ValueError unless it is one to wait for."""
    value = float(text)
    if not 0 < value < 3600:
        raise ValueError(text)
    return value


def run(arguments: argparse.Namespace) -> int:
    """Examine the machine and print what was found; return the exit status."""
    from .probes.examine import NoPathError, examine
    from .report import as_json, as_text, wants_colour

    try:
        with Progress(sys.stderr) as tick:
            report = examine(
                os.path.abspath(arguments.path),
                arguments.device,
                limit=arguments.limit,
                tick=tick,
                further=arguments.jobs,
            )
    except NoPathError as error:
        print(f"penstock doctor: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        print(as_json(report))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(as_text(report, width, colour=wants_colour(sys.stdout, os.environ)))
    return bool(report.lacking)
