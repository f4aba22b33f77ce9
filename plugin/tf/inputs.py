"""Data sets of TensorFlow that feed the external sources of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from ...engine.errors import ArgumentError
from ...engine.pipeline.pipeline import Pipeline


class Input:
    """A data set that feeds an external source, with options.

    Args:
        dataset: a `tf.data.Dataset` of single tensors. Scalars of strings, such as encoded images,
            become arrays of their bytes.
        layout: meaning of a sample's dimensions, such as "HWC"; by default that which the external
            source declares.
        batch: whether an element is a whole batch, rather than a sample. With None, the external
            source's argument `batch` decides, which is True by default.

    Raises:
        TypeError: `dataset` is none.
    """

    def __init__(
        self, dataset: tf.data.Dataset, *, layout: str | None = None, batch: bool | None = False
    ) -> None:
        if not isinstance(dataset, tf.data.Dataset):
            raise TypeError(
                "The inputs specified to DALIDataset must be instances of type `tf.data.Dataset` "
                f"got: `{dataset}` of type: {type(dataset)} instead."
            )
        self.dataset = dataset
        self.layout = layout
        self.batch = batch


class Feed(NamedTuple):
    """How one external source is fed.

    Attributes:
        name: of the external source.
        layout: of the data; None for that which the external source declares.
        by_sample: whether the data set has samples, not batches.
        source: the external source.
        dataset: has a batch in each element: a tensor; or all elements of the samples in one
            `RaggedTensor`, and the samples' shapes.
    """

    name: str
    layout: str | None
    by_sample: bool
    source: Any
    dataset: tf.data.Dataset

    def batch(self, values: Sequence[Any]) -> Any:
        """Return a batch as `Pipeline.feed_input` takes it.

        Args:
            values: the batch; or elements of all samples, their bounds, and the samples' shapes.
        """
        if not self.by_sample:
            return values[0]
        elements, bounds, shapes = values
        samples = np.split(elements, bounds[1:-1])
        return [sample.reshape(shape) for sample, shape in zip(samples, shapes, strict=True)]


def feeds_of(pipeline: Pipeline, inputs: object) -> list[Feed]:
    """Return how the external sources without a source are fed, each by one of the data sets.

    Raises:
        TypeError: `inputs` is no dictionary of names and data sets.
        ValueError: the names are not those of the external sources that need data.
    """
    given = _checked({} if inputs is None else inputs)
    sources = pipeline.external_sources()
    open_ones = {name: sources[name] for name in pipeline.fed_names()}
    for node in open_ones.values():
        if node.wanted_name is None:
            raise ArgumentError(
                "Found placeholder External Source node (without `source` argument) in the "
                f"Pipeline that was not named (no `name` argument set): {node}. Give it a name, "
                "under which input_datasets has its data set, or a `source`."
            )
        if getattr(node.operator, "output_count", None) is not None:  # video inputs have none
            raise ArgumentError(
                "The parameter ``num_outputs`` is only valid when using ``source`` to provide "
                f"data. A data set feeds one output: in place of {node} give each output an "
                "external source with a name and without num_outputs."
            )
    for name in given:
        if name not in open_ones:
            also = ", because it has a `source`" if name in sources else ""
            raise ArgumentError(
                f"Did not find an External Source placeholder node with name='{name}' in the "
                f"provided pipeline - required by the name specified in the `input_datasets`{also}."
                f" Names of available placeholder External Source nodes are: {list(open_ones)}."
            )
    if missing := [name for name in open_ones if name not in given]:
        raise ArgumentError(
            "Found External Source nodes in the Pipeline, that were not assigned any inputs. "
            f"Nodes without inputs: \n{missing}.\nNodes that were assigned inputs:\n{list(given)}."
        )
    return [
        _feed(name, source, open_ones[name].operator, pipeline.max_batch_size)
        for name, source in given.items()
    ]


def _checked(inputs: object) -> dict[str, Input]:
    expected = (
        "`input_datasets` must be a dictionary that maps input names (the `name` specified for "
        "External Source node in DALI pipeline) to input datasets objects (`tf.data.Dataset`) or "
        "`plugin.tf.experimental.Input` wrapper objects"
    )
    if not isinstance(inputs, Mapping):
        raise TypeError(f"{expected}, got: `{inputs}` of type: {type(inputs)} instead.")
    checked = {}
    for name, value in inputs.items():
        if not isinstance(name, str) or not isinstance(value, tf.data.Dataset | Input):
            raise TypeError(f"{expected}. Got: `{name}`: `{value}` instead.")
        checked[name] = value if isinstance(value, Input) else Input(value)
    return checked


def _feed(name: str, given: Input, operator: Any, batch_size: int) -> Feed:
    spec = given.dataset.element_spec
    if not isinstance(spec, tf.TensorSpec):
        raise ArgumentError(
            f"the data set for {name!r} must have one tensor in each element, but has {spec}"
        )
    batched = operator.whole_batches is not False if given.batch is None else given.batch
    dataset = given.dataset
    if spec.dtype == tf.string:
        if batched or spec.shape.rank != 0:
            raise ArgumentError(
                f"the data set for {name!r} has strings of shape {spec.shape}: an external source "
                "takes strings as samples, one scalar each, with batch=False"
            )
        dataset = dataset.map(_as_bytes)
    if not batched:
        dataset = dataset.map(_flat).ragged_batch(batch_size, drop_remainder=True).map(_parts)
    return Feed(name, given.layout, not batched, operator, dataset)


def _as_bytes(text: object) -> object:
    return tf.io.decode_raw(text, tf.uint8)


def _flat(sample: object) -> Any:
    return tf.reshape(sample, [-1]), tf.shape(sample)


def _parts(elements: object, shapes: object) -> object:
    if isinstance(elements, tf.RaggedTensor):
        return elements.values, elements.row_splits, shapes
    rows, extent = tf.shape(elements, tf.int64)[0], tf.shape(elements, tf.int64)[1]
    return tf.reshape(elements, [-1]), tf.range(rows + 1) * extent, shapes
