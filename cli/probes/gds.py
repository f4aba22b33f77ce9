"""cuFile, which reads from disks into GPU memory (GPUDirect Storage), and why it may not.

Where it does not, KvikIO reads with POSIX calls through host memory: compatibility mode.
"""

from __future__ import annotations

from importlib import import_module

from ...readers.npy.gds_support import hindrance
from .finding import Context, Finding

_COST = "files reach the GPU by way of host memory (compatibility mode)"


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
    if found := hindrance(context.path):
        reason, remedy = found
        text, values = f"{version}, compatibility mode: {reason}", {"mode": "compatibility"}
        return Finding("cuFile", "limited", text, _COST, remedy, values | {"why": reason})
    return Finding("cuFile", "ok", f"{version}, GDS", values={"mode": "GDS"})
