"""Arguments with a value for each frame, and `fn.sequence_rearrange`, against DALI."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import Pipeline, fn
from penstock.testing.agreement import source

from ..operators.running import pixels, run
from .oracle import dali, run_dali

VIDEOS = [
    np.stack([cv2.GaussianBlur(frame, (0, 0), 2) for frame in pixels(n, 20, 30, 3, seed=n)])
    for n in (3, 1, 4)
]
COUNTS = [len(video) for video in VIDEOS]
MOVES = [np.float32([[[1, 0, i + 0.5], [0, 1, -i]] for i in range(n)]) for n in COUNTS]
ANGLES = [np.float32([20 * i + 5 for i in range(n)]) for n in COUNTS]
CASES = {
    "warp_affine": ("matrix", MOVES, {"fill_value": 5.0}),
    "rotate": ("angle", ANGLES, {"keep_size": True}),
    "rotate, canvas": ("angle", ANGLES, {"fill_value": 5.0}),
    "brightness": ("brightness", [np.float32([1.5])] * 3, {}),
    "gaussian_blur": ("sigma", [np.float32([1.5])] * 3, {}),
    "coord_transform": ("T", [np.outer(angles, np.float32([1, 2, 3])) for angles in ANGLES], {}),
}


@pytest.mark.parametrize("name", CASES)
def test_values_of_frames(name):
    argument, values, constants = CASES[name]
    operator = name.partition(",")[0]

    def expression(videos, chosen):
        import nvidia.dali.fn as their

        given = {argument: their.per_frame(chosen)}
        return getattr(their, operator)(videos, **given, **constants)

    ((theirs, their_layout),) = dali(expression, VIDEOS, values, layout="FHWC")
    with Pipeline(batch_size=len(VIDEOS), num_threads=2) as pipe:
        chosen = fn.per_frame(source(values))
        videos = source(VIDEOS, "FHWC")
        pipe.set_outputs(getattr(fn, operator)(videos, **{argument: chosen}, **constants))
        (out,) = pipe.run()
        assert out.layout() == their_layout
        for ours, wanted in zip(out.rows(), theirs, strict=True):
            assert (ours.shape, ours.dtype) == (wanted.shape, wanted.dtype)
            assert np.abs(ours.astype(float) - wanted).mean() < 0.5


def test_matrices_of_frames():
    def expression(angles):
        import nvidia.dali.fn as their

        turn = their.transforms.rotation(angle=their.per_frame(angles), center=(3, 4))
        return their.transforms.combine(turn, their.transforms.scale(scale=(2, 3)))

    ((theirs, their_layout),) = dali(expression, ANGLES)
    with Pipeline(batch_size=len(ANGLES), num_threads=2) as pipe:
        turn = fn.transforms.rotation(angle=fn.per_frame(source(ANGLES)), center=(3, 4))
        pipe.set_outputs(fn.transforms.combine(turn, fn.transforms.scale(scale=(2, 3))))
        (out,) = pipe.run()
        assert out.layout() == their_layout == "F**"
        for ours, wanted in zip(out.rows(), theirs, strict=True):
            np.testing.assert_allclose(ours, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("layout", ["FHWC", ""])
@pytest.mark.parametrize("order", [(0,), (2, 1, 0), (1, 1, 2, 0, 0)])
def test_frames_in_another_order(order, layout):
    videos = VIDEOS[::2]
    ours = run("sequence_rearrange", videos, layout, new_order=order)
    theirs, _ = run_dali("sequence_rearrange", videos, layout, new_order=list(order))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize(("layout", "replace"), [("", False), ("DHWC", True), ("FHWC", False)])
def test_marks(layout, replace):
    ((_, theirs),) = dali(
        lambda data: __import__("nvidia.dali.fn").dali.fn.per_frame(data, replace=replace),
        VIDEOS,
        layout=layout,
    )
    with Pipeline(batch_size=len(VIDEOS), num_threads=1) as pipe:
        pipe.set_outputs(fn.per_frame(source(VIDEOS, layout), replace=replace))
        assert pipe.run()[0].layout() == theirs


@pytest.mark.parametrize("name", ["coord_transform", "transforms.rotation"])
def test_inputs_without_frames_are_repeated(name):
    inputs = [np.float32([[1, 2, 3], [4, 5, 6]]) + i for i in range(3)]

    def expression(data, chosen):
        import nvidia.dali.fn as their

        angles = their.per_frame(chosen)
        if name == "coord_transform":
            return their.coord_transform(data, T=angles)
        return their.transforms.rotation(data, angle=angles)

    moves = [np.outer(angles, np.float32([1, 2, 3])) for angles in ANGLES]
    values = moves if name == "coord_transform" else ANGLES
    ((expected, layout),) = dali(expression, inputs, values)
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        chosen = fn.per_frame(source(values))
        if name == "coord_transform":
            result = fn.coord_transform(source(inputs), T=chosen)
        else:
            result = fn.transforms.rotation(source(inputs), angle=chosen)
        pipe.set_outputs(result)
        (found,) = pipe.run()
    assert (found.layout(), layout) == ("F**", "" if name == "coord_transform" else "F**")
    for i in range(3):
        np.testing.assert_allclose(found.at(i), expected[i], atol=1e-5)
