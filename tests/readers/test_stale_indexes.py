"""Files that change where neither size nor times tell: their kept indexes are made anew."""

import numpy as np
import pytest

from penstock.readers.recordio.reader import open_records
from penstock.readers.storage.local_reads import Identity
from penstock.readers.storage.records import RecordFiles
from penstock.readers.tfrecord.index import open_frames
from penstock.readers.webdataset.source import open_archives

from .record_io import image_record, record_file
from .tars import CLOSING, entry
from .tfrecord_files import write_records


@pytest.fixture(autouse=True)
def weak_stamps(tmp_path, monkeypatch):
    """A file system that has neither times nor inodes: the size alone is a stamp."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Identity, "stamp", property(lambda self: str(self.size)))


def write_tar(path, contents):
    members = [entry(b"%d.bin" % n, content) for n, content in enumerate(contents)]
    path.write_bytes(b"".join([*members, CLOSING]))


def write_rec(path, contents):
    path.write_bytes(record_file(image_record(content, 1.0) for content in contents)[0])


def read_tar(path):
    source = open_archives([str(path)], ["bin"])
    return [bytes(content) for content in source.read(np.arange(len(source)), np.empty)[0]]


def read_rec(path):
    source = open_records([str(path)])
    return [bytes(content) for content in source.read(np.arange(len(source)), np.empty)[0]]


def read_tfrecord(path):
    files = RecordFiles(*open_frames([str(path)]))
    records = files.read(np.arange(len(files)), np.empty).views()
    return [bytes(record[12:-4]) for record in records]


KINDS = {
    "tar": (write_tar, read_tar),
    "rec": (write_rec, read_rec),
    "tfrecord": (write_records, read_tfrecord),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_whose_last_record_is_another_one_is_made_anew(tmp_path, kind):
    write, read = KINDS[kind]
    path = tmp_path / f"a.{kind}"
    contents = [b"a" * 700, b"b" * 1500, b"c" * 4000]
    for order in (contents[turn:] + contents[:turn] for turn in (0, 1, 2, 0)):
        write(path, order)
        for _ in range(2):
            assert read(path) == order


@pytest.mark.parametrize("kind", ["tar", "rec"])
def test_an_index_that_does_not_fit_a_sample_is_made_anew(tmp_path, kind):
    write, read = KINDS[kind]
    path = tmp_path / f"a.{kind}"
    contents = [b"a" * 700, b"b" * 1500, b"c" * 700]
    write(path, contents)
    assert read(path) == contents
    contents[:2] = contents[1::-1]
    write(path, contents)
    with pytest.raises(OSError, match=r"make the pipeline anew|belongs to another file"):
        read(path)
    assert read(path) == contents
