"""What a data set says of its tensors: dtypes and shapes, and whether batches keep to these."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from ...engine.arrays import Array
from ...engine.errors import ArgumentError


def declared_specs(dtypes: object, shapes: object) -> list[tf.TensorSpec]:
    """Return the specs that the arguments `output_dtypes` and `output_shapes` declare.

    Args:
        dtypes: a `tf.DType` or a tuple of them.
        shapes: a shape for each dtype, in a tuple if `dtypes` is one; None for unknown shapes.

    Raises:
        TypeError: a value has another type.
        ValueError: there are not as many shapes as dtypes.
    """
    both = dtypes if isinstance(dtypes, tuple) else (dtypes,)
    if not all(isinstance(dtype, tf.DType) for dtype in both):
        raise TypeError(
            "`output_dtypes` should be provided as single tf.DType value or a tuple of tf.DType "
            f"values. Got value `{dtypes}` of the type `{type(dtypes)}`."
        )
    if shapes is None:
        shapes = (None,) * len(both)
    elif not isinstance(dtypes, tuple):
        shapes = (shapes,)
    elif not isinstance(shapes, tuple | list) or len(shapes) != len(both):
        found = f"has length {len(shapes)}" if isinstance(shapes, tuple | list) else "is no tuple"
        raise ValueError(
            f"The two structures don't have the same sequence length. `output_shapes` {found}: "
            f"{shapes}, but `output_dtypes` has length {len(both)}: give a shape for each dtype"
        )
    return [
        tf.TensorSpec(tf.TensorShape(shape), dtype)
        for shape, dtype in zip(shapes, both, strict=True)
    ]


def found_specs(arrays: Sequence[Array]) -> list[tf.TensorSpec]:
    """Return the specs of batches like this one, which may have other numbers of samples."""
    return [tf.TensorSpec((None, *array.shape[1:]), array.dtype) for array in arrays]


def fitted(array: Array, spec: tf.TensorSpec, index: int) -> Array:
    """Return a batch in the declared shape; extents of 1 that the shape lacks are left out.

    Args:
        array: the batch.
        spec: what was declared.
        index: number of the output, for the message.

    Raises:
        ArgumentError: the batch is not as declared.
    """
    if tf.dtypes.as_dtype(array.dtype) != spec.dtype:
        raise ArgumentError(
            f"The type provided for output `{index}` is not compatible with the type returned by "
            f"DALI Pipeline. Expected (output_types[{index}]): {spec.dtype.name}, got from "
            f"Pipeline: {array.dtype}. Give the pipeline's dtype as output_dtypes, or convert the "
            "output by fn.cast."
        )
    if spec.shape.rank is None or _agree(spec.shape.as_list(), array.shape):
        return array
    declared = spec.shape.as_list()
    fits = list({*_squeezed(declared, array.shape)}) if len(declared) < array.ndim else []
    if array.size == 1 and None not in declared and np.prod(declared) == 1:
        fits = [tuple(declared)]
    if len(fits) != 1:
        raise ArgumentError(
            f"The shape provided for output `{index}` is not compatible with the shape returned "
            f"by DALI Pipeline. Expected (output_shapes[{index}]): {tuple(declared)}, got from "
            f"Pipeline: {array.shape}. Give None for extents that differ from batch to batch."
        )
    return array.reshape(fits[0])


def _agree(declared: Sequence[int | None], shape: Sequence[int]) -> bool:
    return len(declared) == len(shape) and all(
        wanted in (None, extent) for wanted, extent in zip(declared, shape, strict=True)
    )


def _squeezed(declared: Sequence[int | None], shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shapes that fit `declared` after some extents of 1 were left out of `shape`."""
    if not shape:
        return [] if declared else [()]
    rest = shape[1:]
    shapes = []
    if declared and declared[0] in (None, shape[0]):
        shapes += [(shape[0], *behind) for behind in _squeezed(declared[1:], rest)]
    if shape[0] == 1:
        shapes += _squeezed(declared, rest)
    return shapes


def empty(spec: tf.TensorSpec) -> Array:
    """Return an array of the dtype, without elements where the shape permits."""
    extents = (
        [0 if extent is None else extent for extent in spec.shape.as_list()]
        if (spec.shape.rank is not None)
        else [0]
    )
    return np.zeros(extents, spec.dtype.as_numpy_dtype)
