"""`crop_mirror_normalize` on the GPU agrees with the CPU, whatever way the pixels take.

float32 results may differ in their last bits: OpenCV subtracts before it multiplies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.testing.agreement import agree

MEAN, STD = (123.7, 116.3, 103.5, 99.0, 98.0), (58.4, 57.1, 57.4, 50.0, 51.0)
CLOSE = {"largest": 1e-5, "relative": 1e-5}


def samples(layout: str, dtype: Any = "u1", channels: int = 3, count: int = 3, odd: int = 1) -> Any:
    """Return samples of different heights and widths."""
    rng = np.random.default_rng(3)
    rows = []
    for i in range(count):
        sizes = {"F": 2, "D": 3, "H": 9 + i * odd, "W": 21 + 3 * i * odd, "C": channels}
        shape = [sizes[letter] for letter in layout]
        rows.append(rng.integers(0, 256, shape).astype(dtype))
    return rows


def check(rows: Any, layout: str = "HWC", per_sample: Any = None, **options: Any) -> None:
    exact = options.get("dtype", types.FLOAT) != types.FLOAT
    agree(
        "crop_mirror_normalize",
        rows,
        layout=layout,
        per_sample=per_sample,
        **({} if exact else CLOSE),
        arguments=options,
    )


LAYOUTS = [
    ("HWC", "CHW"),
    ("HWC", "HWC"),
    ("CHW", "CHW"),
    ("CHW", "HWC"),
    ("HWC", "WCH"),
    ("FHWC", "CFHW"),
    ("DHWC", "DHWC"),
    ("FDHWC", "FCDHW"),
]


@pytest.mark.parametrize("mirror", [[0, 0, 0], [1, 0, 1]])
@pytest.mark.parametrize(("layout", "output_layout"), LAYOUTS)
@pytest.mark.parametrize("channels", [3, 5])
def test_layouts(device_stage, layout, output_layout, channels, mirror):
    arguments = {"mean": MEAN[:channels], "std": STD[:channels], "crop": (7, 18), "scale": 2.0}
    per_sample = {"mirror": mirror, "crop_pos_x": [0.1, 0.9, 0.33], "crop_pos_y": [0.2, 1.0, 0.0]}
    for dtype in (types.FLOAT, types.FLOAT16) if channels == 3 else (types.FLOAT,):
        check(
            samples(layout, channels=channels),
            layout,
            output_layout=output_layout,
            dtype=dtype,
            per_sample=per_sample,
            **arguments,
        )


@pytest.mark.parametrize("source", ["u1", "i1", "u2", "i4", "f2", "f4", "f8", "u8", "bool"])
@pytest.mark.parametrize("dtype", [types.FLOAT, types.FLOAT16, types.UINT8, types.INT8])
def test_types(device_stage, source, dtype):
    if not device_stage and source != "u1" and (ord(source[0]) + dtype.value) % 4:
        pytest.skip("compiled on devices only, to keep the emulation quick")
    mirror = {"mirror": [0, 1, 1]}
    check(samples("HWC", source), mean=MEAN[:3], std=STD[:3], dtype=dtype, per_sample=mirror)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 16, 31])
@pytest.mark.parametrize("position", [0.0, 0.37, 1.0])
def test_every_alignment(device_stage, width, position):
    options = {"crop": (5, width), "crop_pos_x": position, "mean": MEAN[:3], "std": STD[:3]}
    rows = samples("HWC", odd=0, count=4)
    rows = [np.pad(row, ((0, 0), (0, 11), (0, 0))) for row in rows]
    check(rows, per_sample={"mirror": [0, 1, 0, 1]}, **options)
    check(rows, dtype=types.UINT8, output_layout="HWC", mirror=1, crop=(5, width))


@pytest.mark.parametrize("output_layout", ["CHW", "HWC"])
@pytest.mark.parametrize("channels", [1, 3, 5])
@pytest.mark.parametrize("fill_values", [(7.0,), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)])
def test_padding(device_stage, output_layout, channels, fill_values):
    options = {"pad_output": True, "output_layout": output_layout}
    rows = samples("HWC", channels=channels)
    if len(fill_values) == 1:
        check(rows, fill_values=fill_values, dtype=types.FLOAT16, **options)
    else:
        fill_values = (*fill_values, 7.0, 8.0)[: {1: 1, 3: 4, 5: 8}[channels]]
    window = {"crop": (15, 24), "crop_pos_x": 0.2, "crop_pos_y": 0.7}
    options |= window | {"out_of_bounds_policy": "pad", "fill_values": fill_values}
    check(rows, per_sample={"mirror": [0, 1, 0]}, mean=MEAN[:channels], **options)


def test_trimming_and_windows_beside_the_sample(device_stage):
    rows = samples("HWC")
    for policy in ("trim_to_shape", "pad"):
        check(rows, crop=(15, 24), crop_pos_x=1.0, out_of_bounds_policy=policy, mirror=1)


def test_arguments_that_vary(device_stage):
    rows = samples("HWC", odd=0)
    means = [np.float32(MEAN[i : i + 3]) for i in range(3)]
    check(rows, per_sample={"mean": means, "std": [np.float32(2), np.float32(4), np.float32(8)]})
    check(rows, per_sample={"std": [np.float32([2]), np.float32([4, 5, 6]), np.float32([8])]})
    check(rows, mean=100, std=2, shift=5, scale=0.5, dtype=types.INT8)


def test_samples_of_different_kinds(device_stage):
    rows = [samples("HWC", channels=n, count=1)[0] for n in (1, 3, 4)]
    check(rows, mean=100.0, mirror=1)
    check(rows, pad_output=True, fill_values=3.0)
    check([np.zeros((0, 5, 3), "u1"), np.ones((2, 3, 3), "u1"), np.ones((1, 1, 3), "u1")])


@pipeline_def(num_threads=2, device_id=0)
def crops(rows: Any, **options: Any) -> Any:
    images = fn.external_source(source=lambda: rows, layout="HWC")
    return fn.crop_mirror_normalize(images.gpu(), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"crop": (9, 21)}, "reaches out"),
        ({"mean": (1.0, 2.0, 3.0)}, "mean and std have 3 values, but the sample has 1 channels"),
        (
            {"fill_values": (1, 2, 3), "crop": (9, 30), "out_of_bounds_policy": "pad"},
            "fill_values has 3 values",
        ),
    ],
)
def test_bad_rows(device_stage, options, message):
    rows = samples("HWC", odd=0)
    rows[1] = rows[1][:, :20, :1]
    with crops(rows, batch_size=3, **options) as pipe, pytest.raises(ValueError, match=message):
        pipe.run()
    with crops(rows, batch_size=3, on_error="replace", **options) as pipe:
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False, True]
        good = out.as_cpu().rows()
        np.testing.assert_array_equal(good[0], good[1])
    agree("crop_mirror_normalize", [rows[0], rows[2]], layout="HWC", **CLOSE, arguments=options)
