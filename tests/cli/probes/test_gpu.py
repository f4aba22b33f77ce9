"""The probes of the GPU on a machine without one; `tests/gpu/test_doctor.py` has the others."""

from __future__ import annotations

import pytest

from penstock.cli.probes import gpu
from penstock.cli.probes.cuda import Driver
from penstock.cli.probes.finding import Context

CONNECTIONS = "CUDA connections"  # a variable of the environment
NAMES = [name for name in gpu.JOBS if name not in (gpu.DRIVER, CONNECTIONS)]


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
def test_a_driver_that_went_away_is_no_crash(name, no_driver):
    """The job "driver" said yes, and now the libraries meet a machine that has none."""
    if name == "GPUs":
        with pytest.raises(OSError, match=r"libcuda\.so\.1"):
            gpu.JOBS[name](Context(cuda=13))
    else:
        assert gpu.JOBS[name](Context(cuda=13)).status in ("missing", "broken")


def test_the_first_job_looks_for_the_driver():
    assert next(iter(gpu.JOBS)) == gpu.DRIVER


@pytest.mark.parametrize(
    ("value", "status"),
    [(None, "ok"), ("32", "ok"), ("many", "ok"), ("8", "limited"), ("1", "limited")],
)
def test_few_connections_are_a_limit(value, status, monkeypatch):
    monkeypatch.delenv("CUDA_DEVICE_MAX_CONNECTIONS", raising=False)
    if value is not None:
        monkeypatch.setenv("CUDA_DEVICE_MAX_CONNECTIONS", value)
    finding = gpu.JOBS[CONNECTIONS](Context())
    assert finding.status == status
    assert (value or "the default") in finding.detail
    assert ("CUDA cores decode all" in finding.cost) == (value == "1")
