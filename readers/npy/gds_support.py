"""GPUDirect Storage: whether cuFile, by way of KvikIO, reads files straight into GPU memory."""

from __future__ import annotations

import os
from importlib import import_module

UDEV = "/run/udev"
_INSTALL = "install GPUDirect Storage (package nvidia-gds) and run: modprobe nvidia-fs"


def hindrance(path: str | None) -> tuple[str, str] | None:
    """Return why GDS does not read files beside `path`, and a remedy; None if GDS reads them.

    Callers make sure that KvikIO is installed and CUDA works: cuFile may hang without a driver.
    """
    kvikio, defaults = import_module("kvikio"), import_module("kvikio.defaults")
    driver = import_module("kvikio.cufile_driver")
    if defaults.get("compat_mode") == kvikio.CompatMode.ON:
        return "the variable KVIKIO_COMPAT_MODE switches GDS off", "unset KVIKIO_COMPAT_MODE"
    if not os.path.isdir(UDEV):
        return f"{UDEV} is not there", f"in a container: docker run -v {UDEV}:{UDEV}:ro"
    try:
        driver.driver_open()
    except RuntimeError as error:
        return f"cuFile does not open its driver ({first_line(error)})", _INSTALL
    if not driver.properties.is_gds_available:
        return "the kernel module nvidia-fs is not loaded", _INSTALL
    if path is None:
        return "there is no file for a trial", "name a file, or a folder to write in"
    try:
        with defaults.set("compat_mode", kvikio.CompatMode.OFF):  # then a refusal is an error
            kvikio.CuFile(path, "r").close()
    except (RuntimeError, OSError) as error:
        remedy = "use ext4 or XFS on NVMe, or another file system that GDS lists"
        return f"the file system of {path} does not serve ({first_line(error)})", remedy
    return None


def first_line(error: BaseException) -> str:
    """Return an exception's type and the first line of its text."""
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
