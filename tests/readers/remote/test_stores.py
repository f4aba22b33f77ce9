import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from penstock.readers.remote.retries import Limits
from penstock.readers.remote.stores import Stores, is_known
from penstock.readers.storage.opening import open_storage, read_whole


def stores_of(url, **options):
    return Stores(url, options, Limits())


@pytest.mark.parametrize(
    ("url", "base", "path"),
    [
        ("http://h:81/a/b-1.tar", "http://h:81", "a/b-1.tar"),
        ("http://h/a/b.tar?sig=%20x", "http://h/a/b.tar?sig=%20x", ""),
        ("http://h/a%20b", "http://h/a%20b", ""),
        ("http://h/a//b", "http://h/a//b", ""),
        ("http://h/a/../b", "http://h/b", ""),
        ("http://h/a/", "http://h/a/", ""),
    ],
)
def test_a_host_has_one_store_and_an_odd_url_has_its_own(url, base, path):
    stores = stores_of(url)
    store, found = stores.place(url)
    assert (store.url.rstrip("/"), found) == (base.rstrip("/"), path)
    assert stores.place(url)[0] is store
    assert (stores.place("http://h:81/other")[0] is store) == (base == "http://h:81")


def test_each_bucket_has_a_store():
    stores = stores_of("s3://a/b", anon=True, region_name="eu-west-1")
    first, path = stores.place("s3://a/b/c?d")
    assert path == "b/c?d"
    assert stores.place("s3a://a/e")[0] is first
    assert stores.place("s3://f/e")[0] is not first


@pytest.mark.parametrize(
    ("url", "options", "config"),
    [
        (
            "s3://a/b",
            {
                "key": "k",
                "secret": "s",
                "endpoint_url": "http://h",
                "client_kwargs": {"region_name": "r"},
            },
            {"access_key_id": "k", "secret_access_key": "s", "endpoint": "http://h", "region": "r"},
        ),
        ("s3://a/b", {"anon": True, "region": "r"}, {"skip_signature": True, "region": "r"}),
        ("gs://a/b", {"token": "anon"}, {"skip_signature": True}),
        ("az://a/b", {"account_name": "n", "account_key": "a2V5"}, {"account_name": "n"}),
        ("abfs://a@n.dfs.core.windows.net/b", {"anon": True}, {"account_name": "n"}),
    ],
)
def test_options_have_the_names_of_fsspec_or_of_obstore(url, options, config):
    store, path = stores_of(url, **options).place(url)
    assert path == "b"
    found = {name.removeprefix("aws_"): value for name, value in store.config.items()}
    for name, value in config.items():
        assert str(found[name]).lower() == str(value).lower(), name


@pytest.mark.parametrize("url", ["s3://a/b", "http://h/a"])
def test_client_options_come_before_what_follows_from_the_url(url):
    options = {"region": "r"} if url.startswith("s3") else {}
    stores = stores_of(url, client_options={"allow_http": "yes", "timeout": "7s"}, **options)
    store, _ = stores.place(url)
    assert store.client_options["allow_http"] == "yes"
    assert store.client_options["timeout"] == "7s"


def test_what_obstore_does_not_know_is_read_by_fsspec():
    assert is_known("S3://a/b", {})
    assert is_known("gs://a/b", {})
    assert not is_known("gs://a/b", {"requester_pays": True})
    assert not is_known("ftp://a/b", {})


def in_a_fork(work):
    """Return what `work` returns in a forked process."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writable, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(writable)
    with open(readable, "rb") as file:
        answer = file.read().decode()
    os.waitpid(child, 0)
    return answer


# The parent has threads, and the child does nothing but what the test is about.
@pytest.mark.filterwarnings("ignore:This process .*is multi-threaded:DeprecationWarning")
def test_forks_of_forks_read_and_so_does_the_parent(web):
    web.objects["a"] = b"content"
    url = f"{web.url}/a"
    storage = open_storage(url)

    def grandchild():
        return read_whole(url), storage.read_whole()

    def child():
        return read_whole(url), storage.read_whole(), in_a_fork(grandchild)

    both = b"content", b"content"
    assert in_a_fork(child) == repr((*both, repr(both)))
    assert grandchild() == both


SERVER_THAT_NEVER_ANSWERS = """
import sys
from threading import Thread
from penstock.readers.storage.opening import read_whole
Thread(target=read_whole, args=[sys.argv[1]], daemon=True).start()
while not open(sys.argv[2]).read():
    pass
"""


def test_the_end_of_a_program_waits_for_no_server(web, tmp_path):
    import subprocess

    web.always = "mute"
    asked = tmp_path / "asked"
    asked.touch()
    with ThreadPoolExecutor() as pool:
        program = pool.submit(
            subprocess.run,
            [sys.executable, "-c", SERVER_THAT_NEVER_ANSWERS, f"{web.url}/a", asked],
            env=os.environ | {"PYTHONPATH": ":".join(filter(None, sys.path))},
            timeout=200,
            check=True,
        )
        while not web.requests:
            assert not program.done()
        asked.write_text("yes")
        assert program.result().returncode == 0
        assert not web.closed.is_set()
