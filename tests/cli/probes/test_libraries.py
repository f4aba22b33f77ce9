from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock.cli.probes import gpu, libraries
from penstock.cli.probes.finding import Context
from penstock.cli.probes.libraries import LIBRARIES, PYTORCH, Library, check_picture, picture

GPU_LIBRARIES = (gpu.CUPY, gpu.NVIMGCODEC, gpu.KVIKIO)
BROKEN = Library("Odd", "odd_library", "no odd things", "pip install odd", lambda odd: odd.look())


@pytest.fixture
def project():
    """The project's metadata."""
    return tomllib.loads((Path(penstock.__file__).parent / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("cuda", [12, 13])
@pytest.mark.parametrize("library", [*LIBRARIES, PYTORCH, *GPU_LIBRARIES], ids=lambda x: x.name)
def test_remedies_install_what_is_missing(library, cuda, project):
    remedy = Context(cuda=cuda).remedy(library.remedy)
    assert remedy.startswith("pip install ")
    if extra := re.search(r"\.\[(\w+)\]", remedy):
        installs = project["optional-dependencies"][extra[1]]
    elif "--force-reinstall" in remedy and library is not PYTORCH:
        installs = project["dependencies"]
    else:
        installs = [remedy]
    distribution = {"cv2": "opencv-python-headless", "nvidia.nvimgcodec": "nvidia-nvimgcodec"}
    name = distribution.get(library.module, library.module.split(".")[0].replace("_", "-"))
    assert any(name.lower() in text.lower() for text in installs)
    if library in GPU_LIBRARIES and "cu" in remedy.removeprefix("pip install").lower():
        assert f"cu{cuda}" in remedy.replace("cuda", "cu")


def test_what_the_project_needs_is_there():
    found = {name: libraries.JOBS[name](Context()) for name in ("NumPy", "OpenCV", "simplejpeg")}
    assert {row.status for row in found.values()} == {"ok"}
    assert found["NumPy"].values == {"version": np.__version__}
    assert found["NumPy"].detail == np.__version__


@pytest.mark.parametrize("library", [*LIBRARIES, PYTORCH], ids=lambda library: library.name)
def test_optional_libraries_work_or_are_missing(library):
    found = library.probe(Context())
    try:
        __import__(library.module)
    except ImportError:
        assert found.status == "missing"
        assert found.cost
        assert found.remedy
    else:
        assert found.status == "ok", found
        assert re.match(r"\d+\.\d+", found.values["version"])


@pytest.mark.parametrize(
    ("source", "status", "detail"),
    [
        ("__version__ = '1.2'\ndef look(): return 'fine'", "ok", "1.2, fine"),
        ("__version__ = '1.2'\ndef look(): return ''", "ok", "1.2"),
        ("def look(): raise OSError(5, 'no such device')", "broken", "OSError: no such device"),
        (
            "import lib_that_is_not_there",
            "broken",
            "ModuleNotFoundError: No module named 'lib_that_is_not_there'",
        ),
        ("raise ImportError('libGL.so.1: no')", "broken", "ImportError: libGL.so.1: no"),
        ("raise RuntimeError('cannot start')", "broken", "RuntimeError: cannot start"),
        (None, "missing", "not installed"),
    ],
)
def test_what_a_library_may_do(source, status, detail, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the module's source will change
    monkeypatch.delitem(sys.modules, "odd_library", raising=False)
    if source is not None:
        (tmp_path / "odd_library.py").write_text(source)
    found = BROKEN.probe(Context())
    assert (found.status, found.detail) == (status, detail)
    told = ("", "") if status == "ok" else ("no odd things", "pip install odd")
    assert (found.cost, found.remedy) == told


def test_pictures_are_compared():
    check_picture(picture())
    with pytest.raises(ValueError, match="wrongly, by up to 200 of 255"):
        check_picture(np.clip(picture().astype(int) + 200, 0, 328))
