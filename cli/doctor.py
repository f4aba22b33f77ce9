"""Shows what this machine has for Penstock, what is missing, and how fast PATH is read.

Exit status: 0 if pipelines for --device would work on this machine, 1 if not, 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

from .. import __version__
from .probes import system
from .probes.finding import Context, Finding, Rate
from .probes.jobs import run_jobs
from .progress import Progress
from .report import Report, as_json, as_text

HELP = "show what this machine has, what is missing, and how fast a path is read"

_PROBES = __package__ + ".probes"
_GPU, _LIBRARIES = f"{_PROBES}.gpu", f"{_PROBES}.libraries"
_STORAGE, _SPEED = f"{_PROBES}.storage", f"{_PROBES}.speed"
_DRIVER = "NVIDIA driver"

_MEASURE = 3
"""To read a file takes so many times longer than to look for a library."""

_CPU = ("NumPy", "OpenCV", "simplejpeg")
_NEEDS = {
    "cpu": _CPU,
    "mixed": (*_CPU, _DRIVER, "GPUs", "CuPy", "nvImageCodec"),
    "gpu": (*_CPU, _DRIVER, "GPUs", "CuPy"),
}

Tick = Callable[[str], None]


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
        "--device", choices=_NEEDS, default="cpu", help="what has to work (default: cpu)"
    )
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=_seconds,
        default=10.0,
        help="how long each look at a library or driver may take (default: 10)",
    )
    # A module with further jobs: tests have jobs that hang and crash.
    parser.add_argument("--jobs", metavar="MODULE", help=argparse.SUPPRESS)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 3600:
        raise ValueError
    return value


def run(arguments: argparse.Namespace) -> int:
    """Examine the machine and print what was found; return the exit status."""
    with Progress(sys.stderr) as tick:
        report = _examine(arguments, tick)
    if isinstance(report, str):
        print(f"penstock doctor: {report}", file=sys.stderr)
        return 2
    if arguments.json:
        print(as_json(report))
    else:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print(as_text(report, shutil.get_terminal_size((100, 24)).columns, colour=colour))
    return bool(report.lacking)


def _examine(arguments: argparse.Namespace, tick: Tick) -> Report | str:
    """Return what was found, or why `arguments.path` cannot be looked at."""
    limit, path = arguments.limit, os.path.abspath(arguments.path)
    disk = _findings(_STORAGE, ["file system"], Context(path), limit, tick)
    kind, free = disk[0].values.get("kind", "folder"), disk[0].values.get("free", 0)
    if kind not in ("file", "folder"):
        return f"{path}: {disk[0].detail if kind is None else 'neither a file nor a folder'}"
    from .probes.sample import sample_file

    with sample_file(path, kind, free, limit=_MEASURE * limit, tick=tick) as sample:
        driver = _findings(_GPU, [_DRIVER], Context(sample.path), limit, tick)
        context = Context(sample.path, cuda=driver[0].values.get("cuda", [0])[0])
        gpu = driver + _all(_GPU, context, limit, tick, but=[_DRIVER])
        groups = {
            "GPU": gpu,
            "Libraries": _all(_LIBRARIES, context, limit, tick),
            "Machine": system.findings(),
            "Storage": disk + _all(_STORAGE, context, limit, tick, but=["file system"]),
        }
        if arguments.jobs:
            groups["Further"] = _all(arguments.jobs, context, limit, tick)
        kvikio = bool(context.cuda) and any(row.name == "KvikIO" and row.works for row in gpu)
        rates = _rates(context, _MEASURE * limit, tick, kvikio=kvikio)
    return Report(
        {
            "penstock": __version__,
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        },
        groups,
        path,
        rates,
        sample.reason,
        arguments.device,
        lacking(arguments.device, [row for rows in groups.values() for row in rows]),
    )


def lacking(device: str, found: Iterable[Finding]) -> list[str]:
    """Return the names of what pipelines for the device need and do not have."""
    works = {row.name for row in found if row.works}
    return [name for name in _NEEDS[device] if name not in works]


def _all(
    module: str, context: Context, limit: float, tick: Tick, but: Sequence[str] = ()
) -> list[Finding]:
    """Run all jobs of a module, but those named."""
    names = [name for name in import_module(module).JOBS if name not in but]
    return _findings(module, names, context, limit, tick)


def _findings(
    module: str, names: Sequence[str], context: Context, limit: float, tick: Tick
) -> list[Finding]:
    outcomes = run_jobs(module, names, context, limit=limit, tick=tick)
    return [
        Finding(**outcome.result) if outcome.result else Finding(name, "broken", outcome.fault)
        for name, outcome in outcomes.items()
    ]


def _rates(context: Context, limit: float, tick: Tick, *, kvikio: bool) -> list[Rate]:
    if context.path is None:
        return []
    from .probes.speed import job_names

    outcomes = run_jobs(_SPEED, job_names(kvikio=kvikio), context, limit=limit, tick=tick)
    rates = []
    for name, outcome in outcomes.items():
        way, _, cache = name.rpartition(", ")
        fault = {"way": way, "cache": cache, "note": outcome.fault}
        rates.append(Rate(**(outcome.result or fault)))
    return rates
