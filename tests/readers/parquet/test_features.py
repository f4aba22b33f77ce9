"""Names of classes in the metadata."""

import json

import pytest

from .tables import opened, write

pa = pytest.importorskip("pyarrow")


def test_names_of_classes(tmp_path):
    features = {
        "label": {"names": ["cat", "dog"], "_type": "ClassLabel"},
        "objects": {
            "feature": {"id": {"names": ["x"], "_type": "ClassLabel"}},
            "_type": "Sequence",
        },
    }
    rows = pa.table({"label": [0], "objects": [{"id": [0]}], "n": [1]})
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    path = write(tmp_path / "a.parquet", rows.replace_schema_metadata(metadata))
    names = opened(path, "n", "label", "objects.id").class_names()
    assert names == {"label": ("cat", "dog"), "objects.id": ("x",)}
    damaged = rows.replace_schema_metadata({"huggingface": "[" * 100_000})
    assert opened(write(tmp_path / "b.parquet", damaged), "label").class_names() == {}
