"""`resample`: an image, or a region of it, to another size, with DALI's pixel rules."""

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import DTypeLike, NDArray

from .filters import Axis, Filter, choose_filter, with_bases
from .separable import resample_axes

DTYPES = frozenset(
    np.dtype(kind)
    for kind in (
        np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32,
        np.float16, np.float32, np.float64,
    )
)  # fmt: skip
_CV2_CHANNELS = 4


def resample(
    image: NDArray[Any],
    size: tuple[int, int],
    *,
    roi: tuple[float, float, float, float] | None = None,
    min_filter: Filter = Filter.LINEAR,
    mag_filter: Filter = Filter.LINEAR,
    antialias: bool = True,
    out: NDArray[Any] | None = None,
    dtype: DTypeLike | None = None,
) -> NDArray[Any]:
    """Resample an image of layout HWC to `size`.

    The filters' shapes, their positions and the rule by which an axis takes `min_filter` or
    `mag_filter` are those of DALI's CPU `fn.resize`. Differences:

    - Integers round half to even throughout; DALI rounds some halves away from zero.
    - With NEAREST, samples beyond the right border repeat it; DALI reads elsewhere.
    - More dtypes are accepted; those that float32 cannot hold are computed in float64.

    A NaN or infinity in the image makes NaNs of all results near it, up to some rows or
    columns further than the filter reaches.

    Args:
        image: Pixels, shape (height, width, channels), at least one of each; uint8, int8,
            uint16, int16, uint32, int32, float16, float32 or float64.
        size: Height and width of the result, each at least 1.
        roi: (y0, x0, y1, x1), edges of the region in pixels of the image. They may be
            fractional and lie outside the image, whose border is then repeated;
            start > end mirrors the axis. None means the whole image. Pixels just outside
            the region, but inside the image, count for results near the region's edge.
        min_filter: Filter for an axis that shrinks.
        mag_filter: Filter for an axis that does not shrink.
        antialias: Widen the filter of a shrinking axis by the reduction factor. NEAREST is
            never widened; TRIANGULAR without it is LINEAR.
        out: Array to write into, of the result's shape and dtype, apart from `image`'s memory.
        dtype: dtype of the result, either that of `image` (the default) or float32.

    Returns:
        The result, shape (*size, channels): `out` if given, else a new C-contiguous array.

    Raises:
        ValueError: A shape, size, region or `out` that does not fit.
        TypeError: A dtype that is not supported.

    >>> import numpy as np
    >>> ramp = np.arange(4, dtype=np.float32).reshape(1, 4, 1)
    >>> resample(ramp, (1, 2), antialias=False).ravel().tolist()
    [0.5, 2.5]
    >>> resample(ramp, (1, 2), roi=(0, 4, 1, 0), min_filter=Filter.NEAREST).ravel().tolist()
    [3.0, 1.0]
    """
    out = _checked_out(image, size, out, dtype)
    region = _checked_roi(image, roi)
    filters = min_filter, mag_filter, antialias
    vertical, horizontal = (
        plan_axis(image.shape[i], size[i], region[i], region[i + 2], *filters) for i in (0, 1)
    )
    if roi is not None:
        vertical, horizontal = with_bases(vertical, horizontal)
    target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
    if not _resize_with_cv2(image, target, vertical, horizontal):
        resample_axes(image, target, vertical, horizontal)
    if target is not out:
        np.copyto(out, target)
    return out


def _checked_out(
    image: NDArray[Any], size: tuple[int, int], out: NDArray[Any] | None, dtype: DTypeLike | None
) -> NDArray[Any]:
    """The array to write into, once image, size, dtype and `out` are known to fit."""
    if image.ndim != 3 or 0 in image.shape:
        raise ValueError(
            f"expected an image of shape (height, width, channels), none of them 0, "
            f"got shape {image.shape}"
        )
    if image.dtype not in DTYPES:
        raise TypeError(unsupported(image.dtype))
    result_dtype = image.dtype if dtype is None else np.dtype(dtype)
    if result_dtype != image.dtype and result_dtype != np.float32:
        raise TypeError(
            f"the result must be {image.dtype} like the image, or float32, not {result_dtype}; "
            "convert it afterwards"
        )
    if min(size) < 1:
        raise ValueError(f"height and width must be at least 1, got size {size}")
    shape = (*size, image.shape[2])
    if out is None:
        return np.empty(shape, result_dtype)
    if out.shape != shape or out.dtype != result_dtype:
        raise ValueError(
            f"out must have shape {shape} and dtype {result_dtype}, "
            f"got shape {out.shape} and dtype {out.dtype}"
        )
    if np.may_share_memory(image, out):
        raise ValueError("out must not share memory with the image")
    return out


def unsupported(dtype: np.dtype[Any]) -> str:
    """Say which types can be resampled, and that `dtype` is not among them."""
    return f"cannot resample {dtype}; supported are {', '.join(sorted(map(str, DTYPES)))}"


def _checked_roi(
    image: NDArray[Any], roi: tuple[float, float, float, float] | None
) -> tuple[float, float, float, float]:
    height, width = image.shape[:2]
    if roi is None:
        return 0.0, 0.0, float(height), float(width)
    y0, x0, y1, x1 = map(float, roi)
    if not all(map(math.isfinite, (y0, x0, y1, x1))) or y0 == y1 or x0 == x1:
        raise ValueError(
            f"roi must be finite (y0, x0, y1, x1) with y0 != y1 and x0 != x1, got {roi}"
        )
    return y0, x0, y1, x1


def plan_axis(
    in_size: int,
    out_size: int,
    start: float,
    end: float,
    min_filter: Filter,
    mag_filter: Filter,
    antialias: bool,
) -> Axis:
    """Return how an axis is resampled to `out_size`, showing `start` to `end`."""
    extent = abs(end - start)
    chosen, stretched = choose_filter(extent, out_size, min_filter, mag_filter, antialias)
    return Axis(in_size, out_size, start, end, chosen, stretched)


def _resize_with_cv2(
    image: NDArray[Any], out: NDArray[Any], vertical: Axis, horizontal: Axis
) -> bool:
    """Plain bilinear resampling of a whole image by OpenCV; False where that is not asked."""
    plain = all(
        axis.filter is Filter.LINEAR
        and not axis.stretched
        and (axis.start, axis.end) == (0, axis.in_size)
        for axis in (vertical, horizontal)
    )
    if (
        not plain
        or image.dtype != np.uint8
        or out.dtype != np.uint8
        or image.shape[2] > _CV2_CHANNELS
    ):
        return False
    cv2.resize(image, (out.shape[1], out.shape[0]), out, interpolation=cv2.INTER_LINEAR)
    return True
