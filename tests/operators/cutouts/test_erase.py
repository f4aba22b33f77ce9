"""`erase`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, source
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run


class TestErase(OperatorConformance):
    operator = "erase"
    inputs = ([pixels(10, 12 + i, 3, seed=i) for i in range(3)],)
    arguments = {"anchor": (2.0, 3.0, 6.0, -4.0), "shape": (3.5, 4.0, 2.0, 99.0)}
    per_sample = {
        "fill_value": [np.float32([1, 2, 300]), np.float32([7.9, 0, 0]), np.float32([-1, 0, 5])]
    }
    bad = (
        ({"shape": (3.0,)}, "anchor has 4 values and shape 1; give both 2 for each region"),
        ({"shape": [np.float32([np.nan] * 4)] * 3}, "'shape' .*not finite"),
        ({"fill_value": (1.0, 2.0)}, "fill_value has 2 values"),
        ({"normalized": True, "normalized_shape": True}, "exclude one another"),
    )


class TestRegionsOfEachSample(OperatorConformance):
    operator = "erase"
    layout = "CHW"
    inputs = ([pixels(3, 10, 12 + i, seed=i).astype(np.float16) for i in range(3)],)
    arguments = {"shape": (0.5, 0.5), "normalized": True, "fill_value": (1.5, 2.5, 3.5)}
    per_sample = {
        "anchor": [np.float32([0.1, 0.2]), np.float32([0.0, 0.9]), np.float32([-0.2, 0.3])]
    }


class TestVideos(OperatorConformance):
    operator = "erase"
    layout = "FHWC"
    inputs = ([pixels(2, 5, 6 + i, 1, seed=i).astype(np.int32) for i in range(3)],)
    arguments = {"anchor": (1.0,), "shape": (2.0,), "axes": (2,), "centered_anchor": True}


def erased(extents=(10, 12, 3), layout="HWC", **arguments):
    (result,) = run("erase", [np.ones(extents, np.uint8)], layout, **arguments)
    return result


def test_axes_that_are_not_named_are_filled_in_their_extent(device):
    wanted = np.ones((10, 12, 3))
    wanted[:, 2:6] = 0
    for arguments in ({"axis_names": "W"}, {"axes": (1,)}):
        np.testing.assert_array_equal(
            erased(anchor=(2.0,), shape=(4.0,), **arguments, device=device), wanted
        )


def test_axes_have_the_order_of_the_argument(device):
    result = erased(anchor=(2.0, 3.0), shape=(4.0, 5.0), axes=(1, 0), device=device)
    assert (result[3:8, 2:6] == 0).all()
    assert result.sum() == 360 - 60


def test_frames_are_erased_alike(device):
    result = erased(
        (2, 10, 12, 3), "FHWC", anchor=(2.0, 3.0), shape=(4.0, 5.0), axis_names="HW", device=device
    )
    assert (result[:, 2:6, 3:8] == 0).all()
    assert result.sum() == 720 - 120


def test_regions_are_of_all_axes_but_channels(device):
    result = erased(
        (2, 10, 12, 3), "FHWC", anchor=(1.0, 2.0, 3.0), shape=(1.0, 4.0, 5.0), device=device
    )
    assert (result[1, 2:6, 3:8] == 0).all()
    assert result.sum() == 720 - 60


@pytest.mark.parametrize("shape", [(0.0, 5.0), (-1.0, 5.0)])
def test_empty_regions_have_no_effect(device, shape):
    assert erased(anchor=(2.0, 3.0), shape=shape, device=device).all()
    assert erased(device=device).all()


def test_the_anchor_is_0_by_default(device):
    assert (erased(shape=(4.0, 5.0), device=device)[:4, :5] == 0).all()


def test_no_layout_needs_axes(device):
    with pytest.raises(ArgumentError, match="give axes"):
        run("erase", [np.ones(4)], shape=(1.0,), device=device)
    assert run("erase", [np.ones(4)], shape=(1.0,), axes=(0,), device=device)[0].tolist() == [
        0,
        1,
        1,
        1,
    ]


# `erase` on the GPU: samples with different numbers of regions, and samples with errors.
ROWS = [pixels(10, 12 + i, 3, seed=i) for i in range(4)]
SHAPES = [np.float32(values) for values in ([4, 3], [], [2, 3, 5, 4], [9, 9, 2, 2, 1, 3])]
ANCHORS = [np.float32(values) for values in ([], [], [1, 2, 6, 6], [-3, 4, 5, 5, 0, 9])]
COLORS = [np.float32(values) for values in ([7], [1, 2, 3], [300, -5, 0.9], [9])]


@pytest.mark.parametrize("options", [{}, {"centered_anchor": True}, {"axes": (1, 0)}])
def test_numbers_of_regions_and_of_colors_that_differ(device_stage, options):
    nodes = {"shape": SHAPES, "anchor": ANCHORS, "fill_value": COLORS}
    agree("erase", ROWS, layout="HWC", per_sample=nodes, arguments=options)


def test_samples_without_anchors(device_stage):
    nodes = {"shape": SHAPES, "anchor": [*ANCHORS[:2], ANCHORS[0], ANCHORS[0]]}
    agree("erase", ROWS, layout="HWC", per_sample=nodes)


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("shape", [1, 2, 3], "anchor has 4 values and shape 3"),
        ("anchor", [1, 2], "anchor has 2 values and shape 4"),
        ("anchor", [1, 2, 3, np.inf], "'anchor' .*not finite"),
        ("fill_value", [1, 2], "give one, or one for each of the channels .3 here"),
        ("fill_value", [np.nan], "not finite"),
    ],
)
def test_one_bad_sample(device_stage, name, bad, message):
    nodes = {"shape": SHAPES, "anchor": ANCHORS, "fill_value": COLORS}
    (wanted,) = agree("erase", ROWS, layout="HWC", per_sample=nodes)
    nodes[name] = [*nodes[name]]
    nodes[name][2] = np.float32(bad)

    def pipeline(**options):
        pipe = Pipeline(batch_size=len(ROWS), num_threads=2, seed=1, **options)
        with pipe:
            given = {key: source(values) for key, values in nodes.items()}
            pipe.set_outputs(fn.erase(source(ROWS, "HWC").gpu(), **given))
        return pipe

    with pipeline() as pipe, pytest.raises(ValueError, match=message) as caught:
        pipe.run()
    assert "sample 2" in " ".join(caught.value.__notes__)
    with pipeline(on_error="replace") as pipe:
        (out,) = pipe.run()
        rows = out.as_cpu().rows()
        assert out.valid.tolist() == [True, True, False, True]
        for i in (0, 1, 3):
            np.testing.assert_array_equal(rows[i], wanted[i])
