"""The protocols of terminals that show pictures."""

from __future__ import annotations

import base64
import fcntl
import io
import os
import pty
import re
import struct
import termios

import cv2
import numpy as np
import pytest

from penstock.cli.pictures.terminal import as_sequences, picture_width, protocol_of

PICTURE = np.random.default_rng(1).integers(0, 256, (60, 80, 3)).astype(np.uint8)


def decoded(data):
    return cv2.imdecode(np.frombuffer(base64.b64decode(data), np.uint8), 1)[..., ::-1]


@pytest.mark.parametrize(
    ("environment", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm.app"}, "iterm2"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm2"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-sixel"}, "sixel"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, None),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "linux"}, None),
        ({"TERM": "dumb", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "screen-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, None),
        ({}, None),
    ],
)
def test_the_environment_tells_the_protocol(environment, protocol):
    assert protocol_of(environment) == protocol


def test_kitty_gets_the_png_in_chunks():
    text = as_sequences(PICTURE, "kitty", 1000)
    chunks = re.findall("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\", text)
    assert len(chunks) > 2
    assert all(len(data) <= 4096 for _, data in chunks)
    assert chunks[0][0] == "a=T,f=100,q=2,m=1"
    assert [head for head, _ in chunks[1:]] == ["m=1"] * (len(chunks) - 2) + ["m=0"]
    assert np.array_equal(decoded("".join(data for _, data in chunks)), PICTURE)


def test_iterm2_gets_the_png():
    text = as_sequences(PICTURE, "iterm2", 1000)
    head, _, data = text.removesuffix("\a\n").partition(":")
    assert head.startswith("\x1b]1337;File=inline=1;size=")
    assert np.array_equal(decoded(data), PICTURE)


def test_wide_pictures_are_scaled_down():
    text = as_sequences(PICTURE, "iterm2", 40)
    assert decoded(text.removesuffix("\a\n").partition(":")[2]).shape == (30, 40, 3)


def test_the_width_of_a_terminal():
    master, slave = pty.openpty()
    with open(slave, "w") as terminal:
        assert picture_width(terminal, 80) == 720
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 1280, 600))
        assert picture_width(terminal, 80) == 1280
    os.close(master)
    with open(os.devnull, "w") as file:
        assert picture_width(file, 100) == 900


def test_a_stream_without_a_descriptor():
    assert picture_width(io.StringIO(), 50) == 450
