"""The same bytes through DALI's CPU decoder and ours."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from penstock.decoders.image.decode import decode, peek_shape

from ..decoders.image.tiff_files import written

pytest.importorskip("nvidia.dali")

# What DALI cannot do, or gets wrong: see the reasons.
DALI_FAILS = {
    ("jpeg_gray", "ANY_DATA"): "crashes the process",
    ("jpeg_gray_progressive", "ANY_DATA"): "crashes the process",
    ("png_gray_alpha8", "ANY_DATA"): "refused",
    ("png_gray_alpha16", "ANY_DATA"): "refused",
    ("bmp_rgba32", "ANY_DATA"): "refused",
    ("jpeg_cmyk_adobe", "ANY_DATA"): "refused",
    ("jpeg_cmyk_plain", "ANY_DATA"): "refused",
    ("jpeg_ycck_444", "ANY_DATA"): "refused",
    ("jpeg_ycck_420", "ANY_DATA"): "refused",
}
DALI_TYPES = {"uint8": "UINT8", "uint16": "UINT16", "int16": "INT16", "float32": "FLOAT"}
TOLERANCE = 0.5
# DALI truncates where we round: gray from CMYK (twice) and from BMP of 32 bits.
TRUNCATED_GRAY = ("jpeg_cmyk", "jpeg_ycck", "bmp_rgba32")
TRUNCATED_GRAY_TOLERANCE = 1.0


def run_dali(files, output, dtype, *, peek_only=False):
    dali = importlib.import_module("nvidia.dali")
    fn, types = dali.fn, dali.types
    pipe = dali.Pipeline(len(files), 2, None, prefetch_queue_depth=1)
    with pipe:
        encoded = fn.external_source(lambda: files)
        image_type = getattr(types, output)
        if peek_only:
            result = fn.peek_image_shape(encoded, image_type=image_type)
        else:
            result = fn.decoders.image(
                encoded, output_type=image_type, dtype=getattr(types, DALI_TYPES[dtype])
            )
        pipe.set_outputs(result)
    pipe.build()
    (batch,) = pipe.run()
    return [np.array(batch.at(i)) for i in range(len(files))]


def chosen(zoo, output):
    return {
        name: np.fromfile(image.path, np.uint8)
        for name, image in zoo.items()
        if (name, output) not in DALI_FAILS
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DALI_TYPES)
@pytest.mark.parametrize("output", ["RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA"])
def test_whole_zoo(image_zoo, output, dtype):
    files = chosen(image_zoo, output)
    unit = 1 / 255 if dtype == "float32" else np.iinfo(dtype).max / 255
    for (name, data), theirs in zip(
        files.items(), run_dali(list(files.values()), output, dtype), strict=True
    ):
        ours = decode(data, output=output, dtype=dtype)
        assert ours.shape == theirs.shape, name
        assert ours.dtype == theirs.dtype, name
        difference = np.abs(ours.astype(np.float64) - theirs).mean() / unit
        is_truncated = output == "GRAY" and name.startswith(TRUNCATED_GRAY)
        tolerance = TRUNCATED_GRAY_TOLERANCE if is_truncated else TOLERANCE
        assert difference <= tolerance, (name, difference)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("output", ["RGB", "GRAY", "ANY_DATA"])
def test_peeked_shapes(image_zoo, output):
    files = {name: np.fromfile(image.path, np.uint8) for name, image in image_zoo.items()}
    shapes = run_dali(list(files.values()), output, "uint8", peek_only=True)
    for (name, data), theirs in zip(files.items(), shapes, strict=True):
        assert peek_shape(data, output=output) == tuple(theirs), name


TIFFS = {
    "six bands": ((20, 30, 6), np.uint8, {"photometric": "minisblack", "planarconfig": "contig"}),
    "deep bands": ((20, 30, 5), np.uint16, {"photometric": "minisblack", "planarconfig": "contig"}),
    "zstd tiles": ((45, 70, 3), np.uint8, {"compression": "zstd", "tile": (16, 32)}),
    "deep zstd": ((45, 70, 3), np.uint16, {"compression": "zstd", "predictor": 2}),
    "floats": ((20, 30), np.float32, {}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", TIFFS)
@pytest.mark.parametrize("output", ["RGB", "ANY_DATA"])
@pytest.mark.parametrize("dtype", DALI_TYPES)
def test_forms_of_tiff(form, output, dtype):
    shape, stored, options = TIFFS[form]
    pixels = np.random.default_rng(6).random(shape)
    largest = 1.0 if stored is np.float32 else np.iinfo(stored).max
    data = written((pixels * largest).astype(stored), **options)
    (theirs,) = run_dali([data], output, dtype)
    ours = decode(data, output=output, dtype=dtype)
    assert ours.shape == theirs.shape
    unit = 1 / 255 if dtype == "float32" else np.iinfo(dtype).max / 255
    assert np.abs(ours.astype(np.float64) - theirs).max() <= 1.01 * max(unit / 257, 1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("output", ["RGB", "GRAY", "ANY_DATA"])
@pytest.mark.parametrize("stored", [np.uint8, np.uint16])
def test_tiff_of_many_channels(output, stored):
    random = np.random.default_rng(8)
    files = [
        written(
            random.integers(0, np.iinfo(stored).max, (20, 30, channels)).astype(stored),
            photometric="minisblack",
            planarconfig="contig",
            extrasamples=["unspecified"] * (channels - 1),
        )
        for channels in (4, 5, 6, 8)
    ]
    for data, theirs in zip(files, run_dali(files, output, "uint8"), strict=True):
        ours = decode(data, output=output, dtype="uint8")
        assert ours.shape == theirs.shape
        assert np.abs(ours.astype(int) - theirs).max() <= 1
    for data, theirs in zip(files, run_dali(files, output, "uint8", peek_only=True), strict=True):
        assert peek_shape(data, output=output) == tuple(theirs)
