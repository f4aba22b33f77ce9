"""Mathematical functions of tensors and batches."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import numpy as np
import pytest

from penstock import MissingDependencyError
from penstock import math as pipeline_math
from penstock.experimental import dynamic as ndd
from penstock.experimental.dynamic import math

ONE = [
    name
    for name in pipeline_math.__all__
    if len(inspect.signature(getattr(pipeline_math, name)).parameters) == 1
]
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh"}
NUMPY |= {"acosh": "arccosh", "atanh": "arctanh"}


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_operand(name):
    numbers = np.float32([0.1, 0.5, 0.9]) + (1 if name == "acosh" else 0)
    expected = (
        1 / np.sqrt(numbers) if name == "rsqrt" else getattr(np, NUMPY.get(name, name))(numbers)
    )
    function = getattr(ndd.math, name)
    np.testing.assert_allclose(np.asarray(function(ndd.tensor(numbers))), expected, rtol=1e-5)
    batch = function(ndd.batch(numbers))
    assert isinstance(batch, ndd.Batch)
    assert function(numbers[0]).dtype == ndd.float32
    assert function.__doc__


def test_functions_of_two_and_three_operands():
    a, b = ndd.tensor([1, 5]), ndd.tensor([4, 2])
    assert np.asarray(ndd.math.max(a, b)).tolist() == [4, 5]
    assert np.asarray(ndd.math.min(a, 3)).tolist() == [1, 3]
    assert np.asarray(ndd.math.clamp(a, 2, 4)).tolist() == [2, 4]
    assert np.asarray(ndd.math.pow(2, a)).tolist() == [2, 32]
    assert ndd.math.fpow(a, b).dtype == ndd.float32
    assert ndd.math.atan2(1.0, 1.0).item() == pytest.approx(np.pi / 4)
    with pytest.raises(TypeError, match="takes 2 operands, but was given 1"):
        ndd.math.max(a)


def test_modules_of_the_module():
    assert math is ndd.math
    program = (
        "import penstock, sys\n"
        "assert 'penstock.experimental.dynamic' not in sys.modules\n"
        "from penstock.experimental.dynamic.readers import File\n"
        "import penstock.experimental.dynamic.math as m, penstock.experimental.dynamic as ndd\n"
        "assert m is ndd.math and File is ndd.readers.File\n"
        "from penstock.experimental.dynamic.random import RNG, uniform\n"
        "from penstock.experimental.dynamic.checkpoint import Checkpoint\n"
        "print(sorted({'torch', 'cupy', 'PIL', 'jax'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_what_dir_lists():
    names = dir(ndd)
    assert {"resize", "Tensor", "readers", "random", "math", "float32", "imread"} <= set(names)
    assert all(hasattr(ndd, name) for name in names)
    assert {"RNG", "uniform", "set_seed"} <= set(dir(ndd.random))
    assert "pytorch" in names
    with pytest.raises(AttributeError, match=r"no operator .*resise.*; did you mean 'resize'"):
        _ = ndd.resise


def test_nodes_say_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchdata.nodes", None)
    monkeypatch.delitem(sys.modules, f"{ndd.pytorch.__name__}.nodes", raising=False)
    monkeypatch.delitem(vars(ndd.pytorch), "nodes", raising=False)
    remedy = r"needs torchdata .*: pip install torchdata"
    assert not hasattr(ndd.pytorch, "nodes")
    with pytest.raises(AttributeError, match=remedy):
        _ = ndd.pytorch.nodes
    with pytest.raises(MissingDependencyError, match=remedy):
        importlib.import_module(f"{ndd.pytorch.__name__}.nodes")
