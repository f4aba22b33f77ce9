"""`fn.rotate`: canvas, direction, borders and types."""

import cv2
import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.pipeline.pipeline import Pipeline
from penstock.operators.warp.rotation import canvas_size

from ..running import pixels, run


@pytest.mark.parametrize("interp", [types.INTERP_NN, types.INTERP_LINEAR])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "float32", "float64", "int64"])
@pytest.mark.parametrize("channels", [1, 3, 6])
def test_quarter_turns_move_pixels_onto_pixels(device, channels, dtype, interp):
    sample = pixels(5, 8, channels, dtype=dtype)
    for turns in range(4):
        angle = 90 * turns
        (result,) = run("rotate", [sample], "HWC", angle=angle, interp_type=interp, device=device)
        np.testing.assert_allclose(result, np.rot90(sample, turns), atol=1e-3)
        assert result.dtype == sample.dtype


@pytest.mark.parametrize(
    ("extent", "angle", "canvas"),
    [
        ((7, 9), 30, (11, 13)),
        ((100, 200), 10, (134, 216)),
        ((101, 200), 45, (214, 213)),
        ((101, 200), 60, (224, 189)),
        ((1, 1), 45, (3, 3)),
        ((7, 9), -30, (11, 13)),
    ],
)
def test_canvas(extent, angle, canvas):
    assert canvas_size(extent, angle) == canvas


def test_a_video_without_frames_keeps_its_size(device):
    videos = [np.zeros((count, 5, 6, 3), np.uint8) for count in (0, 2)]
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        video = fn.external_source(lambda: videos, layout="FHWC")
        angle = fn.per_frame(fn.external_source(lambda: [np.zeros(0, "f4"), np.full(2, 90, "f4")]))
        pipe.set_outputs(fn.rotate(video.gpu() if device == "gpu" else video, angle=angle))
        assert pipe.run()[0].shape() == [(0, 5, 6, 3), (2, 6, 5, 3)]


def test_size_and_keep_size(device):
    sample = pixels(7, 9, 3)
    assert run("rotate", [sample], angle=30, keep_size=True, device=device)[0].shape == (7, 9, 3)
    assert run("rotate", [sample], angle=30, size=(5.5, 6.4), device=device)[0].shape == (6, 6, 3)
    assert run("rotate", [sample], angle=30, size=(5, 6), keep_size=True, device=device)[
        0
    ].shape == (5, 6, 3)
    small, large = run(
        "rotate", [sample] * 2, per_sample={"size": [(1, 2), (30, 31)]}, angle=5, device=device
    )
    assert (small.shape, large.shape) == ((1, 2, 3), (30, 31, 3))


def test_borders(device):
    sample = np.full((6, 6, 5), 200, np.uint8)
    (result,) = run("rotate", [sample], "HWC", angle=45, device=device)
    assert (result == 200).all()
    (result,) = run("rotate", [sample], "HWC", angle=45, fill_value=7, device=device)
    assert (result[0, 0] == 7).all()
    assert (result[5, 5] == 200).all()


def test_there_and_back_again(device):
    sample = cv2.GaussianBlur(pixels(60, 60, 3), (0, 0), 4)
    (turned,) = run("rotate", [sample], "HWC", angle=25, device=device)
    (back,) = run("rotate", [turned], "HWC", angle=-25, size=(60, 60), device=device)
    assert np.abs(back.astype(int) - sample)[5:-5, 5:-5].mean() < 1


def test_videos_and_planes(device):
    video = pixels(3, 4, 6, 3)
    (result,) = run("rotate", [video], "FHWC", per_sample={"angle": [(0, 180, 0)]}, device=device)
    np.testing.assert_array_equal(result, [video[0], video[1, ::-1, ::-1], video[2]])
    (result,) = run("rotate", [video], angle=90, device=device)
    np.testing.assert_array_equal(result, np.rot90(video, axes=(1, 2)))
    (result,) = run("rotate", [video[0, ..., 0]], angle=180, device=device)
    np.testing.assert_array_equal(result, video[0, ::-1, ::-1, 0])


def test_other_type(device):
    sample = pixels(9, 9, 3)
    (rounded,) = run("rotate", [sample], "HWC", angle=33, device=device)
    (exact,) = run("rotate", [sample], "HWC", angle=33, dtype=types.FLOAT, device=device)
    assert exact.dtype == np.float32
    assert np.abs(rounded - exact).mean() < 1


@pytest.mark.parametrize(
    ("layout", "arguments", "message"),
    [
        ("HWC", {}, "'angle' must be given"),
        ("CHW", {"angle": 1}, "is 'CHW'; bring it"),
        ("HWC", {"angle": 1, "interp_type": types.INTERP_CUBIC}, "INTERP_NN or INTERP_LINEAR, but"),
        ("HWC", {"angle": 1, "size": (5, 6, 7)}, "give \\(height, width\\)"),
        ("HWC", {"angle": 1, "size": (5, 0)}, "must lie in"),
        ("HWC", {"angle": 1, "size": (5, 40000)}, "must lie in"),
        ("HWC", {"angle": (1, 2)}, "angle has 2 values"),
    ],
)
def test_bad_arguments(device, layout, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("rotate", [pixels(4, 5, 3)], layout, **arguments, device=device)


def test_in_a_pipeline():
    sample = pixels(4, 5, 3)
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.rotate(types.Constant(sample, layout="HWC"), angle=90))
        (out,) = pipe.run()
        assert out.layout() == "HWC"
        np.testing.assert_array_equal(out.as_array(), [np.rot90(sample)] * 2)
