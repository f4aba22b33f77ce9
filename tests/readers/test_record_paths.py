"""Readers of records take braces, globs and folders for the files that these name."""

import numpy as np
import pytest

from penstock import fn, pipeline_def, tfrecord

from .record_io import image_record, record_file
from .tars import archive
from .tfrecord_files import example, write_index, write_records


def put_tfrecord(folder, name):
    count = write_records(folder / f"{name}.tfrecord", [example({"n": [ord(name)]})])
    write_index(folder / f"{name}.idx", count)


def put_mxnet(folder, name):
    data, index = record_file([image_record(b"x", ord(name), 0)])
    (folder / f"{name}.rec").write_bytes(data)
    (folder / f"{name}.idx").write_bytes(index)


def put_webdataset(folder, name):
    (folder / f"{name}.tar").write_bytes(archive({"1.n": bytes([ord(name)])}))


def read_tfrecord(paths, index):
    features = {"n": tfrecord.FixedLenFeature([], tfrecord.int64)}
    return fn.readers.tfrecord(path=paths, features=features, index_path=index, verify_crc="never")[
        "n"
    ]


def read_mxnet(paths, index):
    return fn.readers.mxnet(path=paths, index_path=index)[1]


def read_webdataset(paths, index):
    return fn.readers.webdataset(paths=paths, ext="n")


FORMATS = {
    "tfrecord": (put_tfrecord, read_tfrecord),
    "rec": (put_mxnet, read_mxnet),
    "tar": (put_webdataset, read_webdataset),
}


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("pattern", ["{{a,b,c}}.{}", "[abc].{}", "*.{}", ""])
@pytest.mark.parametrize("indexes", [None, "*.idx", "{a,b,c}.idx"])
def test_patterns(tmp_path, monkeypatch, suffix, pattern, indexes):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    put, read = FORMATS[suffix]
    folder = tmp_path / "data"
    folder.mkdir()
    for name in "cab":
        put(folder, name)
    for name in ("dataset.json", "label_map.pbtxt", "README", "_SUCCESS", ".DS_Store", "._a.tar"):
        (folder / name).write_bytes(b"no record" * 9)

    @pipeline_def(batch_size=3, num_threads=1)
    def pipeline():
        index = None if indexes is None else str(folder / indexes)
        return read(str(folder / pattern.format(suffix)), index)

    with pipeline() as pipe:
        (output,) = pipe.run()
    assert np.array(output.as_array()).ravel().tolist() == [97, 98, 99]
