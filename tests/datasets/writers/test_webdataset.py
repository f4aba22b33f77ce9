"""WebDataset archives: read by the `webdataset` package and by DALI as well."""

from __future__ import annotations

import tarfile

import pytest

from penstock.datasets import Encoded, Sample
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestWebDatasetWriter(WriterTests):
    format = "webdataset"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a", {"x": Encoded(b"", "cls")})


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the package leaves files open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_webdataset_package_reads_the_files(tmp_path):
    webdataset = pytest.importorskip("webdataset")
    root = made.write(tmp_path / "a", made.detections())
    read = list(webdataset.WebDataset(str(root / "shard-00000.tar"), shardshuffle=False).decode())
    for stored, sample in zip(read, made.detections(), strict=True):
        assert stored["__key__"] == sample.key
        assert stored["boxes.npy"].tolist() == sample.components["boxes"].tolist()


def test_dali_reads_the_files(tmp_path):
    dali = pytest.importorskip("nvidia.dali")
    root = made.write(tmp_path / "a", made.images())
    pipeline = dali.Pipeline(batch_size=12, num_threads=1, device_id=None)
    with pipeline:
        read = dali.fn.readers.webdataset(paths=[str(root / "shard-00000.tar")], ext=["jpg", "cls"])
        pipeline.set_outputs(*read)
    images, labels = pipeline.run()
    assert [images.at(i).tobytes() for i in range(12)] == [made.jpeg(i) for i in range(12)]
    assert [labels.at(i).tobytes() for i in range(12)] == [b"%d" % (i % 2) for i in range(12)]


def test_long_names_and_names_beyond_ascii_are_read_by_tarfile(tmp_path):
    keys = ["a" * 300, "straße/ü"]
    root = made.write(tmp_path / "a", [Sample(key, {"text": key}) for key in keys])
    with tarfile.open(root / "shard-00000.tar") as archive:
        assert archive.getnames() == [f"{key}.txt" for key in keys]
        assert [archive.extractfile(each).read().decode() for each in archive] == keys
