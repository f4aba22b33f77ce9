"""The file `dataset.json`."""

from __future__ import annotations

import dataclasses
import json
import os
from contextlib import suppress

import pytest

from penstock.datasets.manifest import (
    Manifest,
    ShardFile,
    ShardInfo,
    checked_text,
    is_foreign,
    read_manifest,
)
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
    content = json.loads(MANIFEST.to_json())
    del content["checksum"]
    return checked_text(content | fields)


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
        changed(checksums="abc"),
        MANIFEST.to_json().replace('"dog"', '"dot"'),
        MANIFEST.to_json().replace('"checksum"', '"chmcksum"'),
        MANIFEST.to_json().replace('"penstock_dataset"', '"penstock_dataseu"'),
        '["penstock_dataset"]',
    ],
)
def test_damaged_manifests_are_source_errors(tmp_path, text):
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(SourceError, match="no manifest of a data set"):
        read_manifest(tmp_path)


def test_every_flipped_bit_is_noticed(tmp_path):
    path = tmp_path / "dataset.json"
    content = MANIFEST.to_json().encode()
    for position in range(0, len(content), 7):
        for bit in range(8):
            flipped = bytearray(content)
            flipped[position] ^= 1 << bit
            path.write_bytes(flipped)
            with suppress(SourceError):
                assert read_manifest(tmp_path) == MANIFEST  # white space says nothing


def test_manifests_of_the_first_releases_have_no_checksum(tmp_path):
    content = json.loads(MANIFEST.to_json())
    del content["checksum"]
    (tmp_path / "dataset.json").write_text(json.dumps(content))
    assert read_manifest(tmp_path) == dataclasses.replace(MANIFEST, is_checked=False)


def test_the_file_of_another_program_is_foreign(tmp_path):
    assert not is_foreign(tmp_path)
    (tmp_path / "dataset.json").write_text('{"name": "of another program"}')
    assert is_foreign(tmp_path)
    (tmp_path / "dataset.json").write_text(MANIFEST.to_json())
    assert not is_foreign(tmp_path)


def test_a_pipe_of_that_name_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "dataset.json")
    with pytest.raises(SourceError, match="device or FIFO"):
        read_manifest(tmp_path)
