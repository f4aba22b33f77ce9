"""GPU tests skip where there is no GPU, unless PENSTOCK_REQUIRE_GPU=1 asks for one."""

from __future__ import annotations

import os

import pytest

from penstock.engine.device import import_cupy
from penstock.engine.errors import MissingDependencyError


@pytest.fixture(scope="session")
def cupy():
    """CuPy, with a device that works."""
    try:
        return import_cupy()
    except MissingDependencyError as error:
        if os.environ.get("PENSTOCK_REQUIRE_GPU") == "1":
            pytest.fail(f"PENSTOCK_REQUIRE_GPU=1, but {error}")
        pytest.skip(str(error))
