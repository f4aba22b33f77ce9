"""Further interpreters: how they are started, and how they end."""

import os
import socket
import sys

import pytest

from penstock.engine.errors import WorkerError
from penstock.engine.processes.interpreter import Interpreter

SERVER = """
import os, socket, time
from penstock.engine.processes.interpreter import end_with_parent
def main(number, answer):
    connection = socket.socket(fileno=number)
    end_with_parent(number)
    connection.send(bytes([answer, os.getpgid(0) == os.getpid()]))
    if answer == 9:
        time.sleep(100)
    os._exit(connection.recv(1)[0])
"""


@pytest.fixture
def connection(tmp_path, monkeypatch):
    (tmp_path / "penstock_test_server.py").write_text(SERVER)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def server(theirs, answer=7):
    return Interpreter("penstock_test_server", [theirs.fileno(), answer], [theirs.fileno()])


def test_it_is_told_numbers_and_has_a_group_of_its_own(connection):
    ours, theirs = connection
    process = server(theirs)
    assert ours.recv(2) == b"\x07\x01"
    process.end()
    process.end()
    assert process.fate() == (
        "was ended by the signal SIGKILL (perhaps the system was short of memory)"
    )


def test_it_may_end_by_itself(connection):
    ours, theirs = connection
    process = server(theirs)
    ours.recv(2)
    ours.send(b"\x05")
    while process.fate() == "does not answer":
        pass
    assert process.fate() == "ended with exit status 5"


def test_it_ends_with_the_connection(connection):
    ours, theirs = connection
    process = server(theirs, 9)
    ours.recv(2)
    theirs.close()
    ours.close()
    while process.fate() == "does not answer":
        pass
    assert process.fate() == "ended with exit status 1"


def test_without_an_interpreter(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(WorkerError, match="need a Python interpreter"):
        Interpreter("os", [], [])
    monkeypatch.setattr(sys, "executable", os.devnull)
    with pytest.raises(OSError, match="Permission denied"):
        Interpreter("os", [], [])
