"""A Hub on loopback, which the real client is led to."""

import pytest

from ...hub_server import HubServer, Repo, lead_client

TOKEN = "hf_" + "x" * 30


@pytest.fixture
def hub(monkeypatch):
    """A Hub with the empty data set "user/name"."""
    pytest.importorskip("huggingface_hub")
    with HubServer() as server:
        lead_client(monkeypatch, server)
        server.repos["user/name"] = Repo()
        yield server


@pytest.fixture
def repo(hub):
    """The data set "user/name"."""
    return hub.repos["user/name"]
