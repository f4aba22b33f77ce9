import io
import re
import sys

import pytest

from penstock.engine.errors import DecodeError, MissingDependencyError
from penstock.formats.media import open_media, pyav
from penstock.tests.checkout import PACKAGE

from ..videos import video_bytes, video_file


def test_a_missing_library_is_named(monkeypatch):
    pyav.cache_clear()
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingDependencyError, match=r"PyAV.*pip install.*video"):
        pyav()
    pyav.cache_clear()


def test_an_old_release_is_named(monkeypatch):
    pyav.cache_clear()
    monkeypatch.setattr("av.__version__", "14.1.0")
    with pytest.raises(MissingDependencyError, match=r"PyAV 14\.1\.0 is too old.*14\.2 or later"):
        pyav()
    pyav.cache_clear()


SESSION = (
    b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 50004 RTP/AVP 96\n"
)
PLAYLIST = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{path}\n#EXT-X-ENDLIST\n"
MANIFEST = """<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period>
<AdaptationSet mimeType="video/mp4"><Representation id="1"><BaseURL>{path}</BaseURL>
</Representation></AdaptationSet></Period></MPD>"""


@pytest.mark.parametrize("name", ["a.mp4", "a.m3u8", "a.mkv", "a.sdp", "a.mpd", "%d.png"])
@pytest.mark.parametrize(
    "text",
    [
        b"ffconcat version 1.0\nfile {path}\n",
        PLAYLIST.encode(),
        MANIFEST.encode(),
        SESSION + b"a=rtpmap:96 H264/90000\n",
        b"[Reference]\nRef1={path}\n",
    ],
    ids=["ffconcat", "HLS", "DASH", "SDP", "ASX"],
)
def test_what_names_other_files_is_refused(name, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = video_file(tmp_path / "other.ts", "h264.ts", 3)
    for target in (other, "other.ts"):
        content = text.replace(b"{path}", target.encode())
        path = tmp_path / name
        path.write_bytes(content)
        for file in (str(path), io.BytesIO(content)):
            with pytest.raises(DecodeError, match="cannot open it as a video"):
                open_media(file)


def test_pictures_are_no_videos(tmp_path):
    import cv2
    import numpy as np

    for number in range(2):
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.zeros((8, 8, 3), np.uint8))
    for file in (str(tmp_path / "0.png"), io.BytesIO((tmp_path / "0.png").read_bytes())):
        with pytest.raises(DecodeError, match="a playlist, a picture, or of another form"):
            open_media(file)


def test_sounds_are_opened_on_request():
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, [0.0] * 800, 8000, format="WAV")
    with pytest.raises(DecodeError, match="another form"):
        open_media(io.BytesIO(file.getvalue()))
    with open_media(io.BytesIO(file.getvalue()), sounds=True) as container:
        assert container.format.name == "wav"


def test_no_reader_but_the_one_that_is_named_sees_the_bytes():
    content = video_bytes("h264.ts", 3)
    with open_media(io.BytesIO(content), form="mpegts") as container:
        assert container.format.name == "mpegts"
    with pytest.raises(DecodeError, match="cannot open it as a sound: Invalid data"):
        open_media(io.BytesIO(content), sounds=True, form="wav")
    playlist = b"ffconcat version 1.0\nfile a.ts\n"
    with pytest.raises(DecodeError, match="cannot open it as a sound"):
        open_media(io.BytesIO(playlist), sounds=True, form="concat")


def test_no_other_module_opens_media():
    folders = {path for path in PACKAGE.iterdir() if path.is_dir()}
    folders -= {PACKAGE / name for name in ("tests", "examples", "benchmarks")}
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        text = path.read_text()
        if path != PACKAGE / "formats/media.py":
            assert 'import_module("av")' not in text, path
            calls = re.findall(r"av(?:\(\))?\.open\(.*", text)
            assert all(', "w"' in call for call in calls), path
