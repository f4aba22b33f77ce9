"""The file `dataset.json`."""

from __future__ import annotations

import json

import pytest

from penstock.datasets.manifest import Manifest, ShardFile, ShardInfo, read_manifest
from penstock.datasets.schema import ComponentType
from penstock.engine.errors import SourceError

MANIFEST = Manifest(
    "tfrecord",
    3,
    {"boxes": ComponentType("array", "", "float32", (None, 4)), "label": ComponentType("int")},
    (ShardInfo((ShardFile("a.tfrecord", 10, "00"), ShardFile("a.idx", 2, "11")), 3),),
    ("cat", "dog"),
    {"keys": "name"},
    "abc",
)


def test_a_manifest_comes_back(tmp_path):
    (tmp_path / "dataset.json").write_text(MANIFEST.to_json())
    assert read_manifest(tmp_path) == MANIFEST
    assert MANIFEST.files(".idx") == ["a.idx"]


def test_folders_without_a_manifest_have_none(tmp_path):
    assert read_manifest(tmp_path) is None
    (tmp_path / "dataset.json").write_text('{"name": "of another program"}')
    assert read_manifest(tmp_path) is None


def changed(**fields):
    return json.dumps(json.loads(MANIFEST.to_json()) | fields)


@pytest.mark.parametrize(
    "text",
    [
        MANIFEST.to_json()[:-5],
        changed(penstock_dataset=2),
        changed(schema=[]),
        changed(schema={"x": {"type": "object"}}),
        changed(shards=[{}]),
        changed(samples="many"),
        changed(samples=float("inf")),
        changed(samples=-1),
        changed(samples=True),
        changed(schema={"x": {"type": "array", "dtype": "u1", "shape": [float("inf")]}}),
        changed(schema={"x": {"type": "array", "dtype": "u1", "shape": [-1]}}),
        changed(shards=[{"files": [{"name": "../a", "bytes": 1, "sha256": ""}], "samples": 1}]),
        changed(shards=[{"files": [{"name": "", "bytes": 1, "sha256": ""}], "samples": 1}]),
        changed(shards=[{"files": [{"name": "/a", "bytes": 1, "sha256": ""}], "samples": 1}]),
        changed(layout=3),
        '["penstock_dataset"]',
    ],
)
def test_damaged_manifests_are_source_errors(tmp_path, text):
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(SourceError, match="no manifest of a data set"):
        read_manifest(tmp_path)
