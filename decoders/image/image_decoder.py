"""The image decoder as an operator: what all image decoders share, and `fn.decoders.image`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import EarlyRows, Workspace
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import (
    BOOL,
    DTYPE,
    FLOAT,
    IMAGE_TYPE,
    INT,
    INTS,
    LEAVE_OUT,
    NO_EFFECT,
    STR,
    param,
)
from ...engine.graph.rules import BatchRules, Input
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import INT64, RGB, UINT8, to_numpy_type
from ...engine.tensors.rows import MetadataFunction
from . import shrink
from .decode import DecodedToFit, Roi, decode, decode_to_fit, peek_shape
from .engines import nvimgcodec
from .formats import jpeg_batch_headers
from .formats.base import Box, Empty, ImageFormat
from .mixed import MixedDecoding, Windows
from .table import added_formats, restore_formats

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext, RowsContext
    from .image_cache import ImageCache

_BLEMISHED = "damaged files with intact pixels"
_USUAL_SIZES = np.array([(375, 500), (500, 375), (333, 500), (375, 500), (250, 333)])
_LARGE_SIZES = np.array([(500, 375), (768, 1024), (1230, 1640), (1600, 1600), (1640, 1230)])
_GPU_DTYPES = ("uint8", "uint16", "int16", "float16", "float32")
_DTYPES = (*_GPU_DTYPES, "int32", "uint32")


_FOR_THE_CPU = (
    "decode on the GPU: device='mixed'",
    "fit=(height, width), if a resize follows: JPEG files are decoded at a lower resolution",
    "store smaller images: `penstock convert` can resize them once",
    "decode each image once: cache='ram' or 'disk', where the decoded images have room",
    "shrink_shorter, with a cache: the images take less room",
    "more cores",
)
_FOR_THE_GPU = (
    "files of a form that the GPU decodes, such as JPEG: `penstock convert` makes them",
    "smaller files",
    "decode each image once: cache='gpu', where the GPU has room for decoded images, or 'ram'",
)
_FOR_THE_ENGINE = (
    "hw_decoder_load left out: CUDA cores then decode some of the files",
    "hw_decoder_load=0: CUDA cores decode all of them",
    "another GPU",
)


class FormatUser(SampleOperator):
    """Base of the operators that use the table of formats.

    Worker processes get the formats that `register_format` added together with the operator.
    """

    def __reduce__(self) -> Any:
        make, arguments, state = super().__reduce__()
        return _make_with_formats, (added_formats(), make, arguments), state


def _make_with_formats(
    formats: tuple[ImageFormat, ...], make: Callable[..., object], arguments: tuple[object, ...]
) -> Any:
    restore_formats(formats)
    return make(*arguments)


class ImageDecoder(FormatUser):
    """Base of the image decoders: their common arguments, and the decode of one sample.

    Outputs:
        images: HWC, of the type `dtype`.

    Raises:
        DecodeError: the bytes are no supported image, or pixels are damaged or missing.
        MissingDependencyError: the libraries for TIFF or JPEG 2000 are missing.
    """

    inputs: ClassVar[tuple[str | Input, ...]] = ("encoded",)
    is_windowed: bool = True
    """Whether it decodes a window of each image."""

    output_type = param(
        IMAGE_TYPE,
        RGB,
        "Color space: RGB, BGR, GRAY, YCbCr (ITU-R BT.601, Y from 16 to 235), or ANY_DATA for "
        "the file's own channels. All but ANY_DATA drop alpha. Palettes give colors. Of more than "
        "four channels they take the first three for RGB.",
    )
    dtype = param(
        DTYPE,
        UINT8,
        "Dtype of the result: UINT8, UINT16, INT16, FLOAT16 or FLOAT; with device='cpu' INT32 or "
        "UINT32, too. Values are scaled to its range: 255 of an 8-bit file, and 4095 of a 12-bit "
        "file, is 65535 in UINT16 and 1.0 in FLOAT. Integers of more than 16 bits, such as the "
        "labels in a TIFF, keep their values; a value that the dtype cannot hold is an error.",
    )
    adjust_orientation = param(BOOL, True, "Turn the image upright as its EXIF data says.")
    fit = param(
        INTS,
        None,
        "The size (height, width) that a later operator shrinks the image to. JPEG is then decoded "
        "at 1/2, 1/4 or 1/8 of its size where that still leaves as many pixels each way, and "
        "without smoothing chroma. The result is smaller, and the following resize gives "
        "slightly different pixels (1 to 2 gray levels on average) in less time. One number "
        "stands for both.",
    )
    shrink_shorter = param(
        INT,
        0,
        "Scale each decoded image down, before a window is cut out, so that its shorter side has "
        "this number of pixels. Each pixel is the mean of its area. Smaller images stay as they "
        "are. With `cache`, the cache keeps the smaller images, and more of them. Without, every "
        "image is decoded whole.",
        minimum=0,
    )
    use_fast_idct = param(BOOL, False, NO_EFFECT)
    jpeg_fancy_upsampling = param(
        BOOL,
        False,
        "With device='mixed', interpolate the chroma of all JPEG files smoothly, as the CPU does. "
        "The hardware engine cannot do that, so CUDA cores decode in its place.",
    )
    hw_decoder_load = param(
        FLOAT,
        None,
        "With device='mixed', the part of each batch's plain JPEG files that the hardware "
        "engine decodes. CUDA cores decode the others, which differ by rounding. By default CUDA "
        "cores help as far as the engine limits the pipeline, and small batches may be computed "
        "together. A number makes pixels the same in every run; with 0 the engine stays unused.",
        minimum=0,
        maximum=1,
    )
    hybrid_huffman_threshold = param(INT, 1000000, NO_EFFECT)
    device_memory_padding = param(INT, 16777216, NO_EFFECT)
    host_memory_padding = param(INT, 8388608, NO_EFFECT)
    device_memory_padding_jpeg2k = param(INT, 0, NO_EFFECT)
    host_memory_padding_jpeg2k = param(INT, 0, NO_EFFECT)
    preallocate_width_hint = param(INT, 0, NO_EFFECT)
    preallocate_height_hint = param(INT, 0, NO_EFFECT)
    affine = param(BOOL, True, NO_EFFECT)
    memory_stats = param(BOOL, False, NO_EFFECT, deprecated=LEAVE_OUT)
    cache = param(
        STR,
        None,
        "Keep whole decoded images, so that later epochs copy them and decode nothing: 'ram' in "
        "memory, for as long as a pipeline uses the cache; 'disk' in `cache_folder`, for later "
        "runs, too; with device='mixed', 'gpu' in the GPU's memory. All processes of a user on a "
        "host share one cache of a size, but for 'gpu'.",
        choices=("ram", "disk", "gpu"),
    )
    cache_size = param(
        INT,
        0,
        "The most MiB that the cache takes. A full cache keeps what it has, and other images are "
        "decoded. Without `cache`, the number asks for cache='gpu' with device='mixed', as in "
        "DALI, and has no effect on the CPU.",
        minimum=0,
    )
    cache_folder = param(STR, "", "With cache='disk', the folder of the cache's file.")
    cache_threshold = param(
        INT, 0, "With a cache, decoded images of fewer bytes are not stored.", minimum=0
    )
    cache_debug = param(BOOL, False, NO_EFFECT)
    cache_batch_copy = param(BOOL, True, NO_EFFECT)
    cache_type = param(STR, "", NO_EFFECT)
    split_stages = param(BOOL, False, NO_EFFECT, deprecated=LEAVE_OUT)
    use_chunk_allocator = param(BOOL, False, NO_EFFECT, deprecated=LEAVE_OUT)

    def prepare(self) -> None:
        owner = f"fn.{self.name}"
        dtype = to_numpy_type(self.dtype)
        dtypes = _GPU_DTYPES if self.device == "mixed" else _DTYPES
        if dtype.name not in dtypes:
            raise ArgumentError(
                f"{owner}: dtype must be one of {', '.join(dtypes)} with "
                f"device={self.device!r}, but is {dtype.name}"
            )
        self._blemished = 0
        self._lock = Lock()  # taken for blemished files alone
        options: dict[str, Any] = {
            "output": self.output_type.name,
            "dtype": dtype,
            "use_exif": self.adjust_orientation,
            "report_blemish": self._report_blemish,
        }
        self._decode: Callable[..., Array] = partial(decode, **options)
        self._decode_to_fit: Callable[..., DecodedToFit] = partial(decode_to_fit, **options)
        self._fit = None if self.fit is None else _pair(owner, self.fit)
        if self.shrink_shorter:
            self._check_shrink(dtype)
        load = 0.0 if self.jpeg_fancy_upsampling else self.hw_decoder_load
        if self.device == "mixed":
            nvimgcodec.check_installed()
        self._cache = None
        if self.cache is not None or (self.cache_size and self.device == "mixed"):
            self._cache = self._image_cache(load)
        self._mixed = None
        if self.device == "mixed":
            output, upright = self.output_type.name, self.adjust_orientation
            self.batches = BatchRules(sample_independent=True, nondeterministic=load is None)
            functions: dict[str, MetadataFunction] = {
                jpeg_batch_headers.METADATA: jpeg_batch_headers.headers
            }
            if self._cache is not None:
                from ..cache import keys

                functions[keys.METADATA] = keys.digests
            given = load, self.shrink_shorter, self._report_blemish, self._cache
            self._mixed = MixedDecoding(output, dtype, upright, *given)
            self.metadata_functions = functions

    def _image_cache(self, load: float | None) -> ImageCache:
        """Return the cache, which opens when it is used; `cache_size` alone asks for "gpu"."""
        from .image_cache import ImageCache, place_of  # only programs with a cache pay for this

        on_gpu = self.device == "mixed"
        place = place_of(self, self.cache or "gpu", self.cache_size, self.cache_folder)
        if self._fit is not None and self.is_windowed and not on_gpu:
            self.refuse(
                "with fit, the size of a decoded image depends on its window, so there is no whole "
                "image to cache; leave out fit or cache"
            )
        return ImageCache(
            place,
            self.output_type.name,
            to_numpy_type(self.dtype),
            self.adjust_orientation,
            self.shrink_shorter,
            self.cache_threshold,
            self._report_blemish,
            on_gpu=on_gpu,
            also=load if on_gpu else self._fit,
        )

    def _check_shrink(self, dtype: DType) -> None:
        if dtype.name not in shrink.DTYPES:
            self.refuse(
                f"shrink_shorter averages pixels, but {dtype.name} may hold numbers, such as "
                f"labels; ask for one of {', '.join(shrink.DTYPES)}"
            )
        if self._fit is not None:
            self.refuse("fit and shrink_shorter both choose the size; leave one of them out")

    def check_machine(self) -> None:
        if self._cache is not None:
            self._cache.check_machine()

    def _report_blemish(self, _: str) -> None:
        with self._lock:
            self._blemished += 1

    def remedies(self) -> Remedies:
        if self.device != "cpu":
            return {"decoding": _FOR_THE_GPU, "engine": _FOR_THE_ENGINE}
        return {"decoding": _FOR_THE_CPU, "bus": ("decoding on the GPU: device='mixed'",)}

    def event_counts(self) -> dict[str, int]:
        counts = {} if self._cache is None else self._cache.event_counts()
        if self._mixed is not None:
            counts |= self._mixed.event_counts()
        return counts | ({_BLEMISHED: self._blemished} if self._blemished else {})

    def remark(self) -> str:
        cache = "" if self._cache is None else self._cache.remark()
        decoders = "" if self._mixed is None else self._mixed.path_used
        return "; ".join(filter(None, (cache, decoders)))

    def close(self) -> None:
        if self._mixed is not None:
            self._mixed.close()
        if self._cache is not None:
            self._cache.close()

    def boxes(
        self, rows: RowsContext, sizes: NDArray[np.int64], *inputs: object, **arguments: object
    ) -> NDArray[np.int64]:
        """Return the box to decode of each image of a batch.

        Args:
            rows: rows of the batch. For a row without a box the error is entered there.
            sizes: sizes of the upright images, height and width: (batch, 2).
            inputs, arguments: inputs and arguments of the operator.

        Returns:
            y0, x0, y1 and x1 of each box: (batch, 4).
        """
        return np.concatenate([np.zeros_like(sizes), sizes], axis=1)

    def begin_gpu(
        self, batch: BatchContext, encoded: TensorListCPU, *inputs: object, **arguments: object
    ) -> object:
        assert self._mixed is not None
        return self._mixed.begin(batch, flat_batch(encoded), self._windows(inputs, arguments))

    def batch_gpu(
        self, batch: BatchContext, encoded: TensorListCPU, *inputs: object, **arguments: object
    ) -> TensorListGPU:
        assert self._mixed is not None
        return self._mixed.run(batch, flat_batch(encoded), self._windows(inputs, arguments))

    def rehearse(self, batch: BatchContext, *inputs: object, **arguments: object) -> TensorListGPU:
        """Decode plain JPEG files of photographs' sizes, height and width; some are large."""
        assert self._mixed is not None
        sizes = _USUAL_SIZES[np.arange(batch.size) % len(_USUAL_SIZES)]
        sizes[::2] = _LARGE_SIZES[batch.number % len(_LARGE_SIZES)]
        shrunk, rows = shrink.shrunk_sizes(sizes, self.shrink_shorter), EarlyRows(batch)
        if self.per_sample or len(self.layouts) > 1:  # only the CPU's data tell the windows
            boxes = ImageDecoder.boxes(self, rows, shrunk)
        else:
            boxes = self.boxes(rows, shrunk, **arguments)
        boxes[list(rows.errors)] = 0, 0, 1, 1
        return self._mixed.rehearse(batch.device, sizes, boxes)

    def _windows(self, inputs: tuple[object, ...], arguments: dict[str, object]) -> Windows:
        return lambda rows, sizes: self.boxes(rows, sizes, *inputs, **arguments)

    def output_layouts(self) -> tuple[str, ...]:
        return ("HWC",)

    def decoded(self, workspace: Workspace, encoded: Array, roi: Roi = None) -> Array:
        """Decode one sample, or the region `roi` of it."""
        encoded = _flat(encoded)
        # The library decodes whole images: with a region, the whole image goes to scratch memory.
        memory = workspace.empty if roi is None else workspace.scratch
        whole = partial(self._whole, workspace)
        image = None if self._cache is None else self._cache.image(encoded, memory, whole)
        if image is None and self.shrink_shorter:
            image = whole(encoded, empty=memory)
        if image is not None:
            return image if roi is None else _region(image, roi)
        return self._decoded(encoded, roi=roi, empty=memory)

    def _whole(
        self, workspace: Workspace, encoded: Array, *, empty: Empty, **options: object
    ) -> Array:
        """Decode a whole image into memory of `empty`, and scale it down."""
        if not self.shrink_shorter:
            return self._decoded(encoded, empty=empty, **options)
        image = self._decoded(encoded, empty=workspace.scratch, **options)
        return shrink.shrink(image, self.shrink_shorter, empty)

    def _decoded(self, encoded: Array, **options: object) -> Array:
        if self._fit is None:
            return self._decode(encoded, **options)
        return self._decode_to_fit(encoded, fit=self._fit, **options).image


def _flat(encoded: Array) -> Array:
    """Return a file of shape (1, size) or (size, 1), or of int8, as uint8 of shape (size,)."""
    if encoded.ndim == 1 and encoded.dtype == np.uint8:
        return encoded
    is_file = encoded.dtype in (np.uint8, np.int8) and encoded.size == max(encoded.shape, default=0)
    return np.ascontiguousarray(encoded).view(np.uint8).reshape(-1) if is_file else encoded


def flat_batch(encoded: TensorListCPU) -> TensorListCPU:
    """Return a batch of files with each of them in the form of `_flat`."""
    if encoded.ndim() == 1 and encoded.dtype == UINT8:
        return encoded
    return TensorListCPU([_flat(row) for row in encoded.rows()])


def _region(image: Array, roi: Box | Callable[[int, int], Box]) -> Array:
    y0, x0, y1, x1 = roi(*image.shape[:2]) if callable(roi) else roi
    return image[y0:y1, x0:x1]


def _pair(owner: str, fit: tuple[int, ...]) -> tuple[int, int]:
    pair = fit * 2 if len(fit) == 1 else fit
    if len(pair) != 2 or min(pair) < 1:
        raise ArgumentError(f"{owner}: fit must be (height, width) in pixels, but is {fit}")
    return pair[0], pair[1]


@register
class Image(ImageDecoder):
    """Decodes images: JPEG, PNG, TIFF, BMP, WebP, JPEG 2000, PNM, AVIF and others, recognized by
    their content.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.image(file))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(60, 80, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension. As in DALI, int8 and the
            shapes (1, size) and (size, 1) are taken, too.
    """

    name = "decoders.image"
    aliases = ("image_decoder", "experimental.decoders.image")
    devices = ("cpu", "mixed")
    is_windowed = False

    def sample(self, workspace: Workspace, encoded: Array) -> Array:
        return self.decoded(workspace, encoded)


@register
class PeekImageShape(FormatUser):
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
    """

    name = "peek_image_shape"
    aliases = ("experimental.peek_image_shape",)
    inputs = ("encoded",)

    dtype = param(DTYPE, INT64, "Integer or float type of the result.")
    adjust_orientation = param(BOOL, True, "Return the shape after the image is turned upright.")
    image_type = param(IMAGE_TYPE, RGB, "Color space that the image will be decoded to.")

    def prepare(self) -> None:
        self._dtype = to_numpy_type(self.dtype)

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(self, workspace: Workspace, encoded: Array) -> Array:
        output, upright = self.image_type.name, self.adjust_orientation
        return np.array(peek_shape(encoded, output=output, use_exif=upright), self._dtype)
