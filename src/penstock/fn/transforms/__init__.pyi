"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

def combine(
    matrix: DataNode,
    *matrices: DataNode,
    reverse_order: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def crop(
    matrix: DataNode | None = ...,
    /,
    *,
    reverse_order: bool | None = ...,
    from_start: float | _abc.Sequence[float] | DataNode | None = ...,
    from_end: float | _abc.Sequence[float] | DataNode | None = ...,
    to_start: float | _abc.Sequence[float] | DataNode | None = ...,
    to_end: float | _abc.Sequence[float] | DataNode | None = ...,
    absolute: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        from_start (float | Sequence[float] | DataNode | None): Lower corner of the first
            window. Default: (0.0,).
        from_end (float | Sequence[float] | DataNode | None): Upper corner of the first window.
            Default: (1.0,).
        to_start (float | Sequence[float] | DataNode | None): Lower corner of the second window.
            Default: (0.0,).
        to_end (float | Sequence[float] | DataNode | None): Upper corner of the second window.
            Default: (1.0,).
        absolute (bool | None): Whether a start above its end changes places with the end.
            Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def rotation(
    matrix: DataNode | None = ...,
    /,
    *,
    reverse_order: bool | None = ...,
    angle: float | DataNode,
    axis: float | _abc.Sequence[float] | DataNode | None = ...,
    center: float | _abc.Sequence[float] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        angle (float | DataNode): Degrees.
        axis (float | Sequence[float] | DataNode | None): Direction x, y, z of the axis; of any
            length but 0.
        center (float | Sequence[float] | DataNode | None): A point that stays; by default the
            origin.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def scale(
    matrix: DataNode | None = ...,
    /,
    *,
    reverse_order: bool | None = ...,
    scale: float | _abc.Sequence[float] | DataNode,
    center: float | _abc.Sequence[float] | DataNode | None = ...,
    ndim: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        scale (float | Sequence[float] | DataNode): Factors: one for each dimension, or one for
            all.
        center (float | Sequence[float] | DataNode | None): The point that stays; by default the
            origin.
        ndim (int | None): Number of dimensions, if neither `scale` nor an input determines it.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def shear(
    matrix: DataNode | None = ...,
    /,
    *,
    reverse_order: bool | None = ...,
    shear: float | _abc.Sequence[float] | DataNode | None = ...,
    angles: float | _abc.Sequence[float] | DataNode | None = ...,
    center: float | _abc.Sequence[float] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        shear (float | Sequence[float] | DataNode | None): The factors: 2, or 6 in space.
        angles (float | Sequence[float] | DataNode | None): Degrees from -90 to 90, whose
            tangents are the factors.
        center (float | Sequence[float] | DataNode | None): A point that stays; by default the
            origin.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def translation(
    matrix: DataNode | None = ...,
    /,
    *,
    reverse_order: bool | None = ...,
    offset: float | _abc.Sequence[float] | DataNode,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
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
        offset (float | Sequence[float] | DataNode): The vector, with a number for each
            dimension.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
