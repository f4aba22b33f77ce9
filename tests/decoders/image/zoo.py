"""The fixtures' images, as the suite of image formats takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.testing.decoders import EncodedImage


def zoo_images(zoo: Mapping[str, Any], *prefixes: str) -> dict[str, EncodedImage]:
    """Return the images of the zoo whose names start with one of the prefixes."""
    keyed = {"png_rgb8_color_key", "png_palette8_alpha"}  # transparency is dropped, as in DALI
    return {
        name: EncodedImage(
            image.path.read_bytes(),
            image.truth(),
            image.bits,
            0.0 if image.lossless else 7.0,
            # The end marker of a JPEG, and a part of the last number of a text, may be missing.
            8 if image.path.suffix.lower() in (".jpg", ".jpeg") else 6 if "ascii" in name else 0,
            name not in keyed and "cmyk" not in name and "ycck" not in name,
        )
        for name, image in zoo.items()
        if name.startswith(prefixes) and min(image.shape[:2]) > 16
    }
