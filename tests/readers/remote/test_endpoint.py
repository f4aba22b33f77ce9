import subprocess
import sys

import pytest

from penstock.engine.errors import ArgumentError
from penstock.readers.source import UnavailableError
from penstock.readers.storage.opening import open_storage

WITHOUT = """
import sys
from penstock import MissingDependencyError
from penstock.readers.storage.opening import open_storage
assert not {"fsspec", "aiohttp", "s3fs"} & set(sys.modules)
sys.modules[sys.argv[1]] = None
try:
    open_storage(sys.argv[2])
except MissingDependencyError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("library", "url", "remedy"),
    [
        ("fsspec", "s3://a/b", "[remote]'"),
        ("aiohttp", "http://a/b", "[remote]'"),
        ("s3fs", "s3://a/b", "[remote]'"),
        ("gcsfs", "gs://a/b", "pip install gcsfs"),
        ("adlfs", "az://a/b", "pip install adlfs"),
    ],
)
def test_a_missing_library_is_named_with_its_remedy(library, url, remedy):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, library, url],
        env={"PYTHONPATH": ":".join(filter(None, sys.path)), "PATH": ""},
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
    with pytest.raises(ArgumentError, match="`storage_options` do not fit"):
        open_storage("s3://a/b", {"max_concurrency": "many"})
