"""Canvases on the GPU: uneven batches, videos, canvases without regions."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import agree, source

from ..running import pixels

IMAGES = [pixels(12 + i, 16 - i, 3, seed=i) for i in range(4)]
ANCHORS = [np.int32([[0, 0], [0, 9], [7, 0], [7, 9]]) + i % 2 for i in range(4)]
MOSAIC = {
    "in_ids": [np.int32(np.roll([0, 1, 2, 3], i)) for i in range(4)],
    "in_anchors": [np.int32([[i, 1], [2, i], [i, i], [3, 0]]) for i in range(4)],
    "shapes": [np.int32([[7, 9], [6, 8], [5, 9], [7 - i, 6]]) for i in range(4)],
    "out_anchors": ANCHORS,
    "output_size": [np.int32([15 + i, 20]) for i in range(4)],
}


def test_mosaics_that_differ(device_stage):
    agree("multi_paste", IMAGES, layout="HWC", per_sample=MOSAIC)
    relative = {"shapes_rel": [np.float32([[0.3, 0.2]] * 4) + 0.05 * i for i in range(4)]}
    both = {"in_ids": MOSAIC["in_ids"], "out_anchors": ANCHORS, **relative}
    agree("multi_paste", IMAGES, layout="HWC", per_sample=both, arguments={"output_size": (20, 30)})


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.float32])
def test_types_of_numbers(device_stage, dtype):
    nodes = {name: [row.astype(dtype) for row in rows] for name, rows in MOSAIC.items()}
    agree("multi_paste", IMAGES, layout="HWC", per_sample=nodes)


def test_a_number_for_each_sample(device_stage):
    nodes = {"shapes": np.int32([2, 3, 4, 5]), "out_anchors": np.int32([[1], [2], [3], [4]])}
    agree("multi_paste", IMAGES, layout="HWC", per_sample=nodes, output_size=(16, 16))


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("in_ids", [0, 1, 2, 4], "in_ids has 4, but the batch has 4 samples"),
        ("output_size", [15, 0], r"output_size is \(15, 0\)"),
        ("out_anchors", np.full((4, 2), 19), r"region 0 of \[7, 9\] pixels at \[19, 19\] reaches"),
        ("shapes", np.full((3, 2), 1), r"shapes has the shape \(3, 2\)"),
    ],
)
def test_one_bad_canvas(device_stage, device, name, bad, message):
    ((*_, last),) = agree("multi_paste", IMAGES, layout="HWC", per_sample=MOSAIC)
    nodes = MOSAIC | {name: [*MOSAIC[name][:1], np.int32(bad), *MOSAIC[name][2:]]}

    def pipeline(**options):
        pipe = Pipeline(batch_size=4, num_threads=2, seed=1, **options)
        with pipe:
            images = source(IMAGES, "HWC")
            given = {key: source(values) for key, values in nodes.items()}
            pipe.set_outputs(
                fn.multi_paste(images.gpu() if device == "gpu" else images, **given, device=device)
            )
        return pipe

    with pipeline() as pipe, pytest.raises(ValueError, match=message) as caught:
        pipe.run()
    assert "sample 1" in " ".join(caught.value.__notes__)
    with pipeline(on_error="replace") as pipe:
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False, True, True]
        np.testing.assert_array_equal(out.as_cpu().row(3), last)


def test_uneven_batches(device_stage):
    images = [pixels(4 + i, 9 - i, 3, seed=i) for i in range(4)]
    ids = [np.int32([0, 3]), np.int32([]), np.int32([2]), np.int32([1, 1, 2])]
    sizes = [np.int32([9 + i, 11]) for i in range(4)]
    nodes = {"in_ids": ids, "output_size": sizes}
    nodes["out_anchors"] = [np.arange(2 * len(id_)).reshape(-1, 2) % 3 for id_ in ids]
    agree("multi_paste", images, layout="HWC", per_sample=nodes)


@pytest.mark.parametrize("per_frame", [False, True])
def test_videos(device_stage, per_frame):
    videos = [pixels(2 + i, 6, 8, 2, seed=i) for i in range(3)]
    anchors = [np.arange(2 * (len(v) if per_frame else 1) * 2) % 3 for v in videos]
    nodes = {"out_anchors": [anchor.reshape(-1, 2, 2) for anchor in anchors]}
    arguments = {"output_size": (9, 12), "in_anchors_rel": 0.3}
    agree("multi_paste", videos, videos[::], layout="FHWC", per_sample=nodes, arguments=arguments)
