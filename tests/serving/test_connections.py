"""Connections: silent ones make room for others, and malformed heads take one line of the log."""

from __future__ import annotations

import logging
import resource
import socket

import pytest

from penstock.serving import connections

from .servers import WAIT, doubled, get, running


@pytest.fixture(scope="module")
def server():
    with running(doubled()) as server:
        yield server


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=WAIT)


def is_closed(client):
    """Wait for data or the end of a connection; return whether it has ended."""
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n"])
def test_a_connection_without_a_head_is_closed(server, tuned, sent):
    tuned(connections, HEAD_SECONDS=0.1)
    with connected(server.port) as silent:
        silent.sendall(sent)
        assert is_closed(silent)


def test_a_connection_that_has_sent_a_head_stays(server, tuned):
    tuned(connections, HEAD_SECONDS=0.2)
    head = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"
    with connected(server.port) as client, connected(server.port) as silent:
        client.sendall(head)
        assert b" 200 " in client.recv(1000)
        assert is_closed(silent)  # its time is over, and so would be that of the other
        client.sendall(head)
        assert b" 200 " in client.recv(1000)


def test_silent_connections_make_room_for_others(tuned):
    tuned(connections, MOST_CONNECTIONS=3)
    with running(doubled()) as server:
        silent = [connected(server.port) for _ in range(6)]
        assert get(server.port, "/v2/health/live")[0] == 200
        for client in silent[:3]:
            assert is_closed(client)
        for client in silent:
            client.close()


def test_connections_that_work_are_not_closed_for_others(tuned):
    tuned(connections, MOST_CONNECTIONS=1)
    head = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"
    with running(doubled()) as server, connected(server.port) as client:
        client.sendall(head)
        assert b" 200 " in client.recv(1000)
        with connected(server.port) as other:
            assert is_closed(other)
        client.sendall(head)
        assert b" 200 " in client.recv(1000)


def test_there_are_fewer_connections_than_descriptors(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert connections.most_connections() == 128
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    assert connections.most_connections() == connections.MOST_CONNECTIONS


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nno header\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
    ],
)
def test_a_malformed_head_takes_one_line(server, caplog, head):
    with connected(server.port) as client:
        client.sendall(head)
        assert b" 400 " in client.recv(1000)
    for record in caplog.records:
        assert record.levelno == logging.WARNING
        assert "\n" not in logging.Formatter().format(record)
    assert len(caplog.records) == 1
