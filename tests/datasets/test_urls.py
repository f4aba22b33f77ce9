"""Data sets behind URLs: on a web server, in S3, and in a service that fsspec knows."""

from __future__ import annotations

import shutil
from pathlib import Path

import fsspec
import pytest

from penstock import datasets
from penstock.datasets.formats.table import FORMATS
from penstock.engine.errors import ArgumentError, SourceError
from penstock.testing import made
from penstock.tests.datasets.conversion.test_convert import HOLDS

ALL = {format: name for name, held in HOLDS.items() for format in FORMATS if format in held}
OF_S3 = ("webdataset", "tfrecord", "parquet", "folder")
LIMITS = {"attempts": 2, "stall_seconds": 2, "total_seconds": 5}


class Store:
    """Where a folder is put, and the URL and options with which it is read."""

    def __init__(self, url, options, put):
        self.url, self.put = url, put
        self.options = options | {"limits": LIMITS}

    def put_all(self, root):
        for name, content in made.files_of(root).items():
            self.put(f"{root.name}/{name}", content)
        return f"{self.url}/{root.name}"


@pytest.fixture(params=["http", "s3", "memory"])
def store(request):
    if request.param == "http":
        web = request.getfixturevalue("web")
        return Store(web.url, {}, web.objects.__setitem__)
    if request.param == "s3":
        pytest.importorskip("moto")
        s3 = request.getfixturevalue("s3")
        return Store("s3://bucket/sets", s3.options, lambda name, b: s3.put(f"sets/{name}", b))
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    return Store("memory://sets", {}, lambda name, content: memory.pipe(f"/sets/{name}", content))


@pytest.mark.parametrize(
    ("store", "format"),
    [*(("http", each) for each in ALL), *(("s3", each) for each in OF_S3)],
    indirect=["store"],
)
def test_data_sets_of_conversions(tmp_path, store, format):
    content = ALL[format]
    classes = ("a", "b") if content == "images" else ()
    root = made.write(tmp_path / format, made.CONTENTS[content](), format, classes)
    url = store.put_all(root)
    report = datasets.verify(root, url, storage_options=store.options)
    assert report.ok, report
    report = datasets.verify(url, storage_options=store.options)
    assert report.ok, report.bad
    summary = datasets.inspect(url, storage_options=store.options)
    local = datasets.inspect(root)
    assert (summary.format, summary.schema, summary.classes) == (
        local.format,
        local.schema,
        local.classes,
    )


@pytest.mark.parametrize(
    ("store", "format"),
    [
        *(("http", each) for each in ("webdataset", "tfrecord", "recordio", "parquet", "npz")),
        *(("s3", each) for each in ("webdataset", "lmdb")),
        ("memory", "lmdb"),
    ],
    indirect=["store"],
)
def test_data_sets_of_other_programs(tmp_path, store, format):
    content = "arrays" if format == "npz" else "images"
    root = made.write(tmp_path / format, made.CONTENTS[content](), format)
    (root / "dataset.json").unlink()
    url = store.put_all(root)
    file = url if format == "lmdb" else f"{url}/{next(root.glob('shard-00000.[!ki]*')).name}"
    for each in (url, file):
        with datasets.open_dataset(each, storage_options=store.options) as dataset:
            assert dataset.format == format
            assert len(dataset) == len(made.CONTENTS[content]())
    assert datasets.verify(root, url, storage_options=store.options).ok


def test_folders_lists_and_annotations_of_other_programs(tmp_path, store):
    classes = made.write(tmp_path / "classes", made.images(), "folder", ("a", "b"))
    for listing in classes.glob(".penstock-*"):
        listing.unlink()
    (classes / "dataset.json").unlink()
    coco = made.write(tmp_path / "coco", made.detections(), "coco")
    shutil.move(coco / "annotations.json", coco / "instances_val.json")
    (coco / "dataset.json").unlink()
    for root, format in ((classes, "folder"), (coco, "coco")):
        url = store.put_all(root)
        with datasets.open_dataset(url, storage_options=store.options) as dataset:
            assert dataset.format == format
        assert datasets.verify(root, url, storage_options=store.options).ok


def test_a_conversion_reads_urls(tmp_path, store):
    root = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    url = store.put_all(root)
    out = tmp_path / "out"
    options = {"to": "folder", "shard_count": 3, "storage_options": store.options}
    report = datasets.convert(url, out, **options)
    assert report.samples == 12
    assert datasets.verify(root, out).ok
    assert datasets.convert(url, out, resume=True, **options).resumed_shards == 3
    assert "test" not in (out / "dataset.json").read_text()
    braces = f"{url}/shard-{{00000..00000}}.tar"
    assert len(datasets.open_dataset(braces, storage_options=store.options)) == 12


def test_an_object_that_changes_is_noticed(tmp_path, web):
    root = made.write(tmp_path / "source", made.images(), "tfrecord")
    url = Store(web.url, {}, web.objects.__setitem__).put_all(root)
    web.tags = dict.fromkeys(web.objects, '"first"')

    def change(progress):
        web.tags = dict.fromkeys(web.objects, '"second"')

    with pytest.raises(SourceError, match="changed"):
        datasets.convert(url, tmp_path / "out", to="webdataset", progress=change)


@pytest.mark.parametrize(
    "url",
    ["https://host/out", "memory://out", "ftp://host/out"],
)
def test_other_urls_are_no_destination(tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    source = made.write(tmp_path / "source", made.images())
    with pytest.raises(ArgumentError, match="cannot be written: data sets are written to local"):
        datasets.convert(source, url, to="tfrecord")
    with pytest.raises(ArgumentError, match="was a URL until pathlib made a path of it"):
        datasets.convert(source, Path(url), to="tfrecord")
    with pytest.raises(ArgumentError, match="was a URL until pathlib made a path of it"):
        datasets.open_dataset(Path(url))
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_urls_of_local_files_are_local_paths(tmp_path):
    source = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    assert datasets.open_dataset(f"file://{source}").manifest is not None
    with pytest.raises(ArgumentError, match="overlap"):
        datasets.convert(f"file://{source}", source, to="tfrecord", overwrite=True)
    datasets.convert(source, f"file://{tmp_path}/out", to="tfrecord")
    assert datasets.verify(f"file://{tmp_path}/out", source).ok


def test_nothing_there_is_said(store):
    store.put("other/a.xyz", b"..")
    for name in ("missing", "missing.tar", "missing/"):
        with pytest.raises(FileNotFoundError, match=r"no such object, and no folder|missing"):
            datasets.open_dataset(f"{store.url}/{name}", storage_options=store.options)
    with pytest.raises(SourceError, match="no data set of a known format"):
        datasets.open_dataset(f"{store.url}/other", storage_options=store.options)


def test_secrets_are_not_shown(web):
    url = web.url.replace("://", "://user:password@")
    with pytest.raises(FileNotFoundError) as caught:
        datasets.open_dataset(f"{url}/a.tar?sig=secret", storage_options={"limits": LIMITS})
    assert "password" not in str(caught.value)
    assert "secret" not in str(caught.value)
