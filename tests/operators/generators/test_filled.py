import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError

SIZE = 3


def ragged():
    return [np.full(k + 1, k, np.int16) for k in range(SIZE)]


def outputs(define, **options):
    with pipeline_def(define, batch_size=SIZE, num_threads=2)(**options) as pipe:
        return pipe.run()


def test_zeros_and_ones():
    zeros, ones, scalars = outputs(
        lambda: (
            fn.zeros(shape=[2, 3], dtype=types.FLOAT, layout="HW"),
            fn.ones(shape=4),
            fn.ones(dtype=types.BOOL),
        )
    )
    np.testing.assert_array_equal(zeros.as_array(), np.zeros((SIZE, 2, 3), np.float32), strict=True)
    np.testing.assert_array_equal(ones.as_array(), np.ones((SIZE, 4), np.int32), strict=True)
    np.testing.assert_array_equal(scalars.as_array(), np.ones(SIZE, bool), strict=True)
    assert zeros.layout() == "HW"


def test_a_shape_for_each_sample():
    (ones,) = outputs(lambda: fn.ones(shape=fn.external_source(source=ragged).shape()))
    assert ones.shape() == [(1,), (2,), (3,)]
    assert all((ones.at(i) == 1).all() for i in range(SIZE))


def test_like():
    def define():
        data = fn.external_source(source=ragged, layout="X")
        return fn.zeros_like(data), fn.ones_like(data, dtype=types.UINT8), fn.full_like(data, 7)

    zeros, ones, sevens = outputs(define)
    assert zeros.shape() == ones.shape() == sevens.shape() == [(1,), (2,), (3,)]
    assert [out.dtype.name for out in (zeros, ones, sevens)] == ["INT16", "UINT8", "INT16"]
    assert [out.at(2).tolist() for out in (zeros, ones, sevens)] == [[0] * 3, [1] * 3, [7] * 3]
    assert zeros.layout() == ones.layout() == sevens.layout() == "X"


def test_full_broadcasts():
    rows, given = outputs(
        lambda: (fn.full(types.Constant([1.0, 2.0]), shape=(3, 2)), fn.full(np.uint8([4, 5])))
    )
    assert rows.as_array().tolist() == [[[1.0, 2.0]] * 3] * SIZE
    assert given.as_array().tolist() == [[4, 5]] * SIZE
    assert given.dtype == types.UINT8


def test_what_does_not_fit():
    with pytest.raises(ArgumentError, match=r"shape \(2,\) cannot be broadcast to \(3,\)"):
        outputs(lambda: fn.full(types.Constant([1, 2]), shape=3))
    with pytest.raises(ArgumentError, match="'HW' does not describe"):
        outputs(lambda: fn.zeros(shape=3, layout="HW"))


def test_copy_gives_the_same():
    (copied,) = outputs(lambda: fn.copy(fn.external_source(source=ragged, layout="X")))
    assert [copied.at(i).tolist() for i in range(SIZE)] == [row.tolist() for row in ragged()]
    assert copied.layout() == "X"
