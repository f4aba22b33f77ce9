"""NumPy arrays from pipelines."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn
from penstock.plugin.arrays import ClassificationIterator, GenericIterator
from penstock.testing.iterators import IteratorConformance


class TestGenericIterator(IteratorConformance):
    iterator = GenericIterator
    tensor = np.ndarray


def test_rows_that_lie_apart_are_put_together(feed):
    (batch,) = next(GenericIterator(feed([[np.ones(2), np.zeros(2)]]), ["label"]))
    np.testing.assert_array_equal(batch["label"], [[1, 1], [0, 0]])


def test_classification_names_data_and_label(numbered_files):
    pipeline = Pipeline(batch_size=2, num_threads=1)
    with pipeline:
        pipeline.set_outputs(*fn.readers.file(files=numbered_files[:4], name="R"))
    with ClassificationIterator(pipeline, reader_name="R") as iterator:
        batches = [batch for (batch,) in iterator]
    assert [batch["data"].tolist() for batch in batches] == [[[0], [1]], [[2], [3]]]
    assert [batch["label"].tolist() for batch in batches] == [[[0], [1]], [[2], [3]]]
