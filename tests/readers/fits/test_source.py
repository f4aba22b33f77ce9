"""Images in FITS files, read at random."""

import io

import numpy as np
import pytest

from penstock import fn
from penstock.engine.errors import DecodeError, MissingDependencyError, SourceError
from penstock.readers.fits import tile_process
from penstock.readers.fits.source import FitsSource
from penstock.readers.listing.listing import list_plain_files
from penstock.testing.descriptors import open_below
from penstock.testing.readers import SourceConformance

from ...fits_files import fits, hdu, header, padded

RANDOM = np.random.default_rng(3)
IMAGES = [
    RANDOM.integers(0, 99, shape).astype("i2") for shape in [(3, 4), (70, 90), (0, 5), (1, 1)]
]
FLOATS = [RANDOM.random((6, 7, 8)).astype("f4") for _ in range(4)]


def source_of(folder, contents, hdus=(2,)):
    paths = [folder / f"{i}.fits" for i in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    found = list_plain_files("test", files=[*map(str, paths)])
    return FitsSource(found, hdus)


class TestRaggedImages(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        return source_of(tmp_path, map_fits(IMAGES))

    @pytest.fixture
    def expected(self):
        return [(array,) for array in IMAGES]

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / f"{i}.fits" for i in range(len(IMAGES))]

    def read(self, paths):
        return fn.experimental.readers.fits(files=paths)

    def test_no_file_stays_open(self, source, tmp_path):
        source.read(np.arange(4), np.empty)
        assert open_below(tmp_path) == []


class TestSeveralHdus(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        contents = [
            fits(image, image[:1], float) for image, float in zip(IMAGES, FLOATS, strict=True)
        ]
        return source_of(tmp_path, contents, (4, 2))

    @pytest.fixture
    def expected(self):
        return list(zip(FLOATS, IMAGES, strict=True))


class TestConvertedNumbers(SourceConformance):
    @pytest.fixture
    def source(self, tmp_path):
        primary = hdu(None, primary=True)
        scale = ("BSCALE", b"0.5")
        contents = [primary + hdu(image, scale) for image in IMAGES[:2]]
        return source_of(tmp_path, [*contents, primary + hdu(IMAGES[3], ("BZERO", 32768))])

    @pytest.fixture
    def expected(self):
        halves = [(image * 0.5).astype("f4") for image in IMAGES[:2]]
        return [(array,) for array in [*halves, IMAGES[3].astype("u2") + 32768]]


def map_fits(arrays):
    return [fits(array) for array in arrays]


def test_images_of_one_form_are_one_array(tmp_path):
    (column,) = source_of(tmp_path, map_fits(FLOATS)).read(np.arange(4), np.empty)
    np.testing.assert_array_equal(column, np.stack(FLOATS), strict=True)


def test_errors_name_the_file(tmp_path):
    source = source_of(tmp_path, [fits(FLOATS[0]), fits(FLOATS[1])[:6000]])
    with pytest.raises(DecodeError, match=rf"{tmp_path}/1.fits: HDU 2, at offset 2880: .* cut off"):
        source.read(np.arange(2), np.empty)
    (tmp_path / "0.fits").unlink()
    with pytest.raises(OSError, match=r"0\.fits"):
        source.read(np.arange(1), np.empty)


def test_a_file_that_shrinks_while_it_is_read(tmp_path, monkeypatch):
    source = source_of(tmp_path, map_fits(FLOATS))

    def allocate(shape, dtype):
        (tmp_path / "2.fits").write_bytes(fits(FLOATS[2])[:6000])
        return np.empty(shape, dtype)

    with pytest.raises(SourceError, match=r"2\.fits: of 1344 bytes at offset 5760 only 240"):
        source.read(np.arange(4), allocate)


def compressed_bytes(array, kind, **options):
    """Return a file whose image is compressed, made by Astropy."""
    from astropy.io import fits as library

    file = io.BytesIO()
    image = library.CompImageHDU(array, compression_type=kind, **options)
    library.HDUList([library.PrimaryHDU(), image]).writeto(file)
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1"])
def test_compressed_images(tmp_path, kind):
    pytest.importorskip("astropy")
    array = RANDOM.integers(0, 99, (40, 50)).astype("i2")
    unsigned = array.astype("u2") + 32768
    contents = [compressed_bytes(array, kind)]
    contents += [compressed_bytes(unsigned, kind)] if kind != "PLIO_1" else []
    source = source_of(tmp_path, contents)
    (column,) = source.read(np.arange(len(contents)), np.empty)
    for found, wanted in zip(column, (array, unsigned), strict=False):
        np.testing.assert_array_equal(found, wanted, strict=True)


def test_compressed_integers_with_blank(tmp_path):
    library = pytest.importorskip("astropy.io.fits")
    array = np.arange(200).reshape(10, 20).astype("i4")
    content = compressed_bytes(array, "RICE_1", header=library.Header([("BLANK", 7)]))
    with library.open(io.BytesIO(content)) as file:
        expected = file[1].data
    (column,) = source_of(tmp_path, [content]).read(np.arange(1), np.empty)
    assert np.isnan(expected[0, 7])
    np.testing.assert_array_equal(column[0], expected)


@pytest.mark.slow
def test_compressed_floats(tmp_path):
    pytest.importorskip("astropy")
    array = RANDOM.random((40, 50)).astype("f4")
    lossless = compressed_bytes(array, "GZIP_2", quantize_level=0)
    rough = compressed_bytes(array, "RICE_1", quantize_level=16)
    (column,) = source_of(tmp_path, [lossless, rough]).read(np.arange(2), np.empty)
    np.testing.assert_array_equal(column[0], array, strict=True)
    np.testing.assert_allclose(column[1], array, atol=0.05)


def test_the_library_is_named_if_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(tile_process, "find_spec", lambda name: None)
    source = source_of(tmp_path, [hdu(None, primary=True) + compressed_header(40, 50)])
    with pytest.raises(MissingDependencyError, match=r"decoded by Astropy.*\[fits\]"):
        source.read(np.arange(1), np.empty)


def test_an_image_that_its_bytes_cannot_make(tmp_path):
    source = source_of(tmp_path, [hdu(None, primary=True) + compressed_header(10**5, 10**5)])
    with pytest.raises(DecodeError, match="compressed bytes claim to be an image of the shape"):
        source.read(np.arange(1), np.empty)


def compressed_header(height, width):
    cards = [("XTENSION", "BINTABLE"), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", 8), ("NAXIS2", 3)]
    image = [("ZIMAGE", True), ("ZBITPIX", 16), ("ZNAXIS", 2), ("ZNAXIS1", width)]
    counts = [("PCOUNT", 0), ("GCOUNT", 1), ("ZNAXIS2", height), ("ZCMPTYPE", "RICE_1")]
    return header([*cards, *image, *counts]) + padded(bytes(24))
