"""What PyTorch's iterators do on request: class labels, memory formats, and pinned memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

import torch

from ...engine.errors import ArgumentError
from ...engine.graph.callers import warn_caller
from ...engine.suggestions import not_among
from .sharing import TorchTensor

ARGUMENTS = """\
        class_labels: names of outputs that hold one class number for each sample. They become
            int64 of shape (batch,), as `torch.nn.functional.cross_entropy` takes them. For
            `ClassificationIterator`, True means "label".
        channels_last: outputs that become tensors of shape (batch, channels, *extents) in PyTorch's
            memory format `torch.channels_last`, or `channels_last_3d`: their names, or True for
            all images and volumes. Samples of layout "HWC", "DHWC" or "FHWC" are not copied, those
            of layout "CHW", "CDHW" or "CFHW" are.
        pin_memory: copy tensors in host memory into pinned memory, as PyTorch's DataLoader does.
            Then `tensor.to("cuda", non_blocking=True)` runs beside the program. The pinned memory
            is PyTorch's, which uses it again only after such copies have ended.
"""
"""The description of these arguments."""

Names: TypeAlias = str | Iterable[str] | None

_FORMATS = {3: torch.channels_last, 4: torch.channels_last_3d}
"""PyTorch's format by the number of a sample's dimensions."""


class TensorOptions:
    """The options of one iterator.

    Args:
        names: names of the outputs that become one tensor.
        class_labels, channels_last, pin_memory: see `ARGUMENTS`.

    Raises:
        ArgumentError: a name is of no such output.
    """

    def __init__(
        self,
        names: Sequence[str],
        class_labels: Names,
        channels_last: bool | Names,
        pin_memory: bool,
    ) -> None:
        self._labels = _chosen("class_labels", class_labels, names)
        self._all_formats = channels_last is True
        self._formats = _chosen("channels_last", channels_last is not True and channels_last, names)
        if both := self._labels & self._formats:
            raise ArgumentError(
                f"output {min(both)!r} is named by class_labels and by channels_last; class "
                "numbers have no channels"
            )
        self._pins = pin_memory and _can_pin()

    def of_batch(self, name: str, tensor: TorchTensor, layout: str) -> TorchTensor:
        """Return the tensor of a whole output as the options ask for.

        Args:
            name: of the output.
            tensor: of shape (batch, *sample).
            layout: of a sample.
        """
        if name in self._labels:
            tensor = _class_numbers(name, tensor)
        elif name in self._formats or self._all_formats:
            tensor = _channels_last(name, tensor, layout, required=not self._all_formats)
        return self.pinned(tensor)

    def pinned(self, tensor: TorchTensor) -> TorchTensor:
        """Return a tensor in pinned memory if that is asked for, and the tensor is on the host."""
        return tensor.pin_memory() if self._pins and tensor.device.type == "cpu" else tensor


def _chosen(option: str, given: bool | Names, names: Collection[str]) -> frozenset[str]:
    if given is True:
        raise ArgumentError(f"{option} must be names of outputs; there are {', '.join(names)}")
    chosen = frozenset([given] if isinstance(given, str) else given or ())
    for name in sorted(chosen - set(names)):
        raise ArgumentError(f"{option} names an output that is no tensor: {not_among(name, names)}")
    return chosen


def _can_pin() -> bool:
    if torch.cuda.is_available():
        return True
    warn_caller(
        "pin_memory=True has no effect, because PyTorch finds no CUDA device; batches stay in "
        "pageable memory",
        UserWarning,
    )
    return False


def _class_numbers(name: str, tensor: TorchTensor) -> TorchTensor:
    numbers = tensor.reshape(-1).to(torch.int64)
    # MXNet stores class numbers as float32.
    whole = not tensor.is_floating_point() or bool((numbers == tensor.reshape(-1)).all())
    if tensor.numel() != len(tensor) or not whole:
        raise ArgumentError(
            f"output {name!r} holds {tensor.dtype} of shape {tuple(tensor.shape[1:])} for each "
            "sample, but class_labels needs one whole number for each sample; leave the output "
            "out of class_labels, or cast it in the pipeline (fn.cast)"
        )
    return numbers


def _channels_last(name: str, tensor: TorchTensor, layout: str, *, required: bool) -> TorchTensor:
    memory_format = _FORMATS.get(len(layout))
    if memory_format is not None and layout.count("C") == 1 and tensor.ndim == len(layout) + 1:
        if layout[-1] == "C":
            tensor = tensor.movedim(-1, 1)
        if "C" in (layout[0], layout[-1]):
            return tensor.contiguous(memory_format=memory_format)
    if not required:
        return tensor
    raise ArgumentError(
        f"output {name!r} has samples of {tensor.ndim - 1} dimensions and the layout {layout!r}, "
        'but channels_last needs a layout such as "HWC" or "CHW"; give the layout in the pipeline '
        '(fn.reshape(images, layout="HWC")), or leave the output out of channels_last'
    )
