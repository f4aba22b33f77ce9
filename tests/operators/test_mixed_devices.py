"""Operators with several inputs, of which some are on the CPU and some on the GPU."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, types
from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS
from penstock.operators.augmenting.effects import WIDTH
from penstock.testing.agreement import source

TWO_INPUTS = sorted(
    {
        member.name
        for member in OPERATORS.values()
        if len(member.inputs) > 1 or any(each.many for each in member.declared_inputs)
    }
)
NUMBERS = [np.arange(6, dtype=np.float32).reshape(2, 3) + i for i in range(3)]

ENCODED = [cv2.imencode(".png", np.full((4, 5, 3), 9 * i, np.uint8))[1].ravel() for i in range(3)]

BOXES = [np.array([[0.1, 0.2, 0.5, 0.6]], np.float32)] * 3
LABELS = [np.array([7], np.int32)] * 3
IMAGES = [np.full((4, 5, 3), 9 * i, np.uint8) for i in range(3)]
STEPS = np.zeros((1, 1 + WIDTH), np.float32)

# Operators whose inputs are not any two arrays of numbers of one shape.
INPUTS = {
    "_augment": (IMAGES, [STEPS] * 3),
    "_augment_boxes": (BOXES, [STEPS] * 3),
    "_augment_masks": (IMAGES, [STEPS] * 3),
    "_blend": (IMAGES, IMAGES[::-1]),
    "_merge": ([np.bool_(i) for i in (0, 1, 0)], IMAGES, IMAGES[::-1]),
    "_paste_window": (IMAGES, IMAGES[::-1]),
    "mixup": (IMAGES, LABELS),
    "cutmix": (IMAGES, LABELS),
    "_indices": ([np.int32(i) for i in range(3)],) * 2,
    "bbox_rotate": (BOXES, LABELS),
    "box_encoder": (BOXES, LABELS),
    "experimental.remap": (
        IMAGES,
        [np.ones((2, 3), np.float32)] * 3,
        [np.ones((2, 3), np.float32)] * 3,
    ),
    "experimental.warp_perspective": (IMAGES, [np.eye(3, dtype=np.float32)] * 3),
    "random_bbox_crop": (BOXES, LABELS),
    "segmentation.select_masks": (
        [np.array([0], np.int32)] * 3,
        [np.array([[0, 0, 3]], np.int32)] * 3,
        [np.zeros((3, 2), np.float32)] * 3,
    ),
    "_ssd_cut": (IMAGES, [np.float32([0, 0])] * 3, [np.float32([0.5, 0.5])] * 3),
    "ssd_random_crop": (IMAGES, BOXES, LABELS),
    "warp_affine": (IMAGES, [np.eye(2, 3, dtype=np.float32)] * 3),
    "decoders.image_slice": (ENCODED, [np.array([0.0, 0.0])] * 3, [np.array([0.5, 0.5])] * 3),
    "_decode_sequence": (ENCODED, ENCODED),
    "random.choice": ([np.arange(1, 5)] * 3, NUMBERS),
    "reinterpret": (NUMBERS, [np.array([3, 2])] * 3),
    "reshape": (NUMBERS, [np.array([3, 2])] * 3),
    "slice": (NUMBERS, [np.array([1, 0])] * 3, [np.array([1, 2])] * 3),
}
ARGUMENTS = {
    "_augment_boxes": {"image_shape": [4, 5, 3]},
    "_blend": {"weight": 0.25},
    "_mix_labels": {"weight": 0.25},
    "_paste_window": {"window": [1, 1, 2, 2]},
    "mixup": {"num_classes": 8},
    "cutmix": {"num_classes": 8},
    "bbox_rotate": {"angle": 30.0, "input_shape": [40.0, 50.0]},
    "box_encoder": {"anchors": [0.1, 0.2, 0.5, 0.7, 0.0, 0.0, 0.2, 0.2]},
    "_arithmetic": {"function": "add"},
    "_numba_function": {
        "run_fn": lambda out, a, b: None,
        "out_types": [types.FLOAT],
        "in_types": [types.FLOAT] * 2,
        "outs_ndim": [2],
        "ins_ndim": [2, 2],
    },
    "_jax_function": {"function": lambda a, b: a},
    "_torch_python_function": {"function": lambda a, b: a},
    "dl_tensor_python_function": {"function": lambda a, b: a},
    "python_function": {"function": lambda a, b: a},
    "slice": {"axes": [0, 1], "normalized_anchor": False, "normalized_shape": False},
}


def run(name, devices):
    """Run an operator with inputs on these devices; return its results on the CPU."""
    columns = INPUTS.get(name, (NUMBERS, NUMBERS))
    with Pipeline(batch_size=3, num_threads=1, seed=4) as pipe:
        nodes = [source(column) for column in columns]
        nodes = [
            node.gpu() if device == "gpu" else node
            for node, device in zip(nodes, devices, strict=True)
        ]
        output, *_ = add_node(OPERATORS[name], nodes, ARGUMENTS.get(name, {}))
        pipe.set_outputs(output.cpu())
        return [np.array(row) for row in pipe.run()[0].rows()]


@pytest.mark.parametrize("name", TWO_INPUTS)
def test_mixed_inputs_are_refused_at_definition_or_give_what_the_cpu_gives(device_stage, name):
    if name == "_jax_function":
        pytest.importorskip("jax")
    count = len(INPUTS.get(name, (NUMBERS, NUMBERS)))
    refusals = []
    for devices in product(("cpu", "gpu"), repeat=count):
        if len(set(devices)) == 1:
            continue
        try:
            got = run(name, devices)
        except ArgumentError as error:
            refusals.append(str(error))
        else:
            for row, wanted in zip(got, run(name, ("cpu",) * count), strict=True):
                np.testing.assert_array_equal(row, wanted, strict=True)
    remedies = (".cpu()", ".gpu()")
    assert all("DataNode" in text and any(r in text for r in remedies) for text in refusals)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("function", [fn.cat, fn.stack])
def test_the_message_names_both_inputs_and_the_remedy(function, swapped):
    host, device = source(NUMBERS), source(NUMBERS).gpu()
    with pytest.raises(ArgumentError) as caught:
        function(*((host, device) if swapped else (device, host)))
    text = str(caught.value)
    assert f"its input {device!r} is on the GPU, but its input {host!r} is on the CPU" in text
    assert "move it with .gpu()" in text


def test_constants_go_to_the_gpu_by_themselves(device_stage):
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        data = source(NUMBERS).gpu()
        pipe.set_outputs(fn.cat(data, np.ones((1, 3), np.float32)), data * np.float32(2))
        joined, doubled = pipe.run()
    for i, row in enumerate(joined.as_cpu().rows()):
        np.testing.assert_array_equal(row, np.concatenate([NUMBERS[i], np.ones((1, 3))]))
    for i, row in enumerate(doubled.as_cpu().rows()):
        np.testing.assert_array_equal(row, NUMBERS[i] * 2)


def test_the_shape_of_data_on_the_gpu_comes_from_the_cpu(device_stage):
    with (
        Pipeline(batch_size=3),
        pytest.raises(ArgumentError, match=r"on the GPU; move it with \.cpu\(\)"),
    ):
        fn.reshape(source(NUMBERS), source([np.array([3, 2])] * 3).gpu())
    assert [row.shape for row in run("reshape", ("gpu", "cpu"))] == [(3, 2)] * 3
