"""Light operators: whole batches give what samples give, also where samples have errors."""

import json

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn, pipeline_def
from penstock.engine.graph.context import HeapWorkspace
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.tensors import TensorListCPU
from penstock.operators.common.whole_batches import JoinedRows

RANDOM = np.random.default_rng(4)
COUNTS = [3, 0, 40, 1, 7]


def boxes_of(count):
    corners = RANDOM.random((count, 2)) * 0.6
    return np.concatenate([corners, corners + 0.05 + RANDOM.random((count, 2)) * 0.3], 1)


BOXES = [boxes_of(count).astype("f4") for count in COUNTS]
LABELS = [RANDOM.integers(0, 9, (count, 1)).astype("i4") for count in COUNTS]
POLYGONS = [
    np.array([[7 - i // 2, 3 * i, 3 * i + 3] for i in range(count)], "i4").reshape(-1, 3)
    for count in COUNTS
]
VERTICES = [RANDOM.random((3 * count, 2)).astype("f4") for count in COUNTS]
CHOSEN = [np.unique(p[:, 0])[::-2].astype("i4") for p in POLYGONS]
ANGLES = [np.float32(angle) for angle in (10, -30, 0, 95, 200)]
FLAGS = [np.int32(i % 2) for i in range(5)]
SHARES = [np.float32(i / 5) for i in range(5)]

CASES = {
    "flip": ("bb_flip", [BOXES], {}, {"horizontal": FLAGS, "vertical": FLAGS[::-1] + FLAGS[:1]}),
    "flip ltrb": ("bb_flip", [BOXES], {"ltrb": True}, {}),
    "flip single": ("bb_flip", [[boxes_of(1)[0].astype("f4") for _ in range(5)]], {}, {}),
    "points": ("coord_flip", [VERTICES], {"flip_x": 0}, {"flip_y": FLAGS, "center_y": SHARES}),
    "points yx": ("coord_flip", [VERTICES], {"layout": "yx", "center_x": 0.3}, {}),
    "paste": ("bbox_paste", [BOXES], {"ratio": 1.7}, {"paste_x": SHARES}),
    "paste ltrb": ("bbox_paste", [BOXES], {"ltrb": True}, {"ratio": [s + 1 for s in SHARES]}),
    "rotate": ("bbox_rotate", [BOXES, LABELS], {"input_shape": [30, 40]}, {"angle": ANGLES}),
    "rotate fixed": (
        "bbox_rotate",
        [BOXES],
        {"input_shape": [30, 40], "mode": "fixed"},
        {"angle": ANGLES},
    ),
    "rotate pixels": (
        "bbox_rotate",
        [[boxes * 30 for boxes in BOXES]],
        {"bbox_normalized": False, "bbox_layout": "xyWH", "angle": 33.0, "mode": "halfway"},
        {"input_shape": [np.array([30 + i, 40, 3], "i4") for i in range(5)]},
    ),
    "masks": ("segmentation.select_masks", [CHOSEN, POLYGONS, VERTICES], {}, {}),
    "masks again": (
        "segmentation.select_masks",
        [CHOSEN, POLYGONS, VERTICES],
        {"reindex_masks": True},
        {},
    ),
}


def function_of(name):
    function = fn
    for part in name.split("."):
        function = getattr(function, part)
    return function


def piped(name, inputs, constants, arguments, **options):
    """Return the outputs of an operator on a batch of external data."""
    with Pipeline(batch_size=len(inputs[0]), num_threads=2, **options) as pipe:
        nodes = [fn.external_source(data.copy) for data in map(list, inputs)]
        named = {
            key: fn.external_source(list(argument[:5]).copy) for key, argument in arguments.items()
        }
        results = function_of(name)(*nodes, **constants, **named)
        results = results if isinstance(results, tuple | list) else [results]
        pipe.set_outputs(*results)
        return [[np.array(row) for row in output.rows()] for output in pipe.run()]


@pytest.mark.parametrize("case", CASES)
def test_a_batch_gives_what_its_samples_give(case):
    name, inputs, constants, arguments = CASES[case]
    found = piped(name, inputs, constants, arguments)
    operator_class = OPERATORS[name]
    assert operator_class.light
    layouts = ("",) * len(inputs)
    for i in range(5):
        values = {key: argument[i] for key, argument in arguments.items()}
        values = {k: v.tolist() if v.ndim else v.item() for k, v in values.items()}
        single = operator_class("cpu", (), layouts, **constants, **values)
        per_sample = {k: getattr(single, k) for k, p in single.params.items() if p.per_sample}
        result = single.sample(HeapWorkspace(), *(data[i] for data in inputs), **per_sample)
        result = result if isinstance(result, tuple) else (result,)
        for output, wanted in zip(found, result, strict=True):
            np.testing.assert_array_equal(output[i], wanted, strict=True)


@pytest.mark.parametrize("case", CASES)
def test_an_error_is_the_error_of_its_sample(case):
    name, inputs, constants, arguments = CASES[case]
    wrong = [list(data) for data in inputs]
    given = wrong[0][2]
    wrong[0][2] = np.full((4, 5, 3)[: given.ndim] if given.shape != (4,) else 5, 99, given.dtype)
    with pytest.raises(ArgumentError, match=rf"{name}: .*(\(4, 5\)|\(5,\)|99)"):
        piped(name, wrong, constants, arguments)
    good = piped(name, inputs, constants, arguments)
    found = piped(name, wrong, constants, arguments, on_error="replace")
    for rows, others in zip(found, good, strict=True):
        for i in (0, 1, 3, 4):
            np.testing.assert_array_equal(rows[i], others[i], strict=True)


def test_samples_after_sample_operators_are_computed_one_by_one():
    @pipeline_def(batch_size=5, num_threads=1)
    def flipped():
        boxes = fn.external_source(BOXES.copy)
        return fn.bb_flip(boxes), fn.bb_flip(fn.pad(boxes, axes=[0], shape=[50]))

    with flipped() as pipe:
        first, second = pipe.run()
    for i, count in enumerate(COUNTS):
        np.testing.assert_array_equal(first.at(i), second.at(i)[:count])


@pytest.fixture
def files(tmp_path):
    for i, count in enumerate([3, 3, 1, 3, 3, 3]):
        np.save(tmp_path / f"{i}.npy", np.full((count, 4), i / 10, np.float32))
    return tmp_path


def test_the_work_on_a_bad_sample_is_repeated_for_its_replacement(files):
    """A light operator's result of another sample takes the place of a bad sample's result."""
    log = files / "bad.jsonl"

    @pipeline_def(batch_size=6, num_threads=1, on_error="skip", quarantine_log=str(log))
    def flipped():
        boxes = fn.readers.numpy(file_root=str(files))
        mirrored = fn.bb_flip(fn.bb_flip(boxes, ltrb=True), ltrb=True, horizontal=0)
        return boxes, mirrored, fn.slice(boxes, 0, 3, axes=[0])  # one file has a single box

    with flipped() as pipe:
        boxes, mirrored, parts = pipe.run()
    assert boxes.valid.tolist() == [True, True, False, True, True, True]
    first, *_ = log.read_text().splitlines()  # the next batches may have begun
    assert json.loads(first)["action"] == "refilled"
    np.testing.assert_array_equal(boxes.as_array(), parts.as_array())
    np.testing.assert_array_equal(mirrored.as_array()[..., 0], 1 - boxes.as_array()[..., 0])
    np.testing.assert_array_equal(mirrored.as_array()[..., 1], boxes.as_array()[..., 1])


def test_a_bad_sample_alone_in_its_batch_is_replaced(files):
    np.save(files / "2.npy", np.zeros((3, 5), np.float32))

    @pipeline_def(batch_size=1, num_threads=1, on_error="skip")
    def flipped():
        return fn.bb_flip(fn.readers.numpy(file_root=str(files)), ltrb=True)

    with flipped() as pipe:
        found = [pipe.run()[0] for _ in range(6)]
    assert [bool(batch.valid[0]) for batch in found] == [True, True, False, True, True, True]


def test_joined_rows():
    seen = []
    data = TensorListCPU([np.ones((2, 3)), np.full(3, 2.0), np.zeros((0, 3))])
    joined = JoinedRows.of(data, lambda shape, dtype: seen.append(shape))
    assert sorted(seen) == [(0, 3), (2, 3), (3,)]
    assert joined.counts.tolist() == [2, 1, 0]
    assert joined.each(np.array([5, 6, 7])).tolist() == [5, 5, 6]
    joined.table *= 3
    assert [row.tolist() for row in joined.samples()] == [[[3] * 3] * 2, [6] * 3, []]
    assert data.row(0)[0, 0] == 1
    dense = JoinedRows.of(TensorListCPU(np.ones((2, 4, 3))), lambda shape, dtype: None)
    assert dense.samples().shape == (2, 4, 3)
    unlike = TensorListCPU([np.ones((2, 3)), np.ones((2, 4))])
    assert JoinedRows.of(unlike, lambda shape, dtype: None) is None
