"""CPU, memory and limits, read from /proc and /sys without a child process."""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...engine.machine import usable_cores
from ..console import size_text
from .finding import Finding

_UNLIMITED = resource.RLIM_INFINITY

_NO_LIMIT = 1 << 62
"""Minimum value that version 1 of control groups writes for "no limit"."""

_FILES_ENOUGH = 1024
"""Readers keep up to 256 files open; sockets and libraries open further files."""


def findings() -> list[Finding]:
    """Return the findings of all functions in this module."""
    return [cpu(), memory(), open_files()]


def cpu() -> Finding:
    """Return how many cores this process may use."""
    cores, usable, quota = os.cpu_count() or 1, usable_cores(), cpu_quota(Path("/"))
    model = _model_name() or platform.machine()
    text = f"{model}: {usable} of {cores} cores"
    values = {"model": model, "cores": cores, "affinity": usable, "cgroup_cores": quota}
    if quota is not None and quota < usable:
        return Finding(
            "CPU",
            "limited",
            f"{text}; the control group allows {quota:g} cores' time",
            "the kernel stops further threads for part of the time",
            f"pass num_threads={max(1, int(quota))} to the pipeline, or raise docker run --cpus",
            values,
        )
    return Finding("CPU", "ok", text, values=values)


def cpu_quota(root: Path) -> float | None:
    """Return how many cores' time the control groups allow; None for no limit.

    Versions 1 and 2; the tightest of this process's group and those above it. `root` is where
    /proc and /sys are.
    """
    quotas = []
    for group in _groups(root, "cpu"):
        with suppress(OSError, ValueError):
            limit, period = (group / "cpu.max").read_text().split()
            quotas.append(int(limit) / int(period))
        with suppress(OSError, ValueError):
            limit = (group / "cpu.cfs_quota_us").read_text()
            quotas.append(int(limit) / int((group / "cpu.cfs_period_us").read_text()))
    return min((quota for quota in quotas if quota > 0), default=None)


def _groups(root: Path, controller: str) -> Iterable[Path]:
    """Yield the folders of this process's control group and of those above it."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            number, controllers, name = line.split(":", 2)
            if number != "0" and controller not in controllers.split(","):
                continue
            base = root / "sys/fs/cgroup" / (controller if number != "0" else "")
            folder = base / name.strip("/")
            yield folder
            yield from (above for above in folder.parents if above.is_relative_to(base))


def _model_name() -> str:
    with suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return ""


def memory() -> Finding:
    """Return the machine's memory and the limit of this process."""
    with open("/proc/meminfo") as lines:
        kib = {name: int(rest.split()[0]) for name, rest in (line.split(":") for line in lines)}
    total, free = kib["MemTotal"] << 10, kib["MemAvailable"] << 10
    text = f"{size_text(free)} of {size_text(total)} available"
    limit = memory_limit(Path("/"))
    if limit is not None and limit < total:
        text += f", the control group allows {size_text(limit)}"
    values = {"total": total, "available": free, "cgroup": limit}
    return Finding("memory", "ok", text, values=values)


def memory_limit(root: Path) -> int | None:
    """Return the bytes that the control groups allow; None for no limit: see `cpu_quota`."""
    limits = []
    for group in _groups(root, "memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            with suppress(OSError, ValueError):
                limits.append(int((group / name).read_text()))
    return min((limit for limit in limits if limit < _NO_LIMIT), default=None)


def _values(soft: int, hard: int) -> dict[str, Any]:
    limits = {"soft": soft, "hard": hard}
    return {name: None if limit == _UNLIMITED else limit for name, limit in limits.items()}


def open_files() -> Finding:
    """Return how many files this process may have open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    at_once, at_most = ("any number" if n == _UNLIMITED else f"{n:,}" for n in (soft, hard))
    text = f"{at_once} at once, {used} in use"
    if soft != hard:
        text += f"; ulimit -n can allow {at_most}"
    values = _values(soft, hard) | {"used": used}
    if soft != _UNLIMITED and soft < _FILES_ENOUGH:
        cost = "data sets of many shards and connections fail with 'Too many open files'"
        return Finding("open files", "limited", text, cost, "ulimit -n 65536", values)
    return Finding("open files", "ok", text, values=values)
