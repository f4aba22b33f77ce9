"""What the probe of cuFile says, with stand-ins for KvikIO."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from penstock.cli.probes import gds
from penstock.cli.probes.finding import Context


@pytest.fixture
def driver(monkeypatch):
    """A driver of version 1.15; `hindrance` is what hinders GPUDirect Storage."""
    found = SimpleNamespace(version=(1, 15), hindrance=None, asked=[])

    def hindrance(path):
        found.asked.append(path)
        return found.hindrance

    module = SimpleNamespace(libcufile_version=lambda: found.version)
    monkeypatch.setattr(gds, "import_module", lambda name: module)
    monkeypatch.setattr(gds, "hindrance", hindrance)
    return found


def test_without_kvikio_it_is_missing(monkeypatch):
    def fail(name):
        raise ImportError(name)

    monkeypatch.setattr(gds, "import_module", fail)
    found = gds.cufile(Context("/data/x"))
    assert (found.status, found.detail, found.remedy) == ("missing", "needs KvikIO", "see KvikIO")
    assert not found.works
    assert "host memory" in found.cost


def test_it_works(driver):
    found = gds.cufile(Context("/data/x"))
    assert (found.name, found.status, found.detail) == ("cuFile", "ok", "1.15, GDS")
    assert found.values == {"mode": "GDS"}
    assert driver.asked == ["/data/x"]


def test_a_hindrance_is_named_with_its_remedy(driver):
    driver.hindrance = "the kernel module nvidia-fs is not loaded", "install it"
    found = gds.cufile(Context("/data/x"))
    assert (found.status, found.remedy) == ("limited", "install it")
    assert found.detail == "1.15, not used: the kernel module nvidia-fs is not loaded"
    assert found.values == {
        "mode": "compatibility",
        "why": "the kernel module nvidia-fs is not loaded",
    }
    assert found.works


def test_an_old_library_does_not_know_its_version(driver):
    driver.version = (0, 0)
    assert gds.cufile(Context()).detail == "version unknown, GDS"
