"""The probe of NVIDIA's video decoder; `tests/gpu/test_doctor.py` has it on a GPU."""

import io

import pytest

from penstock.cli.probes import videos
from penstock.cli.probes.finding import Context
from penstock.decoders.video.frames import FrameReader
from penstock.engine.errors import MissingDependencyError


def test_the_video_can_be_decoded():
    assert len(FrameReader(io.BytesIO(videos.film())).index) == 5


@pytest.mark.parametrize(
    ("works", "status", "said"),
    [("nv12", "ok", "decodes H.264 to nv12"), (None, "missing", "does not decode H.264")],
)
def test_where_the_video_was_decoded(works, status, said, monkeypatch):
    monkeypatch.setattr(videos, "can_decode", lambda: True)
    monkeypatch.setattr(videos, "_decode", lambda data: works)
    found = videos.video_decoder(Context())
    assert found.status == status
    assert said in found.detail


def test_a_container_without_the_driver_s_library(monkeypatch):
    monkeypatch.setattr(videos, "can_decode", lambda: False)
    found = videos.video_decoder(Context())
    assert (found.status, found.detail) == ("missing", "no libnvcuvid.so.1")
    assert "NVIDIA_DRIVER_CAPABILITIES" in found.remedy


def test_errors_are_shown(monkeypatch):
    def fail(data):
        raise MissingDependencyError("no CuPy")

    monkeypatch.setattr(videos, "can_decode", lambda: True)
    monkeypatch.setattr(videos, "_decode", fail)
    assert "no CuPy" in videos.video_decoder(Context()).detail
