"""What the tests of data sets share."""

from __future__ import annotations

import pytest

from penstock.datasets.formats import hashed_file

from ..readers.conftest import gcs as gcs
from ..readers.conftest import s3 as s3
from ..readers.conftest import s3_service as s3_service
from ..readers.conftest import web as web


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))


@pytest.fixture(autouse=True)
def _no_wait_for_the_disk(monkeypatch, request):
    """Files are left to the operating system, which keeps them unless the machine stops."""
    if "disk" not in request.fixturenames:
        monkeypatch.setattr("os.fsync", lambda descriptor: None)
        monkeypatch.setattr(hashed_file, "sync_file_system", lambda path: None)
        monkeypatch.setattr(
            "penstock.datasets.formats.loose_files.sync_file_system", lambda path: None
        )


@pytest.fixture
def disk():
    """Ask for this fixture to wait for the disk after all."""
