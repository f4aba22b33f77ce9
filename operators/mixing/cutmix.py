"""`fn.cutmix`: images with a window of another image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.nodes import DataNode, add_node
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, FLOATS, INTS, REQUIRED, param
from ...engine.graph.row_arguments import array_of
from ...engine.graph.rules import GpuRules, SequenceRules
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...geometry.layouts import VIDEO_LAYOUTS, lines_axis
from ..common.batch_arguments import enter_errors
from ..common.number_arguments import check_numbers
from ..elementwise.pointwise import pointwise
from ..random.random_numbers import Uniform
from .pairs import PairOperator, alike, check_pair

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_INSIDE = """[&] {
    const i64 pixel = quotient(i, step), line = quotient(pixel, width);
    const i64 row = line - quotient(line, height) * height, column = pixel - line * width;
    return row >= window[0] && row < window[1] && column >= window[2] && column < window[3] ? y : x;
}()"""


@register
class CutMix(PairOperator):
    """Pastes a window of another image of the batch, and mixes the labels (arXiv:1905.04899).

    A weight from Beta(alpha, alpha) is drawn for each sample. The window has the image's aspect
    ratio and 1 - weight of its area, lies about a random pixel, and is clipped to the image. The
    label's weight is the part of the image that stays. The other samples are a random permutation
    of the batch. All frames of a video have the same window.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.cutmix(np.full((8, 8, 3), 9, np.uint8), 1, num_classes=3))
    ...     for output in pipe.run():
    ...         print(output.shape())
    [(8, 8, 3), (8, 8, 3)]
    [(3,), (3,)]

    Inputs:
        images: samples of one shape; any type, and any layout in which W follows H.
        labels: integers of one element, for which `num_classes` is given, or the probabilities of
            the classes as floats.

    Outputs:
        images: of the input's shape, layout and type.
        labels: float32, (classes,), on the device of the input.

    Raises:
        ArgumentError: the samples of a pair differ in shape, or a label is no class.
    """

    name = "cutmix"
    is_random = True

    def compose(self, name: str | None, images: DataNode, labels: DataNode) -> tuple[DataNode, ...]:
        other_images, other_labels = self.paired(images, labels)
        centers = {"range": (0.0, 1.0), "shape": (2,), **self.own_seed(2)}
        (center,) = add_node(Uniform, (), centers)
        drawn = {"weight": self.weights(), "center": center}
        window, weight = add_node(CutMixWindow, (images,), drawn, device="cpu")
        arguments = {"window": window, "preserve": self.preserve}
        (mixed,) = add_node(
            PasteWindow, (images, other_images), arguments, device=images.device, name=name
        )
        return mixed, self.mixed_labels(labels, other_labels, weight)


def windows(extents: Ints, weights: Floats, centers: Floats) -> tuple[Ints, Floats]:
    """Return the windows, and the part of each image that stays outside.

    Args:
        extents: height and width: (count, 2).
        weights: the part that stays if the window is not clipped: (count,).
        centers: of the windows, relative to the image: y and x, (count, 2).

    Returns:
        top, bottom, left and right: (count, 4); (count,).

    >>> windows(np.array([[10, 20]]), np.array([0.75]), np.array([[0.5, 0.0]]))
    (array([[3, 7, 0, 5]]), array([0.9]))
    """
    middle = (centers * extents).astype(np.int64)
    half = (0.5 * np.sqrt(1 - weights)[:, np.newaxis] * extents).astype(np.int64)
    first, last = (middle - half).clip(0), np.minimum(middle + half, extents)
    kept = 1 - (last - first).prod(axis=1) / extents.prod(axis=1).clip(1)
    return np.stack([first[:, 0], last[:, 0], first[:, 1], last[:, 1]], axis=1), kept


@register
class CutMixWindow(SampleOperator):
    """Computes the windows of `fn.cutmix`, and the weights of labels.

    Inputs:
        images: whose shapes are read.

    Outputs:
        windows: int64, (4,): top, bottom, left and right, in pixels.
        weights: float32, (): the part of the image that stays.
    """

    name = "_cutmix_window"
    called = "fn.cutmix"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(metadata_only=True)
    sequences = SequenceRules(own_frames=True)
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images",)
    outputs = 2
    weight = param(
        FLOAT, REQUIRED, "Drawn weight of the image.", per_sample=True, minimum=0, maximum=1
    )
    center = param(
        FLOATS, REQUIRED, "Of the window, relative: y, x.", per_sample=True, minimum=0, maximum=1
    )

    def output_layouts(self) -> tuple[str, ...]:
        return ("", "")

    def sample(
        self, workspace: Workspace, image: Array, *, weight: float, center: Sequence[float]
    ) -> tuple[Array, Array]:
        first = lines_axis(self.called, self.layouts[0], image.ndim)
        check_numbers(self, {"weight": weight, "center": center})
        extents = np.array([image.shape[first : first + 2]])
        window, kept = windows(extents, np.array([weight]), np.array([center], np.float64))
        return window[0], kept[0].astype(np.float32)

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, *, weight: object, center: object
    ) -> tuple[TensorList, TensorList]:
        first = lines_axis(self.called, self.layouts[0], images.ndim)
        extents = images.extents()[:, first : first + 2]
        weights = array_of(self, "weight", weight, batch.size)[:, 0].astype(np.float64)
        centers = array_of(self, "center", center, batch.size).astype(np.float64)
        numbers = np.column_stack([weights, centers])
        usable = np.all((numbers >= 0) & (numbers <= 1), axis=1)
        enter_errors(self, batch, images, usable, {"weight": weight, "center": center})
        weights, centers = np.where(usable, weights, 0), np.where(usable[:, None], centers, 0)
        window, kept = windows(extents, weights, centers)
        made = TensorListCPU(window), TensorListCPU(kept.astype(np.float32))
        if self.device == "cpu":
            return made
        return batch.device.to_device(made[0]), batch.device.to_device(made[1])


@register
class PasteWindow(SampleOperator):
    """Pastes a window of another sample.

    Inputs:
        images, others: samples of one shape; any type, and any layout in which W follows H.

    Outputs:
        the images: of the shape, type and layout of `images`.
    """

    name = "_paste_window"
    called = "fn.cutmix"
    devices = ("cpu", "gpu")
    sequences = SequenceRules(own_frames=True)
    assumed_layouts = VIDEO_LAYOUTS
    inputs = ("images", "others")
    window = param(INTS, REQUIRED, "Top, bottom, left and right, in pixels.", per_sample=True)

    def sample(
        self, workspace: Workspace, image: Array, other: Array, *, window: Sequence[int]
    ) -> Array:
        first = lines_axis(self.called, self.layouts[0], image.ndim)
        check_pair(self.called, image.shape, other.shape)
        top, bottom, left, right = window
        out = workspace.empty(image.shape, image.dtype)
        np.copyto(out, image)
        place = (slice(None),) * first + (slice(top, bottom), slice(left, right))
        out[place] = other[place]
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, others: TensorListGPU, *, window: object
    ) -> TensorListGPU:
        first, shapes = lines_axis(self.called, self.layouts[0], images.ndim), images.extents()
        enter_errors(self, batch, images, alike(images, others), {"window": window}, others)
        return pointwise(
            batch,
            " ".join(_INSIDE.split()),
            images,
            others,
            window=array_of(self, "window", window, batch.size).astype(np.int64),
            height=shapes[:, first],
            width=shapes[:, first + 1],
            step=shapes[:, first + 2 :].prod(axis=1),
        )
