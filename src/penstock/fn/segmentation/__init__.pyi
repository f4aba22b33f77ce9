"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def random_mask_pixel(
    mask: DataNode,
    /,
    *,
    foreground: int | DataNode | None = ...,
    threshold: float | DataNode | None = ...,
    value: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Draws an element of a mask: one of the foreground, or any.

    If the foreground is asked for, but there is none, any element is drawn.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> mask = np.zeros((4, 4), np.uint8)
    >>> mask[2, 3] = 1
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.segmentation.random_mask_pixel(mask, foreground=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [2 3]

    Inputs:
        mask: numbers or bool, of any shape, not empty.

    Outputs:
        the element's index: int64, shape (dimensions,).

    Args:
        foreground (int | DataNode | None): Draw an element of the foreground unless 0, else
            any. Default: 0.
        threshold (float | DataNode | None): Elements above it are foreground. Default: 0.0.
        value (int | DataNode | None): Elements that equal it are foreground, instead of
            `threshold`.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

@overload
def random_object_bbox(
    mask: DataNode,
    /,
    *,
    foreground_prob: float | DataNode | None = ...,
    background: int | DataNode | None = ...,
    classes: int | _abc.Sequence[int] | DataNode | None = ...,
    class_weights: float | _abc.Sequence[float] | DataNode | None = ...,
    ignore_class: bool | None = ...,
    output_class: bool | None = ...,
    threshold: int | _abc.Sequence[int] | DataNode | None = ...,
    k_largest: int | None = ...,
    format: Literal['anchor_shape', 'start_end'] | None = ...,
    cache_objects: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
    """Draws an object of a segmentation mask, and returns the box around the object.

    An object is a connected region of elements with one label; neighbors on an axis are connected.
    With probability `foreground_prob` a class is drawn, by `class_weights`, and then one of its
    objects. A class without an object of at least `threshold` is not drawn. If no object is drawn,
    the box is that of the whole mask.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> mask = np.zeros((6, 6), np.uint8)
    >>> mask[2:4, 1:5] = 1
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.segmentation.random_object_bbox(mask, foreground_prob=1.0))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [2, 1]
    [2, 4]

    Inputs:
        mask: integers or bool, of any shape.

    Outputs:
        two arrays, int32, of shape (dimensions,): anchor and shape, or start and end; or one of
            shape (2 * dimensions,), as `format` says.
        label: int32, of the object's class, or `background`; with `output_class`.

    Raises:
        ArgumentError: the mask has no integers, or the arguments contradict one another.

    Args:
        foreground_prob (float | DataNode | None): Probability to draw an object. Default: 1.0.
        background (int | DataNode | None): Label of the background: by default 0, or a number
            below `classes` if they have 0.
        classes (int | Sequence[int] | DataNode | None): Labels of classes; by default all but
            the background.
        class_weights (float | Sequence[float] | DataNode | None): Relative probabilities of the
            classes; without `classes` those of the labels 1, 2, ...
        ignore_class (bool | None): Whether all objects are equally probable, of whatever class.
            Default: False.
        output_class (bool | None): Whether to return the label, too. Default: False.
        threshold (int | Sequence[int] | DataNode | None): Least extent on each axis, or on all
            axes.
        k_largest (int | None): Number of the largest boxes to draw from.
        format (Literal['anchor_shape', 'start_end', 'box'] | None): Form of the box:
            "anchor_shape", "start_end" or "box". Default: 'anchor_shape'.
        cache_objects (bool | None): Whether to remember the boxes of masks, which are
            recognized by their bytes. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
@overload
def random_object_bbox(
    mask: DataNode,
    /,
    *,
    foreground_prob: float | DataNode | None = ...,
    background: int | DataNode | None = ...,
    classes: int | _abc.Sequence[int] | DataNode | None = ...,
    class_weights: float | _abc.Sequence[float] | DataNode | None = ...,
    ignore_class: bool | None = ...,
    output_class: bool | None = ...,
    threshold: int | _abc.Sequence[int] | DataNode | None = ...,
    k_largest: int | None = ...,
    format: Literal['anchor_shape', 'start_end', 'box'] | None = ...,
    cache_objects: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...

def select_masks(
    mask_ids: DataNode,
    polygons: DataNode,
    vertices: DataNode,
    /,
    *,
    reindex_masks: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
    """Returns the polygons of chosen masks, with their vertices, in the order of the choice.

    All polygons of a mask are returned, in their order; DALI returns one of them.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> polygons = [[4, 0, 3], [5, 3, 6]]
    >>> vertices = np.float32([[0, 0], [1, 0], [0, 1], [5, 5], [6, 5], [5, 6]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.segmentation.select_masks([5], polygons, vertices))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [[5, 0, 3]]
    [[5.0, 5.0], [6.0, 5.0], [5.0, 6.0]]

    Inputs:
        mask_ids: integers, shape (masks,), each once.
        polygons: integers, shape (polygons, 3): a mask, and the first vertex and the end of its
            polygon, as `fn.readers.coco` returns them.
        vertices: numbers, shape (vertices, coordinates).

    Outputs:
        polygons, vertices: those of the chosen masks; of the dtypes of the inputs.

    Raises:
        ArgumentError: a chosen mask has no polygon or is chosen twice, or a polygon has vertices
            that do not exist.

    Args:
        reindex_masks (bool | None): Whether masks become numbers: their positions in
            `mask_ids`. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
