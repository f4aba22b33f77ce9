"""torchvision's `Resize` and `resized_crop`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, INT, INTS, STR, param
from ...engine.graph.rules import SequenceRules
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import IMAGE_LAYOUTS, image_layout
from ..common.batch_arguments import enter_errors, numbers_of
from .axes import CURVES, INTERPOLATIONS, NEAREST, NEAREST_EXACT, PILLOW, RULES, TENSOR, Axis
from .gpu_resizing import resize_batch
from .pillow_images import check_pillow
from .resizing import resize_image

Ints = NDArray[np.int64]

_LARGEST = 1 << 20  # pixels a side: more is an error, not an image


@register
class VisionResize(SampleOperator):
    """Resizes images, or a window of each, with the pixels of torchvision.

    Bytes are those of Pillow or of PyTorch on a CPU with AVX2; other types are within 1.5e-5 of
    the range. CPU and GPU agree within 1 in integers, and within 1e-5 in floats.

    Inputs:
        images: HW or HWC, with F before them for videos; with weights integers of at most 32 bits
            or floats, else any type.

    Outputs:
        the images: of the input's type and layout.

    Raises:
        ArgumentError: the window lies outside of the image, or the size makes no sense.
    """

    name = "_vision_resize"
    called = "Resize"
    devices = ("cpu", "gpu")
    assumed_layouts = IMAGE_LAYOUTS
    sequences = SequenceRules(frame_by_frame=True)
    inputs = ("images",)

    size = param(
        INTS,
        (),
        "(height, width), or the length of the shorter side. Without it `max_size` is the length "
        "of the longer side. For each sample: (height, width).",
        per_sample=True,
    )
    max_size = param(INT, 0, "Largest length of the longer side; 0 for none.", minimum=0)
    interpolation = param(STR, "bilinear", "The filter.", choices=INTERPOLATIONS)
    antialias = param(BOOL, True, "Whether filters widen; Pillow's always do.")
    rule = param(STR, TENSOR, "Whose pixels.", choices=RULES)
    window = param(
        INTS, (), "(top, left, height, width) in pixels; all without it.", per_sample=True
    )

    def prepare(self) -> None:
        if "size" not in self.per_sample:
            self._check_size()
        weighs = self.interpolation not in (NEAREST, NEAREST_EXACT)
        if self.rule == TENSOR and weighs and self.interpolation not in CURVES:
            self.refuse(f"tensors have no {self.interpolation!r}; {', '.join(CURVES)} have")
        if self.rule == TENSOR and self.interpolation == "lanczos" and not self.antialias:
            self.refuse("the filter 'lanczos' needs antialias=True")
        self._widens = self.antialias or self.rule == PILLOW

    def _check_size(self) -> None:
        if len(self.size) > 2 or any(not 0 < extent <= _LARGEST for extent in self.size):
            self.refuse(f"size must be one or two lengths above 0, but is {self.size}")
        if len(self.size) == 2 and self.max_size:
            self.refuse("max_size needs a size of one number, the length of the shorter side")
        if not self.size and not self.max_size:
            self.refuse("neither size nor max_size is given")
        if self.size and self.max_size and self.max_size <= self.size[0]:
            self.refuse(
                f"max_size is {self.max_size}; it must be above size, which is {self.size[0]}"
            )

    def check_machine(self) -> None:
        if self.rule == PILLOW and self.device == "cpu":
            check_pillow(self.called)

    def _axis(self, before: int, after: int) -> Axis:
        return Axis(before, after, self.interpolation, self._widens, self.rule)

    def sample(self, workspace: Workspace, image: Array, *, size: Any, window: object) -> Array:
        layout = image_layout(self.called, self.layouts[0], image.ndim)
        numbers = np.atleast_1d(np.asarray(window, np.int64)).reshape(1, -1)
        extents = np.array([image.shape[:2]])
        windows = windows_of(extents, numbers)
        if not fits(extents, windows)[0]:
            self.refuse(
                f"the window (top, left, height, width) {tuple(numbers[0].tolist())} is not in the "
                f"image of {image.shape[0]} x {image.shape[1]} pixels"
            )
        top, left, height, width = windows[0].tolist()
        wanted = np.ravel(size).tolist()
        if "size" in self.per_sample and len(wanted) != 2:
            self.refuse(f"the size of a sample must be (height, width), but is {wanted}")
        rows, columns = resized(windows[:, 2:], wanted, self.max_size)[0].tolist()
        if not 0 < min(rows, columns) <= max(rows, columns) <= _LARGEST:
            self.refuse(f"an image of {height} x {width} pixels would get {rows} x {columns}")
        part = image[top : top + height, left : left + width]
        out = workspace.empty((rows, columns, *image.shape[2:]), image.dtype)
        shown, result = (part, out) if layout == "HWC" else (part[..., None], out[..., None])
        resize_image(shown, self._axis(height, rows), self._axis(width, columns), result)
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, **arguments: Any
    ) -> TensorListGPU:
        image_layout(self.called, self.layouts[0], images.ndim)
        extents = images.extents()
        numbers = numbers_of(arguments["window"], batch.size, 4)
        if np.size(arguments["window"]) == 0:
            numbers = np.empty((batch.size, 0))
        usable: NDArray[np.bool_] = np.all(~np.isnan(numbers), axis=1)
        usable &= _has_several(arguments["window"])
        windows = windows_of(extents[:, :2], np.where(usable[:, None], numbers, 0).astype(np.int64))
        usable &= fits(extents[:, :2], windows)
        windows[~usable] = 0, 0, 1, 1
        if "size" in self.per_sample:
            given = numbers_of(arguments["size"], batch.size, 2)
            sizes = np.where(np.isnan(given), 0, given).astype(np.int64)
            usable &= _has_several(arguments["size"])
        else:
            sizes = resized(windows[:, 2:], self.size, self.max_size)
        usable &= ((sizes > 0) & (sizes <= _LARGEST)).all(axis=1)
        enter_errors(self, batch, images, usable, arguments)
        sizes[~usable] = 0
        plain = to_numpy_type(images.dtype)
        return resize_batch(batch, images, plain, windows, sizes, self._axis(1, 1))


def _has_several(value: Any) -> NDArray[np.bool_]:
    """Return which samples have more than one number, or whether all have."""
    counts = value.extents().prod(axis=1) if isinstance(value, TensorList) else np.size(value)
    return np.asarray(counts != 1)


def windows_of(extents: Ints, numbers: Ints) -> Ints:
    """Return windows (top, left, height, width): (batch, 4); without numbers the whole images."""
    if numbers.shape[1]:
        return np.broadcast_to(numbers, (len(extents), numbers.shape[1])).copy()
    return np.concatenate([np.zeros_like(extents), extents], axis=1)


def fits(extents: Ints, windows: Ints) -> NDArray[np.bool_]:
    """Return which windows have pixels, and lie in the images: (batch,)."""
    if windows.shape[1] != 4:
        return np.zeros(len(windows), bool)
    inside = (windows[:, :2] >= 0) & (windows[:, :2] + windows[:, 2:] <= extents)
    result: NDArray[np.bool_] = np.all(inside & (windows[:, 2:] > 0), axis=1)
    return result


def resized(extents: Ints, size: Sequence[int], max_size: int) -> Ints:
    """Return the sizes of results: (batch, 2). Fractions are cut off, as by torchvision.

    >>> resized(np.array([[500, 333], [300, 400]]), (224,), 0).tolist()
    [[336, 224], [224, 298]]
    """
    if len(size) == 2:
        return np.broadcast_to(np.array(size), extents.shape).copy()
    short, long = extents.min(axis=1), extents.max(axis=1)
    if size:
        new_short = np.full_like(short, size[0])
        new_long = (size[0] * long / short).astype(np.int64)
        if max_size:
            beyond = new_long > max_size
            new_short[beyond] = (max_size * new_short[beyond] / new_long[beyond]).astype(np.int64)
            new_long[beyond] = max_size
    else:
        new_short, new_long = (max_size * short / long).astype(np.int64), max_size + 0 * long
    upright = (extents[:, 1] <= extents[:, 0])[:, np.newaxis]
    tall = np.stack([new_long, new_short], axis=1)
    return np.where(upright, tall, tall[:, ::-1])
