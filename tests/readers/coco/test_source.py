import numpy as np
import pytest

from penstock.readers.coco.columns import IdColumn, RaggedColumn
from penstock.readers.coco.samples import CocoSamples
from penstock.readers.coco.source import CocoSource
from penstock.testing.readers import SourceConformance

COUNTS = [2, 0, 1, 3]


@pytest.fixture
def samples():
    bounds = np.concatenate([[0], np.cumsum(COUNTS)])
    boxes = np.arange(4 * bounds[-1], dtype=np.float32).reshape(-1, 4)
    labels = np.arange(bounds[-1], dtype=np.int32)
    ids = np.array([4, 7, 9, 11], np.int32)
    return CocoSamples([f"{i}.jpg" for i in ids], ids, bounds, boxes, labels)


class TestCocoSource(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path, samples):
        for name in samples.file_names:
            (tmp_path / name).write_bytes(name.encode())
        columns = [
            RaggedColumn(samples.boxes, samples.bounds),
            RaggedColumn(samples.labels, samples.bounds),
            IdColumn(samples.image_ids),
        ]
        return CocoSource(samples, columns, str(tmp_path))

    @pytest.fixture
    def expected(self, samples):
        return [
            (
                np.frombuffer(samples.file_names[i].encode(), np.uint8),
                samples.boxes[samples.bounds[i] : samples.bounds[i + 1]],
                samples.labels[samples.bounds[i] : samples.bounds[i + 1]],
                samples.image_ids[i : i + 1],
            )
            for i in range(len(COUNTS))
        ]

    def test_where_is_the_path(self, source, tmp_path):
        assert source.where(1) == str(tmp_path / "7.jpg")
