"""Files that are damaged, cut off, or no videos: an error that names file and time, or a skip."""

import subprocess
import sys

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.decoders.video import open_videos
from penstock.engine.errors import ArgumentError, DecodeError

from ...videos import Sound, damaged, numbers_of, sound_bytes, video_bytes, video_file

pytestmark = pytest.mark.usefixtures("user_cache")

BAD = {
    "empty": (b"", "cannot open it as a video"),
    "text": (b"no video at all" * 99, "cannot open it as a video"),
    "no moov": (video_bytes()[:2000], "cannot open it as a video"),
    "no video stream": (sound_bytes(), "no video stream"),
    "no frames": (video_bytes("mpeg4.avi", count=0), "has no frames"),
    "times that go back": (video_bytes("h264.ts", 9) * 2, r"go back from 0\.\d+ s to 0\.000 s"),
}
SIZES = video_bytes("h264.ts", count=10) + video_bytes(
    "h264.ts", count=10, size=(64, 160), start=3000, first=10
)
DAMAGED = damaged(video_bytes(group=10, bf="0", qp="1", preset="ultrafast", count=40), 13)


def pipeline(paths, size=1, length=3, on_error="raise", **options):
    pipe = Pipeline(batch_size=size, num_threads=2, on_error=on_error)
    with pipe:
        clips = fn.experimental.readers.video(filenames=paths, sequence_length=length, **options)
        pipe.set_outputs(clips)
    return pipe


def clips_of(pipe, batches=1):
    """Return the numbers of the frames of each clip, and whether the clip is the one asked for."""
    with pipe:
        outputs = [pipe.run()[0] for _ in range(batches)]
        valid = [flag for output in outputs for flag in output.valid]
        return [numbers_of(clip) for output in outputs for clip in output.rows()], valid


def stored(folder, data, name="bad.mp4"):
    (folder / name).write_bytes(data)
    return str(folder / name)


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_is_no_video_is_named_when_the_pipeline_is_built(tmp_path, kind):
    data, message = BAD[kind]
    paths = [video_file(tmp_path / "good.mp4", count=6), stored(tmp_path, data)]
    pipe = pipeline(paths)
    with pytest.raises(DecodeError, match=message) as error:
        pipe.build()
    assert str(error.value).startswith(f"{paths[1]}: ")


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_files_that_are_no_videos_are_left_out(tmp_path, on_error):
    bad = [stored(tmp_path, data, f"{kind}.mp4") for kind, (data, _) in BAD.items()]
    good = [video_file(tmp_path / f"{n}.mp4", count=6, first=n) for n in (100, 200)]
    paths = [good[0], *bad, good[1]]
    pipe = pipeline(paths, 4, on_error=on_error)
    with pytest.warns(RuntimeWarning, match=r"6 files are damaged: .*, 4 are left"):
        pipe.build()
    expected = [[100, 101, 102], [103, 104, 105], [200, 201, 202], [203, 204, 205]]
    assert clips_of(pipe) == (expected, [True] * 4)


def test_no_video_is_left(tmp_path):
    pipe = pipeline([stored(tmp_path, b"no video" * 99)], on_error="skip")
    with pytest.raises(DecodeError, match="cannot open it as a video"):
        pipe.build()


def test_clips_around_corrupt_packets(tmp_path):
    path = stored(tmp_path, DAMAGED)
    with pipeline([path], length=5) as pipe:
        found = [numbers_of(pipe.run()[0].row(0)) for _ in range(2)]
        with pytest.raises(DecodeError, match=r"frame 1\d, at 0\.\d+ s, is damaged") as error:
            pipe.run()
    assert found == [[*range(5)], [*range(5, 10)]]
    assert f"{path}, frame 10" in "\n".join(error.value.__notes__)


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_corrupt_packets_cost_the_clips_that_need_them(tmp_path, on_error):
    # The packet of frame 13 is damaged; 20 is the next key frame.
    clips, valid = clips_of(pipeline([stored(tmp_path, DAMAGED)], 8, 5, on_error))
    assert valid == [True, True, False, False, True, True, True, True]
    for number in np.flatnonzero(valid):
        assert clips[number] == [*range(5 * number, 5 * number + 5)]
    whole = [[*range(start, start + 5)] for start in range(0, 40, 5)]
    assert all(clip in whole for clip in clips)


def test_a_file_that_is_cut_off(tmp_path):
    data = video_bytes("h264.ts", count=60, group=10)
    path = stored(tmp_path, data[: len(data) // 2], "cut.ts")
    clips, valid = clips_of(pipeline([path], 3, 4, "replace"))
    assert clips == [[*range(4)], [*range(4, 8)], [*range(8, 12)]]
    assert valid == [True] * 3
    front = video_bytes(qp="10", muxer={"movflags": "frag_keyframe+empty_moov"})
    path = stored(tmp_path, front[: len(front) * 6 // 10], "front.mp4")
    with (
        pipeline([path], length=1) as pipe,
        pytest.raises(DecodeError, match=r"frame \d+, at 0\.\d+ s, is damaged or missing") as error,
    ):
        clips_of(pipe, 30)
    assert path in "\n".join(error.value.__notes__)


def test_a_change_of_size_is_an_error_of_the_clip_that_crosses_it(tmp_path):
    path = stored(tmp_path, SIZES, "sizes.ts")
    with pipeline([path], length=4) as pipe:
        assert [numbers_of(pipe.run()[0].row(0)) for _ in range(2)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        with pytest.raises(DecodeError, match=r"frame 10, at \d\.\d+ s, has 64 x 160") as error:
            pipe.run()
    assert f"{path}, frame 8" in "\n".join(error.value.__notes__)


def test_clips_that_are_longer_than_a_file(tmp_path):
    short = video_file(tmp_path / "short.mp4", count=3)
    long = video_file(tmp_path / "long.mp4", count=9, first=50)
    with pytest.warns(RuntimeWarning, match=r"1 of 2 videos .*short.mp4 \(3 frames\)"):
        clips = clips_of(pipeline([short, long], length=5))
    assert clips == ([[*range(50, 55)]], [True])
    padded = pipeline([short, long], 2, 5, pad_mode="edge")
    assert clips_of(padded)[0] == [[0, 1, 2, 2, 2], [*range(50, 55)]]
    pipe = pipeline([short], length=5)
    with pytest.raises(ArgumentError, match=r"no video has a clip of 5 frames.* has 3 frames"):
        pipe.build()


PROGRAM = """
import resource
import sys

from penstock import Pipeline, fn

paths = [f"{sys.argv[1]}/{number}.mov" for number in range(100)]
with Pipeline(batch_size=10, num_threads=4) as pipe:
    pipe.set_outputs(*fn.readers.video(filenames=paths, sequence_length=2, audio=True))
    for _ in range(20):
        clips, sounds, _ = pipe.run()
        assert clips.as_array().shape == (10, 2, 96, 160, 3)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.slow
def test_more_files_than_the_process_may_open(tmp_path):
    data = video_bytes("h264 4:2:2.mov", count=2, sound=Sound("pcm_s16le", 8000, 0.1))
    for number in range(100):
        stored(tmp_path, data, f"{number}.mov")
    command = f'ulimit -n 64; exec "{sys.executable}" -c "$0" "{tmp_path}"'
    done = subprocess.run(
        ["sh", "-c", command, PROGRAM], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["64"]


def test_a_lack_of_descriptors_is_no_error_of_a_file(tmp_path):
    path = video_file(tmp_path / "a.mp4", count=6)
    limited = "import resource, penstock.formats.media as media; media.pyav(); "
    limited += "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)); "
    limited += f"media.open_media({path!r})"
    done = subprocess.run(
        [sys.executable, "-c", limited], capture_output=True, text=True, timeout=300
    )
    assert f"OSError: [Errno 24] Too many open files: '{path}'" in done.stderr


def test_few_videos_stay_open_if_the_process_may_open_few(tmp_path, tuned):
    tuned(open_videos, MAX_FRACTION_OF_LIMIT=1e-9)
    paths = [video_file(tmp_path / f"{number}.mp4", count=3) for number in range(3)]
    videos = open_videos.OpenVideos(open_videos.open_frames)
    for path in paths:
        with videos.lend(path):
            pass
    assert [key[0] for key, _ in videos._idle] == [paths[-1]]
    videos.close()
