"""Indexing on the GPU: every kind of key, also with indices of each sample."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, newaxis
from penstock.testing.agreement import source

from .test_crop import rows

KEYS = [
    np.s_[0],
    np.s_[-1],
    np.s_[..., 0],
    np.s_[:, 1:3],
    np.s_[2:-1, :-2, ::-1],
    np.s_[::2],
    np.s_[:, ::3],
    np.s_[::-2, 5:0:-2],
    np.s_[:, -100:100],
    np.s_[50:],
    np.s_[None, :, None, 0],
    np.s_[newaxis("F"), ..., 1:],
    np.s_[0, 0, 0],
    np.s_[0, 0, 0, ...],
    np.s_[...],
    np.s_[::-7, ::7, ::-1],
    np.s_[4:2],
]


def run(device, key, data, layout, *numbers):
    """Return the results and their layout; `key` is one, or makes one of nodes."""
    with Pipeline(batch_size=len(data)) as pipe:
        node = source(data, layout)
        node = node.gpu() if device == "gpu" else node
        pipe.set_outputs(node[key(*map(source, numbers)) if callable(key) else key])
        (output,) = pipe.run()
        return [np.array(row) for row in output.as_cpu().rows()], output.layout()


def check(key, data, *numbers, layout="HWC"):
    wanted, wanted_layout = run("cpu", key, data, layout, *numbers)
    found, found_layout = run("gpu", key, data, layout, *numbers)
    assert found_layout == wanted_layout
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b, strict=True)


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_steps_of_pixels(device_stage, channels, dtype):
    image = np.random.default_rng(1).integers(0, 255, (21, 83, channels)).astype(dtype)
    for key in (np.s_[:, ::2], np.s_[1:, 80:3:-3], np.s_[..., 0], np.s_[:, 1:, -1:]):
        check(key, [image, image])


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_keys(device_stage, key):
    for dtype in ("u1", "f4"):
        data = [row[:, :, :2] for row in rows(5, "HWC", dtype, most=40)]
        data = [np.tile(row, (1, 1, 2))[:, :, :2] for row in data]
        check(key, data)
        check(key, data[:1] * 3)


@pytest.mark.parametrize(
    "key",
    [
        lambda a, b: a,
        lambda a, b: np.s_[a:b],
        lambda a, b: np.s_[:, b:a:-1],
        lambda a, b: np.s_[..., a:],
        lambda a, b: np.s_[a, b],
        lambda a, b: np.s_[:b, :, :a],
    ],
)
def test_indices_of_each_sample(device_stage, key):
    data = [np.arange(200 + 40 * n).reshape(-1, 10, 4).astype(np.int16) for n in range(4)]
    check(key, data, [0, 1, 2, -1], [-2, 4, 3, -3])


def test_steps_of_each_sample(device_stage):
    data = [np.arange(60).reshape(6, 10)] * 4
    check(lambda a: np.s_[:, ::a], data, [1, -1, 3, -4], layout="HW")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (np.s_[5], r"\[5\] of a sample of shape \(2, 3\)"),
        (np.s_[0, 0, 0], "too many indices"),
        (np.s_[::0], "cannot be zero"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, key, message):
    for device in ("cpu", "gpu"):
        with pytest.raises(IndexError, match=message):
            run(device, key, [np.zeros((2, 3))] * 2, "")


def test_an_index_that_one_sample_does_not_have(device_stage):
    with Pipeline(batch_size=3, on_error="replace") as pipe:
        data = source([np.arange(n) for n in (5, 2, 4)]).gpu()
        pipe.set_outputs(data[3])
        (output,) = pipe.run()
        assert output.valid.tolist() == [True, False, True]
        assert [int(row) for row in output.as_cpu().rows()][::2] == [3, 3]
