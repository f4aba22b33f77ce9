"""Arguments of the classes that DALI writes by hand, whose schemas may say something else."""

from __future__ import annotations

import importlib
import inspect
from operator import attrgetter

import pytest

import penstock

pytest.importorskip("nvidia.dali")

BY_SCHEMA = "python_op_factory.<locals>.Operator.__init__"
PLUGINS = [
    ("plugin.pytorch", "TorchPythonFunction"),
    ("plugin.pytorch", "DALIGenericIterator"),
    ("plugin.pytorch", "DALIClassificationIterator"),
    ("plugin.pytorch", "DALIRaggedIterator"),
    ("plugin.pytorch.torch_utils", "feed_ndarray"),
    ("plugin.pytorch.torch_utils", "to_torch_tensor"),
    ("plugin.pytorch.experimental.proxy", "DALIServer"),
    ("plugin.pytorch.experimental.proxy", "DataLoader"),
    ("plugin.numba.experimental", "NumbaFunction"),
]
OURS_ALONE = {"index_path", "output_map"}  # arguments with a default where DALI has none


def classes_by_hand(module, prefix=""):
    """Yield name and class of the operators of DALI whose constructor is no generated one."""
    for name, value in sorted(vars(module).items()):
        if name.startswith("_"):
            continue
        if inspect.ismodule(value) and value.__name__.startswith("nvidia.dali.ops."):
            yield from classes_by_hand(value, f"{prefix}{name}.")
        elif (
            inspect.isclass(value)
            and "__init__" in vars(value)
            and value.__init__.__qualname__ != BY_SCHEMA
        ):
            yield prefix + name, value


def parameters(of):
    found = inspect.signature(of.__init__ if inspect.isclass(of) else of).parameters.values()
    return {p.name: p for p in found if p.name != "self" and p.kind is not p.VAR_KEYWORD}


def compare(theirs, ours):
    """Compare the defaults; None, False and a device of "cpu" are what is there unless asked."""
    assert theirs
    own = dict(inspect.signature(ours).parameters)
    for name, parameter in theirs.items():
        if name in OURS_ALONE:
            continue
        expected, found = (getattr(d, "name", d) for d in (parameter.default, own[name].default))
        if name == "device":
            expected, found = expected or "cpu", found or "cpu"
        assert (found or None) == (expected or None), name


def test_classes_of_operators():
    from nvidia.dali import ops

    found = dict(classes_by_hand(ops))
    assert found.keys() >= {"PythonFunction", "DLTensorPythonFunction", "ExternalSource"}
    for name, theirs in found.items():
        ours = attrgetter(name)(penstock.ops)
        if name == "Compose":
            assert list(parameters(ours)) == list(parameters(theirs))
            continue
        compare(parameters(theirs), ours)
        positions = [p for p in parameters(theirs).values() if p.kind is not p.KEYWORD_ONLY]
        ours(*(p.default if p.default is not p.empty else print for p in positions))


@pytest.mark.parametrize(("module", "name"), PLUGINS)
def test_plugins(module, name):
    pytest.importorskip(module.split(".")[1].replace("pytorch", "torch"))
    theirs = getattr(importlib.import_module(f"nvidia.dali.{module}"), name)
    ours = getattr(importlib.import_module(f"penstock.{module}"), name)
    compare(parameters(theirs), ours)
    order = [p.name for p in parameters(theirs).values() if p.kind is not p.KEYWORD_ONLY]
    assert list(parameters(ours))[: len(order)] == order
