"""Has a whole machine looked at: all probes, and the rates of one path."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from ... import __version__
from . import gpu, libraries, speed, storage, system
from .finding import Context, Finding, Rate
from .jobs import run_jobs
from .sample import sample_file

_MEASURE = 3
"""To read a file may take so many times longer than to look for a library."""

_CPU = ("NumPy", "OpenCV", "simplejpeg")
_NEEDS = {
    "cpu": _CPU,
    "mixed": (*_CPU, gpu.DRIVER, "GPUs", "CuPy", "nvImageCodec"),
    "gpu": (*_CPU, gpu.DRIVER, "GPUs", "CuPy"),
}

Tick = Callable[[str], None]


class NoPathError(Exception):
    """A path cannot be looked at; the text says which and why."""


@dataclass(frozen=True)
class Report:
    """Everything that was found.

    Attributes:
        about: versions of Penstock and Python, and the system.
        groups: findings by title.
        path: what the rates are of.
        rates: how fast it was read; empty if it was not.
        not_measured: why not; "" if it was.
        device: what was asked for.
        lacking: names of what that device needs and does not have.
    """

    about: Mapping[str, str]
    groups: Mapping[str, Sequence[Finding]]
    path: str
    rates: Sequence[Rate]
    not_measured: str
    device: str
    lacking: Sequence[str]


def examine(
    path: str,
    device: str,
    *,
    limit: float,
    tick: Tick = lambda name: None,
    further: str | None = None,
) -> Report:
    """Look at everything.

    Args:
        path: an absolute path of a file to read or a folder to write one in.
        device: "cpu", "mixed" or "gpu".
        limit: seconds that one look may take.
        tick: called with the name of what is being looked at, several times a second.
        further: name of a module whose `JOBS` are run besides.

    Raises:
        NoPathError: there is nothing at `path`, or what is there is neither file nor folder.
    """
    [disk] = _findings(storage, [storage.NAME], Context(path), limit, tick)
    kind = disk.values.get("kind", "unknown")
    if kind in (None, "other"):
        raise NoPathError(f"{path}: {disk.detail if kind is None else 'neither file nor folder'}")
    with sample_file(path, disk, limit=_MEASURE * limit, tick=tick) as sample:
        [driver] = _findings(gpu, [gpu.DRIVER], Context(sample.path), limit, tick)
        context = Context(sample.path, cuda=driver.values.get("cuda", [0])[0])
        groups = {
            "GPU": [driver, *_all_but(gpu.DRIVER, gpu, context, limit, tick)],
            "Libraries": _all_but("", libraries, context, limit, tick),
            "Machine": system.findings(),
            "Storage": [disk, *_all_but(storage.NAME, storage, context, limit, tick)],
        }
        if further:
            groups["Further"] = _all_but("", import_module(further), context, limit, tick)
        found = [row for rows in groups.values() for row in rows]
        kvikio = bool(context.cuda) and "KvikIO" in _working(found)
        names = [] if sample.reason else speed.job_names(kvikio=kvikio)
        rates = _rates(names, context, _MEASURE * limit, tick)
    about = {
        "penstock": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    return Report(about, groups, path, rates, sample.reason, device, lacking(device, found))


def lacking(device: str, found: Iterable[Finding]) -> list[str]:
    """Return the names of what pipelines for the device need and do not have."""
    working = _working(found)
    return [name for name in _NEEDS[device] if name not in working]


def _working(found: Iterable[Finding]) -> set[str]:
    return {row.name for row in found if row.works}


def _all_but(
    but: str, module: ModuleType, context: Context, limit: float, tick: Tick
) -> list[Finding]:
    """Run all jobs of a module but the one named."""
    return _findings(module, [name for name in module.JOBS if name != but], context, limit, tick)


def _findings(
    module: ModuleType, names: Sequence[str], context: Context, limit: float, tick: Tick
) -> list[Finding]:
    outcomes = run_jobs(module.__name__, names, context, limit=limit, tick=tick)
    return [
        Finding(**outcome.result) if outcome.result else Finding(name, "broken", outcome.fault)
        for name, outcome in outcomes.items()
    ]


def _rates(names: Sequence[str], context: Context, limit: float, tick: Tick) -> list[Rate]:
    outcomes = run_jobs(speed.__name__, names, context, limit=limit, tick=tick)
    rates = []
    for name, outcome in outcomes.items():
        way, _, cache = name.rpartition(", ")
        fault = {"way": way, "cache": cache, "note": outcome.fault}
        rates.append(Rate(**(outcome.result or fault)))
    return rates
