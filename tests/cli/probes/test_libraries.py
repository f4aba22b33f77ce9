from __future__ import annotations

import re
import sys
import tomllib

import numpy as np
import pytest

from penstock.cli.probes import gpu, libraries
from penstock.cli.probes.finding import Context
from penstock.cli.probes.libraries import LIBRARIES, PYTORCH, Library, check_picture, picture
from penstock.tests.checkout import ROOT

GPU_LIBRARIES = (gpu.CUPY, gpu.NVIMGCODEC, gpu.KVIKIO)
BROKEN = Library("Odd", "odd_library", "no odd things", package="odd", look=lambda odd: odd.look())


@pytest.fixture
def project():
    """The project's metadata."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("cuda", [12, 13])
@pytest.mark.parametrize("library", [*LIBRARIES, PYTORCH, *GPU_LIBRARIES], ids=lambda x: x.name)
def test_each_library_is_one_of_the_project(library, cuda, project):
    context = Context(cuda=cuda)
    extra = context.with_cuda(library.extra)
    installs = project["optional-dependencies"][extra] if extra else project["dependencies"]
    name = context.with_cuda(library.distribution)
    text = next(text for text in installs if re.match(rf"{name}(\[[\w,]*\])?[<>=]", text))
    assert sorted(library.bounds(context).split(",")) == sorted(
        re.search(r"[<>=][^;]*", text)[0].strip().split(",")
    )
    remedy = library.remedy(context)
    assert remedy.startswith("pip install ")
    assert f"[{extra}]" in remedy if extra else name in remedy


def test_every_library_of_the_extras_is_probed(project):
    probed = {library.distribution for library in (*LIBRARIES, PYTORCH)}
    probed |= {"typer", "rich", "packaging"}  # without these, there is no report
    probed |= {"backports.zstd", "setuptools"}  # parts of what other rows probe
    for extra, texts in project["optional-dependencies"].items():
        if extra not in ("cuda12", "cuda13"):
            names = {re.match(r"[\w.-]+", text)[0] for text in texts}
            assert names <= probed, extra


@pytest.mark.parametrize(
    ("version", "status", "detail"),
    [
        ("1.9", "broken", "1.9 is too old: Penstock needs <4,>=2"),
        ("2.0", "ok", "2.0, fine"),
        ("4.0.1", "limited", "4.0.1 is too new: Penstock needs <4,>=2"),
        ("unknown", "ok", "unknown, fine"),
    ],
)
def test_releases_that_do_not_fit(version, status, detail, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "odd_library", raising=False)
    monkeypatch.setattr(libraries, "requirements", lambda extra: {"odd[fine]": "<4,>=2"})
    (tmp_path / "odd_library.py").write_text(
        f"__version__ = {version!r}\ndef look(): return 'fine'"
    )
    found = BROKEN.probe(Context())
    assert (found.status, found.detail) == (status, detail)
    assert found.remedy == ("" if status == "ok" else "pip install --force-reinstall 'odd<4,>=2'")


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
    told = ("", "") if status == "ok" else ("no odd things", "pip install --force-reinstall 'odd'")
    assert (found.cost, found.remedy) == told


def test_pictures_are_compared():
    check_picture(picture())
    with pytest.raises(ValueError, match="wrongly, by up to 200 of 255"):
        check_picture(np.clip(picture().astype(int) + 200, 0, 328))


@pytest.mark.parametrize(("cuda", "build"), [(0, "cpu"), (12, "cu126"), (13, "cu130")])
def test_the_build_of_pytorch_that_suits_the_machine_is_proposed(cuda, build, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    found = libraries.pytorch(Context(cuda=cuda))
    assert found.status == "missing"
    assert found.remedy.startswith("pip install torch --index-url https://")
    assert found.remedy.endswith(f"/{build}")
