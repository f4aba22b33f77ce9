"""Google's protocol, spoken by fake-gcs-server: see `gcs_server`."""

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import SourceError
from penstock.readers.remote.writing import WritableFolder
from penstock.readers.storage.opening import open_storage
from penstock.readers.storage.urls import Url

CONTENT = np.random.default_rng(0).bytes(5_000_000)


def test_ranges_and_changes(gcs):
    url = gcs.put("data", CONTENT)
    storage = open_storage(url, gcs.options)
    first, last = storage.read(np.array([3, 4_500_000]), np.array([4_300_000, 10]), np.empty)
    assert (first.tobytes(), last.tobytes()) == (CONTENT[3:4_300_003], CONTENT[4_500_000:][:10])
    assert storage.stamp
    gcs.put("data", CONTENT[::-1])
    with pytest.raises(SourceError, match="has changed since it was opened"):
        storage.read(np.array([3]), np.array([5]), np.empty)
    with pytest.raises(FileNotFoundError):
        open_storage("gs://bucket/none", gcs.options)


def test_class_folders_and_lists(gcs):
    for name in ("cat/0", "cat/1", "dog/0"):
        gcs.put(f"set/{name}.png", name.encode())
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        reader = fn.readers.file(file_root="gs://bucket/set/", storage_options=gcs.options)
        pipe.set_outputs(*reader)
        files, labels = pipe.run()
        assert labels.as_array().ravel().tolist() == [0, 0, 1]
        assert [bytes(files.at(row)) for row in range(3)] == [b"cat/0", b"cat/1", b"dog/0"]
    folder = WritableFolder(Url("gs://bucket/set"), gcs.options)
    assert {name: version.size for name, version in folder.listed().items()} == {
        "cat/0.png": 5,
        "cat/1.png": 5,
        "dog/0.png": 5,
    }


def test_conditions_of_writes(gcs):
    folder = WritableFolder(Url("gs://bucket/written"), gcs.options)
    first = folder.write("a/b", b"first", create=True)
    with pytest.raises(FileExistsError, match="was written by another process"):
        folder.write("a/b", b"other", create=True)
    second = folder.write("a/b", b"second", known=first)
    with pytest.raises(FileExistsError):
        folder.write("a/b", b"other", known=first)
    listed = folder.listed()["a/b"]
    assert second.generation
    assert not listed.generation  # so it is asked for
    folder.write("a/b", b"third", known=listed)
    with pytest.raises(FileExistsError):
        folder.write("a/b", b"other", known=listed)
    assert folder.read("a/b") == b"third"
    folder.delete("a/b")
    folder.delete("a/b")
    assert folder.listed() == {}
