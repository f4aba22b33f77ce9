"""Short programs written for NVIDIA DALI: both libraries give the same types, shapes and values.

Programs of layouts are in `test_layouts.py`, of iterators in `test_iterator_checkpoints.py`.
"""

from __future__ import annotations

import io

import numpy as np
import pytest

import penstock

dali = pytest.importorskip("nvidia.dali")

IMAGE = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
ANCHORS = [0.0, 0.0, 1.0, 1.0, 0.2, 0.2, 0.5, 0.5]
BOXES = [[0.1, 0.1, 0.9, 0.9]]
REVERSED = [[0.1, 0.1, 0.9, 0.9], [0.5, 0.5, 0.4, 0.9]]
VIDEO = np.random.default_rng(0).integers(0, 255, (4, 6, 8, 3), dtype=np.uint8)
MEANS = [123.68, 116.78, 103.94]


def fed(lib, value, layout=None):
    """Return a node with one array for each sample."""
    return lib.fn.external_source(lambda: [np.asarray(value)] * 2, layout=layout)


def image(lib):
    return fed(lib, IMAGE, "HWC")


def none(lib):
    return fed(lib, np.array([], np.int32))


def results(lib, program, **options):
    """Return (layout, rows) of each output."""
    arguments = {"batch_size": 2, "num_threads": 1, "device_id": None} | options
    pipe = lib.Pipeline(**arguments, exec_async=False, exec_pipelined=False)
    with pipe:
        made = program(lib)
        pipe.set_outputs(*(made if isinstance(made, list | tuple) else [made]))
    pipe.build()
    return [(out.layout(), [np.array(out.at(i)) for i in range(len(out))]) for out in pipe.run()]


def constant(value):
    return lambda lib: lib.fn.copy(lib.types.Constant(value))


PROGRAMS = {
    **{
        f"a constant of {dtype}": constant(np.array([1], dtype))
        for dtype in ("float64", "int64", "uint64", "float32", "int16", "bool", "float16")
    },
    **{
        f"{value!r} as an input and as an operand": lambda lib, value=value: [
            lib.fn.copy(value),
            lib.fn.stack(value, value),
            fed(lib, IMAGE) * np.array(value),
        ]
        for value in (np.float64(1.5), np.int64(3), np.uint64(7), np.int16(3), np.array(1.5))
    },
    "constants of numbers": lambda lib: [constant(1.0)(lib), constant(1)(lib)],
    "means in an array": lambda lib: image(lib) - lib.types.Constant(np.array(MEANS)),
    "means in a list": lambda lib: image(lib) - lib.types.Constant(MEANS),
    "an array in arithmetic": lambda lib: image(lib) - np.array(MEANS),
    "scalars of NumPy": lambda lib: image(lib) * np.float32(2),
    "sum of constants": lambda lib: (
        lib.types.Constant(np.array([1.0])) + lib.types.Constant(np.array([1], np.int64))
    ),
    "an array as an input": lambda lib: lib.fn.cast(np.array([1.5]), dtype=lib.types.INT32),
    "an array as an argument": lambda lib: lib.fn.warp_affine(
        image(lib), matrix=np.array([[1.0, 0, 1], [0, 1, 0]])
    ),
    "slice of all axes": lambda lib: lib.fn.slice(
        image(lib), rel_start=[0.1, 0.1, 0.0], rel_shape=[0.5, 0.5, 1.0], axes=[]
    ),
    "slice of all axes, by a node": lambda lib: lib.fn.slice(
        image(lib), rel_start=[0.1, 0.1, 0.0], rel_shape=[0.5, 0.5, 1.0], axes=none(lib)
    ),
    "pad of all axes": lambda lib: lib.fn.pad(image(lib), axes=[], shape=[6, 7, 4]),
    "pad of all axes, by a node": lambda lib: lib.fn.pad(
        image(lib), axes=none(lib), align=[4, 4, 4]
    ),
    "slice by names of plain arrays": lambda lib: lib.fn.slice(
        fed(lib, IMAGE), [1, 1], [2, 2], axis_names="HW"
    ),
    "boxes of 64 bits": lambda lib: lib.fn.box_encoder(
        np.array(BOXES), np.array([3], np.int64), anchors=ANCHORS
    ),
    "reversed boxes": lambda lib: lib.fn.bb_flip(
        fed(lib, np.array(REVERSED, np.float32)), ltrb=True, horizontal=1
    ),
    "one brightness for all frames": lambda lib: lib.fn.brightness(
        fed(lib, VIDEO, "FHWC"), brightness=lib.fn.per_frame(fed(lib, np.array([2.0], np.float32)))
    ),
    "outputs in a list": lambda lib: (
        lib.fn.segmentation.random_object_bbox(fed(lib, np.ones((3, 3), np.int32))) + []  # noqa: RUF005
    ),
    "outputs from one array": lambda lib: lib.fn.external_source(
        lambda _: np.arange(24.0).reshape(2, 3, 4), num_outputs=2, batch=False
    ),
    "outputs from a list": lambda lib: lib.fn.external_source(
        lambda _: [np.zeros(2), np.zeros(3)], num_outputs=2, batch=False
    ),
    "a background at the end of int32": lambda lib: lib.fn.segmentation.random_object_bbox(
        fed(lib, np.full((2, 2), 5, np.int32)), background=-(2**31)
    ),
    "axes inserted nowhere": lambda lib: lib.fn.expand_dims(image(lib), axes=[]),
    "a class of operators": lambda lib: lib.ops.MFCC(device="cpu", n_mfcc=2)(
        fed(lib, np.ones((4, 5), np.float32))
    ),
    "a source by position": lambda lib: lib.ops.ExternalSource(
        lambda: (np.array([[1], [2]]), np.array([[3], [4]])), 2
    )(),
    "a function by position": lambda lib: lib.ops.PythonFunction(lambda a: (a, a + 1), 2)(
        image(lib)
    ),
    "a canvas with channels": lambda lib: lib.fn.multi_paste(
        image(lib), in_ids=fed(lib, np.array([1, 0], np.int32)), output_size=(10, 20, 3)
    ),
    "values of a type in a batch": lambda lib: lib.fn.decoders.numpy(
        fed(lib, np.frombuffer(_npy(IMAGE), np.uint8))
    ),
}


def _npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize("name", PROGRAMS)
def test_results(name):
    ours, theirs = (results(lib, PROGRAMS[name]) for lib in (penstock, dali))
    assert len(ours) == len(theirs)
    for (layout, rows), (their_layout, their_rows) in zip(ours, theirs, strict=True):
        assert layout == their_layout
        for row, their in zip(rows, their_rows, strict=True):
            assert (row.dtype, row.shape) == (their.dtype, their.shape)
            np.testing.assert_allclose(row.astype(float), their.astype(float), rtol=1e-6, atol=1)


REFUSED = {
    "crop without height and width": lambda lib: lib.fn.crop(fed(lib, IMAGE, "ABC"), crop=(4, 4)),
    "flip without height and width": lambda lib: lib.fn.flip(fed(lib, IMAGE, "ABC"), horizontal=1),
    "two ends of a slice": lambda lib: lib.fn.slice(
        image(lib), start=[1], end=[4], shape=[2], axes=[0]
    ),
    "unequal sets of inputs": lambda lib: lib.fn.cat([image(lib), image(lib)], [image(lib)]),
    "no number for a constant": lambda lib: lib.types.Constant(object()),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("lib", [penstock, dali], ids=["penstock", "dali"])
def test_refusals(lib, name):
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        results(lib, REFUSED[name])


def _random(lib):
    return [
        lib.fn.random.coin_flip(seed=7865),
        lib.fn.random.uniform(range=[0.0, 1.0], seed=3),
        lib.fn.noise.gaussian(image(lib), stddev=9.0, seed=5),
        lib.fn.random_resized_crop(image(lib), size=4, seed=5),
        lib.fn.batch_permutation(seed=4),
    ]


@pytest.mark.parametrize("lib", [penstock, dali], ids=["penstock", "dali"])
@pytest.mark.parametrize("seeds", [(None, None), (1, 2)])
def test_an_operators_seed_fixes_its_numbers(lib, seeds):
    """Whatever seed the pipeline has; the numbers of the libraries differ."""
    first, second = (results(lib, _random, seed=seed) for seed in seeds)
    for (_, rows), (_, others) in zip(first, second, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(rows, others, strict=True))


@pytest.mark.parametrize("lib", [penstock, dali], ids=["penstock", "dali"])
def test_shards_of_shuffle_after_epoch_stay(lib, tmp_path):
    """A rank reads its own shard, whose order is another in each epoch."""
    path = tmp_path / "a"
    path.write_bytes(b"a")
    with_labels = {"files": [str(path)] * 9, "labels": list(range(9))}

    def program(each):
        return each.fn.readers.file(
            name="Reader", num_shards=2, shard_id=1, shuffle_after_epoch=True, **with_labels
        )[1]

    pipe = lib.Pipeline(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=1)
    with pipe:
        pipe.set_outputs(program(lib))
    pipe.build()
    assert pipe.reader_meta("Reader")["stick_to_shard"] == 1
    epochs = [[int(np.array(pipe.run()[0].at(0))[0]) for _ in range(5)] for _ in range(3)]
    assert all(len(set(epoch)) == 5 for epoch in epochs)


def test_mirror_of_planar_images():
    """`resize_crop_mirror` of CHW mirrors left and right; DALI's result is upside down."""
    planes = np.ascontiguousarray(IMAGE.transpose(2, 0, 1))

    def program(lib):
        arguments = {"resize_x": 7, "resize_y": 6, "crop": (3, 4)}
        return [
            lib.fn.resize_crop_mirror(fed(lib, planes, "CHW"), mirror=mirror, **arguments)
            for mirror in (0, 1)
        ]

    (_, (plain, _)), (_, (ours, _)) = results(penstock, program)
    (_, (their_plain, _)), (_, (theirs, _)) = results(dali, program)
    np.testing.assert_allclose(plain.astype(int), their_plain.astype(int), atol=1)
    np.testing.assert_allclose(ours.astype(int), plain[:, :, ::-1].astype(int), atol=1)
    np.testing.assert_allclose(theirs.astype(int), their_plain[:, ::-1].astype(int), atol=1)


def test_a_function_of_tensors_gets_one_sample():
    """By default, as DALI's documentation says; DALI needs a PyTorch with CUDA here."""
    torch = pytest.importorskip("torch")
    plugin = pytest.importorskip("penstock.plugin.pytorch")
    seen = []

    def function(tensor):
        seen.append(type(tensor))
        return tensor + 1

    def program(lib):
        return [
            plugin.fn.torch_python_function(image(lib), function=function),
            plugin.TorchPythonFunction(function, 1)(image(lib)),
        ]

    for _, rows in results(penstock, program):
        np.testing.assert_array_equal(rows[1], IMAGE + 1)
    assert set(seen) == {torch.Tensor}
