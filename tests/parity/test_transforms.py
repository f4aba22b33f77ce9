"""`fn.transforms.*` and `fn.coord_transform` against DALI."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import Pipeline, fn, types

from ..operators.running import run
from .oracle import dali, dali_types

PLANE = np.float32([[1, 2, 3], [4, 5, 6]])
SPACE = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
CASES = [
    ("translation", PLANE, {"offset": (1.5, -2)}),
    ("translation", SPACE, {"offset": (1, 2, 3)}),
    ("scale", PLANE, {"scale": (2, 0.5), "center": (3, 4)}),
    ("scale", PLANE, {"scale": 2.0}),
    ("scale", None, {"scale": 2.0, "ndim": 3}),
    ("scale", None, {"scale": 2.0}),
    ("scale", SPACE, {"scale": (2, 3, 4), "center": 1.0}),
    ("rotation", PLANE, {"angle": 33.3}),
    ("rotation", PLANE, {"angle": -90.0, "center": (1, 2)}),
    ("rotation", SPACE, {"angle": 33.3, "axis": (1, 2, 3)}),
    ("rotation", SPACE, {"angle": 200.0, "axis": (-5, 0, 1), "center": (1, 2, 3)}),
    ("shear", PLANE, {"shear": (1, -2)}),
    ("shear", PLANE, {"angles": (10, 80), "center": (3, 4)}),
    ("shear", SPACE, {"shear": (1, 2, 3, 4, 5, 6), "center": (3, 4, 5)}),
    ("shear", SPACE, {"angles": (10, 20, 30, -40, 50, 60)}),
    ("crop", None, {}),
    ("crop", PLANE, {"from_start": (1, 2), "from_end": (4, 6), "to_end": 5.0}),
    ("crop", PLANE, {"from_start": (5, 2), "from_end": (4, 6), "to_start": 3.0}),
    ("crop", PLANE, {"from_start": (5, 2), "from_end": (4, 6), "absolute": True}),
    ("crop", SPACE, {"from_end": (4, 6, 2), "to_start": 3.0, "to_end": (1, 2, 3)}),
]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("name", "matrix", "arguments"), CASES)
def test_matrices(name, matrix, arguments, reverse):
    arguments = {**arguments, "reverse_order": reverse}
    inputs = [] if matrix is None else [[matrix]]

    def expression(*nodes):
        import nvidia.dali.fn as their

        return getattr(their.transforms, name)(*nodes, **arguments)

    ((theirs, _),) = dali(expression, *inputs, batch_size=1)
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        nodes = [] if matrix is None else [fn.external_source(source=lambda: [matrix])]
        pipe.set_outputs(getattr(fn.transforms, name)(*nodes, **arguments))
        (ours,) = pipe.run()
        assert np.asarray(ours.at(0)).dtype == theirs[0].dtype
        np.testing.assert_allclose(ours.at(0), theirs[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_combinations(reverse):
    matrices = [PLANE, PLANE * 2 - 3, PLANE[::-1].copy()]

    def expression(*nodes):
        import nvidia.dali.fn as their

        return their.transforms.combine(*nodes, reverse_order=reverse)

    ((theirs, _),) = dali(expression, *[[matrix] for matrix in matrices])
    (ours,) = run(
        "transforms.combine",
        [matrices[0]],
        inputs=[[matrix] for matrix in matrices[1:]],
        reverse_order=reverse,
    )
    np.testing.assert_allclose(ours, theirs[0], rtol=1e-6)


@pytest.mark.parametrize(
    "arguments",
    [
        {"M": (1, 2.5, 3, 4)},
        {"M": (1, 2.5)},
        {"M": 2.0, "T": 1.0},
        {"T": (1, 2)},
        {"MT": (1, 2, 3, 4, 5.5, 6)},
        {"MT": 2.0},
        {"M": (1, 2, 3, 4, 5, 6), "T": (1, 2, 3)},
    ],
)
@pytest.mark.parametrize(
    ("source", "target"), [("f4", "FLOAT"), ("u1", "UINT8"), ("i2", "INT16"), ("i4", "FLOAT")]
)
def test_vectors(source, target, arguments):
    points = (np.random.default_rng(3).random((4, 5, 2)) * 60).astype(source)

    def expression(node):
        import nvidia.dali.fn as their

        return their.coord_transform(node, dtype=getattr(dali_types(), target), **arguments)

    ((theirs, _),) = dali(expression, [points])
    (ours,) = run("coord_transform", [points], dtype=getattr(types, target), **arguments)
    assert ours.dtype == theirs[0].dtype
    np.testing.assert_allclose(ours, theirs[0], rtol=1e-5, atol=1e-4)
