"""All tests in this folder are tests of the GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..engine.toys import disown_threads

HERE = Path(__file__).resolve().parent


@pytest.hookimpl(tryfirst=True)  # before `-m` selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("gpu")


@pytest.fixture(autouse=True)
def _threads_of_other_tests() -> None:
    disown_threads()
