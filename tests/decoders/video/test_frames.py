import io

import numpy as np
import pytest

from penstock.decoders.video import frames
from penstock.decoders.video.frames import FrameReader
from penstock.decoders.video.pictures import ClipDecoder
from penstock.engine.errors import DecodeError
from penstock.engine.graph.context import HeapWorkspace
from penstock.formats.video.library import decoded

from ...videos import FORMS, damaged, numbers_of, picture, sound_bytes, video_bytes, video_file

RNG = np.random.default_rng(2)


def reader_of(data):
    return FrameReader(io.BytesIO(data))


def clip(reader, numbers):
    return numbers_of(ClipDecoder().decode(reader, np.array(numbers), HeapWorkspace()))


@pytest.mark.parametrize("form", FORMS)
def test_every_frame_is_the_one_that_was_asked_for(form):
    reader = reader_of(video_bytes(form))
    assert len(reader.index) == 30
    assert clip(reader, range(30)) == list(range(30))
    for _ in range(25):
        numbers = RNG.integers(0, 30, size=int(RNG.integers(1, 6))).tolist()
        assert clip(reader, numbers) == numbers
    reader.close()


@pytest.mark.parametrize("form", FORMS)
def test_a_frame_has_the_same_pixels_whatever_was_skipped_on_the_way(form):
    data = video_bytes(form, group=30)
    decode = lambda *numbers: ClipDecoder().decode(  # noqa: E731
        reader_of(data), np.array(numbers), HeapWorkspace()
    )
    whole = decode(*range(30))
    for number in (29, 22, 14, 13, 7, 5):
        np.testing.assert_array_equal(decode(number)[0], whole[number])
    np.testing.assert_array_equal(decode(*range(2, 30, 5)), whole[2:30:5])


@pytest.mark.parametrize(
    ("form", "most"), [("h264.mp4", 18), ("mpeg4.avi", 12), ("hevc.mp4", 30), ("av1.mkv", 30)]
)
def test_frames_that_no_other_needs_are_skipped_on_the_way(form, most, monkeypatch):
    reader = reader_of(video_bytes(form, group=30))
    count = []
    monkeypatch.setattr(frames, "decoded", lambda p: count.extend(f := decoded(p) or ()) or f)
    assert clip(reader, [28]) == [28]
    assert most - 3 <= len(count) <= most


def test_damage_to_a_frame_that_no_other_needs_is_that_frame_s_alone():
    options = {"qp": "1", "preset": "ultrafast", "bf": "2", "b-pyramid": "none"}
    reader = reader_of(damaged(video_bytes(group=30, **options), 13))
    for numbers in ([14], [12, 14, 15], [29]):
        assert clip(reader, numbers) == numbers
    with pytest.raises(DecodeError, match="frame 13, at"):
        clip(reader, [12, 13])
    reader = reader_of(damaged(video_bytes(group=30, **options), 13))
    everybody = lambda number: True  # noqa: E731
    passed = []
    reader.advance_to(12, is_wanted=everybody)
    frame = reader.advance_to(16, lambda number, frame: passed.append(number), everybody)
    assert frame.pts == reader.index.times[16]
    assert 13 not in passed


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
        (video_bytes("mpeg4.avi", count=0), "has no frames"),
        (video_bytes("h264.ts", 9) * 2, r"go back from 0\.\d+ s to 0\.000 s, as in files that"),
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


def test_frames_after_damage_are_right():
    whole = video_bytes(group=10, bf="0", qp="1", preset="ultrafast", count=40)
    reader = reader_of(damaged(whole, 13))
    for number in [*range(10), *range(20, 40)]:
        assert clip(reader, [number]) == [number]
    with pytest.raises(DecodeError, match=r"frame 1\d, at 0\.\d+ s, is damaged or missing"):
        clip(reader, [13, 14])
    assert clip(reader, [25]) == [25]


def test_random_damage_gives_frames_or_an_error_never_a_crash():
    outcomes = set()
    for form in ("h264.mp4", "vp9.webm", "mpeg4.avi", "h264"):
        whole = np.frombuffer(video_bytes(form), np.uint8)
        for kept in (whole.size, *RNG.integers(200, whole.size, size=12)):
            data = whole[:kept].copy()
            data[RNG.integers(0, data.size, size=20 * (kept < whole.size))] ^= 0xA5
            try:
                reader = reader_of(data.tobytes())
                found = ClipDecoder().decode(
                    reader, np.array([0, len(reader.index) - 1]), HeapWorkspace()
                )
                outcomes.add("frames")
                assert found.shape[0] == 2
                reader.close()
            except DecodeError:
                outcomes.add("error")
    assert outcomes == {"frames", "error"}


def test_frames_behind_the_cut_of_a_file_with_its_table_in_front(tmp_path):
    path = tmp_path / "a.mp4"
    data = video_bytes("h264.mp4", qp="10", muxer={"movflags": "frag_keyframe+empty_moov"})
    path.write_bytes(data[: len(data) * 6 // 10])
    reader = FrameReader(str(path))
    count = len(reader.index)
    assert 8 < count < 30
    assert clip(reader, range(count - 4)) == list(range(count - 4))
    with pytest.raises(
        DecodeError, match=rf"frame {count - 1}, at 0\.\d+ s, is damaged or missing"
    ):
        clip(reader, [count - 1])


def test_frames_that_an_edit_list_hides_are_left_out():
    data = video_bytes(start=-500, muxer={"avoid_negative_ts": "disabled"})
    reader = reader_of(data)
    assert len(reader.index) == 25
    assert reader.index.seconds[0] == 0
    assert clip(reader, range(25)) == list(range(5, 30))
    for number in (0, 2, 24, 1):  # the key frame of the first ones is hidden
        assert clip(reader, [number]) == [number + 5]


def test_the_default_one_of_several_video_streams():
    import av

    file = io.BytesIO()
    with av.open(file, "w", format="matroska") as output:
        streams = [output.add_stream("mpeg4", rate=30) for _ in range(2)]
        for stream in streams:
            stream.height, stream.width, stream.pix_fmt = 96, 160, "yuv420p"
        streams[0].disposition = av.stream.Disposition.forced
        streams[1].disposition = av.stream.Disposition.default
        for number in range(12):
            for stream, first in zip(streams, (100, 200), strict=True):
                frame = av.VideoFrame.from_ndarray(picture(first + number), format="rgb24")
                frame = frame.reformat(format="yuv420p")
                frame.pts = number
                output.mux(stream.encode(frame))
        for stream in streams:
            output.mux(stream.encode(None))
    reader = reader_of(file.getvalue())
    assert clip(reader, [0, 11, 5]) == [200, 211, 205]


@pytest.mark.parametrize(
    "form", ["h264.mp4", "h264 open groups.mkv", "hevc.mp4", "h264.ts", "h264"]
)
def test_a_seek_leads_to_the_last_key_frame(form, monkeypatch):
    reader = reader_of(video_bytes(form, count=60, group=10))
    found = []
    spy = lambda packet: found.append(packet.pts) or decoded(packet)  # noqa: E731
    monkeypatch.setattr(frames, "decoded", spy)
    for key in (5, 3, 1):
        found.clear()
        assert clip(reader, [10 * key + 2]) == [10 * key + 2]
        is_numbered = len(reader.index.packets) > 0
        first, goal = (0, 10 * key) if is_numbered else reader.index.times[[0, 10 * key]]
        # The first packet tells of the encoder.
        assert next(stamp for stamp in found if stamp != first) == goal


def test_a_damaged_frame_costs_a_few_groups_of_pictures(monkeypatch):
    whole = video_bytes(count=90, group=1, bf="0")
    data = damaged(whole, 80)
    reader = reader_of(data)
    count = []
    monkeypatch.setattr(frames, "decoded", lambda p: count.append(p) or decoded(p))
    for most in (100, 12):  # the video's start is tried once
        count.clear()
        with pytest.raises(DecodeError, match="frame 80, at"):
            reader.advance_to(80)
        assert len(count) <= most
    assert clip(reader, [79, 81]) == [79, 81]


def test_the_search_ends_when_the_pipeline_is_closed():
    class ClosedError(Exception):
        pass

    def stop():
        raise ClosedError

    reader = reader_of(video_bytes(count=60))
    reader.check_running = stop
    with pytest.raises(ClosedError):
        reader.advance_to(30)
    with pytest.raises(ClosedError):
        FrameReader(io.BytesIO(video_bytes("h264")), check_running=stop)
    reader.close()


def test_a_container_that_seeks_too_far(monkeypatch):
    reader = reader_of(video_bytes("h264.ts", count=60, group=6))
    seek = frames.seek
    late = lambda container, stream, time: seek(container, stream, time + 30_000 * (time > 0))  # noqa: E731
    monkeypatch.setattr(frames, "seek", late)
    for number in (50, 21, 7, 0):
        assert clip(reader, [number]) == [number]
