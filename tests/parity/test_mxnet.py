"""`fn.readers.mxnet` against DALI's: order, bytes and labels."""

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.readers.recordio.reader import open_records

from ..readers.record_io import MAGIC, image_record, record, record_file

pytestmark = pytest.mark.usefixtures("user_cache")

dali = pytest.importorskip("nvidia.dali")

IMAGES = [bytes([i]) * (1 + 37 * i) for i in range(11)]


def write(folder, contents, files=1):
    """Write records into so many files with one index for all; return reader arguments."""
    _, index = record_file(contents)
    (folder / "all.idx").write_bytes(index)
    share = -(-len(contents) // files)
    paths = [folder / f"{i}.rec" for i in range(files)]
    for i, path in enumerate(paths):
        path.write_bytes(b"".join(map(record, contents[i * share : (i + 1) * share])))
    return {"path": [str(path) for path in paths], "index_path": [str(folder / "all.idx")]}


def batches(module, count, **arguments):
    @module(batch_size=3, num_threads=1, device_id=None)
    def pipeline():
        functions = dali.fn if module is dali.pipeline_def else fn
        images, labels = functions.readers.mxnet(**arguments)
        return images, labels

    built = pipeline()
    built.build()
    found = []
    for _ in range(count):
        images, labels = built.run()
        found.append(
            [(np.array(images.at(i)).tobytes(), np.array(labels.at(i)).tolist()) for i in range(3)]
        )
        assert {np.array(labels.at(i)).dtype for i in range(3)} == {np.dtype(np.float32)}
    return found


def assert_same(count=4, **arguments):
    ours = batches(pipeline_def, count, **arguments)
    assert ours == batches(dali.pipeline_def, count, **arguments)
    return ours


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("stick", [False, True])
@pytest.mark.parametrize("shard", [0, 1, 2])
@pytest.mark.parametrize("files", [1, 3])
def test_order_for_all_shard_settings(tmp_path, files, shard, stick, pad):
    contents = [image_record(image, float(i)) for i, image in enumerate(IMAGES)]
    arguments = write(tmp_path, contents, files)
    assert_same(shard_id=shard, num_shards=3, stick_to_shard=stick, pad_last_batch=pad, **arguments)


@pytest.mark.parametrize("labels", [0.25, (1.0,), (3.0, -1.0), tuple(map(float, range(40)))])
def test_labels(tmp_path, labels):
    assert_same(1, **write(tmp_path, [image_record(b"image", labels)] * 3))


def test_numbers_of_labels_may_differ(tmp_path):
    contents = [image_record(b"a", (1, 2)), image_record(b"bc", 3), image_record(b"d", (4, 5, 6))]
    assert_same(1, **write(tmp_path, contents))


def test_header_records_are_samples_of_both_when_kept(tmp_path):
    contents = [image_record(b"", (3, 4)), image_record(b"a", 0), image_record(b"b", 1)]
    arguments = write(tmp_path, contents)
    theirs = batches(dali.pipeline_def, 1, **arguments)
    assert batches(pipeline_def, 1, header_records="keep", **arguments) == theirs
    assert len(open_records(arguments["path"])) == 2


@pytest.mark.parametrize("labels", [5.0, (1.0, 2.0)])
@pytest.mark.parametrize("before", [b"", b"1234"])
def test_records_in_parts(tmp_path, labels, before):
    image = before + MAGIC + b"12345678" + MAGIC * 2 + b"x" * 12
    ((found, _), *_), *_ = assert_same(1, **write(tmp_path, [image_record(image, labels)] * 3))
    assert found == image


def test_an_index_with_some_of_the_records(tmp_path):
    contents = [image_record(image, float(i)) for i, image in enumerate(IMAGES)]
    arguments = write(tmp_path, contents)
    lines = (tmp_path / "all.idx").read_text().splitlines(keepends=True)
    (tmp_path / "all.idx").write_text("".join(lines[7:2:-2] + lines[3:4]))
    assert_same(3, **arguments)
