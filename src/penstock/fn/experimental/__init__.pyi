"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

from . import decoders as decoders

from . import inputs as inputs

from . import readers as readers

audio_resample = _fn.audio_resample

debayer = _fn.debayer

def dilate(
    data: DataNode,
    /,
    *,
    anchor: int | _abc.Sequence[int] | DataNode | None = ...,
    border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
    iterations: int | None = ...,
    mask_size: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Replaces each pixel by the largest of the pixels around it, channel by channel.

    OpenCV does so on the CPU. CPU and GPU agree exactly. DALI has no such operator on the CPU.

    Inputs:
        data: HW, HWC or CHW, or with F in front of them; numbers of up to 32 bits, or float64.

    Outputs:
        the dilated images: of the input's shape, type and layout.

    Raises:
        ArgumentError: the anchor is outside of the mask.

    Args:
        anchor (int | Sequence[int] | DataNode | None): Index (x, y) in the mask of the pixel
            that is replaced; -1 is the middle. Default: (-1, -1).
        border_mode (Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None):
            What lies around the image: constant (nothing that counts), replicate, reflect,
            reflect_101 or wrap. Default: 'constant'.
        iterations (int | None): How often to do it. Each time adds (width - 1, height - 1) to
            the mask. Default: 1.
        mask_size (int | Sequence[int] | DataNode | None): (width, height) of the rectangle
            around a pixel, or one number for both. Default: (3, 3).
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

equalize = _fn.equalize

def erode(
    data: DataNode,
    /,
    *,
    anchor: int | _abc.Sequence[int] | DataNode | None = ...,
    border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
    iterations: int | None = ...,
    mask_size: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Replaces each pixel by the smallest of the pixels around it, channel by channel.

    OpenCV does so on the CPU. CPU and GPU agree exactly. DALI has no such operator on the CPU.

    Inputs:
        data: HW, HWC or CHW, or with F in front of them; numbers of up to 32 bits, or float64.

    Outputs:
        the eroded images: of the input's shape, type and layout.

    Raises:
        ArgumentError: the anchor is outside of the mask.

    Args:
        anchor (int | Sequence[int] | DataNode | None): Index (x, y) in the mask of the pixel
            that is replaced; -1 is the middle. Default: (-1, -1).
        border_mode (Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None):
            What lies around the image: constant (nothing that counts), replicate, reflect,
            reflect_101 or wrap. Default: 'constant'.
        iterations (int | None): How often to do it. Each time adds (width - 1, height - 1) to
            the mask. Default: 1.
        mask_size (int | Sequence[int] | DataNode | None): (width, height) of the rectangle
            around a pixel, or one number for both. Default: (3, 3).
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

filter = _fn.filter

inflate = _fn.decoders.inflate

def median_blur(
    data: DataNode,
    /,
    *,
    window_size: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Replaces each pixel by the median of the pixels around it, channel by channel.

    Beyond the border lies the border pixel again. CPU and GPU agree exactly. On the CPU square
    windows are OpenCV's work: of any size for bytes, and of 3 or 5 pixels for uint16 and float32.
    Others take ten times as long. DALI has no such operator on the CPU.

    Inputs:
        data: HW, HWC or CHW, or with F in front of them; numbers of any type.

    Outputs:
        the blurred images: of the input's shape, type and layout.

    Args:
        window_size (int | Sequence[int] | DataNode | None): (width, height) of the window, odd
            numbers up to 255, or one number for both. Default: (3, 3).
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

peek_image_shape = _fn.peek_image_shape

def remap(
    images: DataNode,
    mapx: DataNode,
    mapy: DataNode,
    /,
    *,
    interp: DALIInterpType | None = ...,
    pixel_origin: Literal['corner', 'center'] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Makes images of the pixels at given positions: result(x, y) = image(mapx(x, y), mapy(x, y)).

    Outside of the image all values are 0. Positions are float32. CPU and GPU agree within 1 in
    integers, and 1e-5 of the range in floats. With INTERP_CUBIC OpenCV moves the pixels on the
    CPU, which rounds positions to 1/32 of a pixel. DALI has no such operator on the CPU.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.
        mapx, mapy: where each pixel of the result lies in the image: numbers, (height, width) of
            the result, or (height, width, 1). Maps with F in front have a map for each frame.

    Outputs:
        the moved images: of the type and the layout of the images, and of the extent of the maps.

    Raises:
        ArgumentError: both maps are not of one such shape.

    Args:
        interp (DALIInterpType | None): Interpolation: INTERP_NN, INTERP_LINEAR or INTERP_CUBIC.
            Default: INTERP_LINEAR.
        pixel_origin (Literal['corner', 'center'] | None): "corner" or "center": the point of
            the first pixel that has coordinates 0. Default: 'corner'.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

resize = _fn.resize

tensor_resize = _fn.tensor_resize

def warp_perspective(
    data: DataNode,
    matrix_input: DataNode | None = ...,
    /,
    *,
    matrix: float | _abc.Sequence[float] | DataNode | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    inverse_map: bool | None = ...,
    pixel_origin: Literal['corner', 'center'] | None = ...,
    interp_type: DALIInterpType | None = ...,
    border_mode: Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None = ...,
    fill_value: float | _abc.Sequence[float] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Moves pixels by a perspective map: result(x, y) = image(u / w, v / w).

    (u, v, w) is the matrix, 3 x 3, times (x, y, 1). OpenCV moves the pixels on the CPU. For int16,
    two channels, and cubic interpolation, OpenCV rounds positions to 1/32 of a pixel; the GPU
    computes them in float64.

    Inputs:
        data: HW, HWC or CHW, or with F before them; uint8, uint16, int16 or float32.
        matrix_input: the matrix of each sample, (3, 3), instead of the argument `matrix`.

    Outputs:
        the moved samples: of the layout and the type of the input.

    Raises:
        ArgumentError: there is no matrix or there are two, it has no 9 numbers, a number is not
            finite, or it has to be inverted and is singular.

    Args:
        matrix (float | Sequence[float] | DataNode | None): The matrix, row by row: 9 numbers.
        size (float | Sequence[float] | DataNode | None): Height and width of the canvas,
            rounded to integers. Default: ().
        inverse_map (bool | None): Whether the matrix maps the result to the image. False: it
            maps the image to the result, so its inverse is used. Default: True.
        pixel_origin (Literal['corner', 'center'] | None): "corner" or "center": the point of
            the first pixel that has coordinates 0. Default: 'corner'.
        interp_type (DALIInterpType | None): Interpolation: INTERP_NN, INTERP_LINEAR or
            INTERP_CUBIC. Default: INTERP_LINEAR.
        border_mode (Literal['constant', 'replicate', 'reflect', 'reflect_101', 'wrap'] | None):
            What lies around the image: constant, replicate, reflect, reflect_101 or wrap.
            Default: 'constant'.
        fill_value (float | Sequence[float] | None): The constant around the image: one number,
            or one a channel; 0 by default. Default: ().
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
