"""What tests of several readers share: servers on loopback, a process that reads."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from penstock.engine.tensors.memory import SlabPool
from penstock.readers.process.reading_process import ReadingProcess

from .gcs_server import GcsServer
from .servers import ObjectServer, S3Server


@pytest.fixture
def web() -> Iterator[ObjectServer]:
    """An HTTP server of the test's own."""
    with ObjectServer() as server:
        yield server


@pytest.fixture(scope="session")
def s3_service() -> Iterator[S3Server]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = S3Server()
    yield server
    server.close()


@pytest.fixture
def s3(s3_service: S3Server) -> Iterator[S3Server]:
    """An S3 service; objects of other tests may lie in it."""
    front = s3_service.front
    yield s3_service
    front.faults.clear()
    front.requests.clear()
    front.always = ""


@pytest.fixture(scope="module")  # its process would be a child that other tests count
def gcs() -> Iterator[GcsServer]:
    """Google's service; objects of other tests may lie in it."""
    server = GcsServer()
    yield server
    server.close()


@pytest.fixture
def pool() -> SlabPool:
    """Memory that other processes may share."""
    return SlabPool(shared=True)


@pytest.fixture
def process(pool: SlabPool) -> Iterator[ReadingProcess]:
    """A process that reads into it, once it has been started."""
    process = ReadingProcess(pool.arena, 2)
    yield process
    process.close()
