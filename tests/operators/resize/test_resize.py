from __future__ import annotations

import math

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError
from penstock.operators.resize.cpu_resample import resample
from penstock.operators.resize.filters import Filter
from penstock.operators.resize.resize import Resize
from penstock.testing.agreement import on_device
from penstock.tests.operators.running import RubbishWorkspace, apply

RNG = np.random.default_rng(3)
IMAGE = RNG.integers(0, 256, (12, 20, 3), np.uint8)
VIDEO = RNG.integers(0, 256, (2, 12, 20, 3), np.uint8)


def resized(image, layout="HWC", **arguments):
    return apply(Resize, image, layouts=(layout,), **arguments)


def test_size():
    expected = resample(IMAGE, (6, 9))
    np.testing.assert_array_equal(resized(IMAGE, size=(6, 9)), expected)
    np.testing.assert_array_equal(resized(IMAGE, resize_y=6, resize_x=9), expected)


@pytest.mark.parametrize(
    ("arguments", "size"),
    [
        ({"size": 6}, (6, 6)),
        ({"resize_x": 10}, (6, 10)),
        ({"resize_y": 6}, (6, 10)),
        ({"resize_shorter": 6}, (6, 10)),
        ({"resize_longer": 10}, (6, 10)),
        ({"resize_shorter": 24, "max_size": 30}, (18, 30)),
        ({"size": (6, 6), "mode": "not_larger"}, (4, 6)),
        ({"size": (6, 0), "mode": "stretch"}, (6, 20)),
        ({"size": (2.5, 3.49)}, (3, 3)),
    ],
)
def test_ways_to_say_the_size(arguments, size):
    assert resized(IMAGE, **arguments).shape == (*size, 3)


def test_values_per_sample():
    shorter = np.array(6, np.float32)
    assert resized(IMAGE, resize_shorter=shorter).shape == (6, 10, 3)
    size = np.array([5, 7], np.int32)
    assert resized(IMAGE, size=size).shape == (5, 7, 3)
    chosen = resized(IMAGE, size=(6, 10), interp_type=np.array(types.INTERP_NN))
    np.testing.assert_array_equal(chosen, IMAGE[1::2, 1::2])


def test_negative_size_mirrors():
    np.testing.assert_array_equal(resized(IMAGE, size=(-12, 20)), IMAGE[::-1])
    np.testing.assert_array_equal(resized(IMAGE, resize_shorter=-12), IMAGE[::-1, ::-1])


def test_region():
    part = {"roi_start": (2, 15), "roi_end": (8, 5)}
    np.testing.assert_array_equal(resized(IMAGE, size=(6, 10), **part), IMAGE[2:8, 14:4:-1])
    relative = {"roi_start": (0.25, 0.25), "roi_end": (0.75, 0.75), "roi_relative": True}
    np.testing.assert_array_equal(resized(IMAGE, size=(6, 10), **relative), IMAGE[3:9, 5:15])
    each = {"roi_start": np.array([2, 5], np.float32), "roi_end": (8, 15)}
    np.testing.assert_array_equal(resized(IMAGE, resize_x=10, **each), IMAGE[2:8, 5:15])


def test_subpixel_scale():
    ramp = np.arange(100, dtype=np.float32).reshape(1, 100, 1)
    kept = resized(ramp, size=(1, 7.6), antialias=False).ravel()
    assert np.diff(kept)[1:-1] == pytest.approx(100 / 7.6, rel=1e-4)
    fitted = resized(ramp, size=(1, 7.6), antialias=False, subpixel_scale=False).ravel()
    assert np.diff(fitted) == pytest.approx(100 / 8, rel=1e-4)


@pytest.mark.parametrize("kind", list(types.DALIInterpType))
def test_filters(kind):
    chosen = Filter(kind)
    for size, antialias in (((5, 40), True), ((5, 40), False)):
        expected = resample(IMAGE, size, min_filter=chosen, mag_filter=chosen, antialias=antialias)
        result = resized(IMAGE, size=size, interp_type=kind, antialias=antialias)
        np.testing.assert_array_equal(result, expected)


def test_filters_for_shrinking_and_enlarging_go_before_the_general_one():
    filters = {"interp_type": types.INTERP_CUBIC, "min_filter": types.INTERP_NN}
    expected = resample(IMAGE, (5, 40), min_filter=Filter.NEAREST, mag_filter=Filter.CUBIC)
    np.testing.assert_array_equal(resized(IMAGE, size=(5, 40), **filters), expected)
    filters = {"interp_type": types.INTERP_CUBIC, "mag_filter": types.INTERP_NN}
    expected = resample(IMAGE, (5, 40), min_filter=Filter.CUBIC, mag_filter=Filter.NEAREST)
    np.testing.assert_array_equal(resized(IMAGE, size=(5, 40), **filters), expected)


def test_result_type():
    rounded = resized(IMAGE, size=(5, 40))
    exact = resized(IMAGE, size=(5, 40), dtype=types.FLOAT)
    assert (rounded.dtype, exact.dtype) == (np.uint8, np.float32)
    np.testing.assert_allclose(exact, rounded, atol=0.501)
    assert resized(IMAGE, size=(5, 40), dtype=types.UINT8).dtype == np.uint8
    with pytest.raises(ArgumentError, match="FLOAT or that of the input"):
        resized(IMAGE, size=(5, 40), dtype=types.INT16)


@pytest.mark.parametrize("layout", ["HW", "CHW", "FHWC", "FCHW", "CFHW", "FHW"])
def test_layouts_are_resized_image_by_image(layout):
    order = [("FHWC").index(letter) for letter in layout]
    left_out = tuple(0 if i not in order else slice(None) for i in range(4))
    source = VIDEO[left_out].transpose(np.argsort(np.argsort(order)))
    frames = np.stack([resample(frame, (6, 30)) for frame in VIDEO])
    expected = frames[left_out].transpose(np.argsort(np.argsort(order)))
    np.testing.assert_array_equal(resized(source, layout, size=(6, 30)), expected)
    np.testing.assert_array_equal(
        resized(np.ascontiguousarray(source), layout, size=(6, 30)), expected
    )


def test_without_a_layout_the_number_of_dimensions_tells():
    assert resized(IMAGE[..., 0], "", size=(5, 6)).shape == (5, 6)
    assert resized(IMAGE, "", size=(5, 6)).shape == (5, 6, 3)
    assert resized(VIDEO, "", size=(5, 6)).shape == (2, 5, 6, 3)
    assert resized(VIDEO[None], "", size=(1, 5, 6)).shape == (1, 1, 5, 6, 3)
    with pytest.raises(ArgumentError, match="no layout"):
        resized(np.zeros(5, np.uint8), "", size=(5, 6))


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[:, ::-1], np.s_[::2, ::3], np.s_[..., :2]])
def test_views(view):
    part = IMAGE[view]
    expected = resized(np.ascontiguousarray(part), size=(7, 25))
    np.testing.assert_array_equal(resized(part, size=(7, 25)), expected)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "int32", "float64"])
def test_volume(dtype):
    z, y, x = np.meshgrid(np.arange(8), np.arange(12), np.arange(20), indexing="ij")
    volume = (20 * z + 4 * y + x)[..., None].astype(dtype)
    result = resized(volume, "DHWC", size=(4, 6, 10))
    expected = volume.reshape(4, 2, 6, 2, 10, 2, 1).astype(np.float64).mean((1, 3, 5))
    inner = np.s_[1:-1, 1:-1, 1:-1]
    assert result.dtype == dtype
    np.testing.assert_allclose(result[inner], expected[inner], atol=0.51, rtol=1e-5)
    planes = resized(volume[..., 0], "DHW", size=(4, 6, 10))
    np.testing.assert_array_equal(planes, result[..., 0])
    channels_first = resized(volume.transpose(3, 0, 1, 2), "CDHW", size=(4, 6, 10))
    np.testing.assert_array_equal(channels_first[0], result[..., 0])


def test_volume_mirrors_and_keeps_what_it_does_not_resize():
    volume = RNG.integers(0, 256, (5, 6, 7, 2), np.uint8)
    np.testing.assert_array_equal(resized(volume, "DHWC", size=(-5, 6, -7)), volume[::-1, :, ::-1])
    part = {"roi_start": (1, 2, 3), "roi_end": (4, 6, 7)}
    np.testing.assert_array_equal(
        resized(volume, "DHWC", size=(3, 4, 4), **part), volume[1:4, 2:6, 3:7]
    )
    assert resized(volume, "DHWC", resize_z=10).shape == (10, 12, 14, 2)


def test_attributes():
    image, attributes = resized(IMAGE.transpose(2, 0, 1), "CHW", size=(5, 6), save_attrs=True)
    assert image.shape == (3, 5, 6)
    assert attributes.dtype == np.int32
    assert attributes.tolist() == [12, 20]
    operator = Resize(layouts=("CHW",), size=(5, 6), save_attrs=True)
    assert operator.output_layouts() == ("CHW", "")
    assert Resize(layouts=("CHW",), size=(5, 6)).output_layouts() == ("CHW",)


def test_writes_into_the_memory_of_the_batch():
    granted = []

    class Noting(RubbishWorkspace):
        def empty(self, shape, dtype, output=0):
            granted.append(super().empty(shape, dtype))
            return granted[-1]

    operator = Resize(layouts=("HWC",), size=(5, 6))
    arguments = {k: getattr(operator, k) for k, p in operator.params.items() if p.per_sample}
    assert operator.sample(Noting(), IMAGE, **arguments) is granted[0]


def test_video_without_frames():
    assert resized(VIDEO[:0], "FHWC", size=(5, 6)).shape == (0, 5, 6, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one way"),
        ({"size": (5, 6), "resize_x": 4}, "resize_x and size are given"),
        ({"resize_shorter": 5, "resize_longer": 4}, "exactly one way"),
        ({"size": (5, 6), "mode": "fit"}, "'mode' must be 'default', 'stretch'"),
        ({"resize_shorter": 5, "mode": "stretch"}, "leave out `mode`"),
        ({"size": (5, 6), "roi_start": (0, 0)}, "together"),
        ({"size": (5, 6, 7)}, "each of the 2 axes"),
        ({"size": ()}, "each of the 2 axes"),
        ({"size": (5, 6), "max_size": (1, 2, 3)}, "max_size"),
        ({"size": (5, 6), "roi_start": (1, 2, 3), "roi_end": (5, 5)}, "roi_start"),
        ({"resize_z": 5}, "for volumes"),
        ({"size": (5, 6), "interp_type": 7}, "interp_type"),
        ({"size": math.inf}, "fn.resize: the argument 'size' must be"),
        ({"resize_shorter": math.nan}, "fn.resize: the argument 'resize_shorter' must be"),
        ({"size": 5, "max_size": math.nan}, "fn.resize: the argument 'max_size' must be"),
        ({"size": 10**7}, "fn.resize: the result would have the extents"),
        (
            {"size": 5, "roi_start": 0, "roi_end": math.inf},
            "fn.resize: the argument 'roi_end' must be",
        ),
    ],
)
def test_arguments_that_make_no_sense(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        Resize(layouts=("HWC",), **arguments)


@pytest.mark.parametrize("layout", ["HCW", "WHC", "HWCF", "C", "DHFWC", "HWHW", "CHWC", "ab"])
def test_layouts_that_cannot_be_resized(layout):
    with pytest.raises(ArgumentError, match=r"cannot resize the layout|has no H"):
        Resize(layouts=(layout,), size=(5, 6))


@pytest.mark.parametrize(
    ("image", "arguments", "message"),
    [
        (IMAGE > 3, {}, "cannot resample bool"),
        (IMAGE.astype(np.int64), {}, "cannot resample int64"),
        (IMAGE, {"size": np.array([1.0, 2.0, 3.0])}, "each of the 2 axes"),
    ],
)
def test_samples_that_cannot_be_resized(image, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        resized(image, **{"size": (5, 6), **arguments})


def test_sizes_by_sample_are_finite(device):
    sizes = {"size": [np.float32([1, np.nan])]}
    with pytest.raises(ArgumentError, match=r"'size' .*not finite"):
        on_device(device, "resize", [IMAGE], layout="HWC", per_sample=sizes)


def test_dimensions_that_are_not_the_layout_s():
    with pytest.raises(ArgumentError, match="names 3 dimensions"):
        resized(VIDEO, "HWC", size=(5, 6))


def test_in_a_pipeline(photo_tree):
    @pipeline_def(batch_size=4, num_threads=2)
    def pictures():
        encoded, _ = fn.readers.file(file_root=photo_tree.root)
        images = fn.decoders.image(encoded)
        return images, *fn.resize(images, resize_shorter=64, save_attrs=True)

    with pictures() as pipeline:
        images, small, attributes = pipeline.run()
        assert small.layout() == "HWC"
        for image, result, before in zip(images, small, attributes, strict=True):
            image, result = np.asarray(image), np.asarray(result)
            assert min(result.shape[:2]) == 64
            assert np.asarray(before).tolist() == list(image.shape[:2])
            expected = resized(image, resize_shorter=64)
            np.testing.assert_array_equal(result, expected)


def test_a_gaussian_smooths_each_axis_of_a_volume_once():
    kind = types.INTERP_GAUSSIAN
    volume = np.repeat(IMAGE[None], 4, axis=0)
    planes = resized(volume, "DHWC", size=(4, 6, 9), interp_type=kind, dtype=types.FLOAT)
    plane = resized(IMAGE, size=(6, 9), interp_type=kind, dtype=types.FLOAT)
    np.testing.assert_allclose(planes, np.repeat(plane[None], 4, axis=0), atol=1e-3)
