"""Encoded images and sound become arrays; damaged files are noted."""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest

from penstock.cli.pictures.encoded import decoded
from penstock.cli.pictures.roles import Output, Role


def as_row(data):
    return np.frombuffer(data, np.uint8)


def png(value):
    return as_row(cv2.imencode(".png", np.full((4, 5, 3), value, np.uint8))[1].tobytes())


def test_images():
    output = decoded(Output("image", [png(7), png(9)[:-30], np.empty(0, np.uint8)]))
    assert (output.role, output.layout) == (Role.ENCODED, "HWC")
    assert (output.rows[0] == 7).all()
    assert [row.size for row in output.rows] == [60, 0, 0]
    assert output.damaged == {1}


def test_sound():
    soundfile = pytest.importorskip("soundfile")
    file = io.BytesIO()
    samples = np.linspace(-0.5, 0.5, 800, dtype=np.float32).reshape(400, 2)
    soundfile.write(file, samples, 8000, format="FLAC")
    output = decoded(Output("audio", [as_row(file.getvalue()), as_row(b"fLaC no such file")]))
    assert (output.role, output.layout, output.damaged) == (Role.SOUND, "tc", {1})
    assert np.allclose(output.rows[0], samples, atol=1e-4)


def test_gray_images_keep_one_channel_for_they_may_be_masks():
    gray = cv2.imencode(".png", np.full((4, 5), 3, np.uint8))[1].tobytes()
    assert decoded(Output("mask", [as_row(gray)])).rows[0].shape == (4, 5, 1)


def video(frames):
    """Return an MP4 file whose frames get lighter."""
    av = pytest.importorskip("av")
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height = 64, 48
        for number in range(frames):
            pixels = np.full((48, 64, 3), 10 * number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    return file.getvalue()


def test_video_becomes_frames_spread_over_its_time():
    data = video(24)
    output = decoded(Output("video", [as_row(data), as_row(data[:200])]))
    assert (output.role, output.layout, output.damaged) == (Role.VIDEO, "FHWC", {1})
    frames = output.rows[0]
    assert frames.shape == (6, 48, 64, 3)
    assert np.allclose(frames.mean(axis=(1, 2, 3)), [0, 40, 80, 120, 160, 200], atol=6)


def test_other_arrays_stay():
    for row in (as_row(b"text"), np.zeros(9, np.float32), np.zeros((2, 2), np.uint8)):
        output = Output("x", [row])
        assert decoded(output) is output
    empty = Output("x", [np.empty(0, np.uint8)])
    assert decoded(empty) is empty
