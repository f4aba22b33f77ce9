"""NVIDIA's optical flow engine: asks it what it can do."""

from __future__ import annotations

from ...engine.errors import MissingDependencyError
from ...engine.gpu.gpu_device import GpuDevice
from ...operators.optical_flow.engine_library import load_library
from ...operators.optical_flow.flow_session import FlowLimits, limits_of
from .finding import Context, Finding, describe

NAME = "optical flow engine"

_COST = "fn.optical_flow does not work"
_REMEDY = (
    "install the driver's libnvidia-opticalflow; in a container: NVIDIA_DRIVER_CAPABILITIES=all"
)


def flow_engine(_: Context) -> Finding:
    """Ask the engine for its grids and for the extents of frames."""
    try:
        load_library()
    except MissingDependencyError:
        return Finding(NAME, "missing", "no libnvidia-opticalflow.so.1", _COST, _REMEDY)
    try:
        limits = _limits()
    except MissingDependencyError as error:
        return Finding(NAME, "missing", describe(error), _COST)
    except Exception as error:  # whatever a broken installation raises
        return Finding(NAME, "broken", describe(error), _COST)
    grids = ", ".join(f"{grid}x{grid}" for grid in limits.grids)
    largest = f"{limits.width[1]}x{limits.height[1]}"
    return Finding(NAME, "ok", f"a vector for {grids} pixels, frames up to {largest}")


def _limits() -> FlowLimits:
    with GpuDevice(None, 1 << 20, 1).lane() as device:
        return limits_of(device)
