"""The file system that a path lies in."""

from __future__ import annotations

import errno
import mmap
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from .finding import Context, Finding, Job, describe, size_text

NAME = "file system"


@dataclass(frozen=True)
class Mount:
    """A line of /proc/self/mountinfo: mount point, type of the file system, what is mounted."""

    point: str
    type: str
    source: str


def mount_of(path: str, mountinfo: Iterable[str]) -> Mount:
    """Return what is mounted where the absolute `path` lies; the last of equals covers others."""
    found = Mount("/", "unknown", "unknown")
    for line in mountinfo:
        before, _, after = line.partition(" - ")
        point = _unescape(before.split()[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(found.point):
            kind, source = after.split()[:2]
            found = Mount(point, kind, _unescape(source))
    return found


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
        return Finding(NAME, "broken", error.strerror or "", values={"kind": None})
    kinds = {stat.S_IFDIR: "folder", stat.S_IFREG: "file"}
    with open("/proc/self/mountinfo", errors="surrogateescape") as lines:
        mount = mount_of(path, lines)
    free = space.f_bavail * space.f_frsize
    return Finding(
        NAME,
        "ok",
        f"{mount.type} ({mount.source} on {mount.point}), {size_text(free)} free",
        values={
            "kind": kinds.get(stat.S_IFMT(status.st_mode), "other"),
            "size": status.st_size,
            "type": mount.type,
            "source": mount.source,
            "mount_point": mount.point,
            "free": free,
        },
    )


def direct(context: Context) -> Finding:
    """Read a block of the file `context.path` past the page cache."""
    cost = "every read goes through the page cache; GPUDirect Storage cannot work"
    if context.path is None:
        return Finding("O_DIRECT", "limited", "not tried: there is no file to read")
    try:
        number = os.open(context.path, os.O_RDONLY | os.O_DIRECT)
        try:
            os.preadv(number, [mmap.mmap(-1, mmap.PAGESIZE)], 0)
        finally:
            os.close(number)
    except OSError as error:
        if error.errno != errno.EINVAL:
            return Finding("O_DIRECT", "broken", describe(error), cost)
        detail, remedy = "this file system refuses it", "use ext4 or XFS on a local disk"
        return Finding("O_DIRECT", "missing", detail, cost, remedy)
    return Finding("O_DIRECT", "ok", "works")


JOBS: dict[str, Job] = {NAME: file_system, "O_DIRECT": direct}
