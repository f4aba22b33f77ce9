"""The file system that a path lies in."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from ..console import size_text
from .finding import Context, Finding, Job

NAME = "file system"


@dataclass(frozen=True)
class Mount:
    """A line of /proc/self/mountinfo: mount point, type of the file system, what is mounted."""

    point: str
    type: str
    source: str


def mount_of(path: str, mountinfo: Iterable[str]) -> Mount:
    """Return the mount that holds the absolute `path`: the last one of the deepest point."""
    mount = Mount("/", "unknown", "unknown")
    for line in mountinfo:
        before, _, after = line.partition(" - ")
        point = _unescape(before.split()[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(mount.point):
            file_system, source = after.split()[:2]
            mount = Mount(point, file_system, _unescape(source))
    return mount


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), text)


def file_system(context: Context) -> Finding:
    """Describe the file system of `context.path`, a folder or a file."""
    assert context.path is not None
    path = os.path.realpath(context.path)
    try:
        status = os.stat(path)
        space = os.statvfs(path)
    except OSError as error:
        return Finding(NAME, "broken", error.strerror or "", values={"file_type": None})
    file_types = {stat.S_IFDIR: "folder", stat.S_IFREG: "file"}
    with open("/proc/self/mountinfo", errors="surrogateescape") as lines:
        mount = mount_of(path, lines)
    free = space.f_bavail * space.f_frsize
    return Finding(
        NAME,
        "ok",
        f"{mount.type} ({mount.source} on {mount.point}), {size_text(free)} free",
        values={
            "file_type": file_types.get(stat.S_IFMT(status.st_mode), "other"),
            "size": status.st_size,
            "type": mount.type,
            "source": mount.source,
            "mount_point": mount.point,
            "free": free,
        },
    )


JOBS: dict[str, Job] = {NAME: file_system}
