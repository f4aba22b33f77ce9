"""Signals that are decoded when their file is opened."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.audio.engines import whole
from penstock.decoders.audio.formats.base import AudioHeader
from penstock.engine.errors import DecodeError


def signal():
    return whole.WholeSignal(AudioHeader("MP3", 0, 8000, 2, integers=False))


def test_blocks_follow_one_another_without_the_leader():
    collected = signal()
    memory = np.empty((3, 2), np.float32)
    for number in range(3):
        memory[:] = number  # blocks may share their memory
        collected.append(memory)
    stream = collected.stream(leader=2)
    assert stream.header.frames == 7
    out = np.empty((4, 2), np.float32)
    stream.read(2, out)
    assert out[:, 0].tolist() == [1, 1, 2, 2]


def test_a_signal_that_is_too_long(monkeypatch):
    monkeypatch.setattr(whole, "MOST_VALUES", 10)
    collected = signal()
    collected.append(np.zeros((5, 2), np.float32))
    with pytest.raises(DecodeError, match=r"states no length.*ffmpeg -i IN OUT.flac"):
        collected.append(np.zeros((1, 2), np.float32))
