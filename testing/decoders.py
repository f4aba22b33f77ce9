"""Requirements on every image format, as test classes that the tests of each format inherit.

`FormatConformance` runs `decode`; `MixedConformance` runs pipelines on the GPU or its emulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from .. import fn
from ..decoders.image.decode import OUTPUTS, decode, decode_to_fit, peek_shape
from ..decoders.image.table import FORMATS, read_header
from ..engine import types
from ..engine.arrays import Array, DType
from ..engine.errors import DecodeError
from ..engine.pipeline.pipeline import Pipeline
from .agreement import turning
from .beside import CuPyConsumer, check

__all__ = [
    "UPRIGHT",
    "EncodedImage",
    "FormatConformance",
    "MixedConformance",
]

# EXIF 2.32 in arrays: from the stored image to the upright one.
UPRIGHT = {
    1: lambda stored: stored,
    2: lambda stored: stored[:, ::-1],
    3: lambda stored: stored[::-1, ::-1],
    4: lambda stored: stored[::-1],
    5: lambda stored: stored.swapaxes(0, 1),
    6: lambda stored: np.rot90(stored, -1),
    7: lambda stored: stored[::-1, ::-1].swapaxes(0, 1),
    8: lambda stored: np.rot90(stored, 1),
}
CHANNELS = {"RGB": 3, "BGR": 3, "GRAY": 1, "YCbCr": 3}
DTYPES = ("uint8", "uint16", "int16", "float32", "float16")


@dataclass(frozen=True)
class EncodedImage:
    """A file and its true pixels.

    Attributes:
        content: the file.
        pixels: upright, HWC, in the channels of `ANY_DATA`: gray, gray with alpha, RGB or RGBA.
        bits: of a stored sample.
        tolerance: largest mean difference to `pixels`, in levels of 255; 0 for lossless files.
        undetected_tail: number of bytes at the end that may be missing.
        keeps_channels: whether `ANY_DATA` gives the channels of `pixels`.
    """

    content: bytes
    pixels: Array
    bits: int = 8
    tolerance: float = 0.0
    undetected_tail: int = 0
    keeps_channels: bool = True

    @property
    def data(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.content, np.uint8)

    @property
    def colors(self) -> Array:
        """The true pixels without alpha."""
        return self.pixels[..., : {1: 1, 2: 1, 3: 3, 4: 3}[self.pixels.shape[2]]]

    @property
    def natural_output(self) -> str:
        return "GRAY" if self.colors.shape[2] == 1 else "RGB"


def levels(pixels: Array) -> Array:
    """Return pixels in levels from 0 to 255."""
    largest = 1.0 if pixels.dtype.kind == "f" else np.iinfo(pixels.dtype).max
    return pixels.astype(np.float64) * (255.0 / largest)


def is_refused(data: NDArray[np.uint8]) -> bool:
    """Return whether the decode of these bytes is an error."""
    try:
        decode(data)
    except DecodeError:
        return True
    return False


class FormatConformance:
    """Inherit this class, and give two things: `format_name` and the fixture `images`."""

    format_name: str

    @pytest.fixture
    def images(self) -> Mapping[str, EncodedImage]:
        raise NotImplementedError

    def test_header_agrees_with_decode(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            header = read_header(image.data)
            stored = decode(image.data, output="ANY_DATA", use_exif=False)
            assert header.format == self.format_name, name
            assert header.bits == image.bits, name
            assert (header.height, header.width, header.channels) == stored.shape, name
            for output in OUTPUTS:
                shape = peek_shape(image.data, output=output)
                assert shape == decode(image.data, output=output).shape, (name, output)

    def test_pixels_are_true(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            result = decode(image.data, output=image.natural_output, dtype=image.pixels.dtype)
            if image.tolerance == 0:
                np.testing.assert_array_equal(result, image.colors, err_msg=name)
            difference = np.abs(levels(result) - levels(image.colors)).mean()
            assert difference <= image.tolerance, name

    def test_any_data_keeps_the_channels(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            result = decode(image.data, output="ANY_DATA", dtype=image.pixels.dtype)
            if image.keeps_channels:
                assert result.shape == image.pixels.shape, name
            if image.keeps_channels and image.tolerance == 0:
                np.testing.assert_array_equal(result, image.pixels, err_msg=name)

    def test_color_spaces_follow_from_rgb(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            rgb = decode(image.data, dtype=np.float32).astype(np.float64)
            bgr = decode(image.data, output="BGR", dtype=np.float32)
            np.testing.assert_allclose(bgr, rgb[..., ::-1], atol=2e-3, err_msg=name)
            luma = rgb @ (0.299, 0.587, 0.114)
            gray = decode(image.data, output="GRAY", dtype=np.float32)[..., 0]
            assert np.abs(gray - luma).mean() * 255 < 2, name
            brightness = 16 + rgb @ (65.481, 128.553, 24.966)
            ycbcr = decode(image.data, output="YCbCr")
            assert np.abs(ycbcr[..., 0] - brightness).max() < 3, name

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dtypes_span_their_range(self, images: Mapping[str, EncodedImage], dtype: str) -> None:
        for name, image in images.items():
            result = decode(image.data, dtype=dtype)
            assert result.dtype == dtype
            expected = levels(decode(image.data, dtype=np.float32))
            assert np.abs(levels(result) - expected).max() <= 1.01, name

    def test_orientation_is_undone_if_asked(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            stored = decode(image.data, use_exif=False)
            upright = UPRIGHT[read_header(image.data).orientation](stored)
            np.testing.assert_array_equal(decode(image.data), upright, err_msg=name)

    @pytest.mark.parametrize("output", OUTPUTS)
    def test_windows_equal_crops_of_the_whole(
        self, images: Mapping[str, EncodedImage], output: str
    ) -> None:
        for name, image in images.items():
            whole = decode(image.data, output=output)
            height, width = whole.shape[:2]
            for y0, x0, y1, x1 in (
                (0, 0, height, width),
                (0, 0, height // 3, width),
                (height // 4, width // 5, height // 2, width - 1),
                (height - 1, width - 1, height, width),
            ):
                window = decode(image.data, output=output, roi=(y0, x0, y1, x1))
                np.testing.assert_array_equal(window, whole[y0:y1, x0:x1], err_msg=name)

    def test_a_reduced_image_shows_the_same(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            whole = decode(image.data)
            fit = (whole.shape[0] // 3, whole.shape[1] // 3)
            reduced = decode_to_fit(image.data, fit=fit)
            assert reduced.image.shape[0] >= fit[0], name
            assert abs(reduced.image.mean() - whole.mean()) < 4, name

    def test_result_lies_in_the_memory_given(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            lent: list[Array] = []

            def empty(shape: tuple[int, ...], dtype: DType, lent: list[Array] = lent) -> Array:
                lent.append(np.zeros(shape, dtype))
                return lent[-1]

            result = decode(image.data, dtype=np.uint16, empty=empty)
            assert len(lent) == 1, name
            assert np.shares_memory(result, lent[0]), name

    def test_data_may_be_read_only_and_stay_as_they_are(
        self, images: Mapping[str, EncodedImage]
    ) -> None:
        for name, image in images.items():
            copy = image.data.copy()
            decode(copy)
            np.testing.assert_array_equal(copy, image.data, err_msg=name)

    def test_truncated_files_are_errors(self, images: Mapping[str, EncodedImage]) -> None:
        for name, image in images.items():
            size = len(image.content)
            ends = [size * sixteenth // 16 for sixteenth in range(16)]
            for end in (*ends, size - 1 - image.undetected_tail):
                assert is_refused(image.data[:end]), f"{name}: {end} of {size} bytes"

    def test_truncated_headers_are_errors_or_headers(
        self, images: Mapping[str, EncodedImage]
    ) -> None:
        refused = 0
        for image in images.values():
            for end in range(0, min(len(image.content), 600), 7):
                try:
                    read_header(image.data[:end])
                except DecodeError:
                    refused += 1
        assert refused >= len(images)

    def test_the_format_stands_in_the_table(self) -> None:
        row = FORMATS[self.format_name]
        assert row.name == self.format_name
        assert not row.recognize(b"")


class MixedConformance:
    """Inherit this class beside the tests of the GPU, and give the fixture `images`.

    Attributes:
        mean_difference: largest mean difference of a file between the devices, in levels of 255.
    """

    mean_difference = 0.0

    @pytest.fixture
    def images(self) -> Mapping[str, EncodedImage]:
        raise NotImplementedError

    @pytest.mark.parametrize("output", ["RGB", "BGR", "GRAY", "YCbCr"])
    def test_cpu_and_mixed_agree(
        self, device_stage: bool, images: Mapping[str, EncodedImage], output: str
    ) -> None:
        self.compare(images, output_type=getattr(types, output))

    @pytest.mark.parametrize("dtype", [types.UINT16, types.FLOAT])
    def test_dtypes_agree(
        self, device_stage: bool, images: Mapping[str, EncodedImage], dtype: object
    ) -> None:
        self.compare(images, dtype=dtype)

    @pytest.mark.parametrize("load", [0.0, 1.0])
    def test_batches_are_right_beside_queued_work(
        self, device_stage: bool, images: Mapping[str, EncodedImage], load: float
    ) -> None:
        if not device_stage:
            pytest.skip("an emulated device has no work in a queue")
        arrays = [image.data for image in images.values()]
        options = {"hw_decoder_load": load}
        check(
            partial(
                turning,
                "mixed",
                "decoders.image",
                arrays,
                layout=[""],
                per_sample={},
                arguments=options,
                batch_size=len(arrays),
            ),
            CuPyConsumer(),
        )

    def compare(self, images: Mapping[str, EncodedImage], **options: object) -> None:
        """Decode all images on both devices, and compare the pixels."""
        cpu, mixed = (self._decoded(images, device, options) for device in ("cpu", "mixed"))
        for name, wanted, pixels in zip(images, cpu, mixed, strict=True):
            assert pixels.shape == wanted.shape, name
            assert pixels.dtype == wanted.dtype, name
            difference = np.abs(levels(pixels) - levels(wanted)).mean()
            assert difference <= self.mean_difference, name

    def _decoded(
        self, images: Mapping[str, EncodedImage], device: str, options: dict[str, Any]
    ) -> list[Array]:
        arrays = [image.data for image in images.values()]
        with Pipeline(batch_size=len(arrays), num_threads=2) as pipe:
            encoded = fn.external_source(source=lambda: arrays)
            pipe.set_outputs(fn.decoders.image(encoded, device=device, **options))
            return list(pipe.run()[0].as_cpu().rows())
