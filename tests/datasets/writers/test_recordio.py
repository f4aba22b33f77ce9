"""RecordIO files: read by DALI's reader of MXNet as well."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Sample
from penstock.testing import made
from penstock.testing.writers import WriterTests


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
