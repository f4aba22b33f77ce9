"""A file with known bytes."""

import pytest

from .contents import CONTENT


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "data.bin"
    file.write_bytes(CONTENT)
    return file
