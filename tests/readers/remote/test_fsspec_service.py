import fsspec
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.remote.retries import Passing
from penstock.readers.remote.service import Version

from .services import ask

CONTENT = bytes(range(100))
URL = "memory://fsspec-service/a"


@pytest.fixture(autouse=True)
def memory():
    """Return fsspec's file system in memory, which has one object."""
    memory = fsspec.filesystem("memory")
    memory.pipe({"/fsspec-service/a": CONTENT, "/fsspec-service/empty": b""})
    yield memory
    memory.rm("/fsspec-service", recursive=True)


def patched(monkeypatch, memory, name, function):
    monkeypatch.setattr(type(memory), name, function)


def test_a_range_comes_with_the_version():
    answer = ask(URL, 10, 20)
    assert answer[:3] == (10, 20, True)
    assert answer.content == CONTENT[10:30]
    assert answer.version.size == 100
    assert answer.version.modified


def test_a_range_ends_with_the_object():
    assert ask(URL, 90, 20).content == CONTENT[90:]
    assert ask(URL, 100, 20)[:2] == (100, 0)
    assert ask(URL.replace("/a", "/empty"), 0, 20).content == b""


def test_a_known_version_saves_a_request(monkeypatch, memory):
    def fail(*_, **__):
        raise AssertionError

    patched(monkeypatch, memory, "info", fail)
    known = Version(50, "tag")
    answer = ask(URL, 40, 20, known)
    assert (answer.version, answer.content) == (known, CONTENT[40:50])


def test_a_folder_and_a_missing_object_are_refused():
    with pytest.raises(IsADirectoryError, match="an object is needed"):
        ask("memory://fsspec-service", 0, 1)
    with pytest.raises(FileNotFoundError):
        ask(URL + "-none", 0, 1)


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (ConnectionResetError("gone"), Passing, "ConnectionResetError: gone"),
        (TimeoutError("late"), Passing, "TimeoutError: late"),
        (PermissionError("no"), PermissionError, "no"),
        (ValueError("at http://me:secret@h/a"), SourceError, r"ValueError: at http://\*\*\*@h/a"),
    ],
)
def test_each_fault_has_its_exception(monkeypatch, memory, fault, error, message):
    def fail(*_, **__):
        raise fault

    patched(monkeypatch, memory, "cat_file", fail)
    with pytest.raises(error, match=message):
        ask(URL, 0, 1)


@pytest.mark.parametrize(
    ("info", "stamp"),
    [
        ({"size": 7, "ETag": "e", "mtime": 3}, "7:e"),
        ({"size": 7, "updated": "today"}, "7:today"),
        ({"size": "7"}, ""),
    ],
)
def test_versions_of_several_file_systems(monkeypatch, memory, info, stamp):
    patched(monkeypatch, memory, "info", lambda *_, **__: info)
    version = ask(URL, 0, 1).version
    assert (version.size, version.stamp) == (7, stamp)


def test_an_object_without_a_size_is_refused(monkeypatch, memory):
    patched(monkeypatch, memory, "info", lambda *_, **__: {"type": "file"})
    with pytest.raises(SourceError, match="does not tell the object's size"):
        ask(URL, 0, 1)
