"""`penstock doctor` on a machine with a GPU: installed libraries work, others are reported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from penstock.tests.checkout import SOURCES

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(600)]

COMMAND = [sys.executable, "-m", "penstock", "doctor"]
INSTALLED = {
    "CuPy": "cupy",
    "nvImageCodec": "nvidia.nvimgcodec",
    "KvikIO": "kvikio",
    "PyTorch": "torch",
}


def installed(module):
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(scope="module")
def report(cupy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("doctor")
    result = subprocess.run(
        [*COMMAND, str(folder), "--json", "--device", "gpu", "--limit", "60"],
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(SOURCES), *filter(None, sys.path)]),
        },
    )
    assert os.listdir(folder) == []
    print(result.stdout)  # pytest shows it where a test fails
    assert result.returncode == 0
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def rows(report):
    return {row["name"]: row for rows in report["findings"].values() for row in rows}


def test_the_driver_and_its_devices(rows, cupy):
    driver, devices = rows["NVIDIA driver"], rows["GPUs"]
    assert driver["status"] == devices["status"] == "ok"
    version = cupy.cuda.runtime.driverGetVersion()
    assert driver["values"]["cuda"] == [version // 1000, version % 1000 // 10]
    assert driver["values"]["version"]
    assert len(devices["values"]["devices"]) == cupy.cuda.runtime.getDeviceCount()
    first, properties = devices["values"]["devices"][0], cupy.cuda.runtime.getDeviceProperties(0)
    assert first["name"] == properties["name"].decode()
    assert first["memory"] == properties["totalGlobalMem"]
    assert first["capability"] == f"{properties['major']}.{properties['minor']}"


@pytest.mark.parametrize("name", INSTALLED)
def test_what_is_installed_works(rows, name):
    if installed(INSTALLED[name]):
        assert rows[name]["status"] == "ok", rows[name]
    else:
        assert rows[name]["status"] == "missing"
        assert "pip install" in rows[name]["remedy"]


def test_the_jpeg_engine(rows):
    if not installed("nvidia.nvimgcodec"):
        pytest.skip("nvImageCodec is not installed")
    row = rows["hardware JPEG engine"]
    if rows["GPUs"]["values"]["devices"][0]["name"] == "NVIDIA H200":
        assert row["status"] == "ok", row
    assert row["status"] in ("ok", "missing")


def test_the_video_decoder(rows):
    if not installed("av"):
        pytest.skip("PyAV is not installed")
    row = rows["hardware video decoder"]
    if rows["GPUs"]["values"]["devices"][0]["name"] == "NVIDIA H200":
        assert row["status"] == "ok", row
    assert row["status"] in ("ok", "missing")


def test_the_optical_flow_engine(rows):
    row = rows["optical flow engine"]
    if rows["GPUs"]["values"]["devices"][0]["name"] == "NVIDIA H200":
        assert row["status"] == "ok", row
        assert "frames up to 8192x8192" in row["detail"]
    assert row["status"] in ("ok", "missing")


def test_cufile_says_its_mode(rows):
    row = rows["cuFile"]
    if not installed("kvikio"):
        assert row["status"] == "missing"
        return
    assert row["values"]["mode"] in ("GDS", "compatibility")
    assert (row["values"]["mode"] == "GDS") == (row["status"] == "ok")
    assert row["status"] == "ok" or row["values"]["why"]
