"""Messages arrive whole, whatever their size, and an end is noticed."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pytest

from penstock.engine.processes.channel import Channel


@pytest.fixture
def ends():
    one, other = map(Channel, socket.socketpair())
    yield one, other
    one.close()
    other.close()


@pytest.mark.parametrize("size", [0, 1, (1 << 14) - 30, 1 << 14, 5_000_000])
def test_messages_arrive_whole(ends, size):
    one, other = ends
    sender = threading.Thread(target=one.send, args=(("x", b"y" * size),))
    sender.start()
    assert other.receive() == ("x", b"y" * size)
    sender.join()
    other.send(None)
    assert one.receive() is None


def test_contents_arrive_whole_between_messages(ends):
    one, other = ends
    content = np.arange(2_000_000).reshape(1000, 2000)
    sender = threading.Thread(target=one.send_content, args=(content,))
    sender.start()
    received = np.empty_like(content)
    other.receive_content(received)
    sender.join()
    np.testing.assert_array_equal(received, content)
    other.send("next")
    assert one.receive() == "next"
    one.send_content(content[:0])
    other.receive_content(received[:0])


def test_half_a_content_is_an_end(ends):
    one, other = ends
    one.send_content(np.zeros(3))
    one.close()
    with pytest.raises(EOFError):
        other.receive_content(np.zeros(4))


def test_what_cannot_be_pickled_is_not_sent(ends):
    one, other = ends
    with pytest.raises(Exception, match="pickle"):
        one.send(lambda: None)
    one.send(1)
    assert other.receive() == 1


def test_the_end_of_the_other_side_is_noticed(ends):
    one, other = ends
    other.close()
    with pytest.raises(EOFError):
        one.receive()
    with pytest.raises(OSError, match="Broken pipe"):
        one.send(1)


def test_half_a_message_is_an_end(ends):
    one, other = ends
    one._connection.sendall((100).to_bytes(8, "little") + b"x")
    one.close()
    with pytest.raises(EOFError):
        other.receive()
