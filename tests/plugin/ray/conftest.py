"""Ray, on this machine."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from contextlib import suppress

import pytest

from penstock.tests.checkout import SOURCES

from ...datasets.conftest import web as web

with warnings.catch_warnings(), suppress(ImportError):
    warnings.simplefilter("ignore")
    import ray.data

# A cluster beside the other tests would take all cores: `make test-frameworks` has them run alone.
collect_ignore_glob = [] if os.environ.get("PENSTOCK_TEST_FRAMEWORKS") else ["test_*.py"]

_START_SECONDS = 150  # on a busy machine; else Ray starts in a few seconds


@pytest.fixture(scope="package")
def cluster() -> Iterator[None]:
    """A cluster of two cores, whose workers find the package."""
    pool = ThreadPoolExecutor(1)  # Ray's processes end with the thread that started them
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])
        )
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.setenv("RAY_raylet_start_wait_time_s", str(_START_SECONDS))
        options = {"log_to_driver": False, "include_dashboard": False, "logging_level": "error"}
        start = pool.submit(ray.init, num_cpus=2, **options)
        try:
            start.result(_START_SECONDS)
            ray.data.DataContext.get_current().enable_progress_bars = False
            yield
        except TooLate:
            pytest.skip(f"Ray did not start within {_START_SECONDS} s")
        finally:
            ray.shutdown()
            pool.shutdown(wait=False)
