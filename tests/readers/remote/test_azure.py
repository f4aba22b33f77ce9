"""Azure's protocol, spoken by Microsoft's own emulator, which `make azure` installs."""

import base64
import hashlib
import hmac
import http.client
import shutil
import subprocess
from datetime import UTC, datetime

import numpy as np
import pytest

from penstock import datasets
from penstock.engine.errors import SourceError
from penstock.readers.remote.writing import WritableFolder
from penstock.readers.storage.opening import open_storage, open_storages
from penstock.readers.storage.urls import Url
from penstock.testing import made

from ..servers import HOST

EMULATOR = shutil.which("azurite-blob")
ACCOUNT = "devstoreaccount1"
KEY = (  # of the emulator, for everybody
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)


def make_container(host):
    now = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    text = "PUT" + 12 * "\n" + f"x-ms-date:{now}\nx-ms-version:2021-08-06\n"
    text += f"/{ACCOUNT}/{ACCOUNT}/bucket\nrestype:container"
    signed = hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()
    headers = {
        "x-ms-date": now,
        "x-ms-version": "2021-08-06",
        "Authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(signed).decode()}",
        "Content-Length": "0",
    }
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request("PUT", f"/{ACCOUNT}/bucket?restype=container", headers=headers)
    assert connection.getresponse().status == 201
    connection.close()


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    if EMULATOR is None:
        pytest.skip("azurite is not installed")
    program = [EMULATOR, "--inMemoryPersistence", "--blobPort", "0", "--skipApiVersionCheck"]
    server = subprocess.Popen(
        program, stdout=subprocess.PIPE, text=True, cwd=tmp_path_factory.mktemp("azurite")
    )
    host = ""
    while not host:
        line = server.stdout.readline()
        assert line, "azurite has ended"
        host = line.strip().partition("listens on http://")[2]
    make_container(host)
    endpoint = f"http://{HOST}:{host.partition(':')[2]}/{ACCOUNT}"
    yield {"account_name": ACCOUNT, "account_key": KEY, "endpoint_url": endpoint}
    server.kill()
    server.communicate()


def test_reading_and_writing(options, tmp_path):
    store = WritableFolder(Url("az://bucket/folder"), options)
    store.write("a/x", b"hello world", create=True)
    with pytest.raises(FileExistsError):
        store.write("a/x", b"other", create=True)
    (storage,) = open_storages(["az://bucket/folder/a/x"], options, tail=5)
    last = np.empty(5, np.uint8)
    assert storage.fill_cached(6, last)
    assert last.tobytes() == b"world"
    store.write("a/x", b"HELLO WORLD", known=store.listed()["a/x"])
    with pytest.raises(SourceError, match="has changed since it was opened"):
        storage.read(np.array([0]), np.array([4]), np.empty)
    with pytest.raises(FileNotFoundError):
        open_storage("az://bucket/folder/none", options)


def test_a_data_set_goes_on_and_is_replaced(options, tmp_path, monkeypatch):
    from ...datasets.conversion.test_stored_destination import convert, cut_off

    source = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    place = WritableFolder(Url("az://bucket/set"), options)
    cut_off(source, place, monkeypatch)
    assert convert(source, place, resume=True).resumed_shards == 3
    assert datasets.verify(source, place.url.text, storage_options=options).ok
    assert convert(source, place, overwrite=True, shard_count=2).shards == 2
    found = datasets.open_dataset("az://bucket/set/shard-*.tfrecord", storage_options=options)
    assert len(found) == 12
