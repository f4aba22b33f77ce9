import io

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.video.frames import FrameReader
from penstock.formats.video.pictures import ClipDecoder

from ...videos import FORMS, numbers_of, sound_bytes, video_bytes, video_file

RNG = np.random.default_rng(2)


def reader_of(data):
    return FrameReader(io.BytesIO(data))


def clip(reader, numbers):
    return numbers_of(ClipDecoder().decode(reader, np.array(numbers), np.empty))


@pytest.mark.parametrize("form", FORMS)
def test_every_frame_is_the_one_that_was_asked_for(form):
    reader = reader_of(video_bytes(form))
    assert len(reader.index) == 30
    assert clip(reader, range(30)) == list(range(30))
    for _ in range(25):
        numbers = RNG.integers(0, 30, size=int(RNG.integers(1, 6))).tolist()
        assert clip(reader, numbers) == numbers
    reader.close()


def test_groups_of_one_frame_and_of_all_frames():
    for group in (1, 300):
        reader = reader_of(video_bytes(group=group))
        assert clip(reader, [29, 3, 17]) == [29, 3, 17]


def test_times_that_vary_and_do_not_start_at_zero():
    times = np.cumsum(RNG.integers(20, 400, size=30)).tolist()
    for form in ("h264.mp4", "h264.ts", "vp9.webm"):
        reader = reader_of(video_bytes(form, times=times, start=9000))
        assert clip(reader, [4, 19, 5]) == [4, 19, 5]
        steps = np.diff(reader.index.seconds)
        np.testing.assert_allclose(steps, np.diff(times) / 3000, atol=2e-3)


def test_the_decoder_goes_on_where_it_is(monkeypatch):
    reader = reader_of(video_bytes(group=8))
    seeks = []
    seek = reader._seek
    monkeypatch.setattr(reader, "_seek", lambda key: (seeks.append(key), seek(key)))
    assert clip(reader, [9, 10]) == [9, 10]
    assert clip(reader, [12, 15]) == [12, 15]
    assert clip(reader, [16]) == [16]
    assert seeks == [1]
    assert clip(reader, [14]) == [14]
    assert clip(reader, [28]) == [28]
    assert seeks == [1, 1, 3]


def test_a_video_may_be_read_from_a_path(tmp_path):
    reader = FrameReader(video_file(tmp_path / "a.mkv", "vp9.webm"))
    assert clip(reader, [7]) == [7]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "cannot open"),
        (b"no video at all" * 100, "cannot open"),
        (video_bytes()[:2000], "cannot open"),  # without the table at its end
        (sound_bytes(), "no video stream"),
    ],
)
def test_other_files_are_refused(data, message):
    with pytest.raises(DecodeError, match=message):
        reader_of(data)


def test_frames_behind_the_cut_of_a_file_are_missing():
    data = video_bytes("h264.ts", count=60)
    reader = reader_of(data[: len(data) // 2])
    count = len(reader.index)
    assert 10 < count < 50
    assert clip(reader, [0, count - 9]) == [0, count - 9]


def damaged(data, reader, number):
    """Overwrite the packet of the frame with this number."""
    import av

    with av.open(io.BytesIO(data)) as container:
        stream = container.streams.video[0]
        packets = [p for p in container.demux(stream) if p.size]
        (packet,) = [p for p in packets if p.pts == reader.index.times[number]]
        start, size = packet.pos, packet.size
    # FFmpeg does not notice every noise: this one must not depend on the tests that ran before.
    noise = np.random.default_rng(7).integers(0, 256, size - 40, np.uint8).tobytes()
    return data[: start + 40] + noise + data[start + size :]


def test_frames_after_damage_are_right():
    whole = video_bytes(group=10, bf="0", qp="1", preset="ultrafast", count=40)
    reader = reader_of(damaged(whole, reader_of(whole), 13))
    for number in [*range(10), *range(20, 40)]:
        assert clip(reader, [number]) == [number]
    with pytest.raises(DecodeError, match=r"frame 1\d, at 0\.\d+ s, is damaged or missing"):
        clip(reader, [13, 14])
    assert clip(reader, [25]) == [25]


def test_truncated_and_changed_bytes_never_crash():
    for form in ("h264.mp4", "vp9.webm", "mpeg4.avi"):
        whole = np.frombuffer(video_bytes(form), np.uint8)
        for _ in range(15):
            data = whole.copy()
            data[RNG.integers(0, data.size, size=20)] = RNG.integers(0, 256, size=20)
            try:
                reader = reader_of(data[: RNG.integers(200, data.size)].tobytes())
                clip(reader, [0, len(reader.index) - 1])
            except (DecodeError, OSError):
                continue
