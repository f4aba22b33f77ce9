import http.client

import pytest

from penstock.engine.errors import ArgumentError
from penstock.readers.remote import aws
from penstock.readers.remote.aws import aws_options, region_of
from penstock.readers.remote.retries import Limits
from penstock.readers.remote.stores import Stores

PROFILES = """
[default]
aws_access_key_id = one
aws_secret_access_key = first
[mine]
aws_access_key_id = two
aws_secret_access_key = second
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Return the files of a user without keys in the environment."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    (tmp_path / "credentials").write_text(PROFILES)
    (tmp_path / "config").write_text("[profile mine]\nregion = eu-central-1\n")
    return tmp_path


@pytest.fixture
def regions(tuned, monkeypatch, web):
    """Return a server in the place of the one that knows the regions of buckets."""
    monkeypatch.setattr(http.client, "HTTPSConnection", http.client.HTTPConnection)
    tuned(aws, HOME=web.url.removeprefix("http://"))
    region_of.cache_clear()
    yield web
    region_of.cache_clear()


def test_profiles_are_read_by_boto3(monkeypatch):
    options, more = aws_options("b", {"region": "r"})
    assert more["credential_provider"]()["access_key_id"] == "one"
    assert options == {"region": "r"}
    options, more = aws_options("b", {"profile": "mine"})
    assert more["credential_provider"]()["access_key_id"] == "two"
    assert options == {"region": "eu-central-1"}
    monkeypatch.setenv("AWS_PROFILE", "mine")
    assert aws_options("b", {})[1]["credential_provider"]()["access_key_id"] == "two"


def test_keys_come_before_profiles(monkeypatch):
    assert aws_options("b", {"access_key_id": "k", "region": "r"})[1] == {}
    assert aws_options("b", {"skip_signature": True, "region": "r"})[1] == {}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    assert aws_options("b", {"region": "r"})[1] == {}


def test_an_unknown_profile_is_named():
    with pytest.raises(ArgumentError, match=r"s3: .*nobody"):
        Stores("s3://b/a", {"profile": "nobody"}, Limits()).place("s3://b/a")


def test_a_service_of_others_is_asked_for_no_region(home, regions):
    (home / "credentials").unlink()
    (home / "config").unlink()
    assert aws_options("b", {"endpoint": "http://h"}) == ({"endpoint": "http://h"}, {})
    assert not regions.requests
    assert aws_options("b", {}) == ({"region": "us-east-1"}, {})
    assert regions.requests == [("b", "")]


def test_a_store_signs_with_the_profile(s3):
    options = {"endpoint_url": s3.front.url, "profile": "mine"}
    url = s3.put("aws/a", b"content")
    stores = Stores(url, options, Limits())
    store, path = stores.place(url)
    assert bytes(stores.library.get(store, path).bytes()) == b"content"
