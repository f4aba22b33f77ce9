"""`fn.decoders.image` and its relatives: the image decoder as operators of the graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..engine import random_crop
from ..engine.errors import ArgumentError
from ..engine.operator import Array, Operator, Row, SampleOperator, register
from ..engine.params import (
    BOOL,
    DTYPE,
    FLOAT,
    FLOATS,
    IMAGE_TYPE,
    INT,
    INTS,
    NO_EFFECT,
    from_row,
    param,
)
from ..engine.slices import SliceArguments
from ..engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ..engine.types import INT64, RGB, UINT8, to_numpy_type
from ..engine.windows import CropArguments, Window, bounded
from . import nvimgcodec
from .formats import jpeg_batch
from .image import Roi, decode, decode_to_fit, peek_shape
from .mixed import MixedDecoding, Windows, each, whole

if TYPE_CHECKING:
    from ..engine.batch import Batch

_SAMPLE_TYPES = ("uint8", "uint16", "int16", "float16", "float32")


class ImageDecoder(SampleOperator):
    """Base of the image decoders: their common arguments, and the decode of one sample.

    Outputs:
        images: HWC, of the type `dtype`.

    Raises:
        DecodeError: the bytes are no supported image, or damaged, or cut off.
    """

    inputs: ClassVar[tuple[str, ...]] = ("encoded",)

    output_type = param(
        IMAGE_TYPE,
        RGB,
        "Colour space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y from 16 to 235), or ANY_DATA for "
        "the file's own channels. All but ANY_DATA drop alpha and expand palettes.",
    )
    dtype = param(
        DTYPE,
        UINT8,
        "Type of the result, UINT8, UINT16, INT16, FLOAT16 or FLOAT. Values are scaled to its "
        "range: 255 of an 8-bit file is 65535 in UINT16 and 1.0 in FLOAT.",
    )
    adjust_orientation = param(BOOL, True, "Turn the image upright as its EXIF data says.")
    fit = param(
        INTS,
        None,
        "The size (height, width) that the image is going to be shrunk to. Given it, JPEG is "
        "decoded at 1/2, 1/4 or 1/8 of its size where that still leaves as many pixels each way, "
        "and without smoothing colours. The result is smaller then, so the following resize gives "
        "slightly different pixels (1 to 2 grey levels on average), in less time. One number "
        "stands for both.",
    )
    use_fast_idct = param(BOOL, False, NO_EFFECT)
    jpeg_fancy_upsampling = param(
        BOOL,
        False,
        "With device='mixed', enlarge the colours of all JPEG files smoothly, as the CPU does. The "
        "hardware engine cannot, so it is left alone.",
    )
    hw_decoder_load = param(
        FLOAT,
        None,
        "With device='mixed', 0 leaves the hardware JPEG engine alone; else it decodes all that "
        "it can, which is faster than any share.",
    )
    hybrid_huffman_threshold = param(INT, 1000000, NO_EFFECT)
    device_memory_padding = param(INT, 16777216, NO_EFFECT)
    host_memory_padding = param(INT, 8388608, NO_EFFECT)
    device_memory_padding_jpeg2k = param(INT, 0, NO_EFFECT)
    host_memory_padding_jpeg2k = param(INT, 0, NO_EFFECT)
    preallocate_width_hint = param(INT, 0, NO_EFFECT)
    preallocate_height_hint = param(INT, 0, NO_EFFECT)
    affine = param(BOOL, True, NO_EFFECT)
    memory_stats = param(BOOL, False, NO_EFFECT)
    cache_size = param(INT, 0, NO_EFFECT)
    cache_threshold = param(INT, 0, NO_EFFECT)
    cache_debug = param(BOOL, False, NO_EFFECT)
    cache_batch_copy = param(BOOL, True, NO_EFFECT)
    cache_type = param(INT, 0, NO_EFFECT)
    split_stages = param(BOOL, False, NO_EFFECT)
    use_chunk_allocator = param(BOOL, False, NO_EFFECT)

    def prepare(self) -> None:
        owner = f"fn.{self.name}"
        dtype = to_numpy_type(self.dtype)
        if dtype.name not in _SAMPLE_TYPES:
            raise ArgumentError(
                f"{owner}: dtype must be one of {', '.join(_SAMPLE_TYPES)}, but is {dtype.name}"
            )
        output, upright = self.output_type.name, self.adjust_orientation
        self._decode = partial(decode, output=output, dtype=dtype, use_exif=upright)
        self._decode_to_fit = partial(decode_to_fit, output=output, dtype=dtype, use_exif=upright)
        self._fit = None if self.fit is None else _pair(owner, self.fit)
        self._mixed = None
        if self.device == "mixed":
            nvimgcodec.library()
            hardware = self.hw_decoder_load != 0 and not self.jpeg_fancy_upsampling
            self._mixed = MixedDecoding(output, dtype, upright, hardware, self._decode)
            self.find = {jpeg_batch.FACT: jpeg_batch.headers}

    def close(self) -> None:
        if self._mixed is not None:
            self._mixed.close()

    def decoded_on_gpu(
        self, batch: Batch, encoded: TensorListCPU, windows: Windows
    ) -> TensorListGPU:
        """Decode a batch into device memory."""
        assert self._mixed is not None
        return self._mixed.run(batch, encoded, windows)

    def output_layouts(self) -> tuple[str, ...]:
        return ("HWC",)

    def decoded(self, row: Row, encoded: Array, roi: Roi = None) -> Array:
        """Decode one sample, or the part `roi` of it."""
        # The library decodes whole images: with a region, the whole goes to scratch memory.
        memory = row.empty if roi is None else row.scratch
        if self._fit is None:
            return self._decode(encoded, roi=roi, empty=memory)
        return self._decode_to_fit(encoded, roi=roi, fit=self._fit, empty=memory).image


def _pair(owner: str, fit: tuple[int, ...]) -> tuple[int, int]:
    pair = fit * 2 if len(fit) == 1 else fit
    if len(pair) != 2 or min(pair) < 1:
        raise ArgumentError(f"{owner}: fit must be (height, width) in pixels, but is {fit}")
    return pair[0], pair[1]


@register
class Image(ImageDecoder):
    """Decodes images: JPEG, PNG, TIFF, BMP, WebP, JPEG 2000 and PNM, told by their content.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.
    """

    name = "decoders.image"
    aliases = ("image_decoder",)
    devices = ("cpu", "mixed")

    def sample(self, row: Row, encoded: Array) -> Array:
        return self.decoded(row, encoded)

    def gpu(self, batch: Batch, encoded: TensorListCPU) -> TensorListGPU:
        return self.decoded_on_gpu(batch, encoded, whole)


@register
class ImageRandomCrop(ImageDecoder):
    """Decodes a part of each image, of random area, aspect ratio and place.

    The usual first step of training a classifier, before a resize to one size.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.
    """

    name = "decoders.image_random_crop"
    aliases = ("image_decoder_random_crop",)
    devices = ("cpu", "mixed")

    random_area = param(
        FLOATS, (0.08, 1.0), "Range of the part's area, relative to the image's; uniform."
    )
    random_aspect_ratio = param(
        FLOATS, (3 / 4, 4 / 3), "Range of the part's width / height; its logarithm is uniform."
    )
    num_attempts = param(INT, 10, "How often a part that does not fit is drawn anew.")

    def prepare(self) -> None:
        super().prepare()
        random_crop.check_ranges(
            f"fn.{self.name}", self.random_area, self.random_aspect_ratio, self.num_attempts
        )
        self.draws = random_crop.draws_needed(self.num_attempts)

    def sample(self, row: Row, encoded: Array) -> Array:
        numbers = row.random

        def window(height: int, width: int) -> random_crop.Box:
            return random_crop.random_window(
                height, width, self.random_area, self.random_aspect_ratio, numbers
            )

        return self.decoded(row, encoded, window)

    def gpu(self, batch: Batch, encoded: TensorListCPU) -> TensorListGPU:
        return self.decoded_on_gpu(batch, encoded, self._windows)

    def _windows(self, batch: Batch, sizes: Array) -> Array:
        return random_crop.random_windows(
            sizes,
            self.random_area,
            self.random_aspect_ratio,
            self.num_attempts,
            lambda count: batch.random(self, count),
        )


@register
class PeekImageShape(SampleOperator):
    """Reads the shape that an image will have when decoded, without decoding it.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Outputs:
        shapes: (height, width, channels), one dimension.
    """

    name = "peek_image_shape"
    inputs = ("encoded",)

    dtype = param(DTYPE, INT64, "Integer or float type of the result.")
    adjust_orientation = param(BOOL, True, "Give the shape after turning the image upright.")
    image_type = param(IMAGE_TYPE, RGB, "Colour space that the image will be decoded to.")

    def prepare(self) -> None:
        self._dtype = to_numpy_type(self.dtype)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, row: Row, encoded: Array) -> Array:
        output, upright = self.image_type.name, self.adjust_orientation
        return np.array(peek_shape(encoded, output=output, use_exif=upright), self._dtype)


@register
class ImageCrop(CropArguments, ImageDecoder):
    """Decodes a window of given size and position out of each image.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Raises:
        DecodeError: see above.
        ArgumentError: the window reaches out of the image.
    """

    name = "decoders.image_crop"
    aliases = ("image_decoder_crop",)
    devices = ("cpu", "mixed")

    def sample(self, row: Row, encoded: Array, **arguments: Any) -> Array:
        def window(height: int, width: int) -> random_crop.Box:
            return self._box(height, width, **arguments)

        return self.decoded(row, encoded, window)

    def gpu(self, batch: Batch, encoded: TensorListCPU, **arguments: Any) -> TensorListGPU:
        return self.decoded_on_gpu(
            batch, encoded, each(self._box, (), _arguments_of(self, arguments))
        )

    def _box(self, height: int, width: int, **arguments: Any) -> random_crop.Box:
        return _box(self.window("HW", (height, width), **arguments), height, width)


@register
class ImageSlice(SliceArguments, ImageDecoder):
    """Decodes a part of each image, given by where it starts and ends.

    The part is given as for `fn.slice`: by named arguments, or by the inputs `anchor` and `shape`.

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.
        anchor, shape_input: one number for each of the axes, as for `fn.slice`.

    Raises:
        DecodeError: see above.
        ArgumentError: the part reaches out of the image.
    """

    name = "decoders.image_slice"
    aliases = ("image_decoder_slice",)
    devices = ("cpu", "mixed")
    inputs = ("encoded", "anchor?", "shape_input?")

    def sample(self, row: Row, encoded: Array, *inputs: Array, **arguments: Any) -> Array:
        def window(height: int, width: int) -> random_crop.Box:
            return self._box(height, width, *inputs, **arguments)

        return self.decoded(row, encoded, window)

    def gpu(
        self, batch: Batch, encoded: TensorListCPU, *inputs: TensorListCPU, **arguments: Any
    ) -> TensorListGPU:
        return self.decoded_on_gpu(
            batch, encoded, each(self._box, inputs, _arguments_of(self, arguments))
        )

    def _box(self, height: int, width: int, *inputs: Array, **arguments: Any) -> random_crop.Box:
        return _box(self.window("HW", (height, width), *inputs, **arguments), height, width)


def _arguments_of(operator: Operator, arguments: dict[str, Any]) -> Callable[[int], dict[str, Any]]:
    """Return the function that gives the arguments of one sample of a batch."""

    def of(i: int) -> dict[str, Any]:
        return {
            name: from_row(operator.params[name], value.row(i))
            if isinstance(value, TensorList)
            else value
            for name, value in arguments.items()
        }

    return of


def _box(window: Window, height: int, width: int) -> random_crop.Box:
    (y, x), (rows, columns) = bounded(window, (height, width), "error")
    if rows == 0 or columns == 0:
        raise ArgumentError(
            f"the window of {rows} x {columns} pixels (height x width) holds nothing to decode"
        )
    return y, x, y + rows, x + columns
