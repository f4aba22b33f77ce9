"""Commits and lists of files, and what the Hub refuses."""

import pytest

from penstock import ArgumentError
from penstock.readers.hub.names import hub_name
from penstock.readers.hub.repository import pinned, repository
from penstock.readers.remote.endpoint import endpoint
from penstock.readers.source import UnavailableError

from ...hub_server import HubServer, Repo, lead_client
from ..remote.services import ask
from .conftest import TOKEN
from .sets import splits


def test_a_revision_becomes_a_commit_once(hub, repo):
    commit = repo.push(splits())
    name = pinned("hf://user/name/data")
    assert name == f"hf://datasets/user/name@{commit}/data"
    assert pinned(name) == name
    assert repository(hub_name(name)).folder("data")[0] == sorted(
        path.rpartition("/")[2] for path in splits()
    )
    assert repository(hub_name(name)).folder("") == ([], ["data"])
    assert hub.counts() == {"api": 1}


def test_branches_and_tags(repo):
    first = repo.push({"a": b"1"}, "v1.0")
    second = repo.push({"a": b"2"})
    branch = repo.push({"a": b"3"}, "refs/convert/parquet")
    assert pinned("hf://user/name@v1.0") == f"hf://datasets/user/name@{first}"
    assert pinned("hf://user/name") == f"hf://datasets/user/name@{second}"
    assert pinned("hf://user/name@refs/convert/parquet") == f"hf://datasets/user/name@{branch}"
    with pytest.raises(ArgumentError, match="the Hub has no revision 'v2' of it"):
        pinned("hf://user/name@v2")


def test_a_data_set_that_is_not_there(hub):
    with pytest.raises(FileNotFoundError, match="no such data set on the Hub, or it is private"):
        pinned("hf://user/other")


def test_a_file_that_is_not_there(repo):
    repo.push(splits())
    with pytest.raises(FileNotFoundError, match=r"no such file on the Hub.*@\w{40}/data/no'"):
        repository(hub_name("hf://user/name")).file("data/no")


def test_a_private_data_set(repo, monkeypatch):
    repo.push(splits())
    repo.token = TOKEN
    with pytest.raises(FileNotFoundError, match="`hf auth login` or set HF_TOKEN"):
        pinned("hf://user/name")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert pinned("hf://user/name").startswith("hf://datasets/user/name@")


def test_a_hub_that_is_down(hub, monkeypatch):
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(UnavailableError, match="the Hub does not answer"):
        pinned("hf://user/name")


def test_requests_stay_with_the_hub_that_they_were_begun_for(hub, repo, monkeypatch):
    repo.push({"a": b"first"})
    service = endpoint("hf://user/name/a", {}).service
    with HubServer() as other:
        other.repos["user/name"] = Repo()
        other.repos["user/name"].push({"a": b"other"})
        lead_client(monkeypatch, other)
        assert b"".join(service.get("hf://user/name/a", 0, 5, None).chunks) == b"first"
        assert other.requests == []
        assert ask("hf://user/name/a", 0, 5).content == b"other"
