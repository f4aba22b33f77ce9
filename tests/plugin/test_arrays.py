"""NumPy arrays from pipelines."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.tensors.alignment import empty_aligned
from penstock.plugin.arrays import ClassificationIterator, GenericIterator, LastBatchPolicy

from .conftest import column


def test_outputs_are_arrays_of_whole_batches(numbers):
    (batch,) = next(GenericIterator(numbers(5, 3), ["label"], reader_name="Reader"))
    assert batch["label"].dtype == np.int32
    np.testing.assert_array_equal(batch["label"], column([0, 1, 2]))


def test_a_partial_batch_is_a_view(feed):
    rows = empty_aligned((4, 3), np.float64)  # others are copied to aligned memory
    rows[:] = np.arange(12.0).reshape(4, 3)
    iterator = GenericIterator(
        feed([rows]), ["label"], 3, last_batch_policy=LastBatchPolicy.PARTIAL
    )
    (batch,) = next(iterator)
    assert batch["label"].shape == (3, 3)
    assert np.shares_memory(batch["label"], rows)


def test_rows_that_lie_apart_are_put_together(feed):
    (batch,) = next(GenericIterator(feed([[np.ones(2), np.zeros(2)]]), ["label"]))
    np.testing.assert_array_equal(batch["label"], [[1, 1], [0, 0]])


def test_rows_of_several_shapes(feed):
    iterator = GenericIterator(feed([[np.ones(1), np.ones(2)]]), ["label"])
    with pytest.raises(ArgumentError, match=r"output 'label'.*\(1,\), \(2,\).*fn.pad"):
        next(iterator)


def test_classification_names_data_and_label(numbered_files):
    pipeline = Pipeline(batch_size=2, num_threads=1)
    with pipeline:
        pipeline.set_outputs(*fn.readers.file(files=numbered_files[:4], name="R"))
    with ClassificationIterator(pipeline, reader_name="R") as iterator:
        batches = [batch for (batch,) in iterator]
    assert [batch["data"].tolist() for batch in batches] == [[[0], [1]], [[2], [3]]]
    assert [batch["label"].tolist() for batch in batches] == [[[0], [1]], [[2], [3]]]
