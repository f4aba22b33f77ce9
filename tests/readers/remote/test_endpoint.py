import subprocess
import sys
import threading
import time

import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.threads import EXIT_SECONDS
from penstock.readers.remote.endpoint import endpoint
from penstock.readers.source import UnavailableError
from penstock.readers.storage.opening import open_storage, open_storages

WITHOUT = """
import sys
from penstock import MissingDependencyError
from penstock.readers.storage.opening import open_storage
assert not {"fsspec", "obstore"} & set(sys.modules)
sys.modules[sys.argv[1]] = None
try:
    open_storage(sys.argv[2])
except MissingDependencyError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("library", "url", "remedy"),
    [
        *(("obstore", f"{scheme}://a/b", "[remote]'") for scheme in ("http", "s3", "gs", "az")),
        ("fsspec", "sftp://a/b", "[remote]'"),
        ("paramiko", "sftp://a/b", 'requires "paramiko"'),
        ("boto3", "s3://a/b", "pip install boto3"),
    ],
)
def test_a_missing_library_is_named_with_its_remedy(library, url, remedy):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, library, url],
        env={
            "PYTHONPATH": ":".join(filter(None, sys.path)),
            "PATH": "",
            "AWS_PROFILE": "mine",
            "AZURE_STORAGE_ACCOUNT_NAME": "me",
        },
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    assert remedy in done.stdout


def test_the_host_of_a_url_is_handed_on():
    with pytest.raises(
        UnavailableError, match=r"ftp://\*{3}@127.0.0.1:1/a: no connection: .*refus"
    ):
        open_storage("ftp://me:secret@127.0.0.1:1/a")


def test_wrong_options_and_protocols():
    with pytest.raises(ArgumentError, match="quux://a: Protocol not known"):
        open_storage("quux://a")
    for url in ("s3://a/b", "http://127.0.0.1:1/b"):
        with pytest.raises(ArgumentError, match="`storage_options` do not fit: max_concurrency"):
            open_storage(url, {"max_concurrency": "many"})
    with pytest.raises(ArgumentError, match="Account must be specified"):
        open_storage("az://a/b")
    with pytest.raises(ArgumentError, match="invalid IPv6 address"):
        open_storage("http://[::1/a")


def test_threads_start_when_they_are_needed(web):
    web.objects |= {f"{i}": b"" for i in range(9)}
    options = {"limits": {"at_once": 3}}
    for number in range(3):
        open_storage(f"{web.url}/{number}", options)
    assert endpoint(web.url, options).team.started == 1
    web.latency = 0.1
    open_storages([f"{web.url}/{number}" for number in range(9)], options)
    assert endpoint(web.url, options).team.started == 3


def test_without_threads_the_caller_asks(web, monkeypatch):
    real = threading.Thread.start

    def start(thread):
        if thread.name.startswith("objects"):  # the server has threads of its own
            raise RuntimeError("can't start new thread")
        real(thread)

    web.objects |= {"a": b"", "b": b""}
    options = {"limits": {"at_once": 5}}
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        open_storages([f"{web.url}/a", f"{web.url}/b"], options)
    assert endpoint(web.url, options).team.started == 0


def test_the_end_of_a_program_does_not_wait_for_a_server(web):
    web.objects["a"] = b""
    web.always = "mute"
    program = f"""
from penstock.readers.remote.objects import start_open
pending = start_open("{web.url}/a", {{}})
"""
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)
    assert time.monotonic() - started < EXIT_SECONDS
