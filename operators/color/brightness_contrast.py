"""`fn.brightness`, `fn.contrast` and `fn.brightness_contrast`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, FLOAT, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS
from ..common.number_arguments import check_numbers, numbers_of_batch
from ..elementwise.byte_table import look_up
from ..elementwise.pointwise import pointwise
from ..elementwise.promotion import type_of_work
from ..elementwise.saturation import saturate, saturated
from ..elementwise.target_dtype import target_type

_BYTES = np.arange(256, dtype=np.uint8)


def _half_range(dtype: DType) -> float:
    if dtype.kind == "f":
        return 0.5
    return float(1 << (8 * dtype.itemsize - (dtype.kind == "i") - 1))


def _full_range(dtype: DType) -> float:
    return 1.0 if dtype.kind in "fb" else float(np.iinfo(dtype).max)


class _Linear(SampleOperator):
    """Base of operators that compute `factor * x + offset` for each element."""

    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images",)

    dtype = param(DTYPE, None, "Element type of the result, by default the input's.")

    def prepare(self) -> None:
        self._wanted = target_type(self)

    def _line(self, source: DType, target: DType, numbers: dict[str, Any]) -> tuple[Any, Any]:
        """Return factors and offsets, in the type to compute in."""
        brightness, contrast = numbers.get("brightness", 1.0), numbers.get("contrast", 1.0)
        center = numbers.get("contrast_center", _half_range(source))
        shift = numbers.get("brightness_shift", 0.0) * _full_range(target)
        offset = shift + brightness * (center - contrast * center)
        exact = type_of_work(source, target).type
        return exact(brightness * contrast), exact(offset)

    def sample(self, workspace: Workspace, image: Array, **arguments: Any) -> Array:
        target = self._wanted or image.dtype
        given = {name: value for name, value in arguments.items() if value is not None}
        check_numbers(self, given)
        line = self._line(image.dtype, target, given)
        out = workspace.empty(image.shape, target)
        if image.size:
            _compute(workspace, np.ascontiguousarray(image).reshape(-1), *line, out.reshape(-1))
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: object
    ) -> TensorListGPU:
        source = to_numpy_type(images.dtype)
        target = self._wanted or source
        numbers = numbers_of_batch(self, batch, images, arguments)
        factor, offset = self._line(source, target, numbers)
        name, letter = ("double", "d") if factor.itemsize == 8 else ("float", "f")
        return pointwise(
            batch,
            f"__{letter}add_rn(__{letter}mul_rn(({name})x, factor), offset)",
            images,
            dtype=target,
            factor=factor,
            offset=offset,
        )


def _compute(workspace: Workspace, source: Array, factor: Any, offset: object, out: Array) -> None:
    """Write `factor * source + offset` into `out`, in the dtype of the factor.

    All arrays have one axis.
    """
    if source.dtype == np.uint8:
        _compute_bytes(source, factor, offset, out)
        return
    exact = out if out.dtype == factor.dtype else workspace.scratch(source.shape, factor.dtype)
    np.multiply(source, factor, out=exact, dtype=factor.dtype, casting="unsafe")
    exact += offset
    if exact is not out:
        saturate(exact, out)


def _compute_bytes(source: Array, factor: object, offset: object, out: Array) -> None:
    """Compute bytes with a table, or with OpenCV's arithmetic, which takes half the time."""
    table = _table(factor, offset, out.dtype)
    if table is None:
        _weighed(source, factor, offset, out)
    else:
        look_up(source, table, out)


def _weighed(source: Array, factor: Any, offset: Any, out: Array) -> None:
    line = source.reshape(1, -1)
    target = out.reshape(1, -1)
    cv2.addWeighted(line, float(factor), line, 0.0, float(offset), dst=target)


@lru_cache(256)
def _table(factor: Any, offset: Any, dtype: DType) -> Array | None:
    """Return the result of each byte: (256,); None if OpenCV's arithmetic gives the same.

    OpenCV rounds halves to even, so bytes differ for some factors.
    """
    table = saturated(_BYTES.astype(factor.dtype) * factor + offset, dtype)
    if dtype == np.uint8:
        weighed = np.empty_like(_BYTES)
        _weighed(_BYTES, factor, offset, weighed)
        if (weighed == table).all():
            return None
    return table


class _WithBrightness(_Linear):
    """Base of operators that change the brightness."""

    brightness = param(FLOAT, 1.0, "Factor of the values.", per_sample=True)
    brightness_shift = param(
        FLOAT,
        0.0,
        "Number to add, in units of the largest value of the result's type.",
        per_sample=True,
    )


class _WithContrast(_Linear):
    """Base of operators that change the contrast."""

    contrast = param(FLOAT, 1.0, "Factor of the distance from `contrast_center`.", per_sample=True)
    contrast_center = param(
        FLOAT,
        None,
        "Value that the contrast leaves as it is; by default half of the input's positive range.",
        per_sample=True,
    )


@register
class Brightness(_WithBrightness):
    """Changes the brightness of images: `brightness * x + brightness_shift * range`.

    `range` is the largest value of the result's type, and 1 for floats. The computation is in
    float32, and in float64 if input or result have 8 bytes. CPU and GPU agree exactly.

    Inputs:
        images: any layout with H and W, or none; any type.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.
    """

    name = "brightness"


@register
class Contrast(_WithContrast):
    """Changes the contrast of images: `contrast_center + contrast * (x - contrast_center)`.

    The computation is in float32, and in float64 if input or result have 8 bytes. CPU and GPU
    agree exactly.

    Inputs:
        images: any layout with H and W, or none; any type.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.
    """

    name = "contrast"


@register
class BrightnessContrast(_WithContrast, _WithBrightness):
    """Changes contrast, then brightness of images.

    The result is `brightness * (center + contrast * (x - center)) + brightness_shift * range`.
    `range` is the largest value of the result's type, and 1 for floats. The computation is in
    float32, and in float64 if input or result have 8 bytes. CPU and GPU agree exactly.

    Inputs:
        images: any layout with H and W, or none; any type.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.
    """

    name = "brightness_contrast"
