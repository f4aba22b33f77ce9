import io

import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.video import library
from penstock.formats.video.library import open_container

from ...videos import Sound, video_bytes


def test_a_missing_file_keeps_its_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_container(str(tmp_path / "none.mp4"))
    with pytest.raises(IsADirectoryError):
        open_container(str(tmp_path))


def test_the_stream_of_a_kind():
    with open_container(io.BytesIO(video_bytes(sound=Sound("aac"))), "audio")[0] as container:
        assert container.streams.best("audio") is not None
    with pytest.raises(DecodeError, match="has no audio stream"):
        open_container(io.BytesIO(video_bytes()), "audio")


def test_frames_have_a_limit(monkeypatch):
    monkeypatch.setattr(library, "_MOST_PIXELS", 96 * 160 - 1)
    with pytest.raises(DecodeError, match=r"claims 96 x 160 pixels a frame; the limit"):
        open_container(io.BytesIO(video_bytes()))
