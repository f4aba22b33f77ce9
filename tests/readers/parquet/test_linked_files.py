"""Images that a table names by path, as `datasets` of Hugging Face writes them from a folder."""

import json
import pickle

import numpy as np
import pytest

from penstock import datasets
from penstock.engine.errors import DecodeError
from penstock.readers.parquet.source import open_parquet

from .tables import CACHE, opened, write, write_stream

pa = pytest.importorskip("pyarrow")

FILE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
FEATURES = {"image": {"_type": "Image"}, "label": {"dtype": "int64", "_type": "Value"}}
METADATA = {"huggingface": json.dumps({"info": {"features": FEATURES}})}


def content(number):
    return b"\xff\xd8\xff" + bytes([number]) * (number + 1)


def linked(paths, held=()):
    """Return a table with a row for each path; the rows `held` have bytes, too."""
    files = [
        {"bytes": content(n) if n in held else None, "path": path} for n, path in enumerate(paths)
    ]
    columns = {"image": pa.array(files, FILE), "label": list(range(len(paths)))}
    return pa.table(columns).replace_schema_metadata(METADATA)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "set" / "pictures").mkdir(parents=True)
    for number in range(9):
        (tmp_path / "set" / "pictures" / f"{number}.jpg").write_bytes(content(number))
    return tmp_path / "set"


def names(folder, form):
    prefix = f"{folder}/pictures" if form == "absolute" else "pictures"
    return [f"{prefix}/{number}.jpg" for number in range(9)]


@pytest.mark.parametrize("form", ["absolute", "relative"])
@pytest.mark.parametrize("held", [(), (0, 4, 8), range(9)])
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_bytes_and_files_are_read_alike(folder, form, held, kind):
    table = linked(names(folder, form), held)
    path = str(folder / f"a.{kind}")
    write(path, table, row_group_size=4) if kind == "parquet" else write_stream(path, table, size=4)
    source = opened(path, "label", "image")
    for copy in (source, pickle.loads(pickle.dumps(source))):
        for rows in (range(9), [8, 0, 0, 5]):
            labels, images = copy.read(np.array(rows), np.empty)
            assert labels.tolist() == list(rows)
            assert [bytes(image) for image in images] == [content(row) for row in rows]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_no_image_is_lost_by_a_conversion(folder, tmp_path, kind):
    table = linked(names(folder, "relative"), held=[3])
    path = str(folder / f"a.{kind}")
    write(path, table) if kind == "parquet" else write_stream(path, table)
    assert list(datasets.inspect(path).schema) == ["image", "label"]
    datasets.convert(path, tmp_path / "tars", to="webdataset")
    assert datasets.verify(path, tmp_path / "tars").ok
    with datasets.open_dataset(tmp_path / "tars") as dataset:
        images = [sample.components["image"] for sample in dataset.read(range(9))]
    assert [(bytes(i.data), i.extension) for i in images] == [(content(n), "jpg") for n in range(9)]


def test_a_file_that_is_not_there_is_named(folder, tmp_path):
    path = write(
        folder / "a.parquet", linked([*names(folder, "relative")[:8], "pictures/gone.jpg"])
    )
    source = opened(path, "image")
    assert len(source.read(np.arange(8), np.empty)[0]) == 8
    for fails in (
        lambda: source.read(np.arange(9), np.empty),
        lambda: datasets.convert(path, tmp_path / "tars", to="webdataset"),
    ):
        with pytest.raises(FileNotFoundError, match=r"set/pictures/gone\.jpg") as raised:
            fails()
        assert "begins at the folder of the table" in "".join(raised.value.__notes__)


def test_a_missing_file_without_a_path_is_missing(folder):
    path = write(folder / "a.parquet", linked(["pictures/0.jpg", None, ""]))
    for row in (1, 2):
        with pytest.raises(DecodeError, match=rf"a\.parquet row {row}: .*'image' is missing"):
            opened(path, "image").read(np.array([0, row]), np.empty)
    samples = datasets.open_dataset(path).read([0, 1])
    assert [list(sample.components) for sample in samples] == [["image", "label"], ["label"]]


def test_a_table_behind_a_url_names_files_beside_it_alone(folder, web):
    table = write(
        folder / "a.parquet", linked(["pictures/0.jpg", "/etc/passwd", "../x", "a::b", "a\0b"])
    )
    web.objects["set/a.parquet"] = (folder / "a.parquet").read_bytes()
    web.objects["set/pictures/0.jpg"] = content(0)
    source = open_parquet([f"{web.url}/set/a.parquet"], ["image"], cache_bytes=CACHE)
    assert bytes(source.read(np.array([0]), np.empty)[0][0]) == content(0)
    for row in (1, 2):
        with pytest.raises(DecodeError, match=rf"row {row}: .*'image' names the local file"):
            source.read(np.array([row]), np.empty)
    with pytest.raises(DecodeError, match=r"row 4: .*'image' names .*which is no path"):
        opened(table, "image").read(np.array([4]), np.empty)
    with pytest.raises(DecodeError, match="a file in another file"):
        opened(table, "image").read(np.array([3]), np.empty)
    with pytest.raises(DecodeError, match="names the local file"):
        datasets.open_dataset(f"{web.url}/set/a.parquet")
