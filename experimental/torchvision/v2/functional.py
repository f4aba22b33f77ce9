"""Transforms as functions: of an image of Pillow, or of a tensor CHW or NCHW.

Each function runs at once, and returns what it got: an image of Pillow, or a tensor on `device`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import fn
from ....engine.eager.eager_graph import EagerGraph
from ....engine.eager.eager_runner import EagerRunner
from ....engine.eager.given_data import as_tensor_list
from ....engine.errors import ArgumentError
from ....engine.graph.nodes import defining
from ....engine.tensors import TensorListCPU
from .. import color, conversion, geometry
from ..exchange import array_picture, batch_of, picture_array, result_of
from ..images import TENSOR, Images
from ..transform import InterpolationMode, Transform

if TYPE_CHECKING:
    import torch

__all__ = [
    "center_crop",
    "crop",
    "gaussian_blur",
    "get_dimensions",
    "get_image_size",
    "get_size",
    "horizontal_flip",
    "normalize",
    "pad",
    "pil_to_tensor",
    "resize",
    "resized_crop",
    "rgb_to_grayscale",
    "to_grayscale",
    "to_pil_image",
    "to_tensor",
    "vertical_flip",
]

_counted = threading.Lock()
_count = 0


@cache
def _runner() -> EagerRunner:
    return EagerRunner()


def _position(size: int) -> int:
    """Return the position of the next sample for random numbers, which differ from call to call."""
    global _count
    with _counted:
        _count += size
        return _count - size


def _applied(transform: Transform, inpt: object) -> object:
    """Return an image, or a tensor, transformed."""
    given = batch_of(inpt)
    on_cpu = given.device == "cpu"
    data: Any = TensorListCPU(given.array) if on_cpu else as_tensor_list([*given.array])
    graph = EagerGraph(_runner(), batch_size=len(given.array), seed=0)
    try:
        graph.begin(len(given.array), _position(len(given.array)))
        with defining(graph):
            images = Images(fn.reshape(data, layout="HWC"), given.dtype, given.rule)
            made = transform.add_to(images)
            node = made.planes if given.rule == TENSOR else made.node
        (output,) = graph.end([node])
        return result_of(output, given, given.rule)
    finally:
        graph.close()


def resize(
    inpt: object,
    size: int | Sequence[int] | None,
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    max_size: int | None = None,
    antialias: bool | None = True,
    device: str = "cpu",
) -> Any:
    """Resize images: see `Resize`.

    >>> import numpy as np
    >>> from PIL import Image
    >>> from penstock.experimental.torchvision.v2 import functional
    >>> functional.resize(Image.fromarray(np.zeros((30, 40, 3), np.uint8)), 15).size
    (20, 15)
    """
    return _applied(geometry.Resize(size, interpolation, max_size, antialias, device), inpt)


def center_crop(inpt: object, output_size: int | Sequence[int], device: str = "cpu") -> Any:
    """Crop images at their center: see `CenterCrop`."""
    return _applied(geometry.CenterCrop(output_size, device), inpt)


def crop(
    inpt: object, top: float, left: float, height: float, width: float, device: str = "cpu"
) -> Any:
    """Crop a window; outside of the images all is black. Ends of Pillow's images are rounded."""
    return _applied(geometry.Crop(_window(inpt, top, left, height, width), device), inpt)


def resized_crop(
    inpt: object,
    top: float,
    left: float,
    height: float,
    width: float,
    size: int | Sequence[int],
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    antialias: bool | None = True,
    device: str = "cpu",
) -> Any:
    """Crop a window, and resize it: see `crop` and `Resize`."""
    window = _window(inpt, top, left, height, width)
    return _applied(geometry.ResizedCrop(window, size, interpolation, antialias, device), inpt)


def _window(inpt: object, top: float, left: float, height: float, width: float) -> tuple[int, ...]:
    numbers = top, left, height, width
    if hasattr(inpt, "getbands"):  # an image of Pillow
        first, start, end, stop = (round(n) for n in (top, left, top + height, left + width))
        return first, start, end - first, stop - start
    if not all(isinstance(number, int | np.integer) for number in numbers):
        raise TypeError(f"top, left, height and width must be integers, but are {numbers}")
    return tuple(map(int, numbers))


def horizontal_flip(inpt: object, device: str = "cpu") -> Any:
    """Mirror images left to right."""
    return _applied(geometry.RandomHorizontalFlip(1.0, device), inpt)


def vertical_flip(inpt: object, device: str = "cpu") -> Any:
    """Mirror images top to bottom."""
    return _applied(geometry.RandomVerticalFlip(1.0, device), inpt)


def pad(
    inpt: object,
    padding: int | Sequence[int],
    fill: object = 0,
    padding_mode: str = "constant",
    device: str = "cpu",
) -> Any:
    """Add a border to images: see `Pad`."""
    return _applied(geometry.Pad(padding, fill, padding_mode, device), inpt)


def gaussian_blur(
    inpt: object,
    kernel_size: int | Sequence[int],
    sigma: float | Sequence[float] = (0.1, 2.0),
    device: str = "cpu",
) -> Any:
    """Blur images: see `GaussianBlur`."""
    return _applied(color.GaussianBlur(kernel_size, sigma, device), inpt)


def rgb_to_grayscale(inpt: object, num_output_channels: int = 1, device: str = "cpu") -> Any:
    """Make images gray: see `Grayscale`."""
    return _applied(color.Grayscale(num_output_channels, device), inpt)


def to_grayscale(inpt: object, num_output_channels: int = 1, device: str = "cpu") -> Any:
    """Make images gray: see `Grayscale`."""
    return rgb_to_grayscale(inpt, num_output_channels, device)


def normalize(
    input_data: object,
    mean: Sequence[float],
    std: Sequence[float],
    inplace: bool = False,
    device: str = "cpu",
) -> Any:
    """Normalize tensors: see `Normalize`."""
    if hasattr(input_data, "getbands"):
        raise TypeError("normalize takes tensors; use to_tensor before")
    return _applied(conversion.Normalize(mean, std, inplace, device), input_data)


def get_size(inpt: object) -> list[int]:
    """Return [height, width] of an image or a tensor."""
    return get_dimensions(inpt)[1:]


def get_image_size(inpt: object) -> list[int]:
    """Return [width, height] of an image or a tensor."""
    return get_size(inpt)[::-1]


def get_dimensions(inpt: Any) -> list[int]:
    """Return [channels, height, width] of an image or a tensor."""
    if hasattr(inpt, "getbands"):
        return [len(inpt.getbands()), inpt.height, inpt.width]
    if not hasattr(inpt, "ndim"):
        raise TypeError(f"images of Pillow and tensors of PyTorch are expected, not {type(inpt)}")
    if inpt.ndim < 2:
        raise TypeError(f"a tensor of images has 2 dimensions or more, but this one {inpt.ndim}")
    return [inpt.shape[-3] if inpt.ndim > 2 else 1, *inpt.shape[-2:]]


def pil_to_tensor(inpt: object) -> torch.Tensor:
    """Return an image of Pillow as a tensor of bytes, CHW."""
    import torch

    if not hasattr(inpt, "getbands"):
        raise TypeError(f"an image of Pillow is expected, not {type(inpt)}")
    return torch.from_numpy(np.ascontiguousarray(picture_array(inpt).transpose(2, 0, 1)).copy())


def to_tensor(inpt: object) -> torch.Tensor:
    """Return an image of Pillow, or an array HWC or HW, as a tensor CHW; bytes from 0 to 1."""
    import torch

    if isinstance(inpt, np.ndarray):
        planes = inpt[..., np.newaxis] if inpt.ndim == 2 else inpt
        tensor = torch.from_numpy(np.ascontiguousarray(planes.transpose(2, 0, 1)).copy())
    else:
        tensor = pil_to_tensor(inpt)
    return tensor.float().div(255.0) if tensor.dtype == torch.uint8 else tensor


def to_pil_image(inpt: Any, mode: str | None = None, input_layout: str = "CHW") -> Any:
    """Return a tensor, CHW or HWC, as an image of Pillow; floats from 0 to 1 become bytes."""
    if not hasattr(inpt, "numpy"):
        raise TypeError(f"a tensor is expected, not {type(inpt)}")
    if inpt.ndim != 3 or input_layout not in ("CHW", "HWC"):
        raise ArgumentError(
            f"a tensor of layout CHW or HWC is expected, not {input_layout} of {tuple(inpt.shape)}"
        )
    array = inpt.cpu().numpy()
    picture = array_picture(array.transpose(1, 2, 0) if input_layout == "CHW" else array)
    return picture if mode in (None, picture.mode) else picture.convert(mode)
