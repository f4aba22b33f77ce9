"""Parquet files of other programs."""

from __future__ import annotations

import datetime
import json
import re

import numpy as np
import pytest

from penstock import datasets, fn, pipeline_def
from penstock.datasets import open_dataset
from penstock.datasets.formats.parquet import writer as writer_module
from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.testing import made

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def test_columns_are_components(tmp_path):
    columns = {
        "image": [{"bytes": b"\xff\xd8\xff", "path": None}, {"bytes": b"..", "path": "x.png"}],
        "label": [1, None],
        "text": ["a", "b"],
        "values": [[1.5, 2.5], []],
    }
    features = {"label": {"names": ["cat", "dog"], "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), tmp_path / "a.parquet")
    dataset = open_dataset(tmp_path / "a.parquet")
    first, second = dataset.read([0, 1])
    assert (first.key, second.key) == ("a/00000000", "a/00000001")
    assert [s.components["image"].extension for s in (first, second)] == ["jpg", "png"]
    assert "label" not in second.components
    np.testing.assert_array_equal(first.components["values"], [1.5, 2.5])
    assert dataset.classes == ("cat", "dog")


def test_samples_of_several_row_groups_come_in_the_order_asked(tmp_path, tuned):
    tuned(writer_module, GROUP_ROWS=2)
    dataset = open_dataset(made.write(tmp_path / "a", made.arrays(), "parquet"))
    assert "row group 3, row 1" in dataset.where(7)
    assert [s.key for s in dataset.read([7, 0, 8, 3])] == ["007", "000", "008", "003"]


def test_damaged_files_and_unknown_columns_are_refused(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1....PAR1")
    with pytest.raises(SourceError, match="no sound Parquet file"):
        open_dataset(tmp_path / "a.parquet")
    for values in ([{"a": 1}], [[{"a": 1}]], [["text"]], [datetime.date(2020, 1, 1)]):
        parquet.write_table(pa.table({"x": values}), tmp_path / "b.parquet")
        with pytest.raises(SourceError, match=r"the column 'x' of type .* is no component"):
            open_dataset(tmp_path / "b.parquet")


def test_columns_that_are_no_components_are_left_out(tmp_path):
    table = pa.table({"label": [3, 4], "meta": [{"a": 1}] * 2, "tags": [["x"], []]})
    parquet.write_table(table, tmp_path / "a.parquet")
    with open_dataset(tmp_path / "a.parquet") as dataset:
        assert dataset.stored.unread_fields == ("meta", "tags")
        assert [sample.components for sample in dataset.read([1, 0])] == [
            {"label": 4},
            {"label": 3},
        ]


def test_what_any_file_holds_beside_the_samples_is_named(tmp_path):
    image = {"bytes": b"..", "path": "x.jpg", "size": 2}
    columns, root = {"image": [image], "label": [1]}, tmp_path / "tables"
    root.mkdir()
    parquet.write_table(pa.table(columns), root / "a-0.parquet")
    parquet.write_table(pa.table({**columns, "meta": [{"a": 1}]}), root / "a-1.parquet")
    report = datasets.convert(root, tmp_path / "out", to="webdataset")
    assert report.lost == datasets.inspect(root).lost == ("image.size", "meta")
    verified = datasets.verify(root, tmp_path / "out")
    assert verified.ok
    assert verified.left_out[0]["data of samples that no component holds"] == ("image.size", "meta")


def test_a_table_without_columns_is_named(tmp_path):
    table = pa.table({"x": [1, 2]}).select([])
    assert (table.num_rows, table.num_columns) == (2, 0)
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(SourceError, match=r"a\.parquet"):
        open_dataset(tmp_path / "a.parquet")


def test_texts_that_are_no_utf8_are_refused(tmp_path):
    texts = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xe4\xe4")]
    )
    parquet.write_table(pa.table({"text": texts}), tmp_path / "a.parquet")
    with pytest.raises(SourceError, match=r"a.parquet, row group 0: .*UTF8"):
        open_dataset(tmp_path / "a.parquet")


def test_lists_that_differ_in_length_are_refused(tmp_path):
    parquet.write_table(pa.table({"x": [[[1, 2], [3]]]}), tmp_path / "a.parquet")
    with pytest.raises(DecodeError, match="row group 0, row 0: lists that differ in length"):
        open_dataset(tmp_path / "a.parquet")


def test_fields_of_structs_are_components(tmp_path):
    objects = [{"bbox": [[1.0, 2.0, 3.0, 4.0]], "category": [5]}, {"bbox": [], "category": []}]
    parquet.write_table(pa.table({"objects": objects}), tmp_path / "a.parquet")
    first, second = open_dataset(tmp_path / "a.parquet").read([0, 1])
    assert first.components["objects.bbox"].tolist() == [[1.0, 2.0, 3.0, 4.0]]
    assert first.components["objects.category"].tolist() == [5]
    assert second.components["objects.category"].tolist() == []


def test_arrow_files_are_read(tmp_path):
    """As `save_to_disk` of the package datasets writes them, beside two files of JSON."""
    table = pa.table({"text": pa.array(["a", "b", "a"]).dictionary_encode().cast(pa.string())})
    with pa.ipc.new_stream(tmp_path / "data-00000-of-00001.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    for name in ("state.json", "dataset_info.json"):
        (tmp_path / name).write_text("{}")
    dataset = open_dataset(tmp_path)
    assert dataset.format == "arrow"
    assert [sample.components["text"] for sample in dataset.read([2, 1])] == ["a", "b"]
    assert dataset.where(2).endswith("data-00000-of-00001.arrow, record batch 1, row 0")


LAYOUTS = {
    "hub": "data/{}-00000-of-00001.parquet",
    "names": "{}.parquet",
    "folders": "{}/0.parquet",
    "dict": "{}/data-00000-of-00001.arrow",
}


def put_split(root, layout, split, numbers):
    """Write a split as in a repository of the hub, or as `DatasetDict.save_to_disk` does."""
    file = root / LAYOUTS[layout].format(split)
    file.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table({"x": numbers})
    if layout == "dict":
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        (file.parent / "state.json").write_text('{"_data_files": []}')
        (root / "dataset_dict.json").write_text('{"splits": []}')
    else:
        parquet.write_table(table, file)
        (root / "README.md").write_text("---\nlicense: mit\n---\n")


def read_split(path, split=None):
    @pipeline_def(batch_size=1, num_threads=1)
    def reading():
        return fn.readers.parquet(path=str(path), columns=["x"], split=split, name="x")

    with reading() as pipe:
        return [pipe.run()[0].as_array().tolist()[0] for _ in range(pipe.epoch_size("x"))]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_reader_and_the_commands_find_the_same_splits(tmp_path, layout):
    put_split(tmp_path, layout, "train", [1, 2])
    with open_dataset(tmp_path) as dataset:
        assert [sample.components["x"] for sample in dataset.read([0, 1])] == [1, 2]
    assert read_split(tmp_path) == read_split(tmp_path, "train") == [1, 2]
    put_split(tmp_path, layout, "test", [3])
    assert read_split(tmp_path, "train") == [1, 2]
    assert read_split(tmp_path, "test") == [3]
    for opens in (open_dataset, read_split):
        with pytest.raises(
            ArgumentError, match=r"holds the splits test \(1 .*, train \("
        ) as raised:
            opens(tmp_path)
        pattern = re.search(r"files of one of them: '(.*)' .*split='train'", str(raised.value))[1]
        assert read_split(pattern) == [1, 2]
        assert len(open_dataset(pattern)) == 2
    with pytest.raises(ArgumentError, match=r"has no split 'tran'; did you mean 'train'\?"):
        read_split(tmp_path, "tran")
    with pytest.raises(ArgumentError, match=r"split='train' is one of a folder, but .* is none"):
        read_split(pattern, "train") if "*" in pattern else read_split(f"{pattern}/*", "train")


def test_splits_behind_a_url(tmp_path, web):
    for split, numbers in (("train", [1, 2]), ("test", [3])):
        put_split(tmp_path, "hub", split, numbers)
        name = LAYOUTS["hub"].format(split)
        web.objects[f"set/{name}"] = (tmp_path / name).read_bytes()
    assert read_split(f"{web.url}/set/", "test") == [3]
    for opens in (open_dataset, read_split):
        with pytest.raises(ArgumentError, match=r"holds the splits test \(1 file\), train"):
            opens(f"{web.url}/set/")
    del web.objects["set/data/test-00000-of-00001.parquet"]
    assert read_split(f"{web.url}/set/") == [1, 2]
    assert len(open_dataset(f"{web.url}/set/")) == 2


def test_what_datasets_computed_is_no_data(tmp_path):
    put_split(tmp_path, "dict", "train", [1, 2])
    put_split(tmp_path, "dict", "cache", [5])
    (tmp_path / "cache" / "data-00000-of-00001.arrow").rename(tmp_path / "train/cache-9.arrow")
    assert read_split(tmp_path / "train") == [1, 2]
    assert len(open_dataset(tmp_path / "train")) == 2
