"""Pairs of samples of a batch, the weights of their first ones, and their labels."""

from __future__ import annotations

from abc import ABC

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.nodes import DataNode, add_node
from ...engine.graph.operator import Array, CompositeOperator, SampleOperator, register
from ...engine.graph.params import FLOAT, INT, REQUIRED, param
from ...engine.graph.rules import Input
from ...engine.order import philox
from ...engine.tensors import TensorListGPU
from ..batches.permute import BatchPermutation, PermuteBatch
from ..common.number_arguments import check_numbers
from ..random.beta import Beta

_SEED_BITS = 62


class PairOperator(CompositeOperator, ABC):
    """Base of operators that mix each sample with another one of its batch."""

    inputs = ("images", Input("labels", device="any"))
    outputs = 2
    devices = ("cpu", "gpu")

    alpha = param(
        FLOAT, 1.0, "Of the beta distribution, Beta(alpha, alpha), of the weights.", above=0
    )
    num_classes = param(INT, 0, "Number of classes, for labels that are integers.", minimum=0)

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layouts[0], "")

    def own_seed(self, number: int) -> dict[str, object]:
        """Return the arguments of a part that draws numbers; parts draw different ones."""
        if "seed" not in self.given:
            return {}
        return {"seed": philox.mix(self.seed, number) % (1 << _SEED_BITS)}

    def paired(self, *data: DataNode) -> list[DataNode]:
        """Return the other sample of each pair, for each of the data."""
        (order,) = add_node(BatchPermutation, (), {"no_fixed_points": True, **self.own_seed(0)})
        return [
            add_node(PermuteBatch, (node,), {"indices": order}, device=node.device)[0]
            for node in data
        ]

    def weights(self) -> DataNode:
        """Return the weight of the first sample of each pair."""
        arguments = {"alpha": self.alpha, "beta": self.alpha, **self.own_seed(1)}
        return add_node(Beta, (), arguments)[0]

    def mixed_labels(self, labels: DataNode, others: DataNode, weight: DataNode) -> DataNode:
        """Return the labels of the pairs, on the device of the labels."""
        inputs = labels.cpu(), others.cpu()
        arguments = {"weight": weight, "num_classes": self.num_classes}
        (mixed,) = add_node(MixLabels, inputs, arguments)
        return mixed.gpu() if labels.device == "gpu" else mixed


def check_pair(owner: str, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """Raise ArgumentError unless both samples of a pair have one shape."""
    if first != second:
        raise ArgumentError(
            f"{owner} mixes samples of one shape, but a pair has the shapes {tuple(first)} and "
            f"{tuple(second)}; bring the images to one size before, such as with fn.resize"
        )


def alike(images: TensorListGPU, others: TensorListGPU) -> NDArray[np.bool_]:
    """Return for which pairs `check_pair` does not raise, if all have one number of axes."""
    shapes, other_shapes = images.extents(), others.extents()
    if shapes.shape != other_shapes.shape:
        return np.ones(len(shapes), np.bool_)
    same: NDArray[np.bool_] = (shapes == other_shapes).all(axis=1)
    return same


@register
class MixLabels(SampleOperator):
    """Mixes the labels of pairs: `weight` times the first one, and the rest of the second one.

    Inputs:
        labels, others: integers of one element, or probabilities of the classes.

    Outputs:
        the labels: float32, (classes,).
    """

    name = "_mix_labels"
    called = "fn.mixup"
    inputs = ("labels", "others")
    weight = param(FLOAT, REQUIRED, "Of the first label.", per_sample=True, minimum=0, maximum=1)
    num_classes = param(INT, 0, "Number of classes, for labels that are integers.", minimum=0)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, label: Array, other: Array, *, weight: float) -> Array:
        first, second = self._probabilities(label), self._probabilities(other)
        check_pair("of labels: fn.mixup", first.shape, second.shape)
        check_numbers(self, {"weight": weight})
        out = workspace.empty(first.shape, np.float32)
        out[...] = weight * first + (1 - weight) * second
        return out

    def _probabilities(self, label: Array) -> Array:
        if label.dtype.kind == "f":
            return label
        if label.size != 1 or label.dtype.kind not in "iu":
            raise ArgumentError(
                f"labels are {label.dtype} of shape {label.shape}; give an integer, or the "
                "probabilities of the classes as floats, such as of fn.one_hot"
            )
        number = int(label.reshape(()))
        if not 0 <= number < self.num_classes:
            raise ArgumentError(
                f"the label is {number}, but num_classes is {self.num_classes}; give the number of "
                "classes"
            )
        one_hot: Array = np.arange(self.num_classes) == number
        return one_hot
