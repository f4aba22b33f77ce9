"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

from . import decoders as decoders

from . import experimental as experimental

from . import io as io

from . import noise as noise

from . import random as random

from . import readers as readers

from . import reductions as reductions

from . import segmentation as segmentation

from . import transforms as transforms


audio_decoder = _fn.decoders.audio

def audio_resample(
    audio: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    in_rate: float | DataNode | None = ...,
    out_rate: float | DataNode | None = ...,
    out_length: int | DataNode | None = ...,
    scale: float | DataNode | None = ...,
    quality: float | None = ...,
    antialias: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Resamples signals: the rates, the factor, or the new length say how.

    The filter is DALI's: a sinc in a Hann window, `quality` wide. Output sample n is at the input's
    position n * in_rate / out_rate, and the signal counts as 0 around its ends. Results differ
    from DALI's by up to 1e-3 of full scale for speech and 4e-3 for white noise, because DALI rounds
    the positions of samples. The silence around unsigned signals is half of their range here, and
    0 in DALI.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.audio_resample(np.zeros(441, np.float32), in_rate=44100, out_rate=16000)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(160,)]

    Inputs:
        audio: shape (samples,) or (samples, channels); int8, uint8, int16, uint16, int32, uint32 or
            float32.

    Outputs:
        the signal: of type `dtype`, with ceil(samples * out_rate / in_rate) or `out_length`
            samples. Integers and floats are converted full range to full range (-1 to 1).

    Raises:
        ArgumentError: dtype or shape is none of these, a rate is not positive, or a length or
            factor is negative.

    Args:
        dtype (DALIDataType | DTypeLike | None): Type of the result; by default that of the
            input.
        in_rate (float | DataNode | None): Rate of the input, in the unit of `out_rate`, which
            it needs.
        out_rate (float | DataNode | None): Rate of the result, with `in_rate`.
        out_length (int | DataNode | None): Samples of the result; instead of rates and `scale`.
        scale (float | DataNode | None): The output rate, if the input's is 1.
        quality (float | None): Of resampling, from 0 (3 lobes of the sinc filter) over 50 (16
            lobes) to 100 (64 lobes). Default: 50.0.
        antialias (bool | None): Whether resampling to a lower rate removes the frequencies that
            this rate cannot hold. Without it they fold back, as in DALI. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def batch_permutation(
    *,
    allow_repetitions: bool | None = ...,
    no_fixed_points: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Draws a random order of the samples of a batch, for the `indices` of `permute_batch`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=4, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.batch_permutation())
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [3, 2, 0, 1]

    Args:
        allow_repetitions (bool | None): Draw every index independently, so that indices may
            repeat. Default: False.
        no_fixed_points (bool | None): Give no sample its own index. A batch of one sample
            ignores this. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def bb_flip(
    boxes: DataNode,
    /,
    *,
    ltrb: bool | None = ...,
    horizontal: int | DataNode | None = ...,
    vertical: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Moves boxes to where they are after the image is mirrored.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.bb_flip(np.float32([[0.1, 0.2, 0.5, 0.25]])))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(2))
    [[0.4  0.2  0.5  0.25]]

    Inputs:
        boxes: float32, shape (boxes, 4) or (4,): x, y, width and height, or left, top, right and
            bottom, relative to the image's size.

    The result has the shape of the input. CPU and GPU give the same numbers.

    Args:
        ltrb (bool | None): Whether boxes are left, top, right and bottom. Default: False.
        horizontal (int | DataNode | None): Mirror left to right unless 0. Default: 1.
        vertical (int | DataNode | None): Mirror top to bottom unless 0. Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def bbox_paste(
    boxes: DataNode,
    /,
    *,
    ratio: float | DataNode,
    ltrb: bool | None = ...,
    paste_x: float | DataNode | None = ...,
    paste_y: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Moves boxes to where they are after `fn.paste` put the image on a larger canvas.

    A coordinate becomes `c / ratio + paste * (ratio - 1) / ratio`, and a size `s / ratio`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.bbox_paste(np.float32([[0.2, 0.4, 0.5, 0.5]]), ratio=2.0))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0.35 0.45 0.25 0.25]]

    Inputs:
        boxes: float32, shape (boxes, 4) or (4,): x, y, width and height, or left, top, right and
            bottom, relative to the image's size.

    Outputs:
        the boxes, relative to the canvas: of the shape of the input.

    Args:
        ratio (float | DataNode): Size of the canvas / size of the image; at least 1.
        ltrb (bool | None): Whether boxes are left, top, right and bottom. Default: False.
        paste_x (float | DataNode | None): Position of the image: 0 is left, 1 is right on the
            canvas. Default: 0.5.
        paste_y (float | DataNode | None): Position of the image: 0 is at the top, 1 at the
            bottom. Default: 0.5.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def bbox_rotate(
    boxes: DataNode,
    labels: DataNode | None = ...,
    /,
    *,
    angle: float | DataNode,
    input_shape: int | _abc.Sequence[int] | DataNode,
    shape_layout: str | None = ...,
    bbox_layout: Literal['xyXY', 'xyWH'] | None = ...,
    bbox_normalized: bool | None = ...,
    keep_size: bool | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    mode: Literal['expand', 'fixed', 'halfway'] | None = ...,
    remove_threshold: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any:
    """Moves boxes to where they are after `fn.rotate` with the same `angle`, `size`, `keep_size`.

    Each result is the box around the rotated box, clipped to the canvas. Rotate boxes before the
    image, because the operator needs the shape of the original image.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> boxes = np.float32([[0.25, 0.25, 0.5, 0.75]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.bbox_rotate(boxes, angle=90.0, input_shape=(100, 200)))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0.25 0.5  0.75 0.75]]

    Inputs:
        boxes: float32, shape (boxes, 4).
        labels: integers, shape (boxes,) or (boxes, 1).

    Outputs:
        boxes: those of which at least `remove_threshold` is on the canvas; of the form of the
            input. Empty boxes are removed.
        labels: those of these boxes, if labels were given.

    Args:
        angle (float | DataNode): Degrees, counter-clockwise.
        input_shape (int | Sequence[int] | DataNode): Shape of the original image, in the order
            of `shape_layout`.
        shape_layout (str | None): Meaning of `input_shape`; needs an H and a W. Default: 'HW'.
        bbox_layout (Literal['xyXY', 'xyWH'] | None): Form of the boxes: "xyXY" or "xyWH".
            Default: 'xyXY'.
        bbox_normalized (bool | None): Whether boxes are relative to the image's size, or in
            pixels. Default: True.
        keep_size (bool | None): Whether the canvas stays as large as the image. Default: False.
        size (float | Sequence[float] | DataNode | None): (height, width) of the canvas, rounded
            down. Default: ().
        mode (Literal['expand', 'fixed', 'halfway'] | None): Size of a box: "expand" holds all
            of the rotated box, "fixed" has its original size, "halfway" is in the middle of
            both. Default: 'expand'.
        remove_threshold (float | None): Least share of a box on the canvas; boxes with less are
            removed. Default: 0.1.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def box_encoder(
    boxes: DataNode,
    labels: DataNode,
    /,
    *,
    anchors: float | _abc.Sequence[float],
    criteria: float | None = ...,
    offset: bool | None = ...,
    scale: float | None = ...,
    means: float | _abc.Sequence[float] | None = ...,
    stds: float | _abc.Sequence[float] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
    """Matches boxes with anchors, as SSD does: each anchor gets a box and its label, or none.

    Liu et al., "SSD: Single Shot MultiBox Detector" (2016), section 2.2. An anchor gets the box
    with the largest intersection over union, if that is above `criteria`. Each box also gets the
    anchor with which its intersection over union is largest. Of several equal ones the last wins.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> boxes = np.float32([[0.0, 0.0, 0.5, 0.25]])
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.box_encoder(boxes, [7], anchors=[0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1])
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [[0.25, 0.125, 0.5, 0.25], [0.75, 0.75, 0.5, 0.5]]
    [7, 0]

    Inputs:
        boxes: float32, shape (boxes, 4): left, top, right, bottom.
        labels: integers, shape (boxes,) or (boxes, k), whose first column counts; 0 means
            background.

    Outputs:
        encoded: float32, shape (anchors, 4): center x, center y, width and height of the anchor's
            box, or of the anchor itself if it has no box. With `offset`, the offsets of the box
            from its anchor (equation 2 of the paper), or zeros.
        labels: shape (anchors,), of the dtype of the labels; 0 for anchors without a box.

    CPU and GPU give the same matches, and numbers that differ in the last bit of a logarithm.

    Raises:
        ArgumentError: a coordinate is not finite, labels do not match the boxes, or, with
            `offset`, a box is empty, because an empty box has no logarithm.

    Args:
        anchors (float | Sequence[float]): Anchors as (left, top, right, bottom), one after
            another.
        criteria (float | None): Intersection over union above which anchors match. Default:
            0.5.
        offset (bool | None): Whether to return offsets from the anchors, normalized. Default:
            False.
        scale (float | None): Factor of boxes and anchors before offsets are computed. Default:
            1.0.
        means (float | Sequence[float] | None): Subtracted from offsets: of x, y, width and
            height. Default: (0.0, 0.0, 0.0, 0.0).
        stds (float | Sequence[float] | None): By which offsets are divided after that. Default:
            (1.0, 1.0, 1.0, 1.0).
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def brightness(
    images: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    brightness: float | DataNode | None = ...,
    brightness_shift: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Changes the brightness of images: `brightness * x + brightness_shift * range`.

    `range` is the largest value of the result's type, and 1 for floats. The computation is in
    float32, and in float64 if input or result have 8 bytes. CPU and GPU agree exactly.

    Inputs:
        images: any layout with H and W, or none; any type.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        brightness (float | DataNode | None): Factor of the values. Default: 1.0.
        brightness_shift (float | DataNode | None): Number to add, in units of the largest value
            of the result's type. Default: 0.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def brightness_contrast(
    images: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    brightness: float | DataNode | None = ...,
    brightness_shift: float | DataNode | None = ...,
    contrast: float | DataNode | None = ...,
    contrast_center: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Changes contrast, then brightness of images.

    The result is `brightness * (center + contrast * (x - center)) + brightness_shift * range`.
    `range` is the largest value of the result's type, and 1 for floats. The computation is in
    float32, and in float64 if input or result have 8 bytes. CPU and GPU agree exactly.

    Inputs:
        images: any layout with H and W, or none; any type.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        brightness (float | DataNode | None): Factor of the values. Default: 1.0.
        brightness_shift (float | DataNode | None): Number to add, in units of the largest value
            of the result's type. Default: 0.0.
        contrast (float | DataNode | None): Factor of the distance from `contrast_center`.
            Default: 1.0.
        contrast_center (float | DataNode | None): Value that the contrast leaves as it is; by
            default half of the input's positive range.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

caffe2_reader = _fn.readers.caffe2

caffe_reader = _fn.readers.caffe

def cast(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Converts numbers to another type.

    Numbers out of the range of the type become the nearest number in it. Fractions are rounded,
    halves away from zero. NaN becomes the smallest integer of the type. bool is False for numbers
    that round to 0, else True.

    >>> from penstock import Pipeline, fn, types
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.cast([1.5, 300.0, -2.0], dtype=types.UINT8))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [  2 255   0]

    Inputs:
        data: any samples.

    Outputs:
        the numbers as `dtype`: of the input's shape and layout.

    Args:
        dtype (DALIDataType | DTypeLike): Type of the output.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def cast_like(
    data: DataNode,
    like: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Converts numbers to the type of the second input, as `cast` does.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.cast_like([1.5, 2.25], [1]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [2 2]

    Inputs:
        data: any samples.
        like: samples of which only the type matters.

    Outputs:
        the numbers as the type of `like`: of the first input's shape and layout.

    Args:
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def cat(
    data: DataNode,
    *others: DataNode,
    axis: int | None = ...,
    axis_name: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Joins inputs along an axis that they have; the other extents must agree.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.cat([1, 2], [3, 4, 5]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3 4 5]

    Inputs:
        data, others: samples of one type and number of dimensions.

    Outputs:
        the joined samples: of the inputs' type, and their layout if they have one in common.

    Raises:
        ArgumentError: the inputs differ in type or in another extent, or the axis does not exist.

    Args:
        axis (int | None): The axis; a negative one counts from the end. Default: 0.
        axis_name (str | None): The axis's letter in the layout, in place of `axis`.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def clahe(
    images: DataNode,
    /,
    *,
    clip_limit: float,
    luma_only: bool | None = ...,
    tiles_x: int,
    tiles_y: int,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bins: int | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Equalizes the histograms of tiles, with a limit of the contrast.

    Of RGB images, the L of the color space Lab is equalized, or each channel. The results are those
    of OpenCV's `createCLAHE`, and of DALI's operator on the CPU, on both devices.

    Inputs:
        images: uint8 HWC or FHWC with 1 channel, or 3 in the order RGB.

    Outputs:
        the images: of the input's shape, type and layout.

    Args:
        clip_limit (float): Limit of a histogram's bin, relative to the mean bin; 0 and less are
            no limit.
        luma_only (bool | None): Whether RGB images keep their colors. Default: True.
        tiles_x (int): Number of tiles along the width.
        tiles_y (int): Number of tiles along the height.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bins, bytes_per_sample_hint.
    """

coco_reader = _fn.readers.coco

coin_flip = _fn.random.coin_flip

def color_space_conversion(
    images: DataNode,
    /,
    *,
    image_type: DALIImageType,
    output_type: DALIImageType,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Converts images between RGB, BGR, GRAY and YCbCr.

    Gray is the luma of ITU-R BT.601. YCbCr is that of the same standard with 8 bits: Y has the
    range 16 to 235, Cb and Cr 16 to 240. CPU and GPU agree within 1.

    Inputs:
        images: uint8; HWC, FHWC, DHWC, FDHWC or another layout that ends in C; 3 channels, or 1
            for GRAY.

    Outputs:
        the images: uint8, of the input's layout; 3 channels, or 1 for GRAY.

    Args:
        image_type (DALIImageType): Color space of the input.
        output_type (DALIImageType): Color space of the result.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def color_twist(
    images: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    brightness: float | DataNode | None = ...,
    contrast: float | DataNode | None = ...,
    hue: float | DataNode | None = ...,
    saturation: float | DataNode | None = ...,
    image_type: DALIImageType | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Changes hue, saturation, contrast and brightness of images, in this order.

    Hue and saturation are those of `hsv`. Then the channels become
    `brightness * (center + contrast * (x - center))`. The center is 128 for integers and 0.5 for
    floats. Results are rounded and clamped once, at the end. CPU and GPU agree within 1 in
    integers.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        brightness (float | DataNode | None): Factor of all channels. Default: 1.0.
        contrast (float | DataNode | None): Factor of the distance from the center. Default:
            1.0.
        hue (float | DataNode | None): Degrees by which the color turns about the gray axis.
            Default: 0.0.
        saturation (float | DataNode | None): Factor of the distance from gray: 0 gives gray.
            Default: 1.0.
        image_type (DALIImageType | None): Order of the channels: RGB or BGR;
            `color_space_conversion` makes these of other color spaces. DALI treats both as RGB.
            Default: RGB.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def constant(
    *,
    idata: int | _abc.Sequence[int] | None = ...,
    fdata: float | _abc.Sequence[float] | None = ...,
    shape: int | _abc.Sequence[int] | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    layout: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the same numbers for every sample.

    A single number fills the whole shape. Without a shape the output is one-dimensional.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.constant(fdata=[1.0, 2.0, 3.0, 4.0], shape=[2, 2]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1. 2.]
     [3. 4.]]

    Outputs:
        the numbers: of the dtype, shape and layout that the arguments give.

    Raises:
        ArgumentError: the shape does not fit the numbers, or the layout does not fit the shape.

    Args:
        idata (int | Sequence[int] | None): Integers; excludes `fdata`.
        fdata (float | Sequence[float] | None): Floating point numbers; excludes `idata`.
        shape (int | Sequence[int] | None): Shape of the output.
        dtype (DALIDataType | DTypeLike | None): Dtype of the output: by default int32 or
            float32.
        layout (str | None): Layout of the output.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def contrast(
    images: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    contrast: float | DataNode | None = ...,
    contrast_center: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Changes the contrast of images: `contrast_center + contrast * (x - contrast_center)`.

    The computation is in float32, and in float64 if input or result have 8 bytes. CPU and GPU
    agree exactly.

    Inputs:
        images: any layout with H and W, or none; any type.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        contrast (float | DataNode | None): Factor of the distance from `contrast_center`.
            Default: 1.0.
        contrast_center (float | DataNode | None): Value that the contrast leaves as it is; by
            default half of the input's positive range.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def coord_flip(
    points: DataNode,
    /,
    *,
    layout: str | None = ...,
    flip_x: int | DataNode | None = ...,
    flip_y: int | DataNode | None = ...,
    flip_z: int | DataNode | None = ...,
    center_x: float | DataNode | None = ...,
    center_y: float | DataNode | None = ...,
    center_z: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Mirrors the coordinates of points about a center: 2 * center - coordinate.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.coord_flip(np.float32([[0.25, 0.5]]), flip_y=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0.75 0.5 ]]

    Inputs:
        points: float32, shape (points, coordinates), with one to three coordinates.

    The result has the shape of the input. CPU and GPU give the same numbers.

    Args:
        layout (str | None): Order of the coordinates, such as "yx"; "x", "xy" or "xyz" by
            default.
        flip_x (int | DataNode | None): Mirror x unless 0. Default: 1.
        flip_y (int | DataNode | None): Mirror y unless 0. Default: 0.
        flip_z (int | DataNode | None): Mirror z unless 0. Default: 0.
        center_x (float | DataNode | None): Center on the axis x. Default: 0.5.
        center_y (float | DataNode | None): Center on the axis y. Default: 0.5.
        center_z (float | DataNode | None): Center on the axis z. Default: 0.5.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def coord_transform(
    data: DataNode,
    /,
    *,
    M: float | _abc.Sequence[float] | DataNode | None = ...,
    T: float | _abc.Sequence[float] | DataNode | None = ...,
    MT: float | _abc.Sequence[float] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Maps vectors by p -> M p + T.

    The vectors lie on the last axis, n numbers each. M is a matrix of m rows and n columns, so that
    the results have m numbers. Without M, the vectors are only moved.

    Inputs:
        data: (..., n), numbers of any type.

    Outputs:
        the mapped vectors: (..., m), of type `dtype`; for integers rounded, and limited to the
        range of the type. The layout is that of the input.

    Args:
        M (float | Sequence[float] | DataNode | None): The matrix, row by row; one number is a
            factor for all components.
        T (float | Sequence[float] | DataNode | None): The vector that is added: m numbers, or
            one for all components.
        MT (float | Sequence[float] | DataNode | None): M and T in one matrix of n + 1 columns,
            as `transforms.*` make it. It excludes M and T; one number is a factor for all
            components.
        dtype (DALIDataType | DTypeLike | None): Element type of the result. Default: FLOAT.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def copy(
    data: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the data, on the other device if `device` asks for it.

    Data never change once they are computed, so on one device nothing needs to be copied.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.copy([1, 2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]

    Args:
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def crop(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape'] | None = ...,
    fill_values: float | _abc.Sequence[float] | None = ...,
    crop: float | _abc.Sequence[float] | DataNode | None = ...,
    crop_d: float | DataNode | None = ...,
    crop_h: float | DataNode | None = ...,
    crop_w: float | DataNode | None = ...,
    crop_pos_x: float | DataNode | None = ...,
    crop_pos_y: float | DataNode | None = ...,
    crop_pos_z: float | DataNode | None = ...,
    rounding: Literal['round', 'truncate'] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    image_type: DALIImageType | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Takes a window of given size out of each image, video or volume.

    The window's first pixel is at `position * (extent - crop extent)`, rounded, on each axis.
    Without a size the whole sample is taken. Where 'F' is in the layout and 'D' is not, the
    depth is the number of frames.

    Inputs:
        data: HWC, CHW, HW, DHWC, CDHW, FHWC, FCHW, CFHW or with F before a volume; any type.
            Without a layout HW, HWC, DHWC or FDHWC is assumed.

    The result has the layout and, if `dtype` is not given, the type of the input.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's. Values out of its range become the nearest value of the type. Conversion to
            integers cuts fractions off. Older name: output_dtype.
        out_of_bounds_policy (Literal['error', 'constant', 'pad', 'trim_to_shape'] | None): What
            to do if the window reaches out of the sample: "error" raises; "constant" or "pad"
            fill with `fill_values`; "trim_to_shape" takes what there is. Default: 'error'.
        fill_values (float | Sequence[float] | None): The value outside of the sample if it is
            padded: one, or one a channel. Default: (0.0,).
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; 0 and negative
            numbers take the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Position of the window: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Position of the window: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Position of the window: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (Literal['round', 'truncate'] | None): How the position becomes whole pixels:
            "round" (halves away from zero) or "truncate". Default: 'round'.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: image_type, bytes_per_sample_hint.
    """

def crop_mirror_normalize(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape'] | None = ...,
    fill_values: float | _abc.Sequence[float] | None = ...,
    crop: float | _abc.Sequence[float] | DataNode | None = ...,
    crop_d: float | DataNode | None = ...,
    crop_h: float | DataNode | None = ...,
    crop_w: float | DataNode | None = ...,
    crop_pos_x: float | DataNode | None = ...,
    crop_pos_y: float | DataNode | None = ...,
    crop_pos_z: float | DataNode | None = ...,
    rounding: Literal['round', 'truncate'] | None = ...,
    output_layout: str | None = ...,
    pad_output: bool | None = ...,
    mirror: int | DataNode | None = ...,
    mean: float | _abc.Sequence[float] | DataNode | None = ...,
    std: float | _abc.Sequence[float] | DataNode | None = ...,
    scale: float | None = ...,
    shift: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    image_type: DALIImageType | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Crops, mirrors, normalizes and reorders the dimensions of each sample.

    The result is `scale * (input - mean) / std + shift`, computed in float32. Without a size, the
    window is the whole sample. Pixels outside of the sample are `fill_values`, which are not
    normalized. `pad_output` adds channels. If `out_of_bounds_policy` is "pad", the added channels
    get the further `fill_values`; otherwise they are 0.

    Inputs:
        data: HWC, CHW, DHWC, CDHW, FHWC, FCHW, CFHW or with F before a volume; any numeric
            dtype. Samples without a layout count as HWC, DHWC or FDHWC.

    Outputs:
        the results: of dtype `dtype` and the layout `output_layout`. float32 results of GPU and
            CPU may differ by 1e-6 of the largest term; results of other dtypes are the same.

    Args:
        dtype (DALIDataType | DTypeLike | None): Dtype of the result: FLOAT, FLOAT16, UINT8 or
            INT8. Integers are rounded, halves away from zero, and clamped to the range of the
            dtype. Older name: output_dtype. Default: FLOAT.
        out_of_bounds_policy (Literal['error', 'constant', 'pad', 'trim_to_shape'] | None): What
            to do if the window reaches out of the sample: "error" raises; "constant" or "pad"
            fill with `fill_values`; "trim_to_shape" takes what there is. Default: 'error'.
        fill_values (float | Sequence[float] | None): The value outside of the sample if it is
            padded: one, or one a channel. Default: (0.0,).
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; 0 and negative
            numbers take the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Position of the window: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Position of the window: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Position of the window: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (Literal['round', 'truncate'] | None): How the position becomes whole pixels:
            "round" (halves away from zero) or "truncate". Default: 'round'.
        output_layout (str | None): Layout of the result: the letters of the input's layout in
            any order; "" for that of the input. Default: 'CHW'.
        pad_output (bool | None): Add channels until the number of channels is a power of two.
            Default: False.
        mirror (int | DataNode | None): Mirror left to right unless 0. Default: 0.
        mean (float | Sequence[float] | DataNode | None): Mean to subtract: one value, or one a
            channel. Default: (0.0,).
        std (float | Sequence[float] | DataNode | None): Standard deviation: one value, or one a
            channel. Default: (1.0,).
        scale (float | None): Factor of the normalized value. Default: 1.0.
        shift (float | None): Number to add last. Default: 0.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: image_type, bytes_per_sample_hint.
    """

def cutmix(
    images: DataNode,
    labels: DataNode,
    /,
    *,
    alpha: float | None = ...,
    num_classes: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
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

    Args:
        alpha (float | None): Of the beta distribution, Beta(alpha, alpha), of the weights.
            Default: 1.0.
        num_classes (int | None): Number of classes, for labels that are integers. Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def debayer(
    images: DataNode,
    /,
    *,
    algorithm: Literal['bilinear_ocv', 'default_npp', 'edgeaware_ocv', 'vng_ocv', 'gray_ocv'] | None = ...,
    blue_position: int | _abc.Sequence[int] | DataNode,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Makes RGB images of the images of sensors behind a Bayer filter.

    OpenCV does so on the CPU. The GPU has `bilinear_ocv`, with the same results.

    Inputs:
        images: HW or HWC with one channel, or with F in front of them; uint8 or uint16, of an even
            height and width.

    Outputs:
        images: HWC or FHWC with 3 channels (with `gray_ocv` 1), of the input's type. The bilinear
            images of fewer than 3 lines or columns are black, as OpenCV makes them.

    Raises:
        ArgumentError: the position is none of a tile of 2 by 2 pixels, or the algorithm does not
            exist for the type or on the GPU.

    Args:
        algorithm (Literal['bilinear_ocv', 'default_npp', 'edgeaware_ocv', 'vng_ocv',
            'gray_ocv'] | None): How missing colors are made: bilinear_ocv, edgeaware_ocv,
            vng_ocv (uint8 alone), or gray_ocv, which makes gray images. default_npp, DALI's
            name on the GPU, is bilinear_ocv. Default: 'bilinear_ocv'.
        blue_position (int | Sequence[int] | DataNode): Line and column of blue in the tile of 2
            by 2 pixels that starts in the second line and column: (0, 0) for BGGR, (0, 1) for
            GBRG, (1, 0) for GRBG, (1, 1) for RGGB.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def dl_tensor_python_function(
    *inputs: DataNode,
    function: _abc.Callable[..., Any],
    num_outputs: int | None = ...,
    output_layouts: Any | None = ...,
    batch_processing: bool | None = ...,
    parallel: bool | None = ...,
    synchronize_stream: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any:
    """Calls a Python function with DLPack capsules, and passes its results on.

    One call serves a batch. The function gets a list of capsules for each input, such as
    `torch.utils.dlpack.from_dlpack` takes, and returns a list for each output: of capsules, or of
    any other samples that `fn.python_function` accepts. With `batch_processing=False`, it is
    called for each sample, with one capsule for each input. All else is as in
    `fn.python_function`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.dl_tensor_python_function([1, 2], function=lambda x: x))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2]

    Args:
        function (Callable[..., Any]): The function.
        num_outputs (int | None): Number of outputs. Default: 1.
        output_layouts (Any | None): Layout of all outputs, or a list with the layouts of the
            first outputs.
        batch_processing (bool | None): Call the function once a batch. Default: True.
        parallel (bool | None): Let the pipeline's Python workers call the function: processes,
            whose number is the pipeline's argument `py_num_workers`. On the CPU only. Default:
            False.
        synchronize_stream (bool | None): On the GPU, wait for the inputs before each batch's
            calls. With False the function has to work on the pipeline's stream, CuPy's current
            one. Default: True.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def dump_image(
    images: DataNode,
    /,
    *,
    input_layout: str | None = ...,
    suffix: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Writes each image to a PPM file in the working directory, and passes it on.

    The file is `<row>-<suffix>-<batch>.ppm`, with the numbers of the sample in its batch and of the
    batch. The operator is for looking for mistakes: each sample costs a file. DALI's third number
    is always 0, so that each batch overwrites the files of the one before.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.dump_image(np.zeros((48, 64, 3), np.uint8), suffix="seen"))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(48, 64, 3)]

    Inputs:
        images: uint8, HWC, 1 or 3 channels.

    Outputs:
        the images, as they are.

    Raises:
        ArgumentError: a sample is no such image.
        OSError: a file cannot be written.

    Args:
        input_layout (str | None): Layout of the images; there is HWC alone. Default: 'HWC'.
        suffix (str | None): Text in the names of the files.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

@overload
def element_extract(
    data: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
    element_map: int,
) -> DataNode:
    """Returns elements of the first axis of sequences, each as an output of its own.

    Inputs:
        data: sequences, of a layout that starts with F, or of none.

    Outputs:
        an output for each index in `element_map`: of the input's layout without the F.

    Args:
        element_map (int | Sequence[int]): Indices of the elements, from 0 on.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
@overload
def element_extract(
    data: DataNode,
    /,
    *,
    element_map: int | _abc.Sequence[int],
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...

def equalize(
    images: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Equalizes the histogram of each channel of each frame.

    The results are those of OpenCV's `equalizeHist`, on both devices.

    Inputs:
        images: uint8; HW, HWC, CHW, FHW, FHWC or FCHW.

    Outputs:
        the images: of the input's shape, type and layout.

    Args:
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def erase(
    data: DataNode,
    /,
    *,
    anchor: float | _abc.Sequence[float] | DataNode | None = ...,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    centered_anchor: bool | None = ...,
    fill_value: float | _abc.Sequence[float] | DataNode | None = ...,
    normalized: bool | None = ...,
    normalized_anchor: bool | None = ...,
    normalized_shape: bool | None = ...,
    shape: float | _abc.Sequence[float] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Fills regions of each sample with a value.

    A region reaches from `anchor` to `anchor + shape`; with `centered_anchor` its center is the
    anchor. The ends lose their fractions, and parts outside of the sample have no effect. Axes
    that are not named are filled in their whole extent: with `axis_names="HW"` a video is filled
    in all its frames.

    Inputs:
        data: any samples; of a layout, or with `axes`.

    Outputs:
        the samples: of the input's shape, type and layout.

    Args:
        anchor (float | Sequence[float] | DataNode | None): Start of each region: a number for
            each axis, region after region. By default 0. Default: ().
        axes (int | Sequence[int] | None): The axes of `anchor` and `shape`, instead of
            `axis_names`. Default: (1, 0).
        axis_names (str | None): The axes of `anchor` and `shape`. By default all axes of the
            layout but C, in its order. Default: 'HW'.
        centered_anchor (bool | None): Whether anchors are the centers of regions. Default:
            False.
        fill_value (float | Sequence[float] | DataNode | None): Number to fill with, or one for
            each channel. Integers lose its fraction. Default: (0.0,).
        normalized (bool | None): Whether anchors and shapes are relative to the extents.
            Default: False.
        normalized_anchor (bool | None): Whether anchors are relative to the extents. Default:
            False.
        normalized_shape (bool | None): Whether shapes are relative to the extents. Default:
            False.
        shape (float | Sequence[float] | DataNode | None): Extents of each region: a number for
            each axis, region after region. Default: ().
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def expand_dims(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int],
    new_axis_names: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Inserts dimensions of extent 1.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.expand_dims([1, 2, 3], axes=[0, 2]))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(1, 3, 1)]

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, with more dimensions; without a layout unless
            `new_axis_names` is given, or `axes` is empty.

    Raises:
        ArgumentError: an axis is named twice, or lies beyond the output's dimensions.

    Args:
        axes (int | Sequence[int]): Where the new dimensions stand in the output.
        new_axis_names (str | None): Their letters in the layout, in the order of `axes`;
            without it there is none.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

@overload
def external_source(
    source: Any | None = ...,
    num_outputs: None = ...,
    *,
    cycle: Any | None = ...,
    layout: Any | None = ...,
    dtype: Any | None = ...,
    ndim: Any | None = ...,
    no_copy: bool | None = ...,
    batch_info: bool | None = ...,
    repeat_last: bool | None = ...,
    parallel: bool | None = ...,
    blocking: bool | None = ...,
    cuda_stream: Any | None = ...,
    batch: bool | None = ...,
    prefetch_queue_depth: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    use_copy_kernel: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Reads data from a Python function, iterable or generator function, or from `feed_input`.

    The source returns whole batches: an array whose axis 0 runs over the samples, or a list of
    samples. A batch may be smaller than `batch_size`. With `batch=False` the source returns single
    samples. Samples are NumPy arrays, objects with `__dlpack__` or `__array__` (PyTorch tensors),
    numbers or lists of numbers. The samples of a batch must agree in dtype and number of
    dimensions.

    With `device="gpu"` samples may also lie on the GPU: CuPy arrays, PyTorch tensors, objects with
    `__dlpack__` or `__cuda_array_interface__`. The copy of these samples runs on the stream of
    their library (see `cuda_stream`), so later work on this stream may overwrite the samples. Data
    in host memory are copied to the GPU.

    A function may have one argument: the number of the batch in its epoch (or a `BatchInfo`), or
    a `SampleInfo`. The function raises StopIteration to end the epoch; the pipeline then drops the
    samples of an incomplete batch. A single thread of the program's process uses the source, and
    runs ahead of the consumer.

    With `parallel=True` Python workers use the source: `py_num_workers` processes of the pipeline.
    They share out the samples of a batch, or the batches. So a function must have an argument, and
    its result must depend on the argument alone. It may be called for samples behind the end of an
    epoch, and raises StopIteration for them, too. One worker iterates over an iterable or generator
    function, which must return whole batches. Data must be in host memory. `docs/your_python.md`
    says how the source gets into the workers.

    A function with an argument `rng` gets a `numpy.random.Generator` of its own for each sample (or
    for each batch, if it returns batches). The generator follows from the pipeline's seed, the
    epoch, and the sample's number in the epoch alone.

    An exception of the source reaches the caller of `run` with its own type. If a function raises
    the exception for one sample (`batch=False`), the sample is bad, and the pipeline's `on_error`
    applies.

    Without a source the data come from `Pipeline.feed_input` under this operator's name.

    Without `layout` each batch has the layout with which the data come: that of `feed_input`, of a
    `TensorListCPU` or `TensorListGPU`, or of the `TensorCPU` or `TensorGPU` objects in a list. The
    operators behind work by this layout, which may change from batch to batch. If `layout` is
    given, `feed_input` refuses data of another layout, and data of a source count as of this one.

    A checkpoint holds the position of the source. A function gets the position in its argument. An
    object with `state_dict()` and `load_state_dict()` saves and restores its own state, of JSON
    types. Other iterables are iterated up to the position.

    With `batch=False` a source may use the memory of a sample for the next one: samples in host
    memory are copied, unless `no_copy` is given.

    With `num_outputs` the source returns a tuple of this number of batches (with `batch=False`, of
    arrays), and `external_source` returns a list of nodes.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.external_source([[[1, 2], [3]], [[4], [5, 6]]]))
    ...     (result,) = pipe.run()
    ...     print([row.tolist() for row in result.rows()])
    [[1, 2], [3]]

    Args:
        source (Any | None): Function, iterable or generator function.
        cycle (Any | None): Action at the end of an iterable. "no", False or None:
            StopIteration. "quiet" or True: start again. "raise": StopIteration, and start again
            after `reset`.
        layout (Any | None): Layout of the samples, or a list with a layout for each output. By
            default that with which the data come.
        dtype (Any | None): Dtype that the data must have, or a list with one for each output.
        ndim (Any | None): Number of dimensions of each sample, or a list with one an output.
        no_copy (bool | None): Use the arrays without a copy. The program must not change the
            arrays while the pipeline uses them. On the GPU only contiguous arrays are used
            without a copy. On the CPU a batch that the pipeline returns as it came is copied,
            unless its address is a multiple of 64. Python workers write into memory of the
            pipeline anyway. Default: False.
        batch_info (bool | None): Pass a `BatchInfo` rather than the batch's number. Default:
            False.
        repeat_last (bool | None): Use the last batch again if no new batch was fed. Not with a
            source. Default: False.
        parallel (bool | None): Let the pipeline's Python workers use the source: processes,
            whose number is the pipeline's argument `py_num_workers`. Default: False.
        blocking (bool | None): If no batch was fed, let `run` wait until another thread calls
            `feed_input`, instead of raising an error. Default: False.
        cuda_stream (Any | None): Stream on which data on the GPU is complete, and on which the
            copy runs: a handle, or a stream of CuPy or PyTorch. Default: PyTorch's current
            stream for tensors of PyTorch, and the stream in the CUDA array interface for other
            data. If that interface names no stream, the copy runs on the default stream, and
            the source waits for the copy. 0 and 1 mean the default stream.
        batch (bool | None): Whether the source returns whole batches. Default: True.
        num_outputs (int | None): Number of outputs; the source returns a tuple.
        prefetch_queue_depth (int | None): Number of batches that Python workers prepare ahead.
            Default: 1. Only with `parallel`.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: use_copy_kernel, bytes_per_sample_hint.
    """
@overload
def external_source(
    source: Any | None = ...,
    *,
    cycle: Any | None = ...,
    layout: Any | None = ...,
    dtype: Any | None = ...,
    ndim: Any | None = ...,
    no_copy: bool | None = ...,
    batch_info: bool | None = ...,
    repeat_last: bool | None = ...,
    parallel: bool | None = ...,
    blocking: bool | None = ...,
    cuda_stream: Any | None = ...,
    batch: bool | None = ...,
    prefetch_queue_depth: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    use_copy_kernel: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
    num_outputs: int,
) -> list[DataNode]: ...
@overload
def external_source(
    source: Any | None = ...,
    num_outputs: int | None = ...,
    *,
    cycle: Any | None = ...,
    layout: Any | None = ...,
    dtype: Any | None = ...,
    ndim: Any | None = ...,
    no_copy: bool | None = ...,
    batch_info: bool | None = ...,
    repeat_last: bool | None = ...,
    parallel: bool | None = ...,
    blocking: bool | None = ...,
    cuda_stream: Any | None = ...,
    batch: bool | None = ...,
    prefetch_queue_depth: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    use_copy_kernel: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...

def fast_resize_crop_mirror(
    images: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    resize_x: float | DataNode | None = ...,
    resize_y: float | DataNode | None = ...,
    resize_z: float | DataNode | None = ...,
    resize_shorter: float | DataNode | None = ...,
    resize_longer: float | DataNode | None = ...,
    mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
    max_size: float | _abc.Sequence[float] | None = ...,
    subpixel_scale: bool | None = ...,
    roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_relative: bool | None = ...,
    crop: float | _abc.Sequence[float] | DataNode | None = ...,
    crop_d: float | DataNode | None = ...,
    crop_h: float | DataNode | None = ...,
    crop_w: float | DataNode | None = ...,
    crop_pos_x: float | DataNode | None = ...,
    crop_pos_y: float | DataNode | None = ...,
    crop_pos_z: float | DataNode | None = ...,
    rounding: Literal['round', 'truncate'] | None = ...,
    mirror: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    temp_buffer_hint: int | None = ...,
    minibatch_size: int | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Like `fn.resize_crop_mirror`, without antialiasing unless that is asked for.

    Deprecated: use `fn.resize_crop_mirror(..., antialias=False)`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> image = np.zeros((60, 80, 3), np.uint8)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.fast_resize_crop_mirror(image, resize_shorter=32, crop=(24, 24))
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(24, 24, 3)]

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis. Default: False.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        size (float | Sequence[float] | DataNode | None): Wanted (height, width) in pixels, or
            (depth, height, width) for volumes; one number stands for all. 0 leaves an extent to
            `mode`; a negative one mirrors the axis.
        resize_x (float | DataNode | None): Wanted width in pixels; 0 and negative as in `size`.
            Default: 0.0.
        resize_y (float | DataNode | None): Wanted height in pixels; 0 and negative as in
            `size`. Default: 0.0.
        resize_z (float | DataNode | None): Wanted depth of a volume; 0 and negative as in
            `size`. Default: 0.0.
        resize_shorter (float | DataNode | None): Wanted length of the shorter side; the aspect
            ratio is kept. `max_size` may limit the longer one. Default: 0.0.
        resize_longer (float | DataNode | None): Wanted length of the longer side; the aspect
            ratio is kept. Default: 0.0.
        mode (Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None): How missing
            extents are chosen, and the aspect ratio. 'default': as given; missing ones scale by
            the (geometric) mean of the others. 'stretch': as given; missing ones stay.
            'not_larger': aspect ratio kept, no extent above the given ones. 'not_smaller':
            aspect ratio kept, no extent below the given ones. Default: 'default'.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis; 0 and less are no limit. Modes that keep the aspect ratio keep
            it under the limit too.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
        roi_start (float | Sequence[float] | DataNode | None): First edge of the region to
            resize, (y, x) or (z, y, x), in pixels. The edge may be fractional. Outside of the
            image, the border is repeated. A start beyond the end mirrors the axis.
        roi_end (float | Sequence[float] | DataNode | None): Last edge of the region; needs
            `roi_start`.
        roi_relative (bool | None): Edges of the region are fractions of the image's extents.
            Default: False.
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; 0 and negative
            numbers take the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Position of the window: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Position of the window: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Position of the window: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (Literal['round', 'truncate'] | None): How the position becomes whole pixels:
            "round" (halves away from zero) or "truncate". Default: 'round'.
        mirror (int | DataNode | None): Axes to mirror, added up: 1 left to right, 2 top to
            bottom, 4 front to back. Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            bytes_per_sample_hint.
    """

file_reader = _fn.readers.file

def filter(
    data: DataNode,
    filter: DataNode,
    fill_value: DataNode | None = ...,
    /,
    *,
    anchor: int | _abc.Sequence[int] | DataNode | None = ...,
    border: Literal['reflect_101', 'reflect_1001', 'wrap', 'clamp', 'constant', 'reflect', 'edge', 'pad', '101', '1001'] | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    mode: Literal['same', 'valid'] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Replaces each element by the sum of a window's weights times the elements around it.

    The window moves along all axes but C and F. It is not mirrored, so the operator computes a
    correlation. Sums are float32, in integers of 32 and 64 bits and in float64 they are float64.
    CPU and GPU agree within 1 in integers, and 1e-5 of the largest number in floats.

    Inputs:
        data: one to three axes of any letters, with F before and C before or after them, such as
            HWC, CHW, HW, FHWC, DHWC; without a layout all axes are filtered. Numbers of any type.
        filter: the window of each sample: numbers, of as many axes as are filtered. With
            `fn.per_frame` each frame has its own.
        fill_value: the number around each sample, if `border` is "constant"; by default 0.

    Outputs:
        the filtered samples: of the input's layout and, if `dtype` is not given, type. The shape is
        the input's. In the mode "valid" each axis is shorter, by the window's extent less 1.

    Raises:
        ArgumentError: the window has another number of axes, no elements, or in the mode "valid"
            more elements than the sample; or the anchor is outside of the window.

    Args:
        anchor (int | Sequence[int] | DataNode | None): Index in the window of the element that
            is replaced: one for each axis, or one for all. -1 is the middle. The mode 'valid'
            does not use it. Default: (-1,).
        border (Literal['reflect_101', 'reflect_1001', 'wrap', 'clamp', 'constant', 'reflect',
            'edge', 'pad', '101', '1001'] | None): What lies around the sample. 'reflect_101':
            the mirrored sample, without the border element twice. 'reflect_1001': the mirrored
            sample. 'wrap': the sample again. 'clamp': the border element. 'constant': the input
            `fill_value`. Default: 'reflect_101'.
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        mode (Literal['same', 'valid'] | None): 'same', or 'valid' for the results alone whose
            window is within the sample. Default: 'same'.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def flip(
    data: DataNode,
    /,
    *,
    horizontal: int | DataNode | None = ...,
    vertical: int | DataNode | None = ...,
    depthwise: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Mirrors each sample along the axes that are chosen.

    Inputs:
        data: HWC, CHW, HW, DHWC, CDHW, or with F before them; any type. Without a layout HW,
            HWC, FHWC or FDHWC is assumed.

    The result has the shape, layout and type of the input.

    Args:
        horizontal (int | DataNode | None): Mirror left to right unless 0. Default: 1.
        vertical (int | DataNode | None): Mirror top to bottom unless 0. Default: 0.
        depthwise (int | DataNode | None): Mirror front to back unless 0; without effect where
            there is no depth. Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def full(
    fill_value: DataNode,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the input, broadcast to a shape by NumPy's rules, in the dtype of the input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.full(5, shape=[2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[5 5 5]
     [5 5 5]]

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number.
        layout (str | None): Layout of the output.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def full_like(
    data_like: DataNode,
    fill_value: DataNode,
    /,
    *,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the second input with the shape, dtype and layout of the first input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.full_like([[1, 2], [3, 4]], 7))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[7 7]
     [7 7]]

    Args:
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def gaussian_blur(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    sigma: float | _abc.Sequence[float] | DataNode | None = ...,
    window_size: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Blurs samples with a Gaussian window along all axes but C and F.

    Where only sigma is given, the window has `2 * ceil(3 * sigma) + 1` elements. Where only the
    window is given, sigma is `((window_size - 1) / 2 - 1) * 0.3 + 0.8`. Beyond the border the
    sample is mirrored, without the border element twice. CPU and GPU agree within 1 in integers,
    and 1e-5 of the largest number in floats.

    Inputs:
        data: one to three axes of any letters, with F before and C before or after them, such as
            HWC, CHW, HW, FHWC, DHWC; without a layout all axes are blurred. Any type but bool.

    Outputs:
        the blurred samples: of the input's shape, layout and, if `dtype` is not given, type.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        sigma (float | Sequence[float] | DataNode | None): Standard deviation in elements: one,
            or one for each axis. 0 follows from the window. Default: (0.0,).
        window_size (int | Sequence[int] | DataNode | None): Elements of the window, an odd
            number: one, or one for each axis. 0 follows from sigma. Default: (0,).
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def get_property(
    data: DataNode,
    /,
    *,
    key: Literal['source_info', 'layout'],
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns the origin or the layout of each sample, as the bytes (uint8) of a text.

    Readers name the samples, most of them in their first output alone. The name of a file is its
    path. Results of other operators have the names of the inputs. If inputs have different names
    for any sample of the batch, the results have no names. `fn.multi_paste` joins names by ";".

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.get_property(fn.zeros(shape=[2, 3], layout="HW"), key="layout")
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(bytes(result.at(0)))
    b'HW'

    Args:
        key (Literal['source_info', 'layout']): "source_info" or "layout".
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def grid_mask(
    images: DataNode,
    /,
    *,
    angle: float | DataNode | None = ...,
    ratio: float | DataNode | None = ...,
    shift_x: float | DataNode | None = ...,
    shift_y: float | DataNode | None = ...,
    tile: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Sets the pixels of a grid of squares to 0 (GridMask, https://arxiv.org/abs/2001.04086).

    The position of a pixel is rotated by `angle`, and `shift_x` and `shift_y` are subtracted. In
    both directions the squares take up the first `ratio` of each tile. The computation is in
    float32, with the same results on CPU and GPU.

    Inputs:
        images: any layout with H, W and axes before or after the two, such as HWC, CHW, HW and
            FHWC; numbers of any type.

    Outputs:
        the images: of the input's shape, type and layout.

    Args:
        angle (float | DataNode | None): Angle of the rotation, in radians. Default: 0.0.
        ratio (float | DataNode | None): Width of the squares, relative to `tile`. Default: 0.5.
        shift_x (float | DataNode | None): Shift of the grid to the right, in pixels. Default:
            0.0.
        shift_y (float | DataNode | None): Shift of the grid downwards, in pixels. Default: 0.0.
        tile (int | DataNode | None): Pixels from one square to the next; above 0. Default: 100.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def hsv(
    images: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    hue: float | DataNode | None = ...,
    saturation: float | DataNode | None = ...,
    value: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Changes hue, saturation and value of RGB images.

    The change is a linear map of RGB colors: the color is projected onto the gray axis of YIQ,
    turned about the axis by `hue`, and scaled. CPU and GPU agree within 1 in integers.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape and layout, and of dtype `dtype`.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result. Default: UINT8.
        hue (float | DataNode | None): Degrees by which the color turns about the gray axis.
            Default: 0.0.
        saturation (float | DataNode | None): Factor of the distance from gray: 0 gives gray.
            Default: 1.0.
        value (float | DataNode | None): Factor of all channels. Default: 1.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def hue(
    images: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    hue: float | DataNode | None = ...,
    image_type: DALIImageType | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Changes the hue of images, as `hsv` does.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        hue (float | DataNode | None): Degrees by which the color turns about the gray axis.
            Default: 0.0.
        image_type (DALIImageType | None): Order of the channels: RGB or BGR;
            `color_space_conversion` makes these of other color spaces. DALI treats both as RGB.
            Default: RGB.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

image_decoder = _fn.decoders.image

image_decoder_crop = _fn.decoders.image_crop

image_decoder_random_crop = _fn.decoders.image_random_crop

image_decoder_slice = _fn.decoders.image_slice

def jitter(
    images: DataNode,
    /,
    *,
    fill_value: float | None = ...,
    interp_type: DALIInterpType | None = ...,
    mask: int | DataNode | None = ...,
    nDegree: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Moves each pixel by a random number of pixels, to the right and down.

    The pixel is one of the input's whose distances in both directions are whole numbers, from
    `-(nDegree // 2)` on, `nDegree` different ones of equal probability. Beyond the border, the
    border pixel is taken. The numbers of a sample are a function of seed, epoch, position and
    operator alone. CPU and GPU agree exactly. DALI has no such operator on the CPU, and draws other
    numbers.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.

    Outputs:
        the changed images: of the input's shape, type and layout.

    Args:
        fill_value (float | None): Value of what lies around the image. Default: 0.0.
        interp_type (DALIInterpType | None): Interpolation: INTERP_NN or INTERP_LINEAR. Default:
            INTERP_NN.
        mask (int | DataNode | None): Whether to move the pixels; 0 leaves them alone. Default:
            1.
        nDegree (int | None): Number of different distances in each direction. Default: 2.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def jpeg_compression_distortion(
    images: DataNode,
    /,
    *,
    quality: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Encodes RGB images as JPEG, and decodes them again.

    The colors have half the resolution in both directions (4:2:0), as in most photographs. The
    pixels are those of libjpeg-turbo, and of DALI's operator on the CPU. The GPU computes the same
    pixels without encoding.

    Inputs:
        images: uint8, HWC or FHWC, 3 channels.

    Outputs:
        the images: of the input's shape, type and layout.

    Args:
        quality (int | DataNode | None): Quality from 1, the lowest, to 100; other numbers are
            clamped. Default: 50.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def laplacian(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    normalized_kernel: bool | None = ...,
    scale: float | _abc.Sequence[float] | DataNode | None = ...,
    smoothing_size: int | _abc.Sequence[int] | DataNode | None = ...,
    window_size: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes the Laplacian: the sum of the second derivatives along all axes but C and F.

    A derivative is the correlation with a window along its axis, and with smoothing windows along
    the others: `[1, -2, 1]` and `[1, 2, 1]`, which larger windows smooth further. Both are those of
    Sobel's operator. Beyond the border the sample is mirrored, without the border element twice.
    CPU and GPU agree within 1 in integers, and 1e-5 of the largest sum of the weights in floats.

    Inputs:
        data: one to three axes of any letters, with F before and C before or after them, such as
            HWC, CHW, HW, FHWC, DHWC; without a layout all axes count. Numbers of any type.

    Outputs:
        the Laplacian: of the input's shape, layout and, if `dtype` is not given, type. Integers
        are rounded and clamped, so types without a sign have no negative derivatives.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        normalized_kernel (bool | None): Scale each derivative by `2 ** (n + 2 - s)`, for n axes
            and s elements of its windows in all. True excludes `scale`. Default: False.
        scale (float | Sequence[float] | DataNode | None): Factor of the derivatives: one, or
            one for the derivative along each axis. Default: (1.0,).
        smoothing_size (int | Sequence[int] | DataNode | None): Elements of the smoothing
            windows, an odd number up to 31: one, or one for each axis. By default the window of
            the derivative has as many.
        window_size (int | Sequence[int] | DataNode | None): Elements of the derivatives'
            windows, an odd number from 3 to 31: one, or one for each axis. Default: (3,).
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def lookup_table(
    data: DataNode,
    /,
    *,
    default_value: float | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    keys: int | _abc.Sequence[int] | None = ...,
    values: float | _abc.Sequence[float] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Replaces each integer by the value of the key that equals it, or by `default_value`.

    Of several equal keys the last one counts.

    Inputs:
        data: any samples of integers.

    Outputs:
        the values: of dtype `dtype`, and the input's shape and layout.

    Args:
        default_value (float | None): Value of integers that are no key. Default: 0.0.
        dtype (DALIDataType | DTypeLike | None): Type of the result. Integers are rounded, and
            clamped to the type's range. Older name: output_dtype. Default: FLOAT.
        keys (int | Sequence[int] | None): The integers to replace. Default: ().
        values (float | Sequence[float] | None): The value of each key. Default: ().
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def mel_filter_bank(
    spectrogram: DataNode,
    /,
    *,
    freq_high: float | None = ...,
    freq_low: float | None = ...,
    mel_formula: Literal['slaney', 'htk'] | None = ...,
    nfilter: int | None = ...,
    normalize: bool | None = ...,
    sample_rate: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Applies triangular filters to a spectrogram; their corners are equidistant on the mel scale.

    The filters and their numbers are those of `librosa.filters.mel`: `norm="slaney"` is
    `normalize=True`, and `htk=True` is `mel_formula="htk"`. The operator takes the spectrogram for
    that of a transform of 2 * (bins - 1) samples. A filter above half of the sample rate is 0.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> spectrum = np.ones((129, 11), np.float32)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.mel_filter_bank(spectrum, nfilter=40, sample_rate=16000))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(40, 11)]

    Inputs:
        spectrogram: of any numeric dtype. The axis "f" of the layout has the bins. Without a
            layout, it is the last axis but one, or the only one.

    Outputs:
        the mel spectrogram: float32 of the layout of the input, with `nfilter` numbers on the axis
        of the bins.

    The operator computes in float32. CPU and GPU agree within 1e-5 of the largest term.

    Raises:
        ArgumentError: the layout has no "f".

    Args:
        freq_high (float | None): Highest frequency of the filters, in Hz, up to `sample_rate`.
            By default, and if not positive, half of `sample_rate`. Default: 0.0.
        freq_low (float | None): Lowest frequency of the filters, in Hz. Default: 0.0.
        mel_formula (Literal['slaney', 'htk'] | None): Formula of the mel scale: "slaney"
            (linear up to 1000 Hz) or "htk" (2595 * log10(1 + hz / 700)). Default: 'slaney'.
        nfilter (int | None): Number of filters. Default: 128.
        normalize (bool | None): Whether the area of a filter is 1; otherwise its peak is 1.
            Default: True.
        sample_rate (float | None): Samples a second of the signal. Default: 44100.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def mfcc(
    data: DataNode,
    /,
    *,
    axis: int | None = ...,
    dct_type: int | None = ...,
    lifter: float | None = ...,
    n_mfcc: int | None = ...,
    normalize: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes cepstral coefficients of a mel spectrogram, which is usually in decibels.

    The coefficients are the first `n_mfcc` of the discrete cosine transform along `axis`, as in
    `librosa.feature.mfcc(S=..., norm="ortho" if normalize else None)`, except that without
    `normalize` librosa doubles them.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.mfcc(np.ones((40, 11), np.float32), n_mfcc=13))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(13, 11)]

    Inputs:
        data: the mel spectrogram, of any numeric dtype; at least one dimension.

    Outputs:
        the coefficients: float32 of the layout of the input. The extent of `axis` is `n_mfcc`, or
        that of the input if it is smaller.

    The operator computes in float32. CPU and GPU agree within 1e-5 of the sum of the terms.

    Raises:
        ArgumentError: the sample has no such axis, or the axis has one number for `dct_type=1`.

    Args:
        axis (int | None): Axis of the transform; negative numbers count from the back. Default:
            0.
        dct_type (int | None): Type of the transform, 1 to 4, for DCT-I to DCT-IV
            (https://en.wikipedia.org/wiki/Discrete_cosine_transform). Default: 2.
        lifter (float | None): Coefficient i is multiplied by 1 + lifter / 2 * sin(pi * (i + 1)
            / lifter), unless the lifter is 0. Default: 0.0.
        n_mfcc (int | None): Number of coefficients. Default: 20.
        normalize (bool | None): Whether the transform is orthonormal; `dct_type=1` has no such
            form. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def mixup(
    images: DataNode,
    labels: DataNode,
    /,
    *,
    alpha: float | None = ...,
    num_classes: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
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

    Args:
        alpha (float | None): Of the beta distribution, Beta(alpha, alpha), of the weights.
            Default: 1.0.
        num_classes (int | None): Number of classes, for labels that are integers. Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def multi_paste(
    *images: DataNode,
    in_ids: int | _abc.Sequence[int] | DataNode | None = ...,
    output_size: int | _abc.Sequence[int] | DataNode | None = ...,
    in_anchors: ArrayLike | DataNode | None = ...,
    in_anchors_rel: ArrayLike | DataNode | None = ...,
    out_anchors: ArrayLike | DataNode | None = ...,
    out_anchors_rel: ArrayLike | DataNode | None = ...,
    shapes: ArrayLike | DataNode | None = ...,
    shapes_rel: ArrayLike | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Pastes regions of images on black canvases, such as four images for a mosaic.

    With `in_ids`, the regions of a canvas come from these samples of the batch. Without, region i
    comes from input i. Later regions cover earlier ones. Numbers are (y, x) or (height, width) for
    each region: shape (regions, 2), or (frames, regions, 2) for videos; or one number for all.
    Relative anchors are rounded down, relative shapes up.

    Inputs:
        images: HWC or FHWC; any type, the same for all inputs.

    Outputs:
        the canvases: HWC or FHWC; of `dtype`, or of the type of the input.

    Raises:
        ArgumentError: a region reaches out of its image or the canvas, images of one canvas have
            different numbers of channels or frames, or the size of the canvas is not known.

    Args:
        in_ids (int | Sequence[int] | DataNode | None): Samples of the batch, one a region; for
            a single input.
        output_size (int | Sequence[int] | DataNode | None): Height and width of the canvas, by
            default those of the images, if all are the same. Further numbers, such as that of
            the channels, have no effect.
        in_anchors (ArrayLike | DataNode | None): First pixel in the image; by default 0.
        in_anchors_rel (ArrayLike | DataNode | None): The same, relative to the image.
        out_anchors (ArrayLike | DataNode | None): First pixel on the canvas; by default 0.
        out_anchors_rel (ArrayLike | DataNode | None): The same, relative to the canvas.
        shapes (ArrayLike | DataNode | None): Size of the region; by default from the anchor to
            the end of the image.
        shapes_rel (ArrayLike | DataNode | None): The same, relative to the image.
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

mxnet_reader = _fn.readers.mxnet

nemo_asr_reader = _fn.readers.nemo_asr

def nonsilent_region(
    signal: DataNode,
    /,
    *,
    cutoff_db: float | None = ...,
    reference_power: float | None = ...,
    reset_interval: int | None = ...,
    window_length: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
    """Returns where a signal starts and ends to be louder than silence.

    The power at a sample is the mean square of the `window_length` samples that end with it;
    samples before the signal are 0. A window is silent if its power is below `cutoff_db`, relative
    to the reference. The region consists of all samples of the windows between the first and the
    last one that are not silent.

    A window with a value that is not a number counts as silent.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> signal = np.zeros(100, np.float32)
    >>> signal[40:60] = 1
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.nonsilent_region(signal, window_length=10))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    31
    38

    Inputs:
        signal: one channel, of any numeric dtype: (samples,), (samples, 1) or (1, samples).

    Outputs:
        start: the first sample of the region: int32, shape ().
        length: number of samples of the region: int32, shape (). If it is 0, the start is 0.

    `fn.slice(signal, start, length, axes=0)` returns the region.

    CPU and GPU agree, except where a power differs from the threshold by less than 1e-6 of it.

    Raises:
        ArgumentError: a signal has several channels.

    Args:
        cutoff_db (float | None): Power below which a window is silent, in decibels. Default:
            -60.0.
        reference_power (float | None): Power of 0 dB, above 0. Default: the largest power of
            the sample's windows. Default: 0.0.
        reset_interval (int | None): Accepted for compatibility: a multiple of `window_length`,
            or -1. Powers do not gather rounding errors here, so sums need not be computed anew.
            Default: 8192.
        window_length (int | None): Samples of a window. Default: 2048.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

normal_distribution = _fn.random.normal

def normalize(
    data: DataNode,
    /,
    *,
    batch: bool | None = ...,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    mean: ArrayLike | DataNode | None = ...,
    stddev: ArrayLike | DataNode | None = ...,
    scale: float | None = ...,
    shift: float | None = ...,
    ddof: int | None = ...,
    epsilon: float | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes `scale * (data - mean) / stddev + shift`.

    Without `mean` or `stddev`, the operator computes the missing statistic along `axes`, for each
    sample or for the batch. If a computed deviation and `epsilon` are 0, the result is `shift`.

    Inputs:
        data: any numeric samples.

    Outputs:
        the results: of dtype `dtype` and the layout of the input.

    The operator computes in float32, and for results of FLOAT64 in float64. The GPU adds in another
    order than the CPU. The results of the two differ by at most 1e-5 of the largest term, and for
    integer dtypes by at most 1.

    Args:
        batch (bool | None): Compute mean and standard deviation over the whole batch. All
            samples must then have the same extents on the axes that are not reduced. Default:
            False.
        axes (int | Sequence[int] | None): Axes to reduce. Default: the axes on which an array
            `mean` or `stddev` has the extent 1, and all axes if neither is an array.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        mean (ArrayLike | DataNode | None): Mean to subtract: a number, or an array with the
            sample's number of dimensions and the extent 1 on reduced axes.
        stddev (ArrayLike | DataNode | None): Standard deviation: a number or an array, like
            `mean`.
        scale (float | None): Factor of the normalized value. Default: 1.0.
        shift (float | None): Number to add last. Default: 0.0.
        ddof (int | None): A computed variance is the sum of squares divided by N - ddof.
            Default: 0.
        epsilon (float | None): Number to add to the variance. Default: 0.0.
        dtype (DALIDataType | DTypeLike | None): Dtype of the result. Integers are rounded, and
            clamped to the dtype's range. Default: FLOAT.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

numpy_reader = _fn.readers.numpy

def one_hot(
    data: DataNode,
    /,
    *,
    axis: int | None = ...,
    axis_name: str | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    num_classes: int | None = ...,
    off_value: float | None = ...,
    on_value: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Turns each class number into a vector that is `on_value` there, and else `off_value`.

    The vectors are a new axis. Numbers outside of the classes give vectors of `off_value`;
    fractions are cut off. Without `axis`, a sample of one element and without a layout is a
    scalar, whatever its number of dimensions: its result is one vector.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.one_hot(2, num_classes=5))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [0. 0. 1. 0. 0.]

    Inputs:
        data: any samples of numbers.

    Outputs:
        the vectors: of dtype `dtype`, with the axis of `num_classes` elements.

    Args:
        axis (int | None): Index of the new axis in the result; -1 is the last. Default: -1.
        axis_name (str | None): Letter of the new axis. Without it the result has no layout.
        dtype (DALIDataType | DTypeLike | None): Type of the result. Default: FLOAT.
        num_classes (int | None): Number of classes: the extent of the new axis. Default: 0.
        off_value (float | None): Number for the other classes; integers lose its fraction.
            Default: 0.0.
        on_value (float | None): Number for the class; integers lose its fraction. Default: 1.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def ones(
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns ones.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.ones(shape=[2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1 1 1]
     [1 1 1]]

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number.
        layout (str | None): Layout of the output.
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. Default: INT32.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def ones_like(
    data_like: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns ones with the shape, dtype and layout of the input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.ones_like([[1.5, 2.5]]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1. 1.]]

    Args:
        dtype (DALIDataType | DTypeLike | None): Dtype of the output; by default the dtype of
            the input.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def optical_flow(
    videos: DataNode,
    hints: DataNode | None = ...,
    /,
    *,
    enable_external_hints: bool | None = ...,
    enable_temporal_hints: bool | None = ...,
    hint_grid: int | None = ...,
    image_type: DALIImageType | None = ...,
    output_grid: int | None = ...,
    preset: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes where the pixels of each frame of a video were in the frame before.

    The optical flow engine of NVIDIA's GPUs since Turing computes the vectors. A vector (x, y)
    says that what a square of pixels shows was x pixels further right and y pixels further down
    in the frame before. So the vectors of an object that moves to the right have a negative x.
    DALI's vectors have this direction, too.

    The engine takes frames of 32 to 8192 pixels a side on an H200.

        video = fn.readers.video(filenames=["walk.mp4"], sequence_length=8, device="gpu")
        flow = fn.optical_flow(video, output_grid=1)  # (7, height, width, 2)

    Inputs:
        videos: uint8 FHWC, 2 frames or more, with 3 channels, or 1 for GRAY.
        hints: float32 FHWC, a guess of the vectors in pixels: (frames - 1, height / hint_grid,
            width / hint_grid, 2), with quotients rounded up. Not read unless
            `enable_external_hints` is set.

    Outputs:
        vectors: float32 FHWC, in pixels, with a precision of 1/32: (frames - 1, height /
            output_grid, width / output_grid, 2), with quotients rounded up.

    Raises:
        ArgumentError: a video has fewer than 2 frames, or frames of an extent or a number of
            channels that the engine does not take; the engine has no such grid; hints have
            another shape.
        MissingDependencyError: the driver's library, or the GPU's engine is missing.

    Args:
        enable_external_hints (bool | None): Whether the engine starts from the hints. Default:
            False.
        enable_temporal_hints (bool | None): Whether the engine starts from the vectors of the
            frame before, within a video. Default: False.
        hint_grid (int | None): Side in pixels of the square that has one hint: 1, 2, 4 or 8; >=
            output_grid. Default: 4.
        image_type (DALIImageType | None): Color space: RGB, BGR or GRAY. Default: RGB.
        output_grid (int | None): Side in pixels of the square that has one vector: 1, 2 or 4;
            on Turing 4. Older name: output_format. Default: 4.
        preset (float | None): 0 for the best vectors, 0.5, or 1 for the shortest time. Default:
            0.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def pad(
    data: DataNode,
    /,
    *,
    fill_value: float | DataNode | None = ...,
    axes: int | _abc.Sequence[int] | DataNode | None = ...,
    axis_names: str | None = ...,
    align: int | _abc.Sequence[int] | DataNode | None = ...,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Adds `fill_value` at the end of axes, up to the common extent of the batch or to `shape`.

    The common extent of an axis is the largest extent in the batch, or `shape` if it is given and
    the sample is not larger. `align` rounds the extent up to a multiple. With `shape=1` a sample is
    padded for the alignment alone.

    Inputs:
        data: any samples, of the same number of dimensions.

    The result has the type and layout of the input.

    Args:
        fill_value (float | DataNode | None): The value that is added; clamped to the range of
            the element type. Default: 0.0.
        axes (int | Sequence[int] | DataNode | None): The axes that are padded, by default all;
            from the back if negative.
        axis_names (str | None): The axes, as letters of the layout, instead of `axes`.
        align (int | Sequence[int] | DataNode | None): The extents become multiples of it; one
            value, or one an axis.
        shape (int | Sequence[int] | DataNode | None): Least extent; one value, or one an axis.
            0 and negative values mean the largest extent in the batch.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def paste(
    images: DataNode,
    /,
    *,
    fill_value: float | _abc.Sequence[float],
    ratio: float | DataNode,
    n_channels: int | None = ...,
    min_canvas_size: float | DataNode | None = ...,
    paste_x: float | DataNode | None = ...,
    paste_y: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Puts each image on a canvas whose extents are `ratio` times those of the image.

    `fn.bbox_paste` with the same arguments moves the boxes.

    Inputs:
        images: HWC, uint8.

    Outputs:
        the canvases: HWC, uint8, with int(ratio * extent) pixels, but `min_canvas_size` at least.

    Args:
        fill_value (float | Sequence[float]): Color of the canvas: a number, or one a channel.
            Fractions are cut off, and numbers beyond 0 to 255 count as the nearest of these.
        ratio (float | DataNode): Size of the canvas / size of the image; at least 1.
        n_channels (int | None): Number of channels that `fill_value` may have. Default: 3.
        min_canvas_size (float | DataNode | None): Least height and width of the canvas in
            pixels. Default: 0.0.
        paste_x (float | DataNode | None): Position of the image: 0 is left, 1 is right on the
            canvas. Default: 0.5.
        paste_y (float | DataNode | None): Position of the image: 0 is at the top, 1 at the
            bottom. Default: 0.5.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def peek_image_shape(
    encoded: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    adjust_orientation: bool | None = ...,
    image_type: DALIImageType | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Reads the shape of the decoded image from the header of each file.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.peek_image_shape(file))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [60 80  3]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Outputs:
        shapes: (height, width, channels), one dimension.

    Args:
        dtype (DALIDataType | DTypeLike | None): Integer or float type of the result. Default:
            INT64.
        adjust_orientation (bool | None): Return the shape after the image is turned upright.
            Default: True.
        image_type (DALIImageType | None): Color space that the image will be decoded to.
            Default: RGB.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def per_frame(
    data: DataNode,
    /,
    *,
    replace: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Marks samples as sequences: the first dimension runs over frames.

    Operators that work sample by sample take such data as arguments, with a value for each frame:
    `fn.gaussian_blur(video, sigma=fn.per_frame(sigma))`. The sequence and the argument must have as
    many frames. An input that is no sequence serves all frames.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn, types
    >>> video = types.Constant(np.full((2, 1, 1, 3), 100, np.uint8), layout="FHWC")
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.brightness(video, brightness=fn.per_frame([0.5, 1.0])))
    ...     (result,) = pipe.run()
    ...     print(result.at(0)[:, 0, 0].tolist())
    [[50, 50, 50], [100, 100, 100]]

    Inputs:
        data: (frames, ...), any type.

    Outputs:
        the same numbers. The layout starts with F. It is "F**" for three dimensions without names.

    Raises:
        ArgumentError: the layout starts with another letter, and `replace` is False, or a sample
            has no dimensions.

    Args:
        replace (bool | None): Whether F replaces another first letter of the layout. Default:
            False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def permute_batch(
    data: DataNode,
    /,
    *,
    indices: int | _abc.Sequence[int] | DataNode,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns a batch in which sample i is the input's sample `indices[i]`.

    An index may repeat, and indices may be missing. A batch without samples stays as it is.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=3, num_threads=1) as pipe:
    ...     output = fn.permute_batch(fn.external_source([[[1], [2], [3]]]), indices=[2, 0, 1])
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.as_array().tolist())
    [[3], [1], [2]]

    Inputs:
        data: any samples.

    Outputs:
        the selected samples: of the dtype and layout of the input.

    Raises:
        ArgumentError: the numbers of indices and samples differ, or an index is out of range.

    Args:
        indices (int | Sequence[int] | DataNode): One index a sample: a sequence as long as the
            batch, or a node of scalars.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def power_spectrum(
    data: DataNode,
    /,
    *,
    axis: int | None = ...,
    nfft: int | None = ...,
    power: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes the amplitude or power of the frequencies along an axis.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.power_spectrum([1.0, 0.0, -1.0, 0.0]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(3))
    [0. 4. 0.]

    Inputs:
        data: real numbers of any numeric dtype; at least one dimension.

    Outputs:
        the spectrum: float32 of the layout of the input, with nfft // 2 + 1 bins on `axis`.

    Raises:
        ArgumentError: the sample has no such axis, or the axis is empty and `nfft` is not given.

    Args:
        axis (int | None): Axis to transform; negative numbers count from the back. Default: -1.
        nfft (int | None): Samples of the transform: the axis is cut off, or extended with
            zeros. By default, and if not positive, the extent of the axis. Default: 0.
        power (int | None): Exponent of the amplitude: 1 or 2. Default: 2.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def preemphasis_filter(
    signal: DataNode,
    /,
    *,
    border: Literal['zero', 'clamp', 'reflect'] | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    preemph_coeff: float | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes `out[t] = signal[t] - preemph_coeff * signal[t - 1]`.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.preemphasis_filter([1.0, 1.0, 2.0], preemph_coeff=0.5))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [0.5 0.5 1.5]

    Inputs:
        signal: any numeric samples. A sample of several dimensions is filtered in the order of its
            elements in memory.

    Outputs:
        the filtered signal: of dtype `dtype` and the shape and layout of the input.

    The operator computes in float32, and for results of FLOAT64 in float64. CPU and GPU agree
    within 1e-6 of the largest term, and for integer dtypes within 1.

    Args:
        border (Literal['zero', 'clamp', 'reflect'] | None): The sample before the first one: 0
            ("zero"), the first ("clamp"), or the second ("reflect"; 0 if there is only one
            sample). Default: 'clamp'.
        dtype (DALIDataType | DTypeLike | None): Dtype of the result. Integers are rounded, and
            clamped to the dtype's range. Default: FLOAT.
        preemph_coeff (float | DataNode | None): Factor of the sample before. Default: 0.97.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

@overload
def python_function(
    *inputs: DataNode,
    function: _abc.Callable[..., Any],
    num_outputs: Literal[1] | None = ...,
    output_layouts: Any | None = ...,
    batch_processing: bool | None = ...,
    parallel: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Calls a Python function with the data, and passes its results on.

    The function gets one NumPy array for each input. One thread at a time calls the function, for
    the samples of a batch in order. With `batch_processing`, one call serves a batch, with a list
    of arrays for each input. The function may change its arguments: they are copies, if others read
    the same data.

    The function returns an array, or another sample that `external_source` accepts. With several
    outputs, it returns a tuple; with `num_outputs=0`, None. With `batch_processing`, each output is
    a list with one array a sample, or an array whose axis 0 runs over the samples. The pipeline
    copies the results.

    With `device="gpu"` the function gets CuPy arrays. It returns CuPy arrays, PyTorch tensors or
    other arrays on the GPU with `__dlpack__` or `__cuda_array_interface__`. The call happens when
    the batch's work is launched, with the pipeline's stream as CuPy's current stream. Launches of
    the function run after the launches that make its inputs. Batches come in order.

    The function holds the GIL while it runs, so no other Python code runs: prefer operators to
    functions. With `parallel=True` Python workers call the function instead: `py_num_workers`
    processes of the pipeline, which share out the samples of a batch, or the batches with
    `batch_processing`. Each worker has its own copy of the function and of all modules. The
    function must copy the arguments that it keeps. `docs/your_python.md` says how the function gets
    into the workers. The function is called even if its output is not used.

    A function with an argument `rng`, which no input fills, gets a `numpy.random.Generator` of its
    own for each sample; with `batch_processing`, a list with one generator a sample. The generator
    follows from the pipeline's seed, the epoch, the sample's position in the epoch and the operator
    alone. Workers, batch size and checkpoints change nothing.

    If the function raises an exception for one sample, the sample is bad, and the pipeline's
    `on_error` applies. With "raise", and with `batch_processing`, the exception reaches the caller
    of `run` with its own type.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.python_function([3, 1, 2], function=np.sort))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]

    Args:
        function (Callable[..., Any]): The function.
        num_outputs (int | None): Number of outputs. Default: 1.
        output_layouts (Any | None): Layout of all outputs, or a list with the layouts of the
            first outputs.
        batch_processing (bool | None): Call the function once a batch. Default: False.
        parallel (bool | None): Let the pipeline's Python workers call the function: processes,
            whose number is the pipeline's argument `py_num_workers`. On the CPU only. Default:
            False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
@overload
def python_function(
    *inputs: DataNode,
    function: _abc.Callable[..., Any],
    num_outputs: int | None = ...,
    output_layouts: Any | None = ...,
    batch_processing: bool | None = ...,
    parallel: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...

def random_bbox_crop(
    boxes: DataNode,
    labels: DataNode | None = ...,
    /,
    *,
    aspect_ratio: float | _abc.Sequence[float] | None = ...,
    scaling: float | _abc.Sequence[float] | None = ...,
    thresholds: float | _abc.Sequence[float] | None = ...,
    threshold_type: Literal['iou', 'overlap'] | None = ...,
    all_boxes_above_threshold: bool | None = ...,
    allow_no_crop: bool | None = ...,
    num_attempts: int | None = ...,
    total_num_attempts: int | None = ...,
    bbox_prune_threshold: float | None = ...,
    bbox_layout: str | None = ...,
    ltrb: bool | None = ...,
    crop_shape: int | _abc.Sequence[int] | DataNode | None = ...,
    input_shape: int | _abc.Sequence[int] | DataNode | None = ...,
    shape_layout: str | None = ...,
    output_bbox_indices: bool | None = ...,
    quiet: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
    """Draws a random window that overlaps with boxes as wanted, and moves the boxes into it.

    Each round of `num_attempts` attempts draws one of the `thresholds`, or, if `allow_no_crop`, the
    whole image. The first window that meets its round's threshold and keeps a box wins. Without
    boxes, the first window of an allowed aspect ratio wins. If `total_num_attempts` attempts fail,
    which are counted in whole rounds, the window with the best overlap is taken, and a warning says
    so. Then the image stays whole if no window had an allowed aspect ratio. Without
    `total_num_attempts`, a search fails after 65536 attempts.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> boxes = np.float32([[0.25, 0.25, 0.75, 0.75]])
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     output = fn.random_bbox_crop(boxes, [7], scaling=[0.6, 0.8], allow_no_crop=False)
    ...     pipe.set_outputs(*output)
    ...     for output in pipe.run():
    ...         print(output.at(0).round(2))
    [0.15 0.06]
    [0.67 0.67]
    [[0.15 0.28 0.9  1.  ]]
    [7]

    Inputs:
        boxes: float32, shape (boxes, 4) or (boxes, 6), in the order of `bbox_layout`, relative to
            the image's size.
        labels: integers, shape (boxes,) or (boxes, k).

    Outputs:
        anchor: float32, (x, y) or (x, y, z) of the window's corner, for `fn.slice`.
        shape: float32, (width, height) or (width, height, depth).
        boxes: those that the window keeps, clipped to the window and relative to it.
        labels: of these boxes, if labels were given.
        indices: int32 numbers of these boxes, if `output_bbox_indices`.

    Anchor and shape are relative to the image; with `crop_shape` they are pixels. A box that ends
    before it starts is empty.

    Raises:
        ArgumentError: a box lies outside of the image, labels do not match the boxes, or an
            unlimited search fails.

    Args:
        aspect_ratio (float | Sequence[float] | None): Range of width / height, in pixels if
            `input_shape` is given, else relative to the image's. Boxes with three dimensions
            have three ranges, of x / y, x / z and y / z, or one for all. Default: (1.0, 1.0).
        scaling (float | Sequence[float] | None): Range of each extent, relative to the image's.
            Default: (1.0, 1.0).
        thresholds (float | Sequence[float] | None): Least overlaps, of which each round draws
            one. Default: (0.0,).
        threshold_type (Literal['iou', 'overlap'] | None): What overlap means: "iou",
            intersection over union, or "overlap", the share of the box that is in the window.
            Default: 'iou'.
        all_boxes_above_threshold (bool | None): Whether all boxes must overlap so much, or only
            one. Default: True.
        allow_no_crop (bool | None): Whether the whole image is an option; by default it is
            without `crop_shape`.
        num_attempts (int | None): Attempts in a round. Default: 1.
        total_num_attempts (int | None): Attempts before the best window is taken; -1 for no
            limit. Default: -1.
        bbox_prune_threshold (float | None): Least share of a box in the window to keep the box,
            which must be above 0; by default boxes are kept whose center is in the window.
        bbox_layout (str | None): Order of the columns of boxes: an order of "xyXY", "xyWH",
            "xyzXYZ" or "xyzWHD".
        ltrb (bool | None): Older form of `bbox_layout`: True for "xyXY", False for "xyWH".
        crop_shape (int | Sequence[int] | DataNode | None): Size of the window in pixels,
            instead of a random one; one number for all axes.
        input_shape (int | Sequence[int] | DataNode | None): Size of the image in pixels, as
            `crop_shape`.
        shape_layout (str | None): Order of these sizes: "WH" or "WHD" by default.
        output_bbox_indices (bool | None): Whether to return the numbers of the boxes. Default:
            False.
        quiet (bool | None): Whether no warning says that no window met its threshold. Default:
            False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def random_crop_generator(
    shapes: DataNode,
    /,
    *,
    random_area: float | _abc.Sequence[float] | None = ...,
    random_aspect_ratio: float | _abc.Sequence[float] | None = ...,
    num_attempts: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
    """Draws a window of random area and aspect ratio in each image, for `fn.slice`.

    Szegedy et al., "Going Deeper with Convolutions" (2014), section 6. The windows are those of
    `fn.random_resized_crop` with the same random numbers.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(*fn.random_crop_generator([480, 640]))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [87, 182]
    [340, 305]

    Inputs:
        shapes: integers, (height, width) or (height, width, channels) of an image in pixels.

    Outputs:
        anchor: int32, (y, x) of the window's first pixel.
        shape: int32, (height, width).

    Args:
        random_area (float | Sequence[float] | None): Range of the window's area, relative to
            the image's; uniform. Windows that do not fit, as all with areas above 1, are drawn
            again. Default: (0.08, 1.0).
        random_aspect_ratio (float | Sequence[float] | None): Range of the window's width /
            height; its logarithm is uniform. Default: (0.75, 1.3333333333333333).
        num_attempts (int | None): Number of windows that are drawn until one fits; then the
            largest is taken. Default: 10.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def random_resized_crop(
    images: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    random_area: float | _abc.Sequence[float] | None = ...,
    random_aspect_ratio: float | _abc.Sequence[float] | None = ...,
    num_attempts: int | None = ...,
    size: int | _abc.Sequence[int],
    seed: int | None = ...,
    preserve: bool | None = ...,
    temp_buffer_hint: int | None = ...,
    minibatch_size: int | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Takes a window of random area, aspect ratio and position out of each image, and resizes it.

    Szegedy et al., "Going Deeper with Convolutions" (2014), section 6. A video's frames all
    show the same window. The windows are those of `fn.decoders.image_random_crop` with the
    same random numbers, but here pixels just outside of a window count at its edges.

    Inputs:
        images: HWC, CHW, HW, FHWC, FCHW or CFHW; uint8, int8, uint16, int16, uint32, int32 or a
            float type. Without a layout, by the number of dimensions: HW, HWC, FHWC.

    The result is as the input, of the height and width `size`.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbor is never widened. Default: True.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        random_area (float | Sequence[float] | None): Range of the window's area, relative to
            the image's; uniform. Windows that do not fit, as all with areas above 1, are drawn
            again. Default: (0.08, 1.0).
        random_aspect_ratio (float | Sequence[float] | None): Range of the window's width /
            height; its logarithm is uniform. Default: (0.75, 1.3333333333333333).
        num_attempts (int | None): Number of windows that are drawn until one fits; then the
            largest is taken. Default: 10.
        size (int | Sequence[int]): (height, width) of the result in pixels; one number stands
            for both.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            bytes_per_sample_hint.
    """

def reinterpret(
    data: DataNode,
    shape_input: DataNode | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    rel_shape: float | _abc.Sequence[float] | DataNode | None = ...,
    src_dims: int | _abc.Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Takes the bytes of samples for numbers of another type, and may give them another shape.

    Without a shape the last dimension grows or shrinks, so that the number of bytes stays.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn, types
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reinterpret(np.uint8([1, 0, 0, 1]), dtype=types.UINT16))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [  1 256]

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same bytes: of type `dtype`, in the new shape.

    Raises:
        ArgumentError: the bytes are no whole number of elements, or do not fill the shape.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of the output. One extent may be
            negative: it follows from the others.
        rel_shape (float | Sequence[float] | DataNode | None): Extents of the output relative to
            those of the input (or, with `src_dims`, of the dimensions named there), rounded to
            whole numbers. One may be negative.
        src_dims (int | Sequence[int] | DataNode | None): Dimensions of the input whose extents
            the output has, in its order; -1 inserts an extent of 1.
        layout (str | None): Layout of the output; by default the input's, if the number of
            dimensions stays.
        dtype (DALIDataType | DTypeLike | None): Type of the output; by default the input's.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def reshape(
    data: DataNode,
    shape_input: DataNode | None = ...,
    /,
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    rel_shape: float | _abc.Sequence[float] | DataNode | None = ...,
    src_dims: int | _abc.Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Gives samples another shape, another layout, or both; the numbers stay in their order.

    `shape`, `rel_shape` and the input `shape_input` exclude each other. Where the number of
    dimensions may differ among samples, the layout is empty unless it is given.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.reshape([1, 2, 3, 4, 5, 6], shape=[2, -1]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1 2 3]
     [4 5 6]]

    Inputs:
        data: any samples.
        shape_input: the shape of the output, one number a dimension.

    Outputs:
        the same numbers: of the input's type, in the new shape.

    Raises:
        ArgumentError: the elements do not fill the shape, or the layout does not describe it.

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of the output. One extent may be
            negative: it follows from the others.
        rel_shape (float | Sequence[float] | DataNode | None): Extents of the output relative to
            those of the input (or, with `src_dims`, of the dimensions named there), rounded to
            whole numbers. One may be negative.
        src_dims (int | Sequence[int] | DataNode | None): Dimensions of the input whose extents
            the output has, in its order; -1 inserts an extent of 1.
        layout (str | None): Layout of the output; by default the input's, if the number of
            dimensions stays.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

@overload
def resize(
    images: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    resize_x: float | DataNode | None = ...,
    resize_y: float | DataNode | None = ...,
    resize_z: float | DataNode | None = ...,
    resize_shorter: float | DataNode | None = ...,
    resize_longer: float | DataNode | None = ...,
    mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
    max_size: float | _abc.Sequence[float] | None = ...,
    subpixel_scale: bool | None = ...,
    roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_relative: bool | None = ...,
    save_attrs: Literal[False] | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    temp_buffer_hint: int | None = ...,
    minibatch_size: int | None = ...,
    image_type: DALIImageType | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Resizes images.

    The wanted size is given in one of four ways: `size`, the separate `resize_x`, `resize_y`,
    `resize_z`, `resize_shorter`, or `resize_longer`. Sizes may be fractional: the result's
    extents are rounded, halves up. The kernels, their positions and the sizes are those of
    DALI; integer results round halves to even. CPU and GPU agree exactly for nearest neighbor,
    in integers else within 1, in floats within 1e-5 of the range (float16: 1e-3).

    Inputs:
        images: HWC, CHW, HW, DHWC, CDHW, each also with F (frames) in front, or CFHW. Their dtype
            is uint8, int8, uint16, int16, uint32, int32 or a float type.
            Without a layout, by the number of dimensions: HW, HWC, FHWC, FDHWC.

    Outputs:
        resized: as the input, of another height and width (and depth). An axis without extent
            keeps none.
        attributes: with `save_attrs`, the extents before: int32, (height, width) or (depth,
            height, width).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbor is never widened. Default: True.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        size (float | Sequence[float] | DataNode | None): Wanted (height, width) in pixels, or
            (depth, height, width) for volumes; one number stands for all. 0 leaves an extent to
            `mode`; a negative one mirrors the axis.
        resize_x (float | DataNode | None): Wanted width in pixels; 0 and negative as in `size`.
            Default: 0.0.
        resize_y (float | DataNode | None): Wanted height in pixels; 0 and negative as in
            `size`. Default: 0.0.
        resize_z (float | DataNode | None): Wanted depth of a volume; 0 and negative as in
            `size`. Default: 0.0.
        resize_shorter (float | DataNode | None): Wanted length of the shorter side; the aspect
            ratio is kept. `max_size` may limit the longer one. Default: 0.0.
        resize_longer (float | DataNode | None): Wanted length of the longer side; the aspect
            ratio is kept. Default: 0.0.
        mode (Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None): How missing
            extents are chosen, and the aspect ratio. 'default': as given; missing ones scale by
            the (geometric) mean of the others. 'stretch': as given; missing ones stay.
            'not_larger': aspect ratio kept, no extent above the given ones. 'not_smaller':
            aspect ratio kept, no extent below the given ones. Default: 'default'.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis; 0 and less are no limit. Modes that keep the aspect ratio keep
            it under the limit too.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
        roi_start (float | Sequence[float] | DataNode | None): First edge of the region to
            resize, (y, x) or (z, y, x), in pixels. The edge may be fractional. Outside of the
            image, the border is repeated. A start beyond the end mirrors the axis.
        roi_end (float | Sequence[float] | DataNode | None): Last edge of the region; needs
            `roi_start`.
        roi_relative (bool | None): Edges of the region are fractions of the image's extents.
            Default: False.
        save_attrs (bool | None): Also output the extents before. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            image_type, bytes_per_sample_hint.
    """
@overload
def resize(
    images: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    resize_x: float | DataNode | None = ...,
    resize_y: float | DataNode | None = ...,
    resize_z: float | DataNode | None = ...,
    resize_shorter: float | DataNode | None = ...,
    resize_longer: float | DataNode | None = ...,
    mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
    max_size: float | _abc.Sequence[float] | None = ...,
    subpixel_scale: bool | None = ...,
    roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_relative: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    temp_buffer_hint: int | None = ...,
    minibatch_size: int | None = ...,
    image_type: DALIImageType | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
    save_attrs: Literal[True],
) -> list[DataNode]: ...
@overload
def resize(
    images: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    resize_x: float | DataNode | None = ...,
    resize_y: float | DataNode | None = ...,
    resize_z: float | DataNode | None = ...,
    resize_shorter: float | DataNode | None = ...,
    resize_longer: float | DataNode | None = ...,
    mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
    max_size: float | _abc.Sequence[float] | None = ...,
    subpixel_scale: bool | None = ...,
    roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_relative: bool | None = ...,
    save_attrs: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    temp_buffer_hint: int | None = ...,
    minibatch_size: int | None = ...,
    image_type: DALIImageType | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...

def resize_crop_mirror(
    images: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    resize_x: float | DataNode | None = ...,
    resize_y: float | DataNode | None = ...,
    resize_z: float | DataNode | None = ...,
    resize_shorter: float | DataNode | None = ...,
    resize_longer: float | DataNode | None = ...,
    mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
    max_size: float | _abc.Sequence[float] | None = ...,
    subpixel_scale: bool | None = ...,
    roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_relative: bool | None = ...,
    crop: float | _abc.Sequence[float] | DataNode | None = ...,
    crop_d: float | DataNode | None = ...,
    crop_h: float | DataNode | None = ...,
    crop_w: float | DataNode | None = ...,
    crop_pos_x: float | DataNode | None = ...,
    crop_pos_y: float | DataNode | None = ...,
    crop_pos_z: float | DataNode | None = ...,
    rounding: Literal['round', 'truncate'] | None = ...,
    mirror: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    temp_buffer_hint: int | None = ...,
    minibatch_size: int | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Resizes images, crops a window out of the result, and mirrors it.

    The same as `fn.resize`, `fn.crop` and `fn.flip` one after the other, but only the window is
    computed. Where a sample lies just between two pixels, nearest neighbor may choose the other
    pixel. A window that reaches out of the resized image repeats its border. Of a video all frames
    are taken.

    Inputs:
        images: as for `fn.resize`.

    The result is as the input, of another height and width (and depth).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbor is never widened. Default: True.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        size (float | Sequence[float] | DataNode | None): Wanted (height, width) in pixels, or
            (depth, height, width) for volumes; one number stands for all. 0 leaves an extent to
            `mode`; a negative one mirrors the axis.
        resize_x (float | DataNode | None): Wanted width in pixels; 0 and negative as in `size`.
            Default: 0.0.
        resize_y (float | DataNode | None): Wanted height in pixels; 0 and negative as in
            `size`. Default: 0.0.
        resize_z (float | DataNode | None): Wanted depth of a volume; 0 and negative as in
            `size`. Default: 0.0.
        resize_shorter (float | DataNode | None): Wanted length of the shorter side; the aspect
            ratio is kept. `max_size` may limit the longer one. Default: 0.0.
        resize_longer (float | DataNode | None): Wanted length of the longer side; the aspect
            ratio is kept. Default: 0.0.
        mode (Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None): How missing
            extents are chosen, and the aspect ratio. 'default': as given; missing ones scale by
            the (geometric) mean of the others. 'stretch': as given; missing ones stay.
            'not_larger': aspect ratio kept, no extent above the given ones. 'not_smaller':
            aspect ratio kept, no extent below the given ones. Default: 'default'.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis; 0 and less are no limit. Modes that keep the aspect ratio keep
            it under the limit too.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
        roi_start (float | Sequence[float] | DataNode | None): First edge of the region to
            resize, (y, x) or (z, y, x), in pixels. The edge may be fractional. Outside of the
            image, the border is repeated. A start beyond the end mirrors the axis.
        roi_end (float | Sequence[float] | DataNode | None): Last edge of the region; needs
            `roi_start`.
        roi_relative (bool | None): Edges of the region are fractions of the image's extents.
            Default: False.
        crop (float | Sequence[float] | DataNode | None): Shape of the window in pixels,
            (height, width) or (depth, height, width). Fractions are cut off; 0 and negative
            numbers take the whole axis.
        crop_d (float | DataNode | None): Depth of the window, or number of frames; needs the
            others. Default: 0.0.
        crop_h (float | DataNode | None): Height of the window, with `crop_w`. Default: 0.0.
        crop_w (float | DataNode | None): Width of the window, with `crop_h`. Default: 0.0.
        crop_pos_x (float | DataNode | None): Position of the window: 0 at the left, 1 at the
            right. Default: 0.5.
        crop_pos_y (float | DataNode | None): Position of the window: 0 at the top, 1 at the
            bottom. Default: 0.5.
        crop_pos_z (float | DataNode | None): Position of the window: 0 in front, 1 at the back.
            Default: 0.5.
        rounding (Literal['round', 'truncate'] | None): How the position becomes whole pixels:
            "round" (halves away from zero) or "truncate". Default: 'round'.
        mirror (int | DataNode | None): Axes to mirror, added up: 1 left to right, 2 top to
            bottom, 4 front to back. Default: 0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            bytes_per_sample_hint.
    """

def roi_random_crop(
    data: DataNode | None = ...,
    /,
    *,
    crop_shape: int | _abc.Sequence[int] | DataNode,
    roi_start: int | _abc.Sequence[int] | DataNode,
    roi_end: int | _abc.Sequence[int] | DataNode | None = ...,
    roi_shape: int | _abc.Sequence[int] | DataNode | None = ...,
    in_shape: int | _abc.Sequence[int] | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Draws the start of a window of given shape around a region of interest.

    On each axis, a window that is larger than the region holds all of the region, and a smaller
    window lies in the region. If the shape of the data is known, the window lies in the data.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     output = fn.roi_random_crop(crop_shape=[4, 4], roi_start=[10, 10], roi_shape=[8, 8])
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [13 13]

    Inputs:
        data: anything; only the shape counts. Give either data or `in_shape`, or neither.

    Outputs:
        the first index of the window: int64, shape (axes,).

    Raises:
        ArgumentError: arguments have different numbers of axes, or window or region do not fit
            into the data.

    Args:
        crop_shape (int | Sequence[int] | DataNode): Shape of the window.
        roi_start (int | Sequence[int] | DataNode): First index of the region.
        roi_end (int | Sequence[int] | DataNode | None): End of the region.
        roi_shape (int | Sequence[int] | DataNode | None): Shape of the region, instead of its
            end.
        in_shape (int | Sequence[int] | DataNode | None): Shape of the data.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def rotate(
    data: DataNode,
    /,
    *,
    fill_value: float | None = ...,
    interp_type: DALIInterpType | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    angle: float | _abc.Sequence[float] | DataNode,
    axis: float | _abc.Sequence[float] | DataNode | None = ...,
    keep_size: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Rotates each image about its center, or each volume about an axis through its center.

    Images turn counter-clockwise, as they are seen. Volumes turn from x to y if the axis is z, from
    y to z if the axis is x, and from z to x if the axis is y.

    If neither `size` nor `keep_size` is given, the canvas grows to the rotated extent, which holds
    the whole image. One pixel is added where otherwise an extent were even and the extent of the
    image that lies nearest to it odd, or the reverse. So a rotation by a multiple of 90 degrees
    moves pixels onto pixels. The canvas of a video holds all frames; for the odd pixel most of the
    frames count.

    Integers of 16 bits and more and float64 are right to the last digit: positions are computed in
    float64, as they are for volumes. For other images positions are float32. CPU and GPU agree
    within 1 in integers and 1e-4 of the range in floats. Nearest neighbors agree exactly, except
    where a position lies in the middle between two pixels.

    Inputs:
        data: HW, HWC, DHW or DHWC, or with F before them; any type.

    Outputs:
        the rotated samples: of the layout and, if `dtype` is not given, the type of the input.

    Args:
        fill_value (float | None): What lies around the image; by default its border is
            repeated.
        interp_type (DALIInterpType | None): Interpolation: INTERP_NN or INTERP_LINEAR. Default:
            INTERP_LINEAR.
        size (float | Sequence[float] | DataNode | None): Height and width of the canvas in
            pixels, for volumes with the depth in front of them; rounded to integers. Default:
            ().
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's. Older name: output_dtype.
        angle (float | Sequence[float] | DataNode): Degrees; for a video one, or one a frame.
        axis (float | Sequence[float] | DataNode | None): Of volumes: the direction x, y, z of
            the axis, of any length but 0; for a series of volumes one, or one a frame. Images
            ignore it.
        keep_size (bool | None): Whether the canvas stays as large as the image. Default: False.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def saturation(
    images: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    saturation: float | DataNode | None = ...,
    image_type: DALIImageType | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Changes the saturation of images, as `hsv` does.

    Inputs:
        images: HWC, FHWC, DHWC or another layout that ends in C; 3 channels.

    Outputs:
        the images: of the input's shape, layout and, if `dtype` is not given, type.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's.
        saturation (float | DataNode | None): Factor of the distance from gray: 0 gives gray.
            Default: 1.0.
        image_type (DALIImageType | None): Order of the channels: RGB or BGR;
            `color_space_conversion` makes these of other color spaces. DALI treats both as RGB.
            Default: RGB.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

sequence_reader = _fn.readers.sequence

def sequence_rearrange(
    data: DataNode,
    /,
    *,
    new_order: int | _abc.Sequence[int] | DataNode,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns sequences whose frame i is the input's frame `new_order[i]`.

    Frames may repeat or be left out.

    Inputs:
        data: (frames, ...), any type; the layout, if there is one, starts with F.

    Outputs:
        the frames in their new order: of the type and layout of the input.

    Raises:
        ArgumentError: an index is not one of a frame, or there is none.

    Args:
        new_order (int | Sequence[int] | DataNode): For each frame of the result, the index of a
            frame.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def shapes(
    data: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns each sample's shape as a vector with one number a dimension.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.shapes([[1, 2, 3], [4, 5, 6]]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [2 3]

    Inputs:
        data: any samples.

    Outputs:
        the shapes: of type `dtype`, shape (dimensions,).

    Args:
        dtype (DALIDataType | DTypeLike | None): Type of the numbers. Older name: type. Default:
            INT64.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def slice(
    data: DataNode,
    anchor: DataNode | None = ...,
    shape_input: DataNode | None = ...,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    out_of_bounds_policy: Literal['error', 'constant', 'pad', 'trim_to_shape', 'edge', 'clamp', 'reflect', 'reflect_1001', 'reflect_101', 'wrap'] | None = ...,
    fill_values: float | _abc.Sequence[float] | None = ...,
    axes: int | _abc.Sequence[int] | DataNode | None = ...,
    axis_names: str | None = ...,
    start: int | _abc.Sequence[int] | DataNode | None = ...,
    end: int | _abc.Sequence[int] | DataNode | None = ...,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    rel_start: float | _abc.Sequence[float] | DataNode | None = ...,
    rel_end: float | _abc.Sequence[float] | DataNode | None = ...,
    rel_shape: float | _abc.Sequence[float] | DataNode | None = ...,
    normalized_anchor: bool | None = ...,
    normalized_shape: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    image_type: DALIImageType | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Takes a region out of each sample.

    Named arguments give the region: a start (`start` or `rel_start`), with an end (`end`,
    `rel_end`) or a shape (`shape`, `rel_shape`). Alternatively the inputs `anchor` and `shape` give
    the region. What starts with "rel" is in fractions of the extent of its axis. Without a start
    the region starts at 0, without end and shape it reaches to the sample's end. Fractions of an
    element are
    rounded, halves away from zero: the start, and the end (start plus shape) before rounding.

    Inputs:
        data: any sample.
        anchor, shape_input: one number for each of the axes. Integers are elements, floats
            fractions of the extent, if `normalized_anchor` and `normalized_shape` do not say
            otherwise. Both are of the same type. If they are on the GPU, they are copied to the
            CPU, for which the operator's work on the GPU waits.

    The result has the layout and, if `dtype` is not given, the type of the data.

    Args:
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's. Values out of its range become the nearest value of the type. Conversion to
            integers cuts fractions off. Older name: output_dtype.
        out_of_bounds_policy (Literal['error', 'constant', 'pad', 'trim_to_shape', 'edge',
            'clamp', 'reflect', 'reflect_1001', 'reflect_101', 'wrap'] | None): Action for a
            region that reaches out of the sample. "error": raise. "constant" or "pad": fill
            with `fill_values`. "edge" or "clamp": repeat the edge. "reflect" or "reflect_1001":
            mirror, with the edge twice. "reflect_101": mirror, with the edge once. "wrap":
            repeat the sample. "trim_to_shape": return only the part inside. Default: 'error'.
        fill_values (float | Sequence[float] | None): The value outside of the sample if it is
            padded: one, or one a channel. Default: (0.0,).
        axes (int | Sequence[int] | DataNode | None): The axes that the values are for, in their
            order; all axes if it is empty. Default: (1, 0).
        axis_names (str | None): The axes, as letters of the layout: "WH" by default, if `axes`
            is not given. Samples without a layout count as HW, HWC, FHWC or FDHWC.
        start (int | Sequence[int] | DataNode | None): First element.
        end (int | Sequence[int] | DataNode | None): The element after the last.
        shape (int | Sequence[int] | DataNode | None): Number of elements.
        rel_start (float | Sequence[float] | DataNode | None): Start, in fractions of the
            extent.
        rel_end (float | Sequence[float] | DataNode | None): End, in fractions of the extent.
        rel_shape (float | Sequence[float] | DataNode | None): Shape, in fractions of the
            extent.
        normalized_anchor (bool | None): Whether an input `anchor` of floats is in fractions of
            the extent. Default: True.
        normalized_shape (bool | None): Whether an input `shape_input` of floats is in fractions
            of the extent. Default: True.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: image_type, bytes_per_sample_hint.
    """

def spectrogram(
    signal: DataNode,
    /,
    *,
    center_windows: bool | None = ...,
    layout: Literal['ft', 'tf'] | None = ...,
    nfft: int | None = ...,
    power: int | None = ...,
    reflect_padding: bool | None = ...,
    window_fn: float | _abc.Sequence[float] | None = ...,
    window_length: int | None = ...,
    window_step: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes the amplitude or power of a signal's frequencies over time.

    Windows of the signal start `window_step` samples apart. Each is multiplied by `window_fn`,
    extended with zeros to `nfft` samples, and transformed. Bin k holds the frequency
    k * sample_rate / nfft.

    With `center_windows`, a signal of n samples has n // window_step + 1 windows; window t has its
    sample window_length // 2 at sample t * window_step of the signal. Otherwise the signal has
    (n - window_length) // window_step + 1 windows.

    With `window_fn=scipy.signal.get_window("hann", window_length)` and an even `window_length`, the
    result is that of `librosa.stft(pad_mode="reflect")`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> seconds = np.arange(1600) / 16000
    >>> tone = np.float32(np.sin(2 * np.pi * 1000 * seconds))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.spectrogram(tone, nfft=256, window_length=256, window_step=160)
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0).shape, result.at(0).mean(axis=1).argmax() * 16000 / 256)
    (129, 11) 1000.0

    Inputs:
        signal: one channel, of any numeric dtype: (samples,), (samples, 1) or (1, samples).

    Outputs:
        the spectrogram: float32 of shape (nfft // 2 + 1, windows) and layout "ft", or of shape
        (windows, nfft // 2 + 1) and layout "tf".

    The operator computes in float32. CPU and GPU agree within 1e-5 of the largest number of a
    window.

    Raises:
        ArgumentError: a signal is empty or has several channels; or it is shorter than a window,
            and `center_windows` is False.

    Args:
        center_windows (bool | None): Extend the signal at both ends, so that windows are
            centered at multiples of `window_step`. Otherwise all windows lie within the signal.
            Default: True.
        layout (Literal['ft', 'tf'] | None): Order of the output: "ft" (frequency first) or "tf"
            (time first). Default: 'ft'.
        nfft (int | None): Samples of a transform, at least `window_length`, which is the
            default.
        power (int | None): Exponent of the amplitude: 1 or 2. Default: 2.
        reflect_padding (bool | None): Mirror the signal beyond its ends; otherwise extend the
            signal with zeros. Without `center_windows`, this has no effect. Default: True.
        window_fn (float | Sequence[float] | None): Factors of a window's samples:
            `window_length` numbers. Default: the Hann window sin(pi * (i + 0.5) /
            window_length) ** 2. Default: ().
        window_length (int | None): Samples of a window. Default: 512.
        window_step (int | None): Samples from one window to the next. Default: 256.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def sphere(
    images: DataNode,
    /,
    *,
    fill_value: float | None = ...,
    interp_type: DALIInterpType | None = ...,
    mask: int | DataNode | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Shows images as if they were drawn on a sphere.

    A pixel at the vector v from the middle is the input's at `v * |v| / r`, where r is half of the
    longer side, without its fraction. CPU and GPU agree exactly, with INTERP_LINEAR within 1 in
    integers and 1e-5 of the range in floats.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.

    Outputs:
        the changed images: of the input's shape, type and layout.

    Args:
        fill_value (float | None): Value of what lies around the image. Default: 0.0.
        interp_type (DALIInterpType | None): Interpolation: INTERP_NN or INTERP_LINEAR. Default:
            INTERP_NN.
        mask (int | DataNode | None): Whether to move the pixels; 0 leaves them alone. Default:
            1.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def squeeze(
    data: DataNode,
    /,
    *,
    axes: int | _abc.Sequence[int] | DataNode | None = ...,
    axis_names: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Removes dimensions, all of extent 1 (or any, if the sample is empty before and after).

    Axes count from the end where they are negative.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.squeeze([[[1], [2], [3]]], axes=[0, 2]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, without these dimensions and their letters.

    Raises:
        ArgumentError: an axis does not exist, is named twice, or is not of extent 1.

    Args:
        axes (int | Sequence[int] | DataNode | None): The dimensions to remove.
        axis_names (str | None): Their letters in the layout, in place of `axes`.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def ssd_random_crop(
    images: DataNode,
    boxes: DataNode,
    labels: DataNode,
    /,
    *,
    num_attempts: int | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> list[DataNode]:
    """Crops images at random around boxes, as for training of SSD; `random_bbox_crop` does more.

    Liu et al., "SSD: Single Shot MultiBox Detector" (2016), section 2.2. A round of `num_attempts`
    attempts draws the whole image, or the least intersection over union of all boxes: 0, 0.1, 0.3,
    0.5, 0.7 or 0.9. Extents of windows are 0.3 to 1 of the image's, and the relative aspect ratio
    is from 1/2 to 2. Boxes stay whose center is in the window.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> image = np.zeros((100, 200, 3), np.uint8)
    >>> boxes = np.float32([[0.25, 0.25, 0.75, 0.75]])
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(*fn.ssd_random_crop(image, boxes, [7]))
    ...     for output in pipe.run():
    ...         print(output.shape())
    [(59, 144, 3)]
    [(1, 4)]
    [(1,)]

    Inputs:
        images: HWC; any type.
        boxes: float32, shape (boxes, 4): left, top, right, bottom, relative to the image's size.
        labels: integers, shape (boxes,) or (boxes, k).

    Outputs:
        images, boxes, labels: those in the window; boxes are relative to the window.

    Args:
        num_attempts (int | None): Attempts in a round. Default: 1.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def stack(
    data: DataNode,
    *others: DataNode,
    axis: int | None = ...,
    axis_name: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Joins inputs of one shape along a new axis.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.stack([1, 2], [3, 4]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1 2]
     [3 4]]

    Inputs:
        data, others: samples of one type and shape.

    Outputs:
        the joined samples: of the inputs' type, with one dimension more.

    Raises:
        ArgumentError: the inputs differ in type, shape or layout, or the axis does not exist.

    Args:
        axis (int | None): Index of the new axis in the output; a negative one counts from the
            end, so that -1 interleaves the inputs' numbers. Default: 0.
        axis_name (str | None): The new axis's letter in the layout; without it there is none.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def tensor_resize(
    data: DataNode,
    /,
    *,
    interp_type: DALIInterpType | DataNode | None = ...,
    min_filter: DALIInterpType | DataNode | None = ...,
    mag_filter: DALIInterpType | DataNode | None = ...,
    antialias: bool | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    alignment: float | _abc.Sequence[float] | DataNode | None = ...,
    axes: int | _abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    max_size: float | _abc.Sequence[float] | None = ...,
    mode: Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None = ...,
    roi_end: float | _abc.Sequence[float] | DataNode | None = ...,
    roi_relative: bool | None = ...,
    roi_start: float | _abc.Sequence[float] | DataNode | None = ...,
    scales: float | _abc.Sequence[float] | DataNode | None = ...,
    size_rounding: Literal['round', 'truncate', 'ceil'] | None = ...,
    sizes: float | _abc.Sequence[float] | DataNode | None = ...,
    subpixel_scale: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    temp_buffer_hint: int | None = ...,
    minibatch_size: int | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Resizes arrays along any axes.

    The wanted extents are given by `sizes` or by `scales`. The kernels, their positions and the
    sizes are those of DALI; integer results round halves to even. The axes that change, with those
    between them, are three at most. CPU and GPU agree exactly for nearest neighbor, in integers
    else within 1, in floats within 1e-5 of the range (float16: 1e-3).

    Inputs:
        data: of any number of axes from 1 on, and any layout. The dtype is uint8, int8, uint16,
            int16, uint32, int32 or a float type.

    Outputs:
        resized: of the input's layout, and of other extents.

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.

    Args:
        interp_type (DALIInterpType | DataNode | None): Filter, where `min_filter` or
            `mag_filter` do not say otherwise. Default: INTERP_LINEAR.
        min_filter (DALIInterpType | DataNode | None): Filter for an axis that shrinks. Default:
            interp_type.
        mag_filter (DALIInterpType | DataNode | None): Filter for an axis that keeps its extent
            or grows. Default: interp_type.
        antialias (bool | None): Widen the filter of a shrinking axis by the reduction factor,
            so that all pixels count. Nearest neighbor is never widened. Default: True.
        dtype (DALIDataType | DTypeLike | None): Type of the result: FLOAT, or that of the input
            (the default).
        alignment (float | Sequence[float] | DataNode | None): Point of the region that stays in
            its place where an extent was rounded: 0 is the start, 1 the end. One, or one for
            each of the axes. Default: (0.5,).
        axes (int | Sequence[int] | None): Indices of the axes that the arguments are for;
            negative ones count from the back. By default all.
        axis_names (str | None): Letters of these axes in the layout, in place of `axes`.
        max_size (float | Sequence[float] | None): Upper limit of the result's extents, one for
            all or one an axis; 0 is no limit. Modes that keep the aspect ratio keep it under
            the limit too.
        mode (Literal['default', 'stretch', 'not_larger', 'not_smaller'] | None): How missing
            extents are chosen, and the aspect ratio: see `fn.resize`. All axes count.
            'not_larger' and 'not_smaller' do not go with `scales`. Default: 'default'.
        roi_end (float | Sequence[float] | DataNode | None): Last edge of the region; needs
            `roi_start`.
        roi_relative (bool | None): Edges of the region are fractions of the extents. Default:
            False.
        roi_start (float | Sequence[float] | DataNode | None): First edge of the region to
            resize, in elements: one, or one for each of the axes. Outside of the sample, the
            border is repeated. A start beyond the end mirrors the axis.
        scales (float | Sequence[float] | DataNode | None): Factors of the input's extents: one,
            or one for each of the axes. A negative one mirrors the axis. Not with `sizes`.
        size_rounding (Literal['round', 'truncate', 'ceil'] | None): How extents that follow
            from `scales` are rounded: round, truncate or ceil. Default: 'round'.
        sizes (float | Sequence[float] | DataNode | None): Wanted extents: one, or one for each
            of the axes. 0 leaves an extent to `mode`; a negative one mirrors the axis.
        subpixel_scale (bool | None): Where an extent was rounded, show a little more or less of
            the input, so that the scale is the one asked for. Otherwise the scale changes.
            Default: True.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: temp_buffer_hint, minibatch_size,
            bytes_per_sample_hint.
    """

tfrecord_reader = _fn.readers.tfrecord

def to_decibels(
    data: DataNode,
    /,
    *,
    cutoff_db: float | None = ...,
    multiplier: float | None = ...,
    reference: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Computes `multiplier * log10(max(data / reference, min_ratio))`.

    The ratio min_ratio is 10 ** (cutoff_db / multiplier). Numbers that are negative, and values
    that are not a number, give `cutoff_db`.

    `librosa.power_to_db(data, ref=reference, amin=1e-20 * reference, top_db=None)` is the same at
    the defaults.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.to_decibels([1.0, 10.0, 100.0]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0).round(1))
    [-20. -10.   0.]

    Inputs:
        data: magnitudes, such as a spectrogram, of any numeric dtype.

    Outputs:
        the decibels: float32 of the shape and layout of the input.

    The operator computes in float32. CPU and GPU agree within 1e-5 times `multiplier`, and one
    unit in the last place.

    Args:
        cutoff_db (float | None): Least result, in decibels. Default: -200.0.
        multiplier (float | None): Factor of the logarithm: 10 for power, 20 for amplitudes.
            Default: 10.0.
        reference (float | None): Magnitude of 0 dB, above 0. Default: the largest number of the
            sample. Default: 0.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

transform_translation = _fn.transforms.translation

def transpose(
    data: DataNode,
    /,
    *,
    perm: int | _abc.Sequence[int] | None = ...,
    transpose_layout: bool | None = ...,
    output_layout: str | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Reorders the dimensions: dimension i of the result is dimension `perm[i]` of the input.

    Inputs:
        data: any sample.

    The result has the type of the input; see `transpose_layout` for its layout.

    Args:
        perm (int | Sequence[int] | None): The new order, as in (2, 0, 1); reversed by default.
        transpose_layout (bool | None): Whether the letters of the layout move with their
            dimensions. Default: True.
        output_layout (str | None): Layout of the result; `transpose_layout` has no effect then.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

uniform = _fn.random.uniform

video_reader = _fn.readers.video

video_reader_resize = _fn.readers.video_resize

def warp_affine(
    data: DataNode,
    matrix_input: DataNode | None = ...,
    /,
    *,
    fill_value: float | None = ...,
    interp_type: DALIInterpType | None = ...,
    size: float | _abc.Sequence[float] | DataNode | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    matrix: float | _abc.Sequence[float] | DataNode | None = ...,
    inverse_map: bool | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Moves pixels by an affine map: result(x, y) = image(M (x, y) + T).

    The matrix is [M T], with coordinates in the order x, y, or x, y, z for volumes. The corner of
    the first pixel has the coordinates 0, and its center 0.5. `fn.transforms` makes such matrices.

    Types, and the agreement of CPU and GPU, are those of `fn.rotate`.

    Inputs:
        data: HW, HWC, DHW or DHWC, or with F before them; any type.
        matrix_input: the matrix of each sample, (2, 3) or for volumes (3, 4), or one for each
            frame, instead of the argument `matrix`.

    Outputs:
        the moved samples: of the layout and, if `dtype` is not given, the type of the input.

    Raises:
        ArgumentError: there is no matrix or there are two, it has another number of elements, a
            number is not finite, or it has to be inverted and is singular.

    Args:
        fill_value (float | None): What lies around the image; by default its border is
            repeated.
        interp_type (DALIInterpType | None): Interpolation: INTERP_NN or INTERP_LINEAR. Default:
            INTERP_LINEAR.
        size (float | Sequence[float] | DataNode | None): Height and width of the canvas in
            pixels, for volumes with the depth in front of them; rounded to integers. Default:
            ().
        dtype (DALIDataType | DTypeLike | None): Element type of the result, by default the
            input's. Older name: output_dtype.
        matrix (float | Sequence[float] | DataNode | None): [M T], row by row: 6 numbers, or 12
            for volumes; for a video one matrix, or one a frame.
        inverse_map (bool | None): Whether the matrix maps the result to the image. False: it
            maps the image to the result, so its inverse is used. Default: True.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def water(
    images: DataNode,
    /,
    *,
    fill_value: float | None = ...,
    interp_type: DALIInterpType | None = ...,
    mask: int | DataNode | None = ...,
    ampl_x: float | None = ...,
    ampl_y: float | None = ...,
    freq_x: float | None = ...,
    freq_y: float | None = ...,
    phase_x: float | None = ...,
    phase_y: float | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Moves pixels as waves on water do.

    The pixel at (x, y) is the input's at `x + ampl_x * sin(freq_x * y + phase_x)` and
    `y + ampl_y * cos(freq_y * x + phase_y)`. As in DALI, x and y count from the center of the first
    pixel, and positions from its corner: with INTERP_LINEAR, results lie half a pixel further on.
    CPU and GPU agree exactly, with INTERP_LINEAR within 1 in integers and 1e-5 of the range in
    floats.

    Inputs:
        images: HW or HWC, or with F in front of them; any type.

    Outputs:
        the moved images: of the input's shape, type and layout.

    Args:
        fill_value (float | None): Value of what lies around the image. Default: 0.0.
        interp_type (DALIInterpType | None): Interpolation: INTERP_NN or INTERP_LINEAR. Default:
            INTERP_NN.
        mask (int | DataNode | None): Whether to move the pixels; 0 leaves them alone. Default:
            1.
        ampl_x (float | None): Amplitude of the wave in the direction of x, in pixels. Default:
            10.0.
        ampl_y (float | None): Amplitude of the wave in the direction of y, in pixels. Default:
            10.0.
        freq_x (float | None): Angular frequency of that wave along y, per pixel. Default:
            0.04908738521234052.
        freq_y (float | None): Angular frequency of that wave along x, per pixel. Default:
            0.04908738521234052.
        phase_x (float | None): Phase of the wave in the direction of x, in radians. Default:
            0.0.
        phase_y (float | None): Phase of the wave in the direction of y, in radians. Default:
            0.0.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

webdataset_reader = _fn.readers.webdataset

def zeros(
    *,
    shape: int | _abc.Sequence[int] | DataNode | None = ...,
    layout: str | None = ...,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns zeros.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.zeros(shape=[2, 3]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0 0 0]
     [0 0 0]]

    Args:
        shape (int | Sequence[int] | DataNode | None): Shape of a sample's output; by default
            one number.
        layout (str | None): Layout of the output.
        dtype (DALIDataType | DTypeLike | None): Dtype of the output. Default: INT32.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """

def zeros_like(
    data_like: DataNode,
    /,
    *,
    dtype: DALIDataType | DTypeLike | None = ...,
    seed: int | None = ...,
    preserve: bool | None = ...,
    bytes_per_sample_hint: int | _abc.Sequence[int] | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode:
    """Returns zeros with the shape, dtype and layout of the input.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.zeros_like([[1.5, 2.5]]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[0. 0.]]

    Args:
        dtype (DALIDataType | DTypeLike | None): Dtype of the output; by default the dtype of
            the input.
        seed (int | None): Seed of the operator's randomness, whatever the pipeline's; by
            default derived from it. Default: -1.
        preserve (bool | None): Keep the operator even if its output is not used. Default:
            False.
        device (str | None): cpu, gpu. Default: the device of the inputs.
        name (str | None): name in the graph, in statistics, checkpoints and errors.
        Accepted for compatibility, without effect: bytes_per_sample_hint.
    """
