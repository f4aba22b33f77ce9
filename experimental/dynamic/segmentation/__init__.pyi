"""Signatures of dynamic mode; made by docs/generate.py from operators' declarations."""

# mypy: disable-error-code="overload-overlap"
import builtins as _builtins
import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType
from penstock.experimental import dynamic as _dynamic
from penstock.experimental.dynamic.batch import Batch
from penstock.experimental.dynamic.generators import RNG
from penstock.experimental.dynamic.kinds import DeviceLike, DTypeLike, TensorLike
from penstock.experimental.dynamic.reading import Reader
from penstock.experimental.dynamic.tensor import Tensor


@overload
def random_mask_pixel(
    mask: TensorLike,
    /,
    *,
    foreground: int | TensorLike | None = ...,
    threshold: float | TensorLike | None = ...,
    value: int | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Tensor:
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
        foreground (int | TensorLike | Batch | None): Draw an element of the foreground unless
            0, else any. Default: 0.
        threshold (float | TensorLike | Batch | None): Elements above it are foreground.
            Default: 0.0.
        value (int | TensorLike | Batch | None): Elements that equal it are foreground, instead
            of `threshold`.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def random_mask_pixel(
    mask: TensorLike | Batch,
    /,
    *,
    foreground: int | TensorLike | Batch | None = ...,
    threshold: float | TensorLike | Batch | None = ...,
    value: int | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Batch: ...
@overload
def random_object_bbox(
    mask: TensorLike,
    /,
    *,
    foreground_prob: float | TensorLike | None = ...,
    background: int | TensorLike | None = ...,
    classes: int | _abc.Sequence[int] | TensorLike | None = ...,
    class_weights: float | _abc.Sequence[float] | TensorLike | None = ...,
    ignore_class: _builtins.bool | None = ...,
    output_class: _builtins.bool | None = ...,
    threshold: int | _abc.Sequence[int] | TensorLike | None = ...,
    k_largest: int | None = ...,
    format: Literal['anchor_shape', 'start_end'] | None = ...,
    cache_objects: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> tuple[Tensor, ...]:
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
        foreground_prob (float | TensorLike | Batch | None): Probability to draw an object.
            Default: 1.0.
        background (int | TensorLike | Batch | None): Label of the background: by default 0, or
            a number below `classes` if they have 0.
        classes (int | Sequence[int] | TensorLike | Batch | None): Labels of classes; by default
            all but the background.
        class_weights (float | Sequence[float] | TensorLike | Batch | None): Relative
            probabilities of the classes; without `classes` those of the labels 1, 2, ...
        ignore_class (bool | None): Whether all objects are equally probable, of whatever class.
            Default: False.
        output_class (bool | None): Whether to return the label, too. Default: False.
        threshold (int | Sequence[int] | TensorLike | Batch | None): Least extent on each axis,
            or on all axes.
        k_largest (int | None): Number of the largest boxes to draw from.
        format (Literal['anchor_shape', 'start_end', 'box'] | None): Form of the box:
            "anchor_shape", "start_end" or "box". Default: 'anchor_shape'.
        cache_objects (bool | None): Whether to remember the boxes of masks, which are
            recognized by their bytes. Default: False.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
        rng (RNG | None): generator of random numbers. Default: that of the thread.
    """

@overload
def random_object_bbox(
    mask: TensorLike | Batch,
    /,
    *,
    foreground_prob: float | TensorLike | Batch | None = ...,
    background: int | TensorLike | Batch | None = ...,
    classes: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    class_weights: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    ignore_class: _builtins.bool | None = ...,
    output_class: _builtins.bool | None = ...,
    threshold: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    k_largest: int | None = ...,
    format: Literal['anchor_shape', 'start_end'] | None = ...,
    cache_objects: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> tuple[Batch, ...]: ...
@overload
def random_object_bbox(
    mask: TensorLike,
    /,
    *,
    foreground_prob: float | TensorLike | None = ...,
    background: int | TensorLike | None = ...,
    classes: int | _abc.Sequence[int] | TensorLike | None = ...,
    class_weights: float | _abc.Sequence[float] | TensorLike | None = ...,
    ignore_class: _builtins.bool | None = ...,
    output_class: _builtins.bool | None = ...,
    threshold: int | _abc.Sequence[int] | TensorLike | None = ...,
    k_largest: int | None = ...,
    format: Literal['anchor_shape', 'start_end', 'box'] | None = ...,
    cache_objects: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...
@overload
def random_object_bbox(
    mask: TensorLike | Batch,
    /,
    *,
    foreground_prob: float | TensorLike | Batch | None = ...,
    background: int | TensorLike | Batch | None = ...,
    classes: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    class_weights: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    ignore_class: _builtins.bool | None = ...,
    output_class: _builtins.bool | None = ...,
    threshold: int | _abc.Sequence[int] | TensorLike | Batch | None = ...,
    k_largest: int | None = ...,
    format: Literal['anchor_shape', 'start_end', 'box'] | None = ...,
    cache_objects: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...
@overload
def select_masks(
    mask_ids: TensorLike,
    polygons: TensorLike,
    vertices: TensorLike,
    /,
    *,
    reindex_masks: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> tuple[Tensor, ...]:
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
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
    """

@overload
def select_masks(
    mask_ids: TensorLike | Batch,
    polygons: TensorLike | Batch,
    vertices: TensorLike | Batch,
    /,
    *,
    reindex_masks: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> tuple[Batch, ...]: ...