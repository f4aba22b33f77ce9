"""Every format on `device="mixed"`: the CPU's pixels, whichever decoder works."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.formats.base import ImageFormat, ImageHeader, StoredImage
from penstock.decoders.image.table import FORMATS, register_format
from penstock.testing.decoders import EncodedImage, MixedConformance

from ....decoders.image.zoo import zoo_images

pytest.importorskip("nvidia.nvimgcodec")


class TestJpegMixed(MixedConformance):
    mean_difference = 12.0  # the hardware engine interpolates chroma plainly

    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "jpeg", "exif")


class TestOtherFormatsMixed(MixedConformance):
    @pytest.fixture
    def images(self, image_zoo) -> dict[str, EncodedImage]:
        return zoo_images(image_zoo, "png", "tiff", "bmp", "webp", "jp2", "pbm", "pgm", "ppm")


def _raw_header(view: memoryview) -> ImageHeader:
    return ImageHeader("raw", view[4], view[5], channels=4, bits=8)


def _raw_decode(data, header, _) -> StoredImage:
    return StoredImage(data[6:].reshape(header.height, header.width, 4), "RGBA")


class TestAddedFormatMixed(MixedConformance):
    """A format without a decoder on the GPU: the CPU decodes, colors are converted."""

    @pytest.fixture
    def images(self):
        row = ImageFormat("raw", lambda head: head[:4] == b"RAW4", _raw_header, _raw_decode)
        register_format(row)
        pixels = np.arange(12 * 17 * 4, dtype=np.uint8).reshape(12, 17, 4)
        yield {"ramp": EncodedImage(b"RAW4" + bytes([12, 17]) + pixels.tobytes(), pixels)}
        del FORMATS["raw"]
