"""`cv2.imdecode` behind one function: its two ways to fail are one error."""

from __future__ import annotations

import os
import subprocess
import sys

import cv2
import numpy as np
import pytest

from penstock.decoders.image.engines import opencv
from penstock.decoders.image.formats.base import ImageHeader
from penstock.engine.errors import DecodeError

HEADER = ImageHeader("BMP", 4, 5, 3, 8)


def bmp(height=4, width=5):
    return cv2.imencode(".bmp", np.full((height, width, 3), 9, np.uint8))[1]


def test_pixels_come_with_their_color_space():
    for flags, space in ((cv2.IMREAD_COLOR, "BGR"), (cv2.IMREAD_GRAYSCALE, "GRAY")):
        stored = opencv.checked_image(opencv.imdecode(bmp(), flags, HEADER), HEADER)
        assert stored.space == space
        assert not stored.is_final
        assert (stored.pixels == 9).all()


@pytest.mark.parametrize("data", [np.zeros(40, np.uint8), np.zeros(0, np.uint8)])
def test_data_that_the_library_refuses_are_a_decode_error(data):
    with pytest.raises(DecodeError, match=r"^BMP: OpenCV cannot decode the data"):
        opencv.imdecode(data, cv2.IMREAD_COLOR, HEADER)


def test_another_size_than_the_header_says_is_an_error():
    pixels = opencv.imdecode(bmp(4, 6), cv2.IMREAD_COLOR, HEADER)
    with pytest.raises(DecodeError, match=r"decoded \(4, 6, 3\); expected 4 x 5 pixels"):
        opencv.checked_image(pixels, HEADER)


FATAL, WARNING, INFO = 1, 3, 4  # OpenCV's numbers of levels
LEVEL_AFTER_IMPORT = """
import cv2
log = getattr(cv2.utils, "logging", cv2)
{before}
import penstock.decoders.image.engines.opencv
print(log.getLogLevel())
"""


@pytest.mark.parametrize(
    ("before", "chosen", "level"),
    [("", None, FATAL), (f"log.setLogLevel({INFO})", None, INFO), ("", "WARNING", WARNING)],
)
def test_the_log_is_silenced_unless_the_program_chose_a_level(before, chosen, level):
    environment = {key: value for key, value in os.environ.items() if key != "OPENCV_LOG_LEVEL"}
    done = subprocess.run(
        [sys.executable, "-c", LEVEL_AFTER_IMPORT.format(before=before)],
        env=environment | ({"OPENCV_LOG_LEVEL": chosen} if chosen else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == level


OLD_OPENCV = """
import cv2
log = cv2.utils.logging
cv2.getLogLevel, cv2.setLogLevel = log.getLogLevel, log.setLogLevel
del cv2.utils.logging
import penstock.decoders.image.engines.opencv
print(cv2.getLogLevel())
"""


@pytest.mark.skipif(not hasattr(cv2.utils, "logging"), reason="this OpenCV is an old one")
def test_releases_before_4_13_have_the_log_elsewhere():
    environment = {key: value for key, value in os.environ.items() if key != "OPENCV_LOG_LEVEL"}
    done = subprocess.run(
        [sys.executable, "-c", OLD_OPENCV], env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == (f"{FATAL}\n", "")


@pytest.mark.parametrize("extension", [".bmp", ".png", ".jp2", ".tiff"])
def test_a_cut_file_prints_nothing(extension, capfd, generator):
    from penstock.decoders.image.decode import decode

    data = cv2.imencode(extension, generator.scene(2, 60, 80))[1]
    with pytest.raises(DecodeError):
        decode(data[: len(data) // 3])
    assert capfd.readouterr().err == ""
