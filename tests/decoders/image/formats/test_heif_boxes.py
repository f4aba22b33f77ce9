"""Items of HEIF files that pillow-heif writes, and damage of their boxes."""

from __future__ import annotations

import io

import numpy as np
import pillow_heif
import pytest
from PIL import Image

from penstock.decoders.image.formats.heif_boxes import read_items
from penstock.engine.errors import DecodeError

from .heif_files import IMIR, IROT, heic, with_properties
from .pictures import smooth_picture


def test_tiles_belong_to_the_primary_item():
    items = read_items(memoryview(heic(smooth_picture(150, 200, 3), tile_size=64)), "HEIF")
    assert items.kinds[items.primary] == b"grid"
    parts = items.parts(items.primary)
    assert len(parts) == 3 * 4
    assert {items.kinds[part] for part in parts} == {b"hvc1"}


def test_alpha_refers_to_its_picture():
    items = read_items(memoryview(heic(smooth_picture(72, 96, 4))), "HEIF")
    ((link, alpha, picture),) = items.links
    assert (link, picture) == (b"auxl", items.primary)
    assert b"auxC" in {box.name for box in items.properties[alpha]}


def test_properties_keep_their_order():
    content = with_properties(heic(smooth_picture(72, 96, 3)), IMIR + b"\1", IROT + b"\1")
    items = read_items(memoryview(content), "HEIF")
    assert [box.name for box in items.properties[items.primary]][-2:] == [b"imir", b"irot"]


def test_the_primary_item_may_be_any():
    file = io.BytesIO()
    several = pillow_heif.HeifFile()
    for size in (64, 72, 80):
        several.add_from_pillow(Image.new("RGB", (size, size)))
    several.save(file, primary_index=2, quality=90)
    items = read_items(memoryview(file.getvalue()), "HEIF")
    assert items.primary == 3


@pytest.mark.parametrize("name", [b"meta", b"pitm", b"iprp"])
def test_missing_boxes_are_errors(name):
    content = heic(smooth_picture(72, 96, 3)).replace(name, b"free")
    with pytest.raises(DecodeError, match=r"^HEIF: "):
        read_items(memoryview(content), "HEIF")


def test_damaged_boxes_give_items_or_an_error():
    content = np.frombuffer(heic(smooth_picture(72, 96, 4)), np.uint8)
    end = content.tobytes().index(b"mdat")
    generator = np.random.default_rng(3)
    outcomes = set()
    for _ in range(2000):
        data = content.copy()
        data[generator.integers(end)] = generator.integers(256)
        try:
            outcomes.add(bool(read_items(data.data, "HEIF").primary >= 0))
        except DecodeError:
            outcomes.add(False)
    assert outcomes == {True, False}
