"""Data sets in shards, written by the software that people use, and not by `convert`.

webdataset writes the archives, tfrecord the records of TFRecord, lmdb the databases and pyarrow the
tables. MXNet and Caffe have no packages any more: their records follow `mx.recordio.pack` and
`caffe.proto`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from .readers.protobuf_messages import field
from .readers.record_io import image_record, record_file

FORMATS = ("webdataset", "tfrecord", "recordio", "parquet", "lmdb", "caffe")
SUFFIXES = {
    "webdataset": ".tar",
    "tfrecord": ".tfrecord",
    "recordio": ".rec",
    "parquet": ".parquet",
    "lmdb": ".mdb",
    "caffe": ".mdb",
}


def shards_of(folder: Path) -> list[Path]:
    """Return the files that hold the samples of a data set, sorted."""
    files = (path for path in folder.rglob("*") if path.name != "lock.mdb")
    return sorted(path for path in files if path.suffix in SUFFIXES.values())


def write_set(
    name: str,
    folder: Path,
    contents: Sequence[bytes],
    labels: Sequence[int],
    *,
    count: int,
    extension: str = "png",
    component: str = "image",
) -> Path:
    """Write contents with labels; return the folder.

    Args:
        name: of the format.
        folder: which does not exist.
        contents: encoded images, or other files.
        labels: classes.
        count: samples of a shard.
        extension: of the contents.
        component: name of the feature or column, of TFRecord and Parquet.
    """
    folder.mkdir(parents=True)
    for shard, start in enumerate(range(0, len(contents), count)):
        numbers = range(start, min(start + count, len(contents)))
        samples = {f"{i:03d}": (contents[i], labels[i]) for i in numbers}
        path = folder / f"shard-{shard:05d}"
        _WRITERS[name](path, samples, extension, component)
    return folder


_Samples = Mapping[str, tuple[bytes, int]]


def _webdataset(path: Path, samples: _Samples, extension: str, component: str) -> None:
    library = pytest.importorskip("webdataset")
    with library.TarWriter(f"{path}.tar") as writer:
        for key, (content, label) in samples.items():
            writer.write({"__key__": key, extension: content, "cls": label})


def _tfrecord(path: Path, samples: _Samples, extension: str, component: str) -> None:
    library = pytest.importorskip("tfrecord.writer")
    writer = library.TFRecordWriter(f"{path}.tfrecord")
    for content, label in samples.values():
        writer.write({component: (content, "byte"), "label": (label, "int")})
    writer.close()


def _recordio(path: Path, samples: _Samples, extension: str, component: str) -> None:
    records = [image_record(content, label, int(key)) for key, (content, label) in samples.items()]
    data, index = record_file(records)
    Path(f"{path}.rec").write_bytes(data)
    Path(f"{path}.idx").write_bytes(index)


def _parquet(path: Path, samples: _Samples, extension: str, component: str) -> None:
    arrow, parquet = map(pytest.importorskip, ("pyarrow", "pyarrow.parquet"))
    files = [
        {"bytes": content, "path": f"{key}.{extension}"} for key, (content, _) in samples.items()
    ]
    labels = [label for _, label in samples.values()]
    parquet.write_table(arrow.table({component: files, "label": labels}), f"{path}.parquet")


def _lmdb(path: Path, samples: _Samples, extension: str, component: str) -> None:
    values = {f"{key}.{extension}": content for key, (content, _) in samples.items()}
    values |= {f"{key}.cls": str(label).encode() for key, (_, label) in samples.items()}
    _put(path, values)


def _caffe(path: Path, samples: _Samples, extension: str, component: str) -> None:
    encoded, data, label_number = 7, 4, 5
    values = {
        key: field(data, content) + field(label_number, label) + field(encoded, 1)
        for key, (content, label) in samples.items()
    }
    _put(path, values)


def _put(path: Path, values: Mapping[str, Any]) -> None:
    library = pytest.importorskip("lmdb")
    path.mkdir()
    with library.open(str(path), map_size=1 << 25) as database, database.begin(write=True) as put:
        for key, value in values.items():
            put.put(key.encode(), value)


_WRITERS = {
    "webdataset": _webdataset,
    "tfrecord": _tfrecord,
    "recordio": _recordio,
    "parquet": _parquet,
    "lmdb": _lmdb,
    "caffe": _caffe,
}
