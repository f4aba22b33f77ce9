import numpy as np
import pytest

from penstock.engine.tensors.memory import SlabPool
from penstock.readers.coco.columns import IdColumn, MaskColumn, RaggedColumn
from penstock.readers.coco.samples import CocoSamples, SamplePolygons, SampleRuns


@pytest.mark.parametrize("shape", [(), (4,), (5, 3), (0, 3)])
def test_ragged_columns(shape):
    bounds = np.array([0, 2, 2, 5])
    values = np.random.default_rng(0).random((5, *shape)).astype(np.float32)
    rows = RaggedColumn(values, bounds).take(np.array([2, 1, 0, 2]), SlabPool().empty)
    assert [row.shape for row in rows] == [(3, *shape), (0, *shape), (2, *shape), (3, *shape)]
    for row, (start, end) in zip(rows, [(2, 5), (2, 2), (0, 2), (2, 5)], strict=True):
        np.testing.assert_array_equal(row, values[start:end])


def test_a_column_without_elements():
    empty = RaggedColumn(np.empty((0, 4), np.float32), np.zeros(4, np.int64))
    rows = empty.take(np.array([0, 2]), SlabPool().empty)
    assert [row.shape for row in rows] == [(0, 4), (0, 4)]


def test_a_batch_may_be_changed_by_its_owner():
    values, bounds = np.arange(3, dtype=np.int32), np.array([0, 3])
    column = RaggedColumn(values, bounds)
    column.take(np.array([0]), np.empty)[0][:] = 9
    assert column.take(np.array([0]), np.empty)[0].tolist() == [0, 1, 2]


def test_ids():
    ids = IdColumn(np.array([4, 7, 9], np.int32)).take(np.array([2, 0]), np.empty)
    assert ids.tolist() == [[9], [4]]


def test_masks_of_polygons_and_run_lengths():
    samples = CocoSamples(
        ["a", "b"],
        None,
        np.array([0, 1, 3]),
        np.zeros((3, 4), np.float32),
        np.array([4, 6, 5], np.int32),
    )
    square = np.array([[1, 1], [3, 1], [3, 3], [1, 3]], np.float32)
    polygons = SamplePolygons(
        np.array([[0, 0, 4]], np.int32), np.array([0, 0, 1]), square, np.array([0, 0, 4])
    )
    runs = SampleRuns(
        np.array([0, 1], np.int32),
        np.array([0, 1, 2]),
        np.array([1, 2, 3, 5, 3, 8], np.uint32),
        np.array([0, 3, 6]),
        np.array([2, 4], np.int32),
        np.array([3, 4], np.int32),
    )
    column = MaskColumn(samples, polygons, runs)
    second, first = column.take(np.array([1, 0]), SlabPool().empty)
    assert first[..., 0].tolist() == [[0, 4, 0], [4, 0, 0]]
    assert second[..., 0].tolist() == [[0, 0, 0, 0], [0, 6, 6, 0], [0, 6, 6, 0], [0, 5, 0, 0]]
    assert (first.shape, first.dtype) == ((2, 3, 1), np.int32)
