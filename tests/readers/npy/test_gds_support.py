"""What hinders GPUDirect Storage, as far as it shows without a GPU."""

from types import SimpleNamespace

import pytest

from penstock.readers.npy import gds_support as gds


@pytest.fixture
def library(monkeypatch):
    """What stands for KvikIO: the settings and answers that are asked for."""
    modes = SimpleNamespace(ON="on", OFF="off", AUTO="auto")
    found = SimpleNamespace(mode="auto", opened=[])

    def driver_open():
        found.opened.append(True)

    modules = {
        "kvikio": SimpleNamespace(CompatMode=modes),
        "kvikio.defaults": SimpleNamespace(get=lambda _: found.mode),
        "kvikio.cufile_driver": SimpleNamespace(
            driver_open=driver_open,
            properties=SimpleNamespace(is_gds_available=True),
        ),
    }
    monkeypatch.setattr(gds, "import_module", modules.__getitem__)
    return found


def test_compatibility_mode_by_a_variable(library):
    library.mode = "on"
    assert gds.hindrance("/data")[1] == "unset KVIKIO_COMPAT_MODE"


def test_no_udev(library, monkeypatch, tmp_path):
    monkeypatch.setattr(gds, "UDEV", str(tmp_path / "udev"))
    why, remedy = gds.hindrance("/data")
    assert why == f"{tmp_path}/udev is not there"
    assert remedy.startswith("in a container: docker run -v ")
    assert not library.opened  # which might hang


def test_no_file_to_try_it_with(library, monkeypatch, tmp_path):
    monkeypatch.setattr(gds, "UDEV", str(tmp_path))
    assert gds.hindrance(None)[0] == "there is no file for a trial"
    assert library.opened


def test_the_first_line_of_an_error():
    assert gds.first_line(RuntimeError("no driver\nat 3")) == "RuntimeError: no driver"
    assert gds.first_line(RuntimeError()) == "RuntimeError"
