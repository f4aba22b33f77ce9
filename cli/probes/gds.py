"""cuFile, which reads from disks straight into GPU memory (GPUDirect Storage).

Where GPUDirect Storage does not work, files reach the GPU by way of host memory.
"""

from __future__ import annotations

from importlib import import_module

from ...readers.npy.gds_support import hindrance
from .finding import Context, Finding

_COST = "files reach the GPU by way of host memory"


def cufile(context: Context) -> Finding:
    """Return whether GPUDirect Storage works for files beside `context.path`."""
    try:
        driver = import_module("kvikio.cufile_driver")
    except ImportError:
        return Finding("cuFile", "missing", "needs KvikIO", _COST, "see KvikIO")
    major, minor = driver.libcufile_version()
    version = f"{major}.{minor}" if major else "version unknown"
    if obstacle := hindrance(context.path):
        reason, remedy = obstacle
        text, values = f"{version}, not used: {reason}", {"mode": "compatibility"}
        return Finding("cuFile", "limited", text, _COST, remedy, values | {"why": reason})
    return Finding("cuFile", "ok", f"{version}, GDS", values={"mode": "GDS"})
