"""Runs all probes, measures the rates of one path, and collects the results in a report."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from ... import __version__
from ..commands import CommandFailed
from . import gpu, libraries, speed, storage, system
from .finding import Context, Finding, Rate
from .jobs import run_jobs
from .sample import sample_file

_MEASURE = 3
"""Factor by which reading a file may take longer than looking for a library."""

_CPU = ("NumPy", "OpenCV", "simplejpeg")
_NEEDS = {
    "cpu": _CPU,
    "mixed": (*_CPU, gpu.DRIVER, "GPUs", "CuPy", "nvImageCodec"),
    "gpu": (*_CPU, gpu.DRIVER, "GPUs", "CuPy"),
}

Tick = Callable[[str], None]


@dataclass(frozen=True)
class Report:
    """The state of a machine.

    Attributes:
        about: versions of Penstock and Python, and the system.
        groups: findings by title.
        path: the file or folder whose reading was measured.
        rates: the measured rates; empty if nothing was measured.
        not_measured: the reason if nothing was measured; otherwise "".
        device: the device that the user asked about.
        lacking: names of the things that this device needs and that do not work.
    """

    about: Mapping[str, str]
    groups: Mapping[str, Sequence[Finding]]
    path: str
    rates: Sequence[Rate]
    not_measured: str
    device: str
    lacking: Sequence[str]


def examine(path: str, device: str, *, limit: float, tick: Tick = lambda name: None) -> Report:
    """Examine the machine.

    Args:
        path: an absolute path of a file to read or a folder to write one in.
        device: "cpu", "mixed" or "gpu".
        limit: maximum seconds of one job.
        tick: function that is called with the name of the current job, several times a second.

    Raises:
        CommandFailed: `path` does not exist, or is neither a file nor a folder.
    """
    [disk] = _findings(storage, [storage.NAME], Context(path), limit, tick)
    file_type = disk.values.get("file_type", "unknown")
    if file_type in (None, "other"):
        reason = disk.detail if file_type is None else "neither file nor folder"
        raise CommandFailed(f"{path}: {reason}", 2)
    with sample_file(path, disk, limit=_MEASURE * limit, tick=tick) as sample:
        [driver] = _findings(gpu, [gpu.DRIVER], Context(sample.path), limit, tick)
        context = Context(sample.path, cuda=driver.values.get("cuda", [0])[0])
        on_gpu = _all_but(gpu.DRIVER, gpu, context, limit, tick) if driver.works else []
        groups = {
            "GPU": [driver, *on_gpu],
            "Libraries": _all_but("", libraries, context, limit, tick),
            "Machine": system.findings(),
            "Storage": [disk],
        }
        findings = [row for rows in groups.values() for row in rows]
        names = [] if sample.reason else [name for name in speed.JOBS if name != "write"]
        rates = _rates(names, context, _MEASURE * limit, tick)
    about = {
        "penstock": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    return Report(about, groups, path, rates, sample.reason, device, lacking(device, findings))


def lacking(device: str, findings: Iterable[Finding]) -> list[str]:
    """Return the names of the things that pipelines for the device need and that do not work."""
    working = {row.name for row in findings if row.works}
    return [name for name in _NEEDS[device] if name not in working]


def _all_but(
    but: str, module: ModuleType, context: Context, limit: float, tick: Tick
) -> list[Finding]:
    """Run all jobs of a module except the job `but`."""
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
        fault = {"way": way, "cache": cache, "remark": outcome.fault}
        rates.append(Rate(**(outcome.result or fault)))
    return rates
