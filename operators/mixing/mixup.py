"""`fn.mixup`: weighted means of pairs of images."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.nodes import DataNode, add_node
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, REQUIRED, param
from ...engine.tensors import TensorListGPU
from ..common.number_arguments import check_numbers, numbers_of_batch
from ..common.opencv_images import OPENCV_DTYPES
from ..elementwise.pointwise import pointwise
from ..elementwise.promotion import exact_type
from ..elementwise.saturation import saturate
from .pairs import PairOperator, alike, check_pair


@register
class MixUp(PairOperator):
    """Mixes each image, and its label, with another one of the batch (arXiv:1710.09412).

    The result is `weight * image + (1 - weight) * other`, with a weight from Beta(alpha, alpha) for
    each sample. The other samples are a random permutation of the batch. A batch of one sample
    stays as it is.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.mixup(np.full((8, 8, 3), 9, np.uint8), 1, num_classes=3))
    ...     for output in pipe.run():
    ...         print(output.shape())
    [(8, 8, 3), (8, 8, 3)]
    [(3,), (3,)]

    Inputs:
        images: samples of one shape; any layout and type.
        labels: integers of one element, for which `num_classes` is given, or the probabilities of
            the classes as floats.

    Outputs:
        images: of the input's shape, layout and type. Integers are rounded; CPU and GPU agree
            within 1.
        labels: float32, (classes,), on the device of the input.

    Raises:
        ArgumentError: the samples of a pair differ in shape, or a label is no class.
    """

    name = "mixup"
    is_random = True

    def compose(self, name: str | None, images: DataNode, labels: DataNode) -> tuple[DataNode, ...]:
        other_images, other_labels = self.paired(images, labels)
        weight = self.weights()
        arguments = {"weight": weight, "preserve": self.preserve}
        (mixed,) = add_node(
            Blend, (images, other_images), arguments, device=images.device, name=name
        )
        return mixed, self.mixed_labels(labels, other_labels, weight)


@register
class Blend(SampleOperator):
    """Computes weighted means of pairs of samples.

    Inputs:
        images, others: samples of one shape; any type.

    Outputs:
        the means: of the type and the layout of `images`. CPU and GPU agree within 1 in integers.
    """

    name = "_blend"
    called = "fn.mixup"
    devices = ("cpu", "gpu")
    inputs = ("images", "others")
    weight = param(FLOAT, REQUIRED, "Of the first sample.", per_sample=True, minimum=0, maximum=1)

    def sample(self, workspace: Workspace, image: Array, other: Array, *, weight: float) -> Array:
        check_pair(self.called, image.shape, other.shape)
        check_numbers(self, {"weight": weight})
        out = workspace.empty(image.shape, image.dtype)
        if not image.size:
            return out
        first, second = (np.ascontiguousarray(pixels).reshape(1, -1) for pixels in (image, other))
        result = out.reshape(1, -1)
        if image.dtype in OPENCV_DTYPES:
            cv2.addWeighted(first, weight, second, 1 - weight, 0, dst=result)
            return out
        exact = exact_type(image.dtype)
        saturate(weight * first.astype(exact) + (1 - weight) * second.astype(exact), result)
        return out

    def batch_gpu(
        self, batch: BatchContext, images: TensorListGPU, others: TensorListGPU, *, weight: Any
    ) -> TensorListGPU:
        possible = alike(images, others)
        numbers = numbers_of_batch(self, batch, images, {"weight": weight}, possible, others)
        expression = "weight * x + (1 - weight) * y"
        return pointwise(batch, expression, images, others, **numbers)
