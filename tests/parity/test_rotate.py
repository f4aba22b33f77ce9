"""`fn.rotate` against DALI."""

import cv2
import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types
from penstock.operators.warp.rotation import canvas_size

from ..operators.running import pixels, run
from .oracle import dali, dali_types, run_dali

ANGLES = np.float32([0, 10, 33.3, 45, 90, 135, 180, 200, 270, 359, -45, -100, 400])


@pytest.mark.parametrize("extent", [(7, 9), (100, 200), (101, 200), (3, 5), (1, 1), (6, 5)])
def test_canvas(extent):
    samples = [np.zeros((*extent, 1), np.uint8)] * len(ANGLES)
    theirs, _ = run_dali("rotate", samples, "HWC", per_sample={"angle": ANGLES})
    for angle, their in zip(ANGLES, theirs, strict=True):
        assert (angle, canvas_size(extent, angle)) == (angle, their.shape[:2])


@pytest.mark.parametrize("fill", [{}, {"fill_value": 50.0}, {"fill_value": 300.0}])
@pytest.mark.parametrize("size", [{}, {"keep_size": True}, {"size": (45.0, 51.0)}])
@pytest.mark.parametrize(("source", "channels"), [("uint8", 3), ("float32", 1), ("int16", 6)])
def test_pixels(source, channels, size, fill):
    noise = cv2.GaussianBlur(pixels(40, 60, channels), (0, 0), 1.5).reshape(40, 60, channels)
    samples = [noise.astype(source)] * len(ANGLES)
    arguments = {"per_sample": {"angle": ANGLES}, **size, **fill}
    ours = run("rotate", samples, "HWC", **arguments)
    theirs, _ = run_dali("rotate", samples, "HWC", **arguments)
    for angle, a, b in zip(ANGLES, ours, theirs, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert np.abs(a.astype(float) - b).mean() < 0.5, angle


@pytest.mark.parametrize("dtype", ["int16", "int32"])
def test_noise_of_wide_numbers(dtype):
    sample = (np.random.default_rng(2).random((60, 70, 1)) * 30000).astype(dtype)
    (ours,) = run("rotate", [sample], "HWC", angle=33.3, keep_size=True)
    (theirs,), _ = run_dali("rotate", [sample], "HWC", angle=33.3, keep_size=True)
    assert np.abs(ours.astype(float) - theirs).max() <= 2  # DALI's positions are float32


@pytest.mark.parametrize("fill", [{}, {"fill_value": 50.0}])
def test_nearest(fill):
    # The few pixels that differ lie where two pixels of the image are equally near.
    samples = [pixels(40, 60, 3)] * len(ANGLES)
    nodes = {"angle": ANGLES}
    ours = run("rotate", samples, "HWC", per_sample=nodes, interp_type=types.INTERP_NN, **fill)
    theirs, _ = run_dali(
        "rotate",
        samples,
        "HWC",
        per_sample=nodes,
        interp_type=dali_types().INTERP_NN,
        **fill,
    )
    for angle, a, b in zip(ANGLES, ours, theirs, strict=True):
        assert (a != b).mean() < 0.04, angle


def test_videos():
    video = pixels(3, 20, 30, 3)
    (ours,) = run("rotate", [video], "FHWC", angle=20.0)
    (theirs,), _ = run_dali("rotate", [video], "FHWC", angle=20.0)
    assert np.abs(ours.astype(int) - theirs).mean() < 0.5


def test_canvases_of_videos_with_an_angle_for_each_frame():
    numbers = np.random.default_rng(5)
    videos, angles = [], []
    for _ in range(60):
        frames, height, width = (int(n) for n in numbers.integers((1, 1, 1), (6, 12, 12)))
        videos.append(np.zeros((frames, height, width, 1), np.uint8))
        angles.append(numbers.uniform(-180, 180, frames).astype(np.float32))

    def expression(lib):
        return lambda data, turns: lib.rotate(data, angle=lib.per_frame(turns))

    import nvidia.dali.fn as theirs

    from penstock import Pipeline, fn

    ((expected, _),) = dali(expression(theirs), videos, angles, layout="FHWC")
    with Pipeline(batch_size=len(videos), num_threads=1) as pipe:
        data = fn.external_source(lambda: videos, layout="FHWC")
        pipe.set_outputs(expression(fn)(data, fn.external_source(lambda: angles)))
        (output,) = pipe.run()
    assert output.shape() == [sample.shape for sample in expected]
