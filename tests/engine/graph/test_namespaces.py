"""`fn`, `ops` and their groups as modules."""

import importlib
import pickle
import pydoc
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from penstock import fn, ops
from penstock.engine.graph.declaration import camel_case
from penstock.engine.graph.operator import OPERATORS, public_operators
from penstock.experimental import dynamic
from penstock.extend import SampleOperator, register


@pytest.mark.parametrize("namespace", [fn, ops])
def test_groups_of_operators_are_modules(namespace):
    groups = {".".join(groups) for groups, _, _ in public_operators() if groups}
    groups |= {group.rpartition(".")[0] for group in groups} - {""}
    for group in groups:
        module = importlib.import_module(f"{namespace.__name__}.{group}")
        assert module is attrgetter(group)(namespace)
        assert dir(module)
        assert isinstance(module, ModuleType)
        assert Path(module.__file__).is_file()


@pytest.mark.parametrize("namespace", [fn, ops])
def test_a_group_whose_attribute_was_dropped_is_the_same_one(namespace):
    group = namespace.experimental.readers
    vars(namespace.experimental).pop("readers")
    vars(namespace).pop("experimental")
    assert namespace.experimental.readers is group
    assert importlib.import_module(f"{namespace.__name__}.experimental.readers") is group


def test_functions_of_groups_are_imported():
    from penstock.fn.readers import file
    from penstock.fn.transforms import rotation
    from penstock.ops.reductions import RMS

    assert file is fn.readers.file
    assert rotation is fn.transforms.rotation
    assert RMS is ops.reductions.RMS


@pytest.mark.parametrize("namespace", [fn, ops])
def test_members_are_pickled_by_their_names(namespace):
    for groups, name, operator_class in public_operators():
        if operator_class.name == ".".join((*groups, name)):
            group = attrgetter(".".join(groups))(namespace) if groups else namespace
            member = getattr(group, name if namespace is fn else camel_case(name))
            assert pickle.loads(pickle.dumps(member)) is member


@pytest.mark.parametrize("module", [fn, ops.readers, dynamic, dynamic.random])
def test_modules_are_pickled_by_their_names(module):
    cloudpickle = pytest.importorskip("cloudpickle")
    assert pickle.loads(pickle.dumps(module)) is module
    assert pickle.loads(cloudpickle.dumps(lambda: module))() is module


def test_help_lists_the_operators_of_a_group():
    text = pydoc.render_doc(fn.readers, renderer=pydoc.plaintext)
    assert "penstock.fn.readers - Operators of `fn.readers`" in text
    assert "\n    file(*, file_root: " in text


def test_a_group_of_operators_of_others_is_a_module():
    class Constant(SampleOperator):
        """Return a zero."""

        name = "groups_of_others.inner.constant"

        def sample(self, workspace):
            return (np.zeros(1),)

    try:
        register(Constant)
        assert isinstance(fn.groups_of_others, ModuleType)
        assert dir(fn.groups_of_others.inner) == ["constant"]
        assert ops.groups_of_others.inner.Constant.operator is Constant
    finally:
        OPERATORS.pop(Constant.name, None)


def test_imports_of_groups_load_no_operators():
    program = (
        "import sys, penstock.fn.readers, penstock.ops.transforms; "
        "print([name for name in sys.modules if name.endswith('.table')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
