"""Conversions on Ray and Dask: the same bytes as here, also if a worker dies."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate

import pytest

from penstock.tests.checkout import SOURCES
from penstock.tests.datasets.conversion.engines.cluster_files import check_engine
from penstock.tests.datasets.conversion.engines.cluster_formats import check_format
from penstock.tests.readers.processes import alive, assert_soon, children, end_lost_processes

_START_SECONDS = 200  # on a busy machine; what starts later would disturb other tests


pytestmark = pytest.mark.timeout(900)


@pytest.fixture(autouse=True)
def _workers_find_the_package(monkeypatch):
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_ray(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    before = set(children())
    pool = ThreadPoolExecutor(1)  # Ray's processes end with the thread that started them
    start = pool.submit(
        ray.init, num_cpus=2, log_to_driver=False, include_dashboard=False, logging_level="error"
    )
    try:
        start.result(_START_SECONDS)
        check_engine("ray", tmp_path)
        check_format("ray", tmp_path)
    except TooLate:
        pytest.skip(f"Ray did not start within {_START_SECONDS} s")
    finally:
        ray.shutdown()
        pool.shutdown(wait=False)
        # On a busy machine Ray does not wait for the end of its processes.
        assert_soon(lambda: not any(map(alive, set(children()) - before)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            end_lost_processes()


@pytest.mark.filterwarnings("default")
def test_dask(tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask

    # A busy machine is no failure: a worker starts in a minute there, and is not lost meanwhile.
    timeouts = dict.fromkeys(("connect", "tcp"), "200s")
    patient = {"distributed.comm.timeouts": timeouts, "distributed.scheduler.allowed-failures": 20}
    with dask.config.set(patient):
        check_dask(distributed, tmp_path)


def check_dask(distributed, folder):
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster):
        check_engine("dask", folder)
        check_format("dask", folder)
