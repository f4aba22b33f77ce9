"""Processor, memory and limits: read from /proc and /sys, so no child process is needed."""

from __future__ import annotations

import os
import platform
import resource
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .finding import Finding, size_text

_UNLIMITED = resource.RLIM_INFINITY

_SHM_ENOUGH = 1 << 30
"""/dev/shm of a Docker container has 64 MiB; a few batches of images are larger."""

_NO_LIMIT = 1 << 62
"""Version 1 of control groups writes so much and more where there is no limit."""

_FILES_ENOUGH = 1024
"""Readers keep up to 256 files open; sockets and libraries need some, too."""


def findings() -> list[Finding]:
    """Look at everything in this module."""
    return [processor(), instructions(), memory(), locked_memory(), open_files(), shared_memory()]


def processor() -> Finding:
    """Say how many cores this process may use."""
    cores, usable, quota = os.cpu_count() or 1, len(os.sched_getaffinity(0)), cpu_quota(Path("/"))
    model = _cpuinfo("model name") or platform.machine()
    text = f"{model}: {usable} of {cores} cores"
    values = {"model": model, "cores": cores, "affinity": usable, "cgroup_cores": quota}
    if quota is not None and quota < usable:
        return Finding(
            "processor",
            "limited",
            f"{text}, and the control group allows the time of {quota:g}",
            "threads beyond that are stopped for part of the time",
            f"pass num_threads={max(1, int(quota))} to the pipeline, or raise docker run --cpus",
            values,
        )
    return Finding("processor", "ok", text, values=values)


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


def instructions() -> Finding:
    """Say which vector instructions the processor has."""
    flags = set((_cpuinfo("flags") or _cpuinfo("Features")).split())
    known = {"avx2": "AVX2", "avx512f": "AVX-512", "asimd": "NEON", "sve": "SVE"}
    have = [name for flag, name in known.items() if flag in flags]
    values = {"flags": sorted(flags & set(known))}
    if not flags & {"avx2", "asimd"}:
        cost = "JPEG decoding and resizing are several times slower"
        text = "neither AVX2 nor NEON" if flags else "/proc/cpuinfo does not tell"
        return Finding("vector instructions", "limited", text, cost, values=values)
    return Finding("vector instructions", "ok", ", ".join(have), values=values)


def _cpuinfo(key: str) -> str:
    with suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    return ""


def memory() -> Finding:
    """Say how much memory there is and how much of it this process may use."""
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


def locked_memory() -> Finding:
    """Say how much memory may be locked, as RDMA and io_uring do with their buffers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    text = "unlimited" if soft == _UNLIMITED else size_text(soft)
    return Finding("locked memory", "ok", text, values=_values(soft, hard))


def _values(soft: int, hard: int) -> dict[str, Any]:
    limits = {"soft": soft, "hard": hard}
    return {name: None if limit == _UNLIMITED else limit for name, limit in limits.items()}


def open_files() -> Finding:
    """Say how many files this process may have open."""
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


def shared_memory() -> Finding:
    """Say how large /dev/shm is."""
    cost = "worker processes of PyTorch and NCCL end with a bus error"
    remedy = "in a container: docker run --shm-size=8g"
    try:
        total, _, free = shutil.disk_usage("/dev/shm")
    except OSError as error:
        return Finding("shared memory", "missing", f"/dev/shm: {error.strerror}", cost, remedy)
    text, values = f"/dev/shm: {size_text(free)} free", {"total": total, "free": free}
    if free < _SHM_ENOUGH:
        return Finding("shared memory", "limited", text, cost, remedy, values)
    return Finding("shared memory", "ok", text, values=values)
