"""Cached indexes whose checksum is right and whose values lie: right samples, or a clear error.

An index that no reader could have computed is computed again. Nothing tells a plausible lie, such
as the offset of another file of an archive, from the truth; a lie may not break a promise then.
"""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

import penstock.tfrecord as tfrec
from penstock import Pipeline, fn
from penstock.engine.errors import PenstockError
from penstock.readers.storage import index_cache

from ..conftest import kept_index
from ..readers.record_io import image_record, record_file
from ..readers.tars import archive
from ..readers.tfrecord_files import example, write_records
from ..videos import video_file
from .forgeries import forged

CASES = 40


def tfrecord(folder):
    path = folder / "a.tfrecord"
    write_records(path, [example({"x": [i] * 5}) for i in range(6)])
    features = {"x": tfrec.FixedLenFeature((5,), tfrec.int64, 0)}
    return path, lambda: fn.readers.tfrecord(path=str(path), features=features)["x"]


def recordio(folder):
    path = folder / "a.rec"
    path.write_bytes(record_file([image_record(b"i" * i, i) for i in range(1, 7)])[0])
    return path, lambda: fn.readers.mxnet(path=str(path))


def webdataset(folder):
    path = folder / "a.tar"
    path.write_bytes(archive({f"{i}.{x}": b"x" * i for i in range(1, 7) for x in ("a", "b")}))
    return path, lambda: fn.readers.webdataset(paths=str(path), ext=["a", "b"])


def npz(folder):
    path = folder / "a.npz"
    np.savez(path, *(np.full(i, i) for i in range(1, 5)))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        content = io.BytesIO()
        np.save(content, np.zeros(90, int))
        file.writestr("z.npy", content.getvalue())
    return path, lambda: fn.readers.numpy(files=[str(path)])


def video(folder):
    path = Path(video_file(folder / "a.mp4"))
    return path, lambda: fn.readers.video(filenames=[str(path)], sequence_length=2)


def samples(define):
    """Return the samples of an epoch as bytes."""
    pipe = Pipeline(1, num_threads=1, prefetch_queue_depth=1)
    with pipe:
        outputs = define()
        pipe.set_outputs(*(outputs if isinstance(outputs, (list, tuple)) else [outputs]))
    try:
        (size,) = pipe.epoch_size().values()
        return [[np.asarray(out.at(0)).tobytes() for out in pipe.run()] for _ in range(size)]
    finally:
        pipe.close()


@pytest.mark.filterwarnings(
    "ignore:all arrays of this output are empty",
    "ignore:.*all arrays",
    "ignore:.*a.tar (ends|goes|holds)",
)
@pytest.mark.parametrize("reader", [tfrecord, recordio, webdataset, npz, video])
def test_an_index_that_lies_gives_right_samples_or_a_clear_error(reader, tmp_path, monkeypatch):
    written = []
    encode = index_cache._encode
    monkeypatch.setattr(index_cache, "_encode", lambda *a: written.append(a) or encode(*a))
    path, define = reader(tmp_path)
    expected = samples(define)
    arrays, name, stamp, _ = written[0]
    index = kept_index(path)
    assert index.exists()
    chance = random.Random(1)
    for case in range(CASES):
        lie, shows = forged(list(arrays), chance)
        index.write_bytes(b"".join(encode([np.ascontiguousarray(a) for a in lie], name, stamp)))
        try:
            found = samples(define)
        except (PenstockError, OSError) as error:
            found = "\n".join([str(error), *getattr(error, "__notes__", ())])
        if isinstance(found, str):
            assert path.name in found
        if found != expected:
            assert not shows or reader is video, (case, found)  # times may be any
