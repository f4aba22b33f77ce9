"""`plugin.triton`: the one pipeline of a module that is stored."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types
from penstock.plugin.triton import autoserialize, invoke_autoserialize


def module_of(**content):
    module = ModuleType("a_module_of_a_test")
    vars(module).update(content)
    return module


def marked():
    @autoserialize
    @pipeline_def(batch_size=2, num_threads=1)
    def doubling():
        return fn.external_source(name="numbers", dtype=types.FLOAT, ndim=0) * 2

    return doubling


@pytest.mark.slow
def test_the_marked_pipeline_is_stored(tmp_path):
    file = tmp_path / "doubling.pipeline"
    invoke_autoserialize(module_of(doubling=marked(), other=3), file)
    with Pipeline.deserialize(filename=file) as pipeline:
        assert pipeline.run(numbers=np.float32([1, 2]))[0].as_array().tolist() == [2, 4]


def test_modules_that_a_module_has_imported_count(tmp_path):
    function = marked()
    inner = module_of(doubling=function)
    inner.myself = inner
    outer = module_of(inner=inner, again=function, sys=sys)
    invoke_autoserialize(outer, tmp_path / "file")
    assert (tmp_path / "file").stat().st_size > 0


@pytest.mark.parametrize(
    ("functions", "text"),
    [
        ((), "Precisely one autoserialize function must exist in the module. Found none"),
        (
            (marked, marked),
            "Precisely one autoserialize function .* Found 2: .*doubling, .*doubling",
        ),
    ],
)
def test_exactly_one_function_is_marked(tmp_path, functions, text):
    module = module_of(**{f"f{i}": make() for i, make in enumerate(functions)})
    with pytest.raises(RuntimeError, match=text):
        invoke_autoserialize(module, tmp_path / "file")


@pytest.mark.parametrize("value", [lambda: 42, 3, Pipeline(batch_size=1)])
def test_only_functions_of_pipeline_def_can_be_marked(value):
    with pytest.raises(TypeError, match="Only `@pipeline_def` can be decorated"):
        autoserialize(value)
