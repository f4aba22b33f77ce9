"""Casts, indexing, reshaping and joining, against NVIDIA DALI."""

import numpy as np
import pytest

import penstock
from penstock.engine.graph.index_keys import split_key
from penstock.operators.batches.permute import PermuteBatch
from penstock.operators.elementwise.cast import Cast, CastLike
from penstock.operators.generators.constant import ConstantData
from penstock.operators.indexing.dimensions import ExpandDims, Squeeze
from penstock.operators.indexing.join import Cat, Stack
from penstock.operators.indexing.reshape import Reinterpret, Reshape
from penstock.operators.indexing.subscript import Subscript
from penstock.operators.metadata.shapes import Shapes
from penstock.tests.operators.running import apply, array, batch_of, dense
from penstock.tests.parity.oracle import dali

fn = pytest.importorskip("nvidia.dali.fn")
types = pytest.importorskip("nvidia.dali.types")

VOLUME = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
NUMPY_NAMES = {"FLOAT": "float32"}


def check(kind, expression, samples, layouts=None, **arguments):
    """Compare an operator with DALI's on one sample; inputs get these layouts."""
    layouts = layouts or [""] * len(samples)

    def laid_out(*nodes):
        return expression(
            *(fn.reshape(n, layout=x) if x else n for n, x in zip(nodes, layouts, strict=True))
        )

    (((theirs,), layout),) = dali(laid_out, *[[sample] for sample in samples])
    ours = apply(kind, *samples, layouts=layouts, **arguments)
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    data = tuple(k for k, v in arguments.items() if isinstance(v, np.ndarray))
    constants = {k: v for k, v in arguments.items() if k not in data}
    assert kind("cpu", data, layouts, **constants).output_layouts() == (layout,)


def test_casts_from_floating_point():
    numbers = [-0.5, 0.5, 1.5, 2.5, -1.5, 0.49999997, 254.5, 255.5, 300, -3, 1e20, -1e20, np.inf]
    for source in ("float16", "float32", "float64"):
        with np.errstate(over="ignore"):
            sample = array("float64", numbers).astype(source)
        for target in ("UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "UINT64", "BOOL"):
            dtype = getattr(types, target)
            check(Cast, lambda x, d=dtype: fn.cast(x, dtype=d), [sample], dtype=target.lower())


def test_casts_from_integers():
    sample = array("int64", [-1, 0, 1, 127, 128, 255, 70000, -70000, 2**31, 2**40, -(2**63)])
    for target in ("UINT8", "INT8", "UINT16", "INT32", "UINT32", "UINT64", "BOOL", "FLOAT16"):
        dtype = getattr(types, target)
        check(Cast, lambda x, d=dtype: fn.cast(x, dtype=d), [sample], dtype=target.lower())
    check(CastLike, fn.cast_like, [sample, array("int16", [0])])


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        (1, 2, 3),
        (slice(None), 1),
        (0, slice(None), slice(1, 3)),
        (slice(None), slice(None, None, -1)),
        (slice(None), slice(2, None, -2)),
        (slice(None), slice(None, None, 2)),
        slice(0, 50),
        slice(-50, 1),
        slice(1, 0),
        slice(1, None),
    ],
)
def test_subscripts(key):
    constant, _ = split_key(key, lambda value: False)
    for layout in ("", "HWC"):
        check(Subscript, lambda x: x[key], [VOLUME], [layout], key=constant)


def test_shapes():
    check(Shapes, lambda x: x.shape(), [VOLUME])
    check(Shapes, lambda x: x.shape(dtype=types.FLOAT), [VOLUME], dtype="float32")
    check(Shapes, lambda x: x.shape(), [np.int32(3)])


@pytest.mark.parametrize(
    "arguments",
    [
        {"shape": [6, 4]},
        {"shape": [-1]},
        {"shape": [4, 3, 2]},
        {"shape": 24},
        {"shape": [-1, 4], "layout": "HW"},
        {"layout": "CHW"},
        {"layout": ""},
        {"rel_shape": [0.5, 2, 1]},
        {"rel_shape": [0.5, -1]},
        {"rel_shape": [0.5, 0.5, -1]},
        {"rel_shape": [1, 1, 1, -1]},
        {"src_dims": [2, 0, 1]},
    ],
)
def test_reshape(arguments):
    for layout in ("", "HWC"):
        check(Reshape, lambda x: fn.reshape(x, **arguments), [VOLUME], [layout], **arguments)


def test_reshape_inserts_dimensions():
    # DALI fails where the input has a layout.
    dims = {"src_dims": [-1, 1, 0, 2]}
    scaled = {**dims, "rel_shape": [1, 1, 0.5, -1]}
    check(Reshape, lambda x: fn.reshape(x, **dims), [VOLUME], **dims)
    check(Reshape, lambda x: fn.reshape(x, **scaled), [VOLUME], **scaled)


def test_reshape_by_data():
    sample = array("int32", [4, -1])
    check(Reshape, fn.reshape, [VOLUME, sample])
    check(Reshape, lambda x: fn.reshape(x, shape=[]), [array("int32", [5])], shape=[])


@pytest.mark.parametrize(
    "arguments",
    [
        {"dtype": "UINT8"},
        {"dtype": "INT64"},
        {"dtype": "FLOAT"},
        {"dtype": "INT16", "shape": [-1]},
        {"dtype": "UINT8", "rel_shape": [1, 1, 4]},
        {"dtype": "UINT8", "src_dims": [1, 0, 2]},
        {"shape": [24]},
    ],
)
def test_reinterpret(arguments):
    theirs = {k: getattr(types, v) if k == "dtype" else v for k, v in arguments.items()}
    ours = {k: NUMPY_NAMES.get(v, v.lower()) if k == "dtype" else v for k, v in arguments.items()}
    for layout in ("", "HWC"):
        check(Reinterpret, lambda x: fn.reinterpret(x, **theirs), [VOLUME], [layout], **ours)


@pytest.mark.parametrize("axes", [1, [1, 3], [3]])
def test_squeeze(axes):
    sample = VOLUME.reshape(2, 1, 12, 1)
    check(Squeeze, lambda x: fn.squeeze(x, axes=axes), [sample], ["FHWC"], axes=axes)
    check(Squeeze, lambda x: fn.squeeze(x, axes=axes), [sample], axes=axes)


def test_squeeze_by_name_and_of_nothing():
    sample = VOLUME.reshape(2, 1, 12, 1)
    expression = lambda x: fn.squeeze(x, axis_names="CH")  # noqa: E731
    check(Squeeze, expression, [sample], ["FHWC"], axis_names="CH")
    check(Squeeze, lambda x: fn.squeeze(x, axes=[0, 1]), [np.zeros((0, 3, 0))], axes=[0, 1])


@pytest.mark.parametrize(
    "arguments",
    [
        {"axes": 0},
        {"axes": [0, 4]},
        {"axes": [0], "new_axis_names": "F"},
        {"axes": [3, 0], "new_axis_names": "XY"},
        {"axes": [1, 2]},
    ],
)
def test_expand_dims(arguments):
    check(ExpandDims, lambda x: fn.expand_dims(x, **arguments), [VOLUME], ["HWC"], **arguments)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"axis": -1}, {"axis": -3}, {"axis": 3}, {"axis": 1, "axis_name": "F"}],
)
def test_stack(arguments):
    expression = lambda a, b: fn.stack(a, b, **arguments)  # noqa: E731
    check(Stack, expression, [VOLUME, VOLUME + 1], ["HWC", ""], **arguments)


def test_stack_scalars():
    scalars = [np.int32(1), np.int32(2), np.int32(3)]
    check(Stack, lambda *n: fn.stack(*n, axis_name="N"), scalars, axis_name="N")


@pytest.mark.parametrize("arguments", [{}, {"axis": 2}, {"axis": -2}, {"axis_name": "C"}])
def test_cat(arguments):
    expression = lambda a, b: fn.cat(a, b, **arguments)  # noqa: E731
    check(Cat, expression, [VOLUME, VOLUME + 1], ["HWC", ""], **arguments)


def test_permute_batch():
    samples = [np.int32(i) for i in range(4)]
    ((theirs, _),) = dali(lambda x: fn.permute_batch(x, indices=[3, 3, 0, 1]), samples)
    operator = PermuteBatch("cpu", (), ("",), indices=[3, 3, 0, 1])
    ours = operator.batch(batch_of(4), dense(samples), indices=operator.indices)
    assert ours.as_array().tolist() == [int(x) for x in theirs]


@pytest.mark.parametrize(
    "arguments",
    [
        {"fdata": 1.5},
        {"idata": [1, 2]},
        {"idata": 3, "shape": [2, 2]},
        {"idata": 3, "shape": []},
        {"idata": [1, 2], "dtype": "FLOAT"},
        {"fdata": [1.5, 2], "dtype": "UINT8"},
        {"idata": [300, -1], "dtype": "UINT8"},
        {"idata": [1, 2, 3, 4], "shape": [2, 2], "layout": "HW"},
    ],
)
def test_constant(arguments):
    theirs = {k: getattr(types, v) if k == "dtype" else v for k, v in arguments.items()}
    ours = {k: NUMPY_NAMES.get(v, v.lower()) if k == "dtype" else v for k, v in arguments.items()}
    (((expected,), layout),) = dali(lambda: fn.constant(**theirs), batch_size=1)
    operator = ConstantData("cpu", (), (), **ours)
    result = operator.batch(batch_of(1))[0]
    assert result.dtype == expected.dtype
    assert operator.output_layouts() == (layout,)
    np.testing.assert_array_equal(result, expected)
    assert result.shape == expected.shape


@pytest.mark.parametrize("name", ["IMAGE_TYPE", "DATA_TYPE", "INTERP_TYPE"])
def test_constants_of_enumerations(name):
    """NumPy cannot take DALI's, so DALI casts them."""

    def define(types, fn):
        return fn.cast(types.Constant([1, 0], dtype=getattr(types, name)), dtype=types.INT32)

    (((theirs,), _),) = dali(lambda: define(types, fn), batch_size=1)
    with penstock.Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(define(penstock.types, penstock.fn))
        (ours,) = pipe.run()
    assert ours.as_array().dtype == theirs.dtype
    np.testing.assert_array_equal(ours[0], theirs)
