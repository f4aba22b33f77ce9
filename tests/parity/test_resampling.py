"""`resample` against the real DALI's CPU `fn.resize`."""

import numpy as np
import pytest

from penstock.operators.resize.cpu_resample import resample
from penstock.operators.resize.filters import Filter

dali = pytest.importorskip("nvidia.dali")
fn = pytest.importorskip("nvidia.dali.fn")
types = pytest.importorskip("nvidia.dali.types")

DTYPES = {
    np.uint8: types.UINT8,
    np.int16: types.INT16,
    np.uint16: types.UINT16,
    np.float32: types.FLOAT,
}
MIXED_SIZES = [
    ((50, 70, 3), (31, 33)),
    ((31, 20, 3), (77, 64)),
    ((40, 30, 1), (20, 90)),
    ((40, 30, 5), (90, 20)),
    ((1, 37, 3), (5, 11)),
    ((37, 1, 3), (11, 5)),
    ((1, 1, 3), (4, 4)),
    ((300, 200, 3), (3, 4)),
    ((276, 368, 3), (224, 224)),
    ((150, 120, 3), (224, 224)),
    ((100, 300, 3), (100, 224)),
    ((300, 100, 4), (224, 100)),
    ((64, 48, 3), (32, 24)),
    ((64, 48, 3), (64, 48)),
]
REGIONS = [
    ((53, 47, 3), (29, 61), (3.3, 5.7, 40.2, 33.1)),
    ((53, 47, 3), (29, 61), (40.2, 33.1, 3.3, 5.7)),
    ((53, 47, 3), (29, 61), (3.3, 33.1, 40.2, 5.7)),
    ((53, 47, 1), (90, 20), (40.0, 5.0, 10.0, 35.0)),
    ((53, 47, 3), (20, 20), (10.0, 5.0, 30.0, 25.0)),
    ((53, 47, 3), (20, 20), (30.0, 5.0, 10.0, 25.0)),
]
OUTSIDE = [
    ((53, 47, 3), (20, 20), (-5.0, -3.0, 60.0, 55.0)),
    ((53, 47, 3), (80, 90), (60.0, 40.0, -8.0, 55.0)),
]


# On the axis that DALI resamples last, it computes positions from the edge of the region; Penstock
# computes them from the edge of the image. The last bit of float32 may differ, and decides ties.
# Nearest neighbor: a sample just between two pixels takes the other pixel. Gaussian, which breaks
# off at exp(-4) of its middle: a pixel just at its end counts or not. The other filters end at 0.
TIES = {Filter.GAUSSIAN: 0.02}


def random_image(seed, shape, dtype):
    rng = np.random.default_rng(seed)
    if dtype is np.float32:
        return rng.random(shape, np.float32)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def resize_with_dali(images, sizes, regions=None, **options):
    """One batch through `fn.resize`; sizes and regions vary by sample."""

    inputs = [images, [np.array(size, np.float32) for size in sizes]]
    if regions:
        inputs += [[np.array(box[:2], np.float32) for box in regions]]
        inputs += [[np.array(box[2:], np.float32) for box in regions]]

    @dali.pipeline_def(batch_size=len(images), num_threads=2, device_id=None)
    def pipeline():
        image, *arguments = fn.external_source(
            lambda: tuple(inputs),
            num_outputs=len(inputs),
            dtype=[DTYPES[images[0].dtype.type], types.FLOAT, types.FLOAT, types.FLOAT][
                : len(inputs)
            ],
            layout=["HWC", "", "", ""][: len(inputs)],
        )
        names = ("size", "roi_start", "roi_end")
        return fn.resize(image, **dict(zip(names, arguments, strict=False)), **options)

    pipe = pipeline()
    pipe.build()
    (result,) = pipe.run()
    return [np.array(result[i]) for i in range(len(images))]


def interp_type(chosen):
    return types.INTERP_NN if chosen is Filter.NEAREST else getattr(types, f"INTERP_{chosen.name}")


def value_range(dtype):
    return 1.0 if np.dtype(dtype).kind == "f" else float(np.iinfo(dtype).max)


def assert_alike(result, expected, chosen, tie=0.0):
    """Assert that results agree within rounding, and within `tie` of the range of values."""
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    difference = np.abs(result.astype(np.float64) - expected)
    if chosen is Filter.NEAREST:
        assert difference.max() == 0
    elif result.dtype == np.float32:
        assert difference.max() < 2e-5 + tie
    else:
        # DALI does not round all halves alike, and OpenCV rounds between the axes.
        assert difference.max() <= 1 + tie * 2 * value_range(result.dtype)
        assert tie or difference.mean() <= 0.3


def lines_that_differ(difference):
    """Return how many rows and columns, at least, hold all differences."""
    rows, columns = difference.any((1, 2)).sum(), difference.any((0, 2)).sum()
    return min(rows, columns)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("chosen", Filter)
def test_whole_images(chosen, antialias, dtype):
    images = [random_image(i, shape, dtype) for i, (shape, _) in enumerate(MIXED_SIZES)]
    sizes = [size for _, size in MIXED_SIZES]
    options = {"interp_type": interp_type(chosen), "antialias": antialias}
    expected = resize_with_dali(images, sizes, **options)
    for image, size, one in zip(images, sizes, expected, strict=True):
        result = resample(image, size, min_filter=chosen, mag_filter=chosen, antialias=antialias)
        assert_alike(result, one, chosen)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("chosen", Filter)
def test_regions(chosen, antialias, dtype):
    # Beyond the right border DALI's NEAREST reads memory that is not the image's.
    cases = REGIONS if chosen is Filter.NEAREST else REGIONS + OUTSIDE
    images = [random_image(i, shape, dtype) for i, (shape, *_) in enumerate(cases)]
    sizes, regions = [case[1] for case in cases], [case[2] for case in cases]
    options = {"interp_type": interp_type(chosen), "antialias": antialias}
    expected = resize_with_dali(images, sizes, regions, **options)
    for image, size, region, one in zip(images, sizes, regions, expected, strict=True):
        result = resample(
            image, size, roi=region, min_filter=chosen, mag_filter=chosen, antialias=antialias
        )
        assert_alike(result, one, chosen, TIES.get(chosen, 0.0))


def random_region(rng, shape):
    """The whole image, a part between pixels, or any part, perhaps mirrored."""
    kind = rng.integers(3)
    if kind == 0:
        return (0.0, 0.0, *map(float, shape[:2]))
    ends = [rng.choice(side + 1, 2, replace=False) for side in shape[:2]]
    if kind == 1:
        moved = [end + rng.uniform(-0.4, 0.4, 2) for end in ends]
        ends = [np.clip(end, 0, side) for end, side in zip(moved, shape, strict=False)]
    # As DALI is given it.
    return tuple(float(np.float32(ends[i][j])) for j in (0, 1) for i in (0, 1))


@pytest.mark.parametrize("chosen", Filter)
def test_many_sizes_and_regions(chosen):
    """Sizes at random meet samples that float32 puts on one side of a pixel or the other."""
    rng = np.random.default_rng(20)
    count = 100
    images = [random_image(i, (*rng.integers(1, 300, 2), 1), np.float32) for i in range(count)]
    sizes = [tuple(map(int, rng.integers(1, 300, 2))) for _ in range(count)]
    regions = [random_region(rng, image.shape) for image in images]
    expected = resize_with_dali(images, sizes, regions, interp_type=interp_type(chosen))
    for image, size, region, one in zip(images, sizes, regions, expected, strict=True):
        result = resample(image, size, roi=region, min_filter=chosen, mag_filter=chosen)
        difference = np.abs(result - one)
        if chosen is Filter.NEAREST:
            assert lines_that_differ(difference) <= 1
        else:
            assert difference.max() < 2e-4 + TIES.get(chosen, 0.0)


def test_relative_regions_are_multiples_of_the_size():
    image = random_image(1, (53, 47, 3), np.float32)
    relative = (0.1, 0.9, 0.8, 0.2)
    (expected,) = resize_with_dali([image], [(30, 20)], [relative], roi_relative=True)
    roi = tuple(part * image.shape[i % 2] for i, part in enumerate(relative))
    assert_alike(resample(image, (30, 20), roi=roi), expected, Filter.LINEAR)


@pytest.mark.parametrize("min_filter", [Filter.NEAREST, Filter.GAUSSIAN, Filter.LANCZOS3])
@pytest.mark.parametrize("mag_filter", [Filter.NEAREST, Filter.CUBIC, Filter.TRIANGULAR])
def test_filters_for_shrinking_and_enlarging(min_filter, mag_filter):
    images = [random_image(i, shape, np.float32) for i, (shape, _) in enumerate(MIXED_SIZES)]
    sizes = [size for _, size in MIXED_SIZES]
    options = {"min_filter": interp_type(min_filter), "mag_filter": interp_type(mag_filter)}
    expected = resize_with_dali(images, sizes, **options)
    for image, size, one in zip(images, sizes, expected, strict=True):
        result = resample(image, size, min_filter=min_filter, mag_filter=mag_filter)
        assert_alike(result, one, Filter.LINEAR)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16])
@pytest.mark.parametrize("chosen", Filter)
def test_float32_results_of_integers(chosen, dtype):
    images = [random_image(i, shape, dtype) for i, (shape, _) in enumerate(MIXED_SIZES)]
    sizes = [size for _, size in MIXED_SIZES]
    expected = resize_with_dali(images, sizes, interp_type=interp_type(chosen), dtype=types.FLOAT)
    for image, size, one in zip(images, sizes, expected, strict=True):
        result = resample(image, size, min_filter=chosen, mag_filter=chosen, dtype=np.float32)
        assert result.dtype == one.dtype == np.float32
        assert np.abs(result - one).max() <= 2e-5 * (float(np.iinfo(dtype).max) + 1)


def test_the_defaults_are_dalis():
    image = random_image(1, (90, 40, 3), np.float32)
    (expected,) = resize_with_dali([image], [(30, 80)])
    assert_alike(resample(image, (30, 80)), expected, Filter.LINEAR)
