import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError, SourceError


def read(paths, **options):
    data = [np.frombuffer(p, np.uint8) if isinstance(p, bytes) else p for p in paths]

    @pipeline_def(batch_size=len(data), num_threads=2, **options)
    def definition():
        return fn.io.file.read(fn.external_source(lambda: data))

    with definition() as pipe:
        return pipe.run()[0]


def test_files_of_all_sizes(tmp_path, monkeypatch):
    contents = [b"", b"x", bytes(range(256)) * 1000]
    for i, content in enumerate(contents):
        (tmp_path / f"{i} é.bin").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    paths = [f"{i} é.bin".encode() for i in range(3)]
    found = read([*paths, str(tmp_path).encode() + b"/1 \xc3\xa9.bin"])
    assert [found.at(i).tobytes() for i in range(4)] == [*contents, b"x"]
    assert (found.dtype.name, found.layout()) == ("UINT8", "")


def test_urls(web):
    web.objects["a.bin"] = b"over HTTP"
    assert read([f"{web.url}/a.bin".encode()]).at(0).tobytes() == b"over HTTP"


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        (b"none.bin", FileNotFoundError, r"none\.bin"),
        (b"", ArgumentError, "no path"),
        (b"a\0b", ArgumentError, "no path"),
        (np.zeros((1, 2), np.uint8), ArgumentError, "one dimension and type uint8"),
        (np.zeros(2, np.int32), ArgumentError, "one dimension and type uint8"),
        (b"/dev/null", SourceError, "/dev/null is a device"),
        (b"/", IsADirectoryError, "directory"),
    ],
)
def test_errors(path, error, message):
    with pytest.raises(error, match=message):
        read([path])


def test_a_bad_path_can_be_replaced(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    found = read([str(tmp_path / "a").encode(), b"none"], on_error="replace")
    assert found.at(1).tobytes() == b"content"
    assert found.valid.tolist() == [True, False]
