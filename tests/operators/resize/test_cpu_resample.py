import doctest
import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.operators.resize import cpu_resample as resize
from penstock.operators.resize.axes import plan_axis
from penstock.operators.resize.cpu_resample import BandCache, resample
from penstock.operators.resize.filters import Filter

DTYPES = [
    np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.float16, np.float32, np.float64,
]  # fmt: skip


def triangle(x):
    return np.maximum(0, 1 - np.abs(x))


def cubic(x):
    x = np.abs(x)
    near = 1.5 * x**3 - 2.5 * x**2 + 1
    far = -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def lanczos3(x):
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


def gaussian(x):
    return np.where(np.abs(x) <= 1, np.exp(-4 * x * x), 0)


KERNELS = {
    Filter.LINEAR: (1, triangle),
    Filter.TRIANGULAR: (1, triangle),
    Filter.CUBIC: (2, cubic),
    Filter.LANCZOS3: (3, lanczos3),
    Filter.GAUSSIAN: (1, gaussian),
}


def reference_weights(in_size, out_size, start, end, min_filter, mag_filter, antialias):
    """One axis as a full float64 matrix, sample by sample."""
    shrinks = out_size < abs(end - start)
    chosen = min_filter if shrinks else mag_filter
    step = (end - start) / out_size
    matrix = np.zeros((out_size, in_size))
    for row in range(out_size):
        position = start + (row + 0.5) * step
        if chosen is Filter.NEAREST:
            matrix[row, min(max(math.floor(position), 0), in_size - 1)] = 1
            continue
        radius, kernel = KERNELS[chosen]
        stretch = abs(step) if shrinks and antialias else 1.0
        center = position - 0.5
        reach = radius * stretch
        indices = np.arange(math.ceil(center - reach), math.floor(center + reach) + 1)
        weights = kernel((indices - center) / stretch)
        np.add.at(matrix[row], np.clip(indices, 0, in_size - 1), weights / weights.sum())
    return matrix


def reference(image, size, roi=None, filters=(Filter.LINEAR, Filter.LINEAR), antialias=True):
    height, width = image.shape[:2]
    y0, x0, y1, x1 = roi or (0, 0, height, width)
    vertical = reference_weights(height, size[0], y0, y1, *filters, antialias)
    horizontal = reference_weights(width, size[1], x0, x1, *filters, antialias)
    result = np.einsum("yh,hwc,xw->yxc", vertical, image.astype(float), horizontal, optimize=True)
    if image.dtype.kind == "f":
        return result
    limits = np.iinfo(image.dtype)
    return np.clip(np.rint(result), limits.min, limits.max)


def random_image(seed, height, width, channels, dtype):
    rng = np.random.default_rng(seed)
    shape = (height, width, channels)
    if np.dtype(dtype).kind == "f":
        return rng.random(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


# Of the range of values. Curved kernels are read from tables. The Gaussian does not vanish
# at its ends (exp(-4)), where float32 and float64 may disagree on what still counts.
TOLERANCE = {Filter.LINEAR: 3e-4, Filter.TRIANGULAR: 3e-4, Filter.GAUSSIAN: 0.05}
TABLE_TOLERANCE = 2e-3


def assert_close(result, expected, tolerance):
    if result.dtype.kind == "f":
        span, rounding = 1.0, float(np.finfo(result.dtype).eps)
    else:
        limits = np.iinfo(result.dtype)
        span, rounding = float(limits.max) - limits.min, 1.0
    error = np.abs(result.astype(float) - expected).max()
    assert error <= tolerance * span + rounding


sides = st.integers(1, 70)
filters = st.sampled_from(list(KERNELS))


@given(
    seed=st.integers(0, 1000),
    shape=st.tuples(sides, sides, st.integers(1, 6)),
    size=st.tuples(sides, sides),
    dtype=st.sampled_from(DTYPES),
    chosen=st.tuples(filters, filters),
    antialias=st.booleans(),
)
def test_whole_images(seed, shape, size, dtype, chosen, antialias):
    image = random_image(seed, *shape, dtype)
    result = resample(image, size, min_filter=chosen[0], mag_filter=chosen[1], antialias=antialias)
    assert result.shape == (*size, shape[2])
    assert result.dtype == dtype
    tolerance = max(TOLERANCE.get(one, TABLE_TOLERANCE) for one in chosen)
    assert_close(result, reference(image, size, None, chosen, antialias), tolerance)


@given(
    seed=st.integers(0, 1000),
    shape=st.tuples(sides, sides, st.integers(1, 4)),
    size=st.tuples(sides, sides),
    corners=st.tuples(*[st.floats(-0.25, 1.25, width=16)] * 4),
    dtype=st.sampled_from([np.uint8, np.int16, np.float32]),
    chosen=filters,
    antialias=st.booleans(),
)
def test_regions_fractional_mirrored_and_outside(
    seed, shape, size, corners, dtype, chosen, antialias
):
    image = random_image(seed, *shape, dtype)
    y0, x0, y1, x1 = (corner * shape[i % 2] for i, corner in enumerate(corners))
    if abs(y1 - y0) < 0.05:
        y1 = y0 + 1
    if abs(x1 - x0) < 0.05:
        x1 = x0 - 1
    roi = (y0, x0, y1, x1)
    result = resample(
        image, size, roi=roi, min_filter=chosen, mag_filter=chosen, antialias=antialias
    )
    tolerance = TOLERANCE.get(chosen, TABLE_TOLERANCE)
    assert_close(result, reference(image, size, roi, (chosen, chosen), antialias), tolerance)


@given(
    shape=st.tuples(sides, sides, st.integers(1, 5)),
    size=st.tuples(sides, sides),
    dtype=st.sampled_from(DTYPES),
    mirrored=st.booleans(),
    partial=st.booleans(),
)
def test_nearest_copies_the_pixel_under_each_sample(shape, size, dtype, mirrored, partial):
    image = random_image(3, *shape, dtype)
    height, width = shape[:2]
    corners = [0.1 * height, 0.2 * width, 0.75 * height, 1.1 * width]
    if not partial:
        corners = [0, 0, height, width]
    if mirrored:
        corners = corners[2:] + corners[:2]
    result = resample(
        image, size, roi=tuple(corners), min_filter=Filter.NEAREST, mag_filter=Filter.NEAREST
    )
    picks, clear = [], []
    for axis in (0, 1):
        step = (corners[axis + 2] - corners[axis]) / size[axis]
        positions = corners[axis] + (np.arange(size[axis]) + 0.5) * step
        picks.append(np.clip(np.floor(positions).astype(int), 0, shape[axis] - 1))
        # Between two pixels float32 decides, row by row as DALI does.
        clear.append(np.abs(positions - np.rint(positions)) > 1e-3)
    decided = np.ix_(*clear)
    np.testing.assert_array_equal(result[decided], image[np.ix_(*picks)][decided])


@pytest.mark.parametrize("nearest_axis", [0, 1])
def test_nearest_on_one_axis_and_linear_on_the_other(nearest_axis):
    image = random_image(5, 40, 40, 3, np.uint8)
    size = (24, 61) if nearest_axis == 0 else (61, 24)  # it is the min filter
    result = resample(image, size, min_filter=Filter.NEAREST, mag_filter=Filter.LINEAR)
    expected = reference(image, size, None, (Filter.NEAREST, Filter.LINEAR))
    assert np.abs(result - expected).max() <= 1


@pytest.mark.parametrize("chosen", [*KERNELS, Filter.NEAREST])
@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((4000, 3, 3), (3, 4)),
        ((3, 4000, 1), (2, 3)),
        ((2, 3, 3), (900, 1000)),
        ((1, 1, 3), (5, 7)),
        ((1, 90, 4), (1, 40)),
        ((90, 1, 2), (40, 1)),
        ((50, 60, 3), (1, 1)),
        ((100, 300, 3), (100, 200)),
        ((300, 100, 3), (200, 100)),
        ((64, 64, 130), (32, 50)),
    ],
)
def test_extreme_shapes(chosen, shape, size):
    image = random_image(7, *shape, np.uint8)
    result = resample(image, size, min_filter=chosen, mag_filter=chosen)
    expected = reference(image, size, None, (chosen, chosen))
    assert_close(result, expected, TOLERANCE.get(chosen, TABLE_TOLERANCE))


@pytest.mark.parametrize("chosen", [Filter.LINEAR, Filter.CUBIC])
@pytest.mark.parametrize(
    ("shape", "size"), [((1900, 901, 3), (50, 1000)), ((901, 1900, 3), (800, 45))]
)
def test_images_larger_than_is_converted_at_a_time(chosen, shape, size):
    image = random_image(7, *shape, np.uint8)
    result = resample(image, size, min_filter=chosen, mag_filter=chosen)
    assert_close(result, reference(image, size, None, (chosen, chosen)), TABLE_TOLERANCE)


@pytest.mark.parametrize("chosen", [Filter.LINEAR, Filter.CUBIC, Filter.LANCZOS3, Filter.NEAREST])
@pytest.mark.parametrize("dtype", DTYPES)
def test_same_size_is_a_copy_and_a_mirrored_region_a_mirror(chosen, dtype):
    image = random_image(9, 20, 30, 3, dtype)
    options = {"min_filter": chosen, "mag_filter": chosen}
    result = resample(image, (20, 30), **options)
    np.testing.assert_array_equal(result, image)
    assert not np.shares_memory(result, image)
    mirrored = resample(image, (20, 30), roi=(20, 30, 0, 0), **options)
    np.testing.assert_array_equal(mirrored, image[::-1, ::-1])
    part = resample(image, (10, 12), roi=(3, 17, 13, 5), **options)
    np.testing.assert_array_equal(part, image[3:13, 5:17][:, ::-1])


@pytest.mark.parametrize("size", [(31, 67), (90, 91), (20, 90), (40, 91), (20, 60)])
@pytest.mark.parametrize("chosen", [Filter.LINEAR, Filter.NEAREST, Filter.LANCZOS3])
@pytest.mark.parametrize(
    "view",
    [np.s_[5:45, 10:70], np.s_[::-1, ::-1], np.s_[:, :, ::-1], np.s_[::2, ::2], np.s_[:, :, 1:]],
)
def test_views_give_what_their_copies_give(size, chosen, view):
    image = random_image(11, 80, 120, 3, np.uint8)
    image.flags.writeable = False
    options = {"min_filter": chosen, "mag_filter": chosen}
    expected = resample(np.ascontiguousarray(image[view]), size, **options)
    np.testing.assert_array_equal(resample(image[view], size, **options), expected)


@pytest.mark.parametrize("size", [(31, 67), (90, 91), (20, 90), (90, 20), (40, 60), (40, 91)])
@pytest.mark.parametrize("chosen", [Filter.LINEAR, Filter.NEAREST, Filter.CUBIC])
@pytest.mark.parametrize("dtype", [None, np.float32])
def test_out_is_filled_and_returned_contiguous_or_not(size, chosen, dtype):
    image = random_image(13, 40, 60, 3, np.uint8)
    options = {"min_filter": chosen, "mag_filter": chosen, "dtype": dtype}
    expected = resample(image, size, **options)
    slab = np.zeros((3, *size, 3), expected.dtype)
    assert resample(image, size, out=slab[1], **options).base is slab
    np.testing.assert_array_equal(slab[1], expected)
    assert not slab[0].any()
    assert not slab[2].any()
    wide = np.zeros((size[0], size[1] + 5, 4), expected.dtype)
    resample(image, size, out=wide[:, 2:-3, :3], **options)
    np.testing.assert_array_equal(wide[:, 2:-3, :3], expected)
    assert not wide[:, :2].any()
    assert not wide[:, :, 3].any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(15, 17), (50, 60), (15, 60), (30, 60)])
def test_float32_results_are_not_rounded(dtype, size):
    image = random_image(15, 30, 40, 3, dtype)
    result = resample(image, size, dtype=np.float32)
    assert result.dtype == np.float32
    expected = reference(image.astype(np.float64), size)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_values_are_not_lost_in_32_bit_integers():
    image = np.full((10, 10, 1), 2**31 - 3, np.int32)
    assert (resample(image, (7, 13)) == 2**31 - 3).all()


def test_overshoot_of_sharp_filters_saturates():
    image = np.zeros((16, 16, 3), np.uint8)
    image[:, 8:] = 255
    for chosen in (Filter.CUBIC, Filter.LANCZOS3):
        result = resample(image, (37, 37), min_filter=chosen, mag_filter=chosen).astype(int)
        assert result[:, :14].max() < 40
        assert result[:, -14:].min() > 215


@pytest.mark.parametrize("chosen", [Filter.LINEAR, Filter.LANCZOS3])
@pytest.mark.parametrize("size", [(40, 50), (100, 130), (200, 260)])
def test_nan_and_infinity_stay_near_where_they_are(chosen, size):
    image = random_image(17, 100, 130, 1, np.float32)
    options = {"min_filter": chosen, "mag_filter": chosen}
    clean = resample(image, size, **options)
    image[10, 20], image[12, 22] = np.nan, np.inf
    result = resample(image, size, **options)
    assert not np.isfinite(result[size[0] // 10, size[1] * 20 // 130])
    far = np.s_[size[0] // 2 :, size[1] // 2 :]
    np.testing.assert_array_equal(result[far], clean[far])


def test_threads_get_what_one_thread_gets():
    images = [random_image(i, 50 + 7 * i, 140 - 5 * i, 3, np.uint8) for i in range(16)]
    jobs = [(image, chosen) for image in images for chosen in Filter]

    def work(job):
        image, chosen = job
        return resample(image, (64, 72), min_filter=chosen, mag_filter=chosen)

    expected = [work(job) for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            for result, one in zip(pool.map(work, jobs), expected, strict=True):
                np.testing.assert_array_equal(result, one)


IMAGE = np.zeros((8, 9, 3), np.uint8)


@pytest.mark.parametrize(
    ("image", "size", "options", "error", "message"),
    [
        (IMAGE[0], (4, 4), {}, ValueError, "got shape \\(9, 3\\)"),
        (IMAGE[:0], (4, 4), {}, ValueError, "none of them 0"),
        (IMAGE, (0, 4), {}, ValueError, "at least 1, got size"),
        (IMAGE, (4, -4), {}, ValueError, "at least 1, got size"),
        (IMAGE.astype(bool), (4, 4), {}, TypeError, "cannot resample bool"),
        (IMAGE.astype(np.int64), (4, 4), {}, TypeError, "cannot resample int64"),
        (IMAGE, (4, 4), {"dtype": np.int16}, TypeError, "uint8 like the image, or float32"),
        (IMAGE, (4, 4), {"roi": (0, 0, 0, 4)}, ValueError, "y0 != y1"),
        (IMAGE, (4, 4), {"roi": (0, 0, math.nan, 4)}, ValueError, "must be finite"),
        (IMAGE, (4, 4), {"roi": (0, 0, 1e12, 4)}, ValueError, "choose a region"),
        (IMAGE, (4, 4), {"out": np.zeros((4, 5, 3), np.uint8)}, ValueError, "out must have shape"),
        (IMAGE, (4, 4), {"out": np.zeros((4, 4, 3), np.int8)}, ValueError, "dtype uint8"),
        (IMAGE, (4, 9), {"out": IMAGE[:4]}, ValueError, "share memory"),
    ],
)
def test_bad_input_is_refused(image, size, options, error, message):
    with pytest.raises(error, match=message):
        resample(image, size, **options)


def test_the_examples_in_the_documentation_run():
    assert doctest.testmod(resize, raise_on_error=True).attempted > 0


def whole_axis(in_size, out_size):
    return plan_axis(in_size, out_size, 0.0, float(in_size), (Filter.LINEAR,) * 2, True)


def test_cache_returns_the_same_band_and_stays_within_its_bytes():
    cache = BandCache(max_bytes=100_000)
    axes = [whole_axis(n, 224) for n in range(230, 300)]
    assert cache.band_of(axes[0], np.float32) is cache.band_of(axes[0], np.float32)
    for axis in axes:
        cache.band_of(axis, np.float32)
        cache.band_of(axes[0], np.float32)
        assert cache.nbytes <= 100_000
    assert cache.nbytes > 50_000


def test_cache_keeps_what_was_used_last():
    cache = BandCache(max_bytes=100_000)
    axes = [whole_axis(n, 224) for n in range(230, 300)]
    kept = cache.band_of(axes[0], np.float32)
    for axis in axes:
        cache.band_of(axis, np.float32)
        assert cache.band_of(axes[0], np.float32) is kept


def test_a_band_larger_than_the_cache_is_served_and_not_kept():
    cache = BandCache(max_bytes=10)
    band = cache.band_of(whole_axis(300, 224), np.float32)
    assert band.out_size == 224
    assert cache.nbytes == 0


def test_dtypes_do_not_share_weights():
    cache = BandCache()
    axis = whole_axis(300, 224)
    assert cache.band_of(axis, np.float32).weights.dtype == np.float32
    assert cache.band_of(axis, np.float64).weights.dtype == np.float64


def test_cache_counts_right_when_threads_race():
    cache = BandCache()
    axes = [whole_axis(n, 100) for n in range(110, 150)]

    def fill() -> None:
        for axis in axes:
            cache.band_of(axis, np.float32)

    threads = [threading.Thread(target=fill) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.nbytes == sum(cache.band_of(axis, np.float32).weights.nbytes for axis in axes)
