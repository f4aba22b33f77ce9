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
def combine(
    matrix: TensorLike,
    *matrices: TensorLike,
    reverse_order: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
    """Makes the matrix of several maps that are applied one after the other, in their order.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> move = np.float32([[1, 0, 10], [0, 1, 20]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.combine(move, fn.transforms.scale(scale=(2, 2))))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[ 2.  0. 20.]
     [ 0.  2. 40.]]

    Inputs:
        matrix: the first map: (n, n + 1).
        matrices: the further maps, of as many dimensions.

    Outputs:
        the matrix of all maps: float32, shape (n, n + 1).

    Args:
        reverse_order (bool | None): Whether the input's map is applied to the results of this
            map. By default this map is applied to the results of the input's map. Default:
            False.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
    """

@overload
def combine(
    matrix: TensorLike | Batch,
    *matrices: TensorLike | Batch,
    reverse_order: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def crop(
    matrix: TensorLike | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    from_start: float | _abc.Sequence[float] | TensorLike | None = ...,
    from_end: float | _abc.Sequence[float] | TensorLike | None = ...,
    to_start: float | _abc.Sequence[float] | TensorLike | None = ...,
    to_end: float | _abc.Sequence[float] | TensorLike | None = ...,
    absolute: _builtins.bool | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
    """Makes the matrix that maps one window of coordinates onto another window.

    The corner `from_start` moves to `to_start`, and `from_end` moves to `to_end`. Coordinates of
    points in an image follow a crop so.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.transforms.crop(from_start=(0, 0), from_end=(1, 1), to_end=(200, 100))
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[200.   0.   0.]
     [  0. 100.   0.]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with this map.

    Outputs:
        the matrix: float32, shape (n, n + 1). A window without extent gives infinite numbers.

    Args:
        reverse_order (bool | None): Whether the input's map is applied to the results of this
            map. By default this map is applied to the results of the input's map. Default:
            False.
        from_start (float | Sequence[float] | TensorLike | Batch | None): Lower corner of the
            first window. Default: (0.0,).
        from_end (float | Sequence[float] | TensorLike | Batch | None): Upper corner of the
            first window. Default: (1.0,).
        to_start (float | Sequence[float] | TensorLike | Batch | None): Lower corner of the
            second window. Default: (0.0,).
        to_end (float | Sequence[float] | TensorLike | Batch | None): Upper corner of the second
            window. Default: (1.0,).
        absolute (bool | None): Whether a start above its end changes places with the end.
            Default: False.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
    """

@overload
def crop(
    matrix: TensorLike | Batch | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    from_start: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    from_end: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    to_start: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    to_end: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    absolute: _builtins.bool | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def rotation(
    matrix: TensorLike | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    angle: float | TensorLike,
    axis: float | _abc.Sequence[float] | TensorLike | None = ...,
    center: float | _abc.Sequence[float] | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
    """Makes the matrix of a rotation: of the plane, or about an axis in space.

    In the plane the rotation is from the axis x to the axis y, which is clockwise where y points
    down. About an axis the rotation is counter-clockwise to a viewer at whom the axis points.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.rotation(angle=90))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(3) + 0)
    [[ 0. -1.  0.]
     [ 1.  0.  0.]]

    Inputs:
        matrix: an affine map (2, 3), or with an axis (3, 4), that is combined with the rotation.

    Outputs:
        the matrix: float32, shape (2, 3), or with an axis (3, 4).

    Args:
        reverse_order (bool | None): Whether the input's map is applied to the results of this
            map. By default this map is applied to the results of the input's map. Default:
            False.
        angle (float | TensorLike | Batch): Degrees.
        axis (float | Sequence[float] | TensorLike | Batch | None): Direction x, y, z of the
            axis; of any length but 0.
        center (float | Sequence[float] | TensorLike | Batch | None): A point that stays; by
            default the origin.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
    """

@overload
def rotation(
    matrix: TensorLike | Batch | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    angle: float | TensorLike | Batch,
    axis: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    center: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def scale(
    matrix: TensorLike | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    scale: float | _abc.Sequence[float] | TensorLike,
    center: float | _abc.Sequence[float] | TensorLike | None = ...,
    ndim: int | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
    """Makes the matrix that scales about a center: center + scale * (p - center).

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.scale(scale=(2, 3), center=(10, 10)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[  2.   0. -10.]
     [  0.   3. -20.]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with the scaling.

    Outputs:
        the matrix: float32, shape (n, n + 1).

    Args:
        reverse_order (bool | None): Whether the input's map is applied to the results of this
            map. By default this map is applied to the results of the input's map. Default:
            False.
        scale (float | Sequence[float] | TensorLike | Batch): Factors: one for each dimension,
            or one for all.
        center (float | Sequence[float] | TensorLike | Batch | None): The point that stays; by
            default the origin.
        ndim (int | None): Number of dimensions, if neither `scale` nor an input determines it.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
    """

@overload
def scale(
    matrix: TensorLike | Batch | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    scale: float | _abc.Sequence[float] | TensorLike | Batch,
    center: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    ndim: int | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def shear(
    matrix: TensorLike | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    shear: float | _abc.Sequence[float] | TensorLike | None = ...,
    angles: float | _abc.Sequence[float] | TensorLike | None = ...,
    center: float | _abc.Sequence[float] | TensorLike | None = ...,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
    """Makes the matrix of a shear: x + shear_xy * y, and so on.

    A factor says how far the first axis moves for a step along the second axis. In the plane the
    factors are xy, yx. In space the factors are xy, xz, yx, yz, zx, zy. Give `shear` or `angles`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.shear(shear=(0.5, 0)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1.  0.5 0. ]
     [0.  1.  0. ]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with the shear.

    Outputs:
        the matrix: float32, shape (2, 3) or (3, 4).

    Args:
        reverse_order (bool | None): Whether the input's map is applied to the results of this
            map. By default this map is applied to the results of the input's map. Default:
            False.
        shear (float | Sequence[float] | TensorLike | Batch | None): The factors: 2, or 6 in
            space.
        angles (float | Sequence[float] | TensorLike | Batch | None): Degrees from -90 to 90,
            whose tangents are the factors.
        center (float | Sequence[float] | TensorLike | Batch | None): A point that stays; by
            default the origin.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
    """

@overload
def shear(
    matrix: TensorLike | Batch | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    shear: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    angles: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    center: float | _abc.Sequence[float] | TensorLike | Batch | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...
@overload
def translation(
    matrix: TensorLike | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    offset: float | _abc.Sequence[float] | TensorLike,
    batch_size: None = ...,
    device: DeviceLike | None = ...,
) -> Tensor:
    """Makes the matrix of a translation: p + offset.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.transforms.translation(offset=(10, 20)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[ 1.  0. 10.]
     [ 0.  1. 20.]]

    Inputs:
        matrix: an affine map (n, n + 1), float32, that is combined with the translation.

    Outputs:
        the matrix: float32, shape (n, n + 1).

    Args:
        reverse_order (bool | None): Whether the input's map is applied to the results of this
            map. By default this map is applied to the results of the input's map. Default:
            False.
        offset (float | Sequence[float] | TensorLike | Batch): The vector, with a number for
            each dimension.
        batch_size (int | None): number of samples, if no input and no argument is a batch.
        device (DeviceLike | None): where it runs: cpu. Default: where the inputs are.
    """

@overload
def translation(
    matrix: TensorLike | Batch | None = ...,
    /,
    *,
    reverse_order: _builtins.bool | None = ...,
    offset: float | _abc.Sequence[float] | TensorLike | Batch,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Batch: ...