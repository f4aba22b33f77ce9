"""Definitions in which `if` depends on data: both libraries give the same values and errors."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from .conditional_definitions import FAIL_IN_BOTH, WORK_HERE, WORK_IN_BOTH

pytest.importorskip("nvidia.dali")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NAMES = {"fn": "fn", "types": "types", "pipeline": "pipeline"}


def library(name: str) -> Any:
    return SimpleNamespace(
        **{each: importlib.import_module(f"{name}.{module}") for each, module in NAMES.items()}
    )


DALI, OURS = library("nvidia.dali"), library("penstock")


def results(lib: Any, definition: Any) -> list[list[Any]]:
    """Return the samples of each output, as lists."""
    make = lib.pipeline.pipeline_def(
        batch_size=4,
        num_threads=2,
        device_id=None,
        seed=1,
        enable_conditionals=True,
        exec_async=False,  # for functions of Python in DALI
        exec_pipelined=False,
    )(definition)
    pipeline = make(lib)
    pipeline.build()
    outputs = pipeline.run()
    return [[np.array(output.at(i)).tolist() for i in range(len(output))] for output in outputs]


@pytest.mark.parametrize("definition", WORK_IN_BOTH, ids=lambda each: each.__name__)
def test_values_agree(definition):
    assert results(OURS, definition) == results(DALI, definition)


@pytest.mark.parametrize("definition", FAIL_IN_BOTH, ids=lambda each: each.__name__)
def test_errors_agree(definition):
    kind, message = FAIL_IN_BOTH[definition]
    for lib in (DALI, OURS):
        with pytest.raises(kind, match=message):
            results(lib, definition)


@pytest.mark.parametrize("definition", WORK_HERE, ids=lambda each: each.__name__)
def test_what_only_works_here(definition):
    assert results(OURS, definition) == WORK_HERE[definition]
    with pytest.raises(TypeError):
        results(DALI, definition)
