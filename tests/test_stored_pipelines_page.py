"""docs/stored_pipelines.md: its programs run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock import Pipeline
from penstock.engine.pipeline.serialized_file import VERSION
from penstock.tests.checkout import ROOT

TEXT = (ROOT / "docs" / "stored_pipelines.md").read_text()


def test_the_programs_run(tmp_path, monkeypatch, photo_tree):
    monkeypatch.chdir(tmp_path)
    Path("photos").symlink_to(photo_tree.root)
    names = {"__name__": "an_example"}
    for program in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(program, "stored_pipelines.md", "exec"), names)
    for one, other in zip(names["pipe"].run(), names["again"].run(), strict=True):
        assert np.array_equal(one.as_array(), other.as_array())
    assert names["larger"].run()[0].shape() == [(32, 32, 3)] * 8
    for value in names.values():
        if isinstance(value, Pipeline):
            value.close()


def test_the_version_and_the_fields_are_the_present_ones():
    assert f"penstock pipeline {VERSION} " in TEXT
    pipe = penstock.pipeline_def(lambda: penstock.fn.random.uniform(), batch_size=1)()
    body = pipe.serialize().decode().splitlines()[1]
    for field in (
        "options",
        "output_names",
        "nodes",
        "branches",
        "outputs",
        "inputs",
        "data",
        "constants",
    ):
        assert f'"{field}":' in body
        assert f"`{field}`" in TEXT or f'"{field}":' in TEXT


@pytest.mark.parametrize("name", ["serialized_graph", "portable"])
def test_the_modules_are_there(name):
    (path,) = re.findall(rf"penstock/([a-z/_]+/{name}\.py)", TEXT)
    assert (ROOT / path).is_file()
