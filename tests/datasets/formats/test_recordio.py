"""RecordIO files of other programs."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Sample, open_dataset, verify
from penstock.datasets.formats.recordio import detection_of
from penstock.engine.errors import DecodeError, SourceError
from penstock.testing import made
from penstock.testing.writers import WriterTests
from penstock.tests.readers import record_io


@pytest.fixture
def folder(tmp_path):
    images = [record_io.image_record(b"\xff\xd8\xff%d" % i, float(i), i) for i in range(3)]
    content, index = record_io.record_file(images)
    (tmp_path / "a.rec").write_bytes(content)
    (tmp_path / "a.idx").write_bytes(index)
    return tmp_path


def test_records_without_a_list_are_numbered(folder):
    sample = open_dataset(folder).read([2])[0]
    assert (sample.key, sample.components["label"]) == ("a/00000002", 2)


def test_the_list_gives_keys_by_the_numbers_of_the_index(folder):
    (folder / "a.lst").write_text("2\t2.0\tx/c.png\n0\t0.0\tx/a.JPG\n1\t1.0\tx/b.jpg\n")
    samples = open_dataset(folder).read([0, 1, 2])
    assert [sample.key for sample in samples] == ["x/a", "x/b", "x/c"]
    assert samples[2].components["image"].extension == "png"


def test_paths_of_the_list_without_a_record_are_left_out(folder):
    (folder / "a.lst").write_text("2\t2.0\tc.png\n0\t0.0\ta.jpg\n1\t1.0\tb.jpg\n")
    index = (folder / "a.idx").read_text().splitlines(keepends=True)
    (folder / "a.idx").write_text("".join(index[:1] + index[2:]))
    report = verify(folder)
    left_out = {"paths of .lst files for which the .idx files have no record": ["b.jpg"]}
    assert (report.samples, report.left_out) == (2, (left_out,))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("0\t0.0\ta\n", "does not list the record 1"),
        ("0 0.0 a\n", "line 1: a number, labels"),
        ("x\t0.0\ta\n", "line 1: a number, labels"),
    ],
)
def test_damaged_lists_are_named(folder, lines, message):
    (folder / "a.lst").write_text(lines)
    with pytest.raises(SourceError, match=message):
        open_dataset(folder)


def test_labels_that_are_no_objects_are_decode_errors():
    with pytest.raises(DecodeError, match="no list of objects"):
        detection_of("x", np.array([2, 5, 1], np.float32))


class TestRecordIOWriter(WriterTests):
    format = "recordio"
    contents = ("images", "detections")

    def bad_sample(self, sample):
        return Sample("a", {**sample.components, "label": (1 << 24) + 1})


@pytest.mark.parametrize("content", ["images", "detections"])
def test_dali_reads_the_files(tmp_path, content):
    dali = pytest.importorskip("nvidia.dali")
    samples = made.CONTENTS[content]()
    root = made.write(tmp_path / "a", samples, "recordio")
    pipeline = dali.Pipeline(batch_size=len(samples), num_threads=1, device_id=None)
    with pipeline:
        read = dali.fn.readers.mxnet(
            path=[str(root / "shard-00000.rec")], index_path=[str(root / "shard-00000.idx")]
        )
        pipeline.set_outputs(*read)
    images, labels = pipeline.run()
    for i, sample in enumerate(samples):
        assert images.at(i).tobytes() == sample.components["image"].data
        if content == "images":
            assert labels.at(i).tolist() == [sample.components["label"]]
        else:
            assert labels.at(i)[:2].tolist() == [2, 5]
            boxes = labels.at(i)[2:].reshape(-1, 5)[:, 1:]
            np.testing.assert_array_equal(boxes, sample.components["boxes"])


def test_lists_have_the_form_of_im2rec(tmp_path):
    root = made.write(tmp_path / "a", made.images(2), "recordio")
    assert (root / "shard-00000.lst").read_text() == "0\t0.0\ta/000.jpg\n1\t1.0\tb/001.jpg\n"
