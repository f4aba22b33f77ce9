"""NVIDIA's driver through ctypes, with a library in C that stands for it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import pytest

from penstock.cli.probes import cuda
from penstock.cli.probes.cuda import CudaError, Driver, VisibleGpu

COMPILER = shutil.which("gcc")

SOURCE = r"""
#include <stddef.h>
#include <string.h>
int cuInit(unsigned flags) { return INIT; }
int cuDriverGetVersion(int* version) { *version = 12080; return 0; }
int cuDeviceGetCount(int* count) { *count = 2; return 0; }
int cuDeviceGet(int* device, int i) { *device = 10 + i; return 0; }
int cuDeviceGetName(char* name, int size, int device) {
    strcpy(name, device == 10 ? "Card A" : "Card B");
    return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) { *bytes = 5000000000ull; return 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    if (device == 11) return 101;
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : -1;
    return 0;
}
int cuGetErrorName(int code, const char** text) { *text = "CUDA_ERROR_TEST"; return 0; }
int cuGetErrorString(int code, const char** text) { *text = 0; return 1; }
int nvmlInit_v2(void) { return INIT; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) { strcpy(text, "580.1"); return 0; }
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Let `ctypes` load a driver that is compiled here; `library(init=3)` fails to start."""
    if COMPILER is None:
        pytest.skip("no gcc to compile a driver")
    load = ctypes.CDLL

    def build(init=0):
        source, built = tmp_path / "driver.c", tmp_path / f"driver{init}.so"
        source.write_text(SOURCE)
        flags = [f"-DINIT={init}", "-shared", "-fPIC", "-w", "-o", str(built)]
        subprocess.run([COMPILER, *flags, str(source)], check=True)
        monkeypatch.setattr(cuda.ctypes, "CDLL", lambda name: load(str(built)))

    return build


def test_the_version_and_the_devices(library):
    library()
    driver = Driver()
    assert driver.cuda_version() == (12, 8)
    assert driver._device(10) == VisibleGpu("Card A", 5_000_000_000, "9.0")


def test_an_error_names_the_function_and_the_code(library):
    library()
    with pytest.raises(CudaError, match=r"cuDeviceGetAttribute: CUDA_ERROR_TEST \(\?\)") as caught:
        Driver().devices()
    assert caught.value.code == 101


def test_a_driver_that_does_not_start(library):
    library(init=3)
    with pytest.raises(CudaError, match="cuInit: CUDA_ERROR_TEST"):
        Driver()


def test_the_version_of_the_driver_comes_from_nvml(library, monkeypatch):
    library()
    assert cuda.driver_version() == "580.1"
    library(init=1)
    assert cuda.driver_version() == ""

    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(cuda.ctypes, "CDLL", missing)
    assert cuda.driver_version() == ""
    with pytest.raises(OSError, match=r"libcuda\.so\.1"):
        Driver()
