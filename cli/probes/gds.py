"""cuFile, which reads from disks into GPU memory (GPUDirect Storage), and why it may not.

Where it does not, KvikIO reads with POSIX calls through host memory: compatibility mode.
"""

from __future__ import annotations

import os
from importlib import import_module

from .finding import Context, Finding, describe

_COST = "files reach the GPU by way of host memory (compatibility mode)"
_UDEV = "/run/udev"


def cufile(context: Context) -> Finding:
    """Say whether files beside `context.path` are read through GPUDirect Storage."""
    if not context.cuda:
        return Finding("cuFile", "missing", "no driver answers", _COST, "see NVIDIA driver")
    try:
        driver = import_module("kvikio.cufile_driver")
    except ImportError:
        return Finding("cuFile", "missing", "needs KvikIO", _COST, "see KvikIO")
    major, minor = driver.libcufile_version()
    version = f"{major}.{minor}" if major else "version unknown"
    if hindrance := _hindrance(context.path):
        reason, remedy = hindrance
        text, values = f"{version}, compatibility mode: {reason}", {"mode": "compatibility"}
        return Finding("cuFile", "limited", text, _COST, remedy, values | {"why": reason})
    return Finding("cuFile", "ok", f"{version}, GDS", values={"mode": "GDS"})


def _hindrance(path: str | None) -> tuple[str, str] | None:
    """Return why GDS does not serve and what mends it; None if it serves."""
    defaults = import_module("kvikio.defaults")
    compat = import_module("kvikio").CompatMode
    driver = import_module("kvikio.cufile_driver")
    if defaults.get("compat_mode") == compat.ON:
        return "the variable KVIKIO_COMPAT_MODE asks for it", "unset KVIKIO_COMPAT_MODE"
    if not os.path.isdir(_UDEV):
        return f"{_UDEV} is not there", f"in a container: docker run -v {_UDEV}:{_UDEV}:ro"
    try:
        driver.driver_open()
    except RuntimeError as error:
        return f"cuFile does not open its driver ({describe(error)})", _INSTALL
    if not driver.properties.is_gds_available:
        return "the kernel module nvidia-fs is not loaded", _INSTALL
    if path is None:
        return "there is no file to try it with", "name a file, or a folder to write in"
    try:
        with defaults.set("compat_mode", compat.OFF):  # so that a refusal is an error
            import_module("kvikio").CuFile(path, "r").close()
    except (RuntimeError, OSError) as error:
        remedy = "use ext4 or XFS on NVMe, or another file system that GDS lists"
        return f"this file system does not serve ({describe(error)})", remedy
    return None


_INSTALL = "install GPUDirect Storage (package nvidia-gds) and run: modprobe nvidia-fs"
