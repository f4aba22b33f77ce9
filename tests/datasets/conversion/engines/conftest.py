"""Clusters start Python's tracker of shared memory; it ends with the tests that started it."""

from __future__ import annotations

from multiprocessing import resource_tracker

import pytest


@pytest.fixture(scope="module", autouse=True)
def _no_tracker_stays():
    yield
    resource_tracker._resource_tracker._stop()
