"""The probes of the GPU on a machine without one; `tests/gpu/test_doctor.py` has the others."""

from __future__ import annotations

import ctypes
import sys

import pytest

from penstock.cli.probes import gpu
from penstock.cli.probes.cuda import Driver, _DecodeCaps
from penstock.cli.probes.finding import Context

NAMES = [name for name in gpu.JOBS if name != gpu.DRIVER]


@pytest.fixture
def no_driver():
    """Skip where a driver is installed."""
    try:
        Driver()
    except OSError:
        return
    pytest.skip("this machine has a driver")


def test_no_driver(no_driver):
    found = gpu.driver(Context())
    assert (found.status, found.detail) == ("missing", "no libcuda.so.1")
    assert "install NVIDIA's driver" in found.remedy


@pytest.mark.parametrize("name", NAMES)
def test_without_a_driver_nothing_is_loaded(name):
    loaded = set(sys.modules)
    found = gpu.JOBS[name](Context(cuda=0))
    assert found.name == name
    assert found.status in ("missing", "broken")
    assert found.cost
    assert found.remedy
    roots = {module.split(".")[0] for module in set(sys.modules) - loaded}
    assert not roots & {"cupy", "kvikio", "PyNvVideoCodec"}
    assert "nvidia.nvimgcodec" not in set(sys.modules) - loaded


@pytest.mark.parametrize("name", NAMES)
def test_a_driver_that_went_away_is_no_crash(name, no_driver):
    """The job "driver" said yes, and now the libraries meet a machine that has none."""
    if name == "GPUs":
        with pytest.raises(OSError, match=r"libcuda\.so\.1"):
            gpu.JOBS[name](Context(cuda=13))
    else:
        assert gpu.JOBS[name](Context(cuda=13)).status in ("missing", "broken")


def test_the_first_job_looks_for_the_driver():
    assert next(iter(gpu.JOBS)) == gpu.DRIVER


def test_the_layout_of_the_video_decoder_s_answer():
    """Offsets and size of CUVIDDECODECAPS in cuviddec.h."""
    assert ctypes.sizeof(_DecodeCaps) == 88
    assert (_DecodeCaps.supported.offset, _DecodeCaps.engines.offset) == (24, 25)
    assert (_DecodeCaps.max_width.offset, _DecodeCaps.histogram.offset) == (28, 44)
