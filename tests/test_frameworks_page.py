"""docs/frameworks.md: its modules are there, and its programs run."""

from __future__ import annotations

import importlib
import re

import numpy as np
import pytest

from penstock import MissingDependencyError
from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "frameworks.md"
TEXT = PAGE.read_text(encoding="utf-8")
OF_NUMPY, OF_MONAI = re.findall(r"```python\n(.*?)```", TEXT, re.S)


@pytest.mark.parametrize("module", sorted(set(re.findall(r"`(penstock\.plugin\.\w+)`", TEXT))))
@pytest.mark.filterwarnings("default")  # of the frameworks
def test_a_module_is_there_or_says_what_it_needs(module):
    try:
        importlib.import_module(module)
    except MissingDependencyError as error:
        said = str(error)
    else:
        return
    assert re.search(r"needs .*pip install", said)


def test_batches_for_numpy(photo_tree, tmp_path, monkeypatch):
    (tmp_path / "photos").symlink_to(photo_tree.root)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(OF_NUMPY, str(PAGE), "exec"), names)
    assert len(names["means"]) == 4


@pytest.mark.filterwarnings("default")  # of MONAI
def test_volumes_for_monai(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monai = pytest.importorskip("monai", reason="MONAI is not installed")
    (tmp_path / "scans").mkdir()
    for i in (1, 2, 3, 4):
        np.save(tmp_path / "scans" / f"{i}.voxels.npy", np.full((8, 8, 8), i, np.float32))
        np.save(tmp_path / "scans" / f"{i}.affine.npy", np.diag([i, i, i, 1]).astype(np.float64))
    monkeypatch.chdir(tmp_path)
    names = {}
    for program in (OF_NUMPY.partition("\n\n\n")[0], OF_MONAI):
        exec(compile(program, str(PAGE), "exec"), names)
    for scan in names["scans"]:
        number = int(scan.max())  # also the size of a voxel before
        assert torch.allclose(scan.affine.diag(), torch.tensor([2.0, 2, 2, 1]).double())
        assert all(abs(extent - 8 * number / 2) <= 1 for extent in scan.shape[1:])
    assert sorted(int(scan.max()) for scan in names["scans"]) == [1, 2, 3, 4]
    voxels = torch.zeros(1, 2, 2, 2)
    assert monai.data.MetaTensor(voxels, affine=torch.eye(4)).data_ptr() == voxels.data_ptr()
