"""Windows of samples on the GPU: their computation together, one by one, and beyond the edges."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.geometry.windows import WindowBatch
from penstock.operators.geometry.gpu_extract import extract_batch

from ..running import make

SHAPES = [(5, 6, 2), (4, 7, 2)]


def samples():
    return [np.arange(np.prod(s), dtype=np.uint8).reshape(s) for s in SHAPES]


def windows(start, shape):
    return WindowBatch(np.array(start), np.array(shape))


def extracted(gpu_batch, operator, start, shape):
    batch, [data] = gpu_batch(samples(), layout="HWC")
    result = extract_batch(batch, data, windows(start, shape), operator, "HWC")
    return batch, [np.array(row) for row in result.as_cpu().rows()]


def crop_of(**arguments):
    return make("crop", "HWC", crop=(3, 3), **arguments)


def test_windows_inside_are_copied(gpu_batch):
    start, shape = [[1, 2, 0], [0, 3, 1]], [[3, 4, 2], [4, 2, 1]]
    batch, rows = extracted(gpu_batch, crop_of(), start, shape)
    one, two = samples()
    assert rows[0].tolist() == one[1:4, 2:6].tolist()
    assert rows[1].tolist() == two[:, 3:5, 1:].tolist()
    assert batch.errors == {}


def test_windows_beyond_are_filled(gpu_batch):
    operator = crop_of(out_of_bounds_policy="pad", fill_values=[7, 9])
    _, rows = extracted(gpu_batch, operator, [[-1, 0, 0], [2, 5, 0]], [[3, 3, 2]] * 2)
    assert rows[0][0].tolist() == [[7, 9]] * 3
    assert rows[0][1:].tolist() == samples()[0][:2, :3].tolist()
    assert rows[1][2].tolist() == [[7, 9]] * 3
    assert rows[1][:2, :2].tolist() == samples()[1][2:, 5:].tolist()


def test_windows_beyond_are_trimmed(gpu_batch):
    operator = crop_of(out_of_bounds_policy="trim_to_shape")
    _, rows = extracted(gpu_batch, operator, [[-1, 0, 0], [2, 5, 0]], [[3, 3, 2]] * 2)
    assert [row.shape for row in rows] == [(2, 3, 2), (2, 2, 2)]


def test_windows_beyond_are_errors_of_their_rows_alone(gpu_batch):
    batch, rows = extracted(gpu_batch, crop_of(), [[0, 0, 0], [2, 5, 0]], [[3, 3, 2]] * 2)
    assert list(batch.errors) == [1]
    assert isinstance(batch.errors[1], ArgumentError | IndexError)
    assert rows[0].tolist() == samples()[0][:3, :3].tolist()


def test_the_type_may_change(gpu_batch):
    _, rows = extracted(gpu_batch, crop_of(dtype=np.int32), [[0, 0, 0]] * 2, [[3, 3, 2]] * 2)
    assert rows[1].dtype == np.int32
    assert rows[1].tolist() == samples()[1][:3, :3].tolist()


def test_crops_are_computed_together(gpu_batch):
    batch, [data, position] = gpu_batch(samples(), [np.float32(0), np.float32(1)])
    operator = make("crop", "HWC", per_sample=["crop_pos_x"], crop=(3, 4))
    names = ("crop", "crop_pos_x", "crop_pos_y", "crop_pos_z", "crop_d", "crop_h", "crop_w")
    arguments = {name: getattr(operator, name, None) for name in names}
    arguments["crop_pos_x"] = position.as_cpu()
    found = operator.windows(batch, "HWC", data.extents(), **arguments)
    assert found.shape.tolist() == [[3, 4, 2]] * 2
    assert found.start[:, 1].tolist() == [0, 3]
    assert batch.errors == {}


def test_a_crop_without_a_number_is_an_error_of_its_row(gpu_batch):
    batch, [data, position] = gpu_batch(samples(), [np.float32([0.5]), np.float32([0.1, 0.2])])
    operator = make("crop", "HWC", per_sample=["crop_pos_x"], crop=(3, 4))
    names = ("crop", "crop_pos_x", "crop_pos_y", "crop_pos_z", "crop_d", "crop_h", "crop_w")
    arguments = {name: getattr(operator, name, None) for name in names}
    arguments["crop_pos_x"] = position.as_cpu()
    found = operator.windows(batch, "HWC", data.extents(), **arguments)
    assert list(batch.errors) == [1]
    assert found.shape.tolist() == [[3, 4, 2], [0, 0, 0]]


def test_slices_are_computed_together(gpu_batch):
    batch, [data, start] = gpu_batch(samples(), [np.int64([1, 0]), np.int64([2, 3])])
    operator = make("slice", "HWC", per_sample=["start"], shape=(2, 3), axes=(0, 1))
    names = ("start", "rel_start", "end", "rel_end", "shape", "rel_shape", "axes")
    arguments = {name: getattr(operator, name, None) for name in names} | {"start": start.as_cpu()}
    found = operator.windows(batch, "HWC", data.extents(), **arguments)
    assert found.start.tolist() == [[1, 0, 0], [2, 3, 0]]
    assert found.shape.tolist() == [[2, 3, 2]] * 2


@pytest.mark.parametrize("policy", ["edge", "wrap", "reflect"])
def test_an_empty_sample_cannot_be_repeated(gpu_batch, policy):
    operator = make("slice", "W", start=0, shape=3, axes=(0,), out_of_bounds_policy=policy)
    batch, [data] = gpu_batch([np.zeros(0, np.uint8), np.arange(2, dtype=np.uint8)])
    result = extract_batch(batch, data, windows([[0], [0]], [[3], [3]]), operator, "W")
    assert list(batch.errors) == [0]
    expected = {"edge": [0, 1, 1], "wrap": [0, 1, 0], "reflect": [0, 1, 1]}[policy]
    assert np.array(result.as_cpu().row(1)).tolist() == expected
