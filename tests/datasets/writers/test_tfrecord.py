"""TFRecord files: read by the `tfrecord` package and by DALI as well."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestTFRecordWriter(WriterTests):
    format = "tfrecord"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a", {"label": 1 << 64})


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the package leaves files open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_tfrecord_package_reads_the_files(tmp_path):
    loader = pytest.importorskip("tfrecord.reader").tfrecord_loader
    root = made.write(tmp_path / "a", made.images(), "tfrecord")
    file, index = (str(root / f"shard-00000.{suffix}") for suffix in ("tfrecord", "idx"))
    read = list(loader(file, index, {"image": "byte", "label": "int", "key": "byte"}))
    stored = {bytes(e["key"]).decode(): (bytes(e["image"]), e["label"].tolist()) for e in read}
    expected = {f"{'ab'[i % 2]}/{i:03d}": (made.jpeg(i), [i % 2]) for i in range(12)}
    assert stored == expected


def test_dali_reads_the_files(tmp_path):
    dali = pytest.importorskip("nvidia.dali")
    import nvidia.dali.tfrecord as declare

    root = made.write(tmp_path / "a", made.detections(), "tfrecord")
    pipeline = dali.Pipeline(batch_size=9, num_threads=1, device_id=None)
    with pipeline:
        read = dali.fn.readers.tfrecord(
            path=str(root / "shard-00000.tfrecord"),
            index_path=str(root / "shard-00000.idx"),
            features={
                "image": declare.FixedLenFeature([], declare.string, ""),
                "boxes": declare.VarLenFeature([4], declare.float32, 0.0),
            },
        )
        pipeline.set_outputs(read["image"], read["boxes"])
    images, boxes = pipeline.run()
    for i, sample in enumerate(made.detections()):
        assert images.at(i).tobytes() == sample.components["image"].data
        np.testing.assert_array_equal(boxes.at(i).reshape(-1, 4), sample.components["boxes"])


def test_numbers_that_float32_cannot_hold_come_back(tmp_path):
    from penstock.datasets import open_dataset

    samples = [Sample("a", {"x": 0.1}), Sample("b", {"x": 0.5})]
    read = open_dataset(made.write(tmp_path / "a", samples, "tfrecord")).read([0, 1])
    assert [sample.components["x"] for sample in read] == [0.1, 0.5]


def test_extensions_come_back(tmp_path):
    from penstock.datasets import open_dataset

    samples = [Sample(f"{i}", {"image": Encoded(b"..", e)}) for i, e in enumerate(("JPEG", "png"))]
    read = open_dataset(made.write(tmp_path / "a", samples, "tfrecord")).read([1, 0])
    assert [sample.components["image"].extension for sample in read] == ["png", "JPEG"]
