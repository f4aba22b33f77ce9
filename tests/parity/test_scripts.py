"""Programs written for DALI give the same with nothing but their imports changed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import Pipeline

pytest.importorskip("nvidia.dali")
pytest.importorskip("torch")

from .scripts_members import MEMBERS
from .scripts_operators import OPERATORS
from .scripts_pipelines import PIPELINES

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of old names
    pytest.mark.filterwarnings("ignore:.*, in the same order"),  # of readers that are no pairs
]

SCRIPTS = {**PIPELINES, **OPERATORS, **MEMBERS}

TOLERANCES = {"images transformed": 1, "resnet with functions": 0.018}
"""Resized pixels may differ by 1; those of the ResNet are divided by 57 afterwards."""

FLOATS = 2e-7


def writer(name):
    """Return one of the modules that write data sets for the tests of readers."""
    path = Path(__file__).resolve().parent.parent / "readers" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"penstock_test_scripts_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def photos(photo_tree):
    return str(photo_tree.root)


@pytest.fixture(scope="module")
def data(photos, tmp_path_factory):
    """A folder with seven photographs in every format that the programs read."""
    folder = tmp_path_factory.mktemp("data")
    images = [path.read_bytes() for path in sorted(Path(photos).glob("class_0[0-6]/*5.jpg"))]
    write = writer("tfrecord_files")
    examples = [
        {
            "image/encoded": image,
            "image/class/label": i + 1,
            "image/object/bbox": [0.5 * i, 1.0, 2.0, 3.0],
        }
        for i, image in enumerate(images)
    ]
    places = write.write_records(folder / "photos.tfrecord", map(write.example, examples))
    write.write_index(folder / "photos.idx", places)
    write = writer("record_io")
    records = [write.image_record(image, float(i)) for i, image in enumerate(images)]
    for suffix, content in zip(("", ".idx"), write.record_file(records), strict=True):
        (folder / f"photos.rec{suffix}").write_bytes(content)
    members = {}
    for i, image in enumerate(images):
        members |= {f"{i}.jpg": image, f"{i}.cls": b"%d" % i}
    (folder / "photos.tar").write_bytes(writer("tars").archive(members))
    write = writer("lmdb_samples")
    write.write_lmdb(
        folder / "caffe",
        [write.datum(data=image, label=i, encoded=True) for i, image in enumerate(images)],
    )
    return str(folder)


def described(value):
    """Return what there is to see of a value, as it is now, with nothing of either library."""
    if isinstance(value, list | tuple):
        return [described(member) for member in value]
    if hasattr(value, "at"):
        rows = [np.array(value.at(i)) for i in range(len(value))]
        return ["batch", value.layout(), int(value.dtype), rows]
    if type(value).__name__ == "TensorCPU":
        return ["tensor", value.layout(), np.array(value)]
    if type(value).__module__ == "torch":
        return value.numpy().copy()
    if isinstance(value, np.ndarray):
        return value.copy()
    return int(value) if type(value).__name__.endswith("DALIDataType") else value


def run(program, photos, data):
    kept = []

    def keep(*values):
        kept.extend(map(described, values))

    names = {"keep": keep, "photos": photos, "data": data, "np": np, "__name__": "program"}
    exec(compile(program, "<program>", "exec"), names)
    for value in names.values():
        if isinstance(value, Pipeline):
            value.close()
    return kept


def assert_same(ours, theirs, tolerance):
    assert type(ours) is type(theirs)
    if isinstance(ours, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other, tolerance)
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        atol = tolerance or (FLOATS if ours.dtype.kind == "f" else 0)
        np.testing.assert_allclose(ours.astype(float), theirs.astype(float), rtol=0, atol=atol)
    else:
        assert ours == theirs


@pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning")  # DALI gives none
@pytest.mark.parametrize("name", SCRIPTS)
def test_program(name, photos, data, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = SCRIPTS[name]
    ours = run(program.replace("nvidia.dali", "penstock"), photos, data)
    assert ours
    assert_same(ours, run(program, photos, data), TOLERANCES.get(name, 0))
