"""A Hub on loopback, which the real client is led to."""

import pytest

from ...hub_server import HubServer, Repo

TOKEN = "hf_" + "x" * 30


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A Hub with the empty data set "user/name"."""
    constants = pytest.importorskip("huggingface_hub.constants")
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        monkeypatch.delenv("HF_TOKEN", raising=False)
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no token"))
        server.repos["user/name"] = Repo()
        yield server


@pytest.fixture
def repo(hub):
    """The data set "user/name"."""
    return hub.repos["user/name"]
