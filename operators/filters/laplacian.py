"""`fn.laplacian`: the sum of the second derivatives along all axes."""

from __future__ import annotations

from functools import lru_cache, partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, DTYPE, FLOATS, INTS, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import check_exclusive, per_axis
from ..common.batch_arguments import made_of_arguments
from ..elementwise.promotion import exact_type
from ..elementwise.target_dtype import target_type
from .cpu_correlation import Surroundings, correlate
from .filtered_axes import filter_axes, parts_of
from .gpu_correlation import correlate_batch, upload_windows

_BORDER = "reflect_101"
_LARGEST = 31  # elements of a window, as DALI's operator takes them


@register
class Laplacian(SampleOperator):
    """Computes the Laplacian: the sum of the second derivatives along all axes but C and F.

    A derivative is the correlation with a window along its axis, and with smoothing windows along
    the others: `[1, -2, 1]` and `[1, 2, 1]`, which larger windows smooth further. Both are those of
    Sobel's operator. Beyond the border the sample is mirrored, without the border element twice.
    CPU and GPU agree within 1 in integers, and 1e-5 of the largest sum of the weights in floats.

    Inputs:
        data: one to three axes of any letters, with F before and C before or after them, such as
            HWC, CHW, HW, FHWC, DHWC; without a layout all axes count. Numbers of any type.

    Outputs:
        the Laplacian: of the input's shape, layout and, if `dtype` is not given, type. Integers
        are rounded and clamped, so types without a sign have no negative derivatives.
    """

    name = "laplacian"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    dtype = param(DTYPE, None, "Element type of the result, by default the input's.")
    normalized_kernel = param(
        BOOL,
        False,
        "Scale each derivative by `2 ** (n + 2 - s)`, for n axes and s elements of its windows in "
        "all. True excludes `scale`.",
    )
    scale = param(
        FLOATS,
        (1.0,),
        "Factor of the derivatives: one, or one for the derivative along each axis.",
        per_sample=True,
    )
    smoothing_size = param(
        INTS,
        None,
        "Elements of the smoothing windows, an odd number up to 31: one, or one for each axis. By "
        "default the window of the derivative has as many.",
        per_sample=True,
        minimum=1,
        maximum=_LARGEST,
    )
    window_size = param(
        INTS,
        (3,),
        "Elements of the derivatives' windows, an odd number from 3 to 31: one, or one for each "
        "axis.",
        per_sample=True,
        minimum=3,
        maximum=_LARGEST,
    )

    def prepare(self) -> None:
        if self.normalized_kernel:
            check_exclusive(self.called, self.given, "scale", "normalized_kernel")
        self._target = target_type(self)

    def sample(self, workspace: Workspace, data: Array, **arguments: object) -> Array:
        axes = filter_axes(self.called, self.layouts[0], data.ndim)
        window = self._window(len(axes), **arguments)
        out = workspace.empty(data.shape, self._target or data.dtype)
        if not data.size:
            return out
        middle, around = [extent // 2 for extent in window.shape], Surroundings(_BORDER)
        exact = data.astype(exact_type(data.dtype), copy=False)  # OpenCV rounds halves to even
        for part, result in zip(parts_of(exact, axes), parts_of(out, axes), strict=True):
            correlate(part, window, middle, around, result)
        return out

    def _window(
        self, axes: int, *, scale: Any, smoothing_size: Any, window_size: Any
    ) -> NDArray[np.float32]:
        """Return the window of a sample, which has all derivatives: of as many axes."""
        sizes = per_axis("window_size", window_size, axes)
        smooth = sizes
        if smoothing_size is not None:
            smooth = per_axis("smoothing_size", smoothing_size, axes)
        for name, least, given in (("window_size", 3, sizes), ("smoothing_size", 1, smooth)):
            if not all(least <= size <= _LARGEST and size % 2 for size in given):
                raise ArgumentError(
                    f"{name} is {tuple(map(int, given))}; give odd numbers from {least} to "
                    f"{_LARGEST}"
                )
        scales = per_axis("scale", scale, axes)
        own = None if smoothing_size is None else tuple(map(int, smooth))
        chosen = tuple(map(int, sizes)), own, tuple(map(float, scales))
        return laplacian_window(*chosen, self.normalized_kernel)

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        axes = filter_axes(self.called, self.layouts[0], data.ndim)
        nothing = np.ones((1,) * len(axes), np.float32)
        make = partial(self._window, len(axes))
        windows, possible = made_of_arguments(self, batch, arguments, make, nothing)
        target, shapes = self._target or to_numpy_type(data.dtype), data.extents()
        out = batch.device.empty(shapes, target, self.output_layouts()[0])
        uploaded = upload_windows(batch, windows)
        middles = uploaded.extents // 2
        correlate_batch(batch, data, out, axes, uploaded, middles, possible, _BORDER)
        return out


@lru_cache(64)
def laplacian_window(
    sizes: tuple[int, ...],
    smoothing: tuple[int, ...] | None,
    scales: tuple[float, ...],
    normalized: bool,
) -> NDArray[np.float32]:
    """Return the sum of the windows of all second derivatives.

    Args:
        sizes: of the window of the derivative along each axis: odd.
        smoothing: of the smoothing window along each axis; None for the size of the derivative's.
        scales: the factor of each derivative.
        normalized: whether each derivative is scaled by the number of its elements, too.

    >>> laplacian_window((3, 3), (1, 1), (1.0, 1.0), False).tolist()
    [[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]
    """
    count = len(sizes)
    parts = []
    for axis, size in enumerate(sizes):
        lengths = [size] * count if smoothing is None else list(smoothing)
        lengths[axis] = size
        curves = [_derivative(n, 2 if i == axis else 0) for i, n in enumerate(lengths)]
        factor = 2.0 ** (count + 2 - sum(lengths)) if normalized else 1.0
        parts.append(reduce(np.multiply.outer, curves) * (factor * scales[axis]))
    window = np.zeros(np.max([part.shape for part in parts], axis=0))
    for part in parts:
        starts = [(whole - own) // 2 for whole, own in zip(window.shape, part.shape, strict=True)]
        inner = [slice(at, at + own) for at, own in zip(starts, part.shape, strict=True)]
        window[tuple(inner)] += part
    result = window.astype(np.float32)
    result.flags.writeable = False
    return result


def _derivative(size: int, order: int) -> NDArray[np.float64]:
    """Return the window of a derivative of the order 0 or 2: (size,)."""
    start = [1.0, -2.0, 1.0] if order else [1.0]
    return reduce(np.convolve, [[1.0, 2.0, 1.0]] * ((size - len(start)) // 2), np.array(start))
