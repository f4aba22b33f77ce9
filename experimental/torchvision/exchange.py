"""Images of Pillow and tensors of PyTorch as batches, and back. Neither library is imported."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError, MissingDependencyError
from ...engine.tensors import TensorList
from .images import PILLOW, TENSOR

_CHANNELS = (1, 2, 3, 4)
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


class GivenImages(NamedTuple):
    """The images of a call.

    Attributes:
        array: (samples, height, width, channels), an array of NumPy or a tensor on the GPU.
        dtype: of its elements.
        rule: PILLOW for an image of Pillow, TENSOR for tensors.
        device: "cpu" or "gpu".
        is_one: whether one image was given, not a batch.
    """

    array: Any
    dtype: DType
    rule: str
    device: str
    is_one: bool


def batch_of(data: Any) -> GivenImages:
    """Return an image of Pillow, or a tensor CHW or NCHW, as a batch.

    Raises:
        TypeError: it is neither.
        ArgumentError: the tensor has another shape, or the image another mode.
    """
    if _is_picture(data):
        array = picture_array(data)[np.newaxis]
        return GivenImages(array, array.dtype, PILLOW, "cpu", True)
    if not _is_tensor(data):
        raise TypeError(f"images of Pillow and tensors of PyTorch are expected, not {type(data)}")
    if data.ndim not in (3, 4) or data.shape[-3] not in _CHANNELS:
        raise ArgumentError(
            "tensors must have the shape (channels, height, width) or (samples, channels, height, "
            f"width), with 1 to 4 channels, but this one has {tuple(data.shape)}"
        )
    is_one, device = data.ndim == 3, "gpu" if data.is_cuda else "cpu"
    batch = (data[None] if is_one else data).detach().permute(0, 2, 3, 1).contiguous()
    dtype = np.dtype(str(batch.dtype).removeprefix("torch."))
    return GivenImages(batch if device == "gpu" else batch.numpy(), dtype, TENSOR, device, is_one)


def result_of(output: TensorList, given: GivenImages, rule: str) -> Any:
    """Return the results of a call: a tensor, or images of Pillow.

    Args:
        output: the results, CHW if they become a tensor, else HWC.
        given: the images of the call.
        rule: TENSOR for a tensor, PILLOW for images.
    """
    if rule == TENSOR:
        try:
            import torch
        except ImportError as error:
            raise MissingDependencyError(
                "the results are tensors, and PyTorch is not installed: pip install torch"
            ) from error
        made = torch.utils.dlpack.from_dlpack(output.as_tensor())
        return made[0] if given.is_one else made
    pictures = [array_picture(np.asarray(row)) for row in output.as_cpu().rows()]
    return pictures[0] if given.is_one or len(pictures) == 1 else pictures


def _is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_picture(value: object) -> bool:
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(value, image.Image)


def picture_array(picture: Any) -> Any:
    """Return an image of Pillow as an array: (height, width, channels) uint8."""
    if picture.mode not in _MODES.values():
        raise ArgumentError(
            f"the image has the mode {picture.mode!r}; convert it to L, RGB or RGBA"
        )
    array = np.asarray(picture)
    return array[..., np.newaxis] if array.ndim == 2 else array


def array_picture(array: Any) -> Any:
    """Return an array, (height, width, channels) of bytes, or floats from 0 to 1, as an image."""
    from PIL import Image

    if array.dtype != np.uint8:
        array = (array * 255).clip(0, 255).astype(np.uint8)
    if array.shape[-1] not in _MODES:
        raise ArgumentError(f"there is no image of Pillow with {array.shape[-1]} channels")
    return Image.fromarray(array[..., 0] if array.shape[-1] == 1 else array)
