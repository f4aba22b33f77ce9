import pytest

from penstock import tfrecord
from penstock.engine.errors import ArgumentError
from penstock.readers.tfrecord.features import default_array


def test_var_len_feature_is_called_in_three_ways():
    plain = tfrecord.VarLenFeature(tfrecord.int64)
    assert (plain.dtype, plain.default_value, plain.partial_shape) == (tfrecord.int64, None, ())
    with_default = tfrecord.VarLenFeature(tfrecord.float32, 0.5)
    assert (with_default.dtype, with_default.default_value) == (tfrecord.float32, 0.5)
    partial = tfrecord.VarLenFeature([2, 3], tfrecord.int64, -1)
    assert (partial.dtype, partial.default_value, partial.partial_shape) == (3, -1, (2, 3))
    named = tfrecord.VarLenFeature(dtype=tfrecord.int64, default_value=1, partial_shape=[2])
    assert (named.dtype, named.default_value, named.partial_shape) == (3, 1, (2,))


@pytest.mark.parametrize("shape", [[], (), [1], 1, [2, 3], (0,)])
def test_shapes(shape):
    expected = (shape,) if isinstance(shape, int) else tuple(shape)
    assert tfrecord.FixedLenFeature(shape, tfrecord.int64).shape == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tfrecord.FixedLenFeature([-1], tfrecord.int64), "a shape is a list of extents"),
        (lambda: tfrecord.FixedLenFeature("ab", tfrecord.int64), "a shape is a list of extents"),
        (lambda: tfrecord.FixedLenFeature([2**41], tfrecord.int64), "a shape is a list"),
        (lambda: tfrecord.FixedLenFeature([], "int64"), "the dtype is one of"),
        (lambda: tfrecord.FixedLenFeature([2], tfrecord.string), r"the shape \[\] or \[1\]"),
        (lambda: tfrecord.VarLenFeature(), "is called as"),
        (lambda: tfrecord.VarLenFeature(1, 2, 3), "is called as"),
        (lambda: tfrecord.VarLenFeature(tfrecord.int64, wrong=1), "is called as"),
        (lambda: tfrecord.VarLenFeature([0], tfrecord.int64, 0), "partial_shape"),
        (lambda: tfrecord.VarLenFeature([2], tfrecord.string, ""), "partial_shape"),
        (
            lambda: default_array("a", tfrecord.FixedLenFeature([2], tfrecord.int64, [1, 2, 3])),
            r"the default_value \[1, 2, 3\] of feature 'a' does not fit",
        ),
        (
            lambda: default_array("a", tfrecord.FixedLenFeature([], tfrecord.string, 5)),
            "feature 'a' must be a string, got 5",
        ),
        (
            lambda: default_array("a", tfrecord.VarLenFeature([2], tfrecord.int64, [1, 2, 3])),
            "does not fit VarLenFeature",
        ),
    ],
)
def test_wrong_declarations(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()
