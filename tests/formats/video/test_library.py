import sys

import pytest

from penstock.engine.errors import MissingDependencyError
from penstock.formats.video.library import open_container, pyav


def test_a_missing_library_is_named(monkeypatch):
    pyav.cache_clear()
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingDependencyError, match=r"PyAV.*pip install.*video"):
        pyav()
    pyav.cache_clear()


def test_a_missing_file_keeps_its_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_container(str(tmp_path / "none.mp4"))
    with pytest.raises(IsADirectoryError):
        open_container(str(tmp_path))
