"""The forms of a batch: lists, dictionaries and tuples."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline
from penstock.plugin.arrays import ClassificationIterator, GenericIterator
from penstock.plugin.base_iterator import BaseIterator


@pytest.fixture
def pipeline(pipelines):
    made = Pipeline(batch_size=2, num_threads=1)
    made.define(lambda: {"image": 5, "label": 6})
    pipelines.append(made)
    return made


def plain(batch):
    """Return a batch with lists in place of arrays."""
    if isinstance(batch, np.ndarray):
        return batch.tolist()
    if isinstance(batch, dict):
        return {name: plain(value) for name, value in batch.items()}
    return type(batch)(map(plain, batch))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (None, [{"image": [5, 5], "label": [6, 6]}]),
        ("list", [{"image": [5, 5], "label": [6, 6]}]),
        ("dict", {"image": [5, 5], "label": [6, 6]}),
        ("tuple", ([5, 5], [6, 6])),
    ],
)
@pytest.mark.parametrize("way", [next, lambda it: it.next(), lambda it: next(iter(it))])
def test_forms(pipeline, form, expected, way):
    options = {} if form is None else {"batch_form": form}
    assert plain(way(GenericIterator(pipeline, **options))) == expected


def test_forms_of_classes_that_name_the_outputs_and_of_valid(pipeline):
    batch = next(ClassificationIterator(pipeline, batch_form="dict", with_valid=True))
    assert plain(batch) == {"data": [5, 5], "label": [6, 6], "valid": [True, True]}
    batch = next(GenericIterator(pipeline, ["b", "a"], batch_form="tuple", with_valid=True))
    assert plain(batch) == ([5, 5], [6, 6], [True, True])


@pytest.mark.parametrize("form", ["dict", "tuple"])
def test_several_pipelines_need_a_list(numbers, form):
    shards = [numbers(8, 2, rank, 2) for rank in range(2)]
    with pytest.raises(ArgumentError, match=f"batch_form='{form}' needs one pipeline, but .* 2; "):
        GenericIterator(shards, ["label"], reader_name="Reader", batch_form=form)


@pytest.mark.parametrize("form", [3, "lists", None, dict])
def test_other_forms(pipeline, form):
    with pytest.raises(ArgumentError, match='must be "list", "dict" or "tuple", not '):
        GenericIterator(pipeline, batch_form=form)


def test_a_class_that_joins_pipelines_has_all_forms(numbers):
    class Joined(BaseIterator[np.ndarray]):
        joins_pipelines = True

        def convert(self, name, output, count):
            return output.as_array()[:count].ravel()

        def joined(self, batches):
            return [{name: np.concatenate([b[name] for b in batches]) for name in batches[0]}]

    shards = [numbers(8, 2, rank, 2) for rank in range(2)]
    batch = next(Joined(shards, ["label"], reader_name="Reader", batch_form="dict"))
    assert plain(batch) == {"label": [0, 1, 4, 5]}
