"""`penstock doctor`: whether pipelines work on this machine, and what is missing."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Annotated, Literal

import typer

from .commands import AsJson, between
from .probes.examine import examine
from .probes.report import as_text, report_as_json, wants_color
from .progress import Spinner

EXAMPLES = (
    "penstock doctor",
    "penstock doctor /data/train --device mixed",
    "penstock doctor --json > report.json",
)


def doctor(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A file to read, or a folder in which to write, read and remove a file of at "
            "most 256 MiB.",
        ),
    ] = ".",
    as_json: AsJson = False,
    device: Annotated[
        Literal["cpu", "mixed", "gpu"], typer.Option(help="Device whose pipelines have to work.")
    ] = "cpu",
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            parser=between(0.01, 3600.0),
            help="Maximum time for each look at a library or driver.",
        ),
    ] = 10.0,
) -> int:
    """Show whether pipelines work here, and what is missing.

    With a PATH, the report also has the speed at which files there are read.
    The exit status is 0 if pipelines for --device would work on this machine, and 1 if not.
    """
    with Spinner(sys.stderr) as tick:
        report = examine(os.path.abspath(path), device, limit=limit, tick=tick)
    if as_json:
        print(report_as_json(report))
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(as_text(report, width, color=wants_color(sys.stdout, os.environ)))
    return bool(report.lacking)
