"""`fn.per_frame`: layouts, and operators that take arguments for each frame."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError, LayoutError
from penstock.testing.agreement import assert_rows, source
from penstock.testing.operators import OperatorConformance

from ..running import pixels

VIDEOS = [pixels(n, 6 + n, 9, 3, seed=n) for n in (1, 3, 2, 4)]


class TestPerFrame(OperatorConformance):
    operator = "per_frame"
    layout = "FHWC"
    inputs = (VIDEOS,)


@pytest.mark.parametrize(
    ("layout", "options", "wanted"),
    [
        ("", {}, "F***"),
        ("FHWC", {}, "FHWC"),
        ("DHWC", {"replace": True}, "FHWC"),
        ("FHWC", {"replace": True}, "FHWC"),
    ],
)
def test_layouts(layout, options, wanted):
    with Pipeline(batch_size=4, num_threads=1) as pipe:
        marked = fn.per_frame(source(VIDEOS, layout), **options)
        pipe.set_outputs(marked, fn.get_property(marked, key="layout"))
        videos, names = pipe.run()
        assert videos.layout() == videos[0].layout() == wanted
        assert bytes(names.at(0)).decode() == wanted
        assert_rows([*videos.rows()], VIDEOS)


def test_other_layouts_are_refused():
    with pytest.raises(ArgumentError, match="'HWC' does not start with F"):
        fn.per_frame(source(VIDEOS, "HWC"))
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.per_frame(source([np.float32(3)])))
        with pytest.raises(ValueError, match="has no frames"):
            pipe.run()


def each_frame(device, operator, videos, arguments, layout="FHWC", **constants):
    """Compare the results for videos with those for their frames as images; return the latter."""
    results = []
    for frames in (False, True):
        rows = [f for v in videos for f in v] if frames else videos
        values = {
            name: [x for row in column for x in row] if frames else column
            for name, column in arguments.items()
        }
        with Pipeline(batch_size=len(rows), num_threads=2) as pipe:
            data = source(rows, layout[1:] if frames else layout)
            nodes = {
                name: source(column) if frames else fn.per_frame(source(column))
                for name, column in values.items()
            }
            data = data.gpu() if device == "gpu" else data
            pipe.set_outputs(operator(data, **nodes, **constants))
            (out,) = pipe.run()
            assert out.layout() == (layout[1:] if frames else layout)
            results.append([np.array(row) for row in out.as_cpu().rows()])
    whole, single = results
    assert_rows([frame for video in whole for frame in video], single)
    assert [len(video) for video in whole] == [len(video) for video in videos]
    return single


ZERO_ONE = [np.arange(len(video)) % 2 for video in VIDEOS]
# All frames of a video get one size.
WIDTHS = [np.full(len(video), 5 + i) for i, video in enumerate(VIDEOS)]
# Operator, argument of the frames, its values, and other arguments.
CASES = {
    "flip": (fn.flip, "horizontal", np.int32, ZERO_ONE, {}),
    "crop": (fn.crop, "crop_pos_x", np.float32, ZERO_ONE, {"crop": (4, 5)}),
    "resize": (
        *(fn.resize, "resize_x", np.float32, WIDTHS),
        {"resize_y": 5.0, "mode": "stretch"},
    ),
    "rotate": (fn.rotate, "angle", np.float32, ZERO_ONE, {"keep_size": True}),
    "normalize": (
        *(fn.crop_mirror_normalize, "mirror", np.int32, ZERO_ONE),
        {"dtype": types.FLOAT, "output_layout": "HWC"},
    ),
    "brightness": (fn.brightness, "brightness", np.float32, ZERO_ONE, {}),
    "hsv": (fn.hsv, "saturation", np.float32, ZERO_ONE, {"hue": 10.0}),
    "blur": (fn.gaussian_blur, "sigma", np.float32, ZERO_ONE, {"window_size": 3}),
    "transform": (fn.coord_transform, "T", np.float32, ZERO_ONE, {"M": 2.0}),
}


@pytest.mark.parametrize("name", CASES)
def test_operators_work_frame_by_frame(name, device):
    operator, argument, dtype, values, constants = CASES[name]
    typed = [column.astype(dtype) for column in values]
    made = each_frame(device, operator, VIDEOS, {argument: typed}, **constants)
    # The values of the frames make a difference.
    first = [np.full_like(column, values[0][0]) for column in typed]
    other = each_frame(device, operator, VIDEOS, {argument: first}, **constants)
    pairs = zip(made, other, strict=True)
    assert not all(np.array_equal(a, b) for a, b in pairs)


def test_an_image_serves_all_frames(device):
    image, moves = pixels(4, 6, 3), np.float32([[[1, 0, i], [0, 1, 0]] for i in range(3)])
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        data = source([image], "HWC")
        matrix = fn.per_frame(source([moves]))
        images = data.gpu() if device == "gpu" else data
        pipe.set_outputs(fn.warp_affine(images, matrix=matrix, fill_value=0))
        (out,) = pipe.run()
        assert out.layout() == "FHWC"
        video = np.array(out.as_cpu().at(0))
    for i, frame in enumerate(video):
        np.testing.assert_array_equal(frame[:, : 6 - i], image[:, i:])


def test_matrices_of_frames():
    angles = [np.float32([10, 20, 30]), np.float32([5])]
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        turn = fn.transforms.rotation(angle=fn.per_frame(source(angles)))
        both = fn.transforms.combine(turn, fn.transforms.translation(offset=(1, 2)))
        pipe.set_outputs(both)
        (out,) = pipe.run()
        assert out.layout() == "F**"
        assert [np.shape(row) for row in out.rows()] == [(3, 2, 3), (1, 2, 3)]
        cosines = [row[:, 0, 0] for row in out.rows()]
    np.testing.assert_allclose(np.cos(np.deg2rad(np.concatenate(angles))), np.concatenate(cosines))


def test_random_values_of_frames_are_drawn_for_a_whole_batch():
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        angles = fn.random.uniform(range=(-90.0, 90.0), shape=(4,))
        pipe.set_outputs(fn.transforms.rotation(angle=fn.per_frame(angles)), angles)
        maps, numbers = pipe.run()
        assert maps.layout() == "F**"
        wanted = np.cos(np.deg2rad(np.array(numbers)))
        np.testing.assert_allclose(np.array(maps)[:, :, 0, 0], wanted, atol=1e-6)


@pytest.mark.parametrize(
    ("operator", "argument", "value"),
    [
        (fn.brightness, "brightness", 1.5),
        (fn.contrast, "contrast", 1.5),
        (fn.color_twist, "hue", 30.0),
        (fn.gaussian_blur, "sigma", 1.5),
        (fn.laplacian, "scale", 0.5),
        (fn.flip, "horizontal", 1),
    ],
)
def test_one_value_serves_all_frames(operator, argument, value, device):
    with Pipeline(batch_size=len(VIDEOS), num_threads=1) as pipe:
        data = source(VIDEOS, "FHWC")
        videos = data.gpu() if device == "gpu" else data
        one = fn.per_frame(source([np.array([value], np.float32)] * len(VIDEOS)))
        one = fn.cast(one, dtype=np.int32) if argument == "horizontal" else one
        pipe.set_outputs(operator(videos, **{argument: one}), operator(videos, **{argument: value}))
        ours, wanted = ([*output.as_cpu().rows()] for output in pipe.run())
        assert_rows(ours, wanted)


def test_another_number_of_frames_is_refused(device):
    with Pipeline(batch_size=4, num_threads=1) as pipe:
        data = source(VIDEOS, "FHWC")
        chosen = fn.per_frame(source([np.zeros(n, np.int32) for n in (1, 3, 5, 4)]))
        pipe.set_outputs(fn.flip(data.gpu() if device == "gpu" else data, horizontal=chosen))
        with pytest.raises(ValueError, match="the sequences have 2 and 5 frames"):
            pipe.run()


def test_bad_samples_leave_the_others(device):
    with Pipeline(batch_size=2, num_threads=1, on_error="replace") as pipe:
        data = source(VIDEOS[1:3], "FHWC")
        chosen = fn.per_frame(source([np.zeros(3, np.int32), np.zeros(7, np.int32)]))
        pipe.set_outputs(fn.flip(data.gpu() if device == "gpu" else data, horizontal=chosen))
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False]
        assert_rows([np.array(row) for row in out.as_cpu().rows()], [VIDEOS[1]] * 2)


def test_data_without_a_layout_are_refused():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        chosen = fn.per_frame(source([np.zeros(3, np.int32)]))
        pipe.set_outputs(fn.flip(source(VIDEOS[1:2]), horizontal=chosen))
    message = "has a value for each frame, but an input"
    with pipe, pytest.raises(LayoutError, match=message) as caught:
        pipe.run()
    assert any(__file__ in note for note in caught.value.__notes__)


def test_frames_of_several_sizes_are_refused(device):
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        data = source(VIDEOS[1:2], "FHWC")
        sizes = fn.per_frame(source([np.float32([4, 5, 6])]))
        pipe.set_outputs(fn.resize(data.gpu() if device == "gpu" else data, resize_x=sizes))
        with pytest.raises(ValueError, match="sequence's frames must agree"):
            pipe.run()
