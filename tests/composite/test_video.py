import shutil

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.decoders.video import open_videos
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.formats.video import known_files

from ..videos import Sound, numbers_of, tone, video_file


@pytest.fixture
def root(tmp_path, user_cache):
    for folder, form, count in (("x", "h264.mp4", 10), ("y", "mpeg4.avi", 7)):
        (tmp_path / folder).mkdir()
        video_file(tmp_path / folder / f"{count}.{form[-3:]}", form, count=count)
    return tmp_path


def run(make, batches=1, size=3, **options):
    with Pipeline(batch_size=size, num_threads=2, **options) as pipe:
        outputs = make()
        pipe.set_outputs(*(outputs if isinstance(outputs, list | tuple) else (outputs,)))
        return [
            [[np.array(row) for row in output.rows()] for output in pipe.run()]
            for _ in range(batches)
        ]


def test_clips_of_class_folders(root):
    ((clips, labels, numbers, times),) = run(
        lambda: fn.experimental.readers.video(
            file_root=str(root),
            sequence_length=5,
            enable_frame_num="sequence",
            enable_timestamps=True,
        )
    )
    assert [numbers_of(clip) for clip in clips] == [[*range(5)], [*range(5, 10)], [*range(5)]]
    assert [label.tolist() for label in labels] == [[0], [0], [1]]
    assert numbers[1].tolist() == [5, 6, 7, 8, 9]
    assert numbers[1].dtype == np.int32
    np.testing.assert_allclose(times[1], np.arange(5, 10) / 30, atol=1e-3)


def test_hidden_folders_are_no_classes_and_what_is_left_out_is_said(root):
    (root / ".ipynb_checkpoints").mkdir()
    shutil.copy(root / "x" / "10.mp4", root / ".ipynb_checkpoints" / "10.mp4")
    (root / "y" / "notes.txt").touch()
    said = r"hidden folders with data \(1, such as '\.ipynb_checkpoints'\), files of other "
    with pytest.warns(RuntimeWarning, match=said):
        ((_, labels),) = run(lambda: fn.readers.video(file_root=str(root), sequence_length=5))
    assert [label.tolist() for label in labels] == [[0], [0], [1]]


def test_a_list_file_with_ranges(root):
    listed = root / "list.txt"
    listed.write_text("x/10.mp4 4 0.1 0.2\ny/7.avi 6 0.05\n")
    ((clips, labels),) = run(
        lambda: fn.readers.video(file_list=str(listed), sequence_length=3), size=3
    )
    # The range of the first video starts at its frame 3 and ends before its frame 6.
    assert [numbers_of(clip) for clip in clips] == [[3, 4, 5], [1, 2, 3], [4, 5, 6]]
    assert [label.item() for label in labels] == [4, 6, 6]


def test_no_video_is_read_through_for_a_second_index(tmp_path, user_cache, tuned, monkeypatch):
    tuned(open_videos, MAX_IDLE_VIDEOS=1)
    tuned(known_files, MAX_FACTS=1)
    paths = [video_file(tmp_path / f"{number}.mp4", count=4) for number in range(3)]
    with Pipeline(batch_size=3, num_threads=2) as pipe:
        pipe.set_outputs(fn.readers.video(filenames=paths, sequence_length=2))
        pipe.build()
        monkeypatch.delattr("penstock.decoders.video.frames.read_index")
        monkeypatch.delattr("penstock.readers.video.source.index_video")
        for _ in range(4):
            (clips,) = pipe.run()
            assert {tuple(numbers_of(clip)) for clip in clips.rows()} == {(0, 1), (2, 3)}


def test_types_and_padding_of_the_older_interface(root):
    ((clips, labels, first),) = run(
        lambda: fn.readers.video(
            filenames=[str(root / "y" / "7.avi")],
            labels=[],
            sequence_length=5,
            pad_sequences=True,
            dtype=types.FLOAT,
            normalized=True,
            enable_frame_num=True,
        ),
        size=2,
    )
    assert clips[0].dtype == np.float32
    assert clips[0].max() <= 1
    assert numbers_of(clips[1] * 255) == [5, 6, 0, 0, 0]
    assert (clips[1][2:] == 0).all()
    assert [n.tolist() for n in first] == [[0], [5]]
    assert [label.item() for label in labels] == [0, 0]


def test_random_clips_resume_where_a_checkpoint_was_made(root):
    def make():
        return fn.experimental.readers.video(
            file_root=str(root), sequence_length=2, step=1, random_shuffle=True
        )

    def pipeline(**options):
        pipe = Pipeline(batch_size=4, num_threads=2, enable_checkpointing=True, **options)
        with pipe:
            pipe.set_outputs(*make())
        return pipe

    with pipeline() as pipe:
        pipe.run()
        state = pipe.checkpoint()
        expected = [numbers_of(clip) for clip in pipe.run()[0].rows()]
    with pipeline(checkpoint=state) as pipe:
        assert [numbers_of(clip) for clip in pipe.run()[0].rows()] == expected


def test_a_damaged_video_is_skipped(root):
    path = root / "x" / "10.mp4"

    def make():
        return fn.experimental.readers.video(file_root=str(root), sequence_length=7)

    with Pipeline(batch_size=2, num_threads=1, on_error="replace") as pipe:
        pipe.set_outputs(*make())
        pipe.build()
        data = path.read_bytes()
        path.write_bytes(data[:600] + bytes(len(data) - 600))
        clips, _ = pipe.run()
        assert [numbers_of(clip) for clip in clips.rows()] == [[*range(7)]] * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs one of filenames, file_root and file_list, but got none"),
        ({"filenames": ["a"], "file_root": "b"}, "but got filenames and file_root"),
        ({"filenames": ["a"], "step": 0}, "step must not be 0"),
        ({"file_root": "a", "labels": [1]}, "labels are those of filenames; file_root has labels"),
        ({"filenames": ["a"], "image_type": types.GRAY}, "'image_type' must be RGB or YCbCr"),
        (
            {"filenames": ["a"], "enable_frame_num": "all"},
            "must be 'none', False, 'scalar', True or 'sequence'",
        ),
        ({"filenames": ["a"], "pad_mode": "wrap"}, "'pad_mode' must be 'none'"),
        (
            {"filenames": ["a"], "file_list_format": "s"},
            "'file_list_format' must be 'timestamps' or 'frames'",
        ),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    with Pipeline(batch_size=1, num_threads=1), pytest.raises(ArgumentError, match=message):
        fn.experimental.readers.video(sequence_length=2, **arguments)


def test_what_a_uniform_sample_leaves_without_effect_gives_a_warning():
    options = {"filenames": ["a"], "sequence_length": 2, "stride": 3, "pad_mode": "edge"}
    with (
        Pipeline(batch_size=1, num_threads=1),
        pytest.warns(RuntimeWarning, match="leaves stride and pad_mode without"),
    ):
        fn.experimental.readers.video(**options, uniform_sample=True)


def test_a_missing_file_is_named_when_the_pipeline_is_built(tmp_path):
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.readers.video(filenames=[f"{tmp_path}/a.mp4"], sequence_length=2))
        with pytest.raises(FileNotFoundError, match=r"a\.mp4"):
            pipe.build()


def test_the_sound_of_clips(tmp_path, user_cache):
    path = video_file(
        tmp_path / "a.mov", "h264 4:2:2.mov", count=30, sound=Sound("pcm_s16le", 48000)
    )
    options = {"filenames": [path], "audio": True, "enable_timestamps": True}
    ((_, times, sounds, rates),) = run(
        lambda: fn.experimental.readers.video(sequence_length=10, **options)
    )
    assert [sound.shape for sound in sounds] == [(16000, 2)] * 3
    assert [rate.item() for rate in rates] == [48000] * 3
    for seconds, sound in zip(times, sounds, strict=True):
        expected = tone(seconds[0] + np.arange(16000) / 48000)
        np.testing.assert_allclose(sound[:, 0], expected, atol=1e-4)
    resized = lambda: fn.readers.video_resize(  # noqa: E731
        size=[20, 30], sequence_length=30, audio_rate=16000, audio_downmix=True, **options
    )
    ((clips, _, sounds, rates),) = run(resized, size=1)
    assert clips[0].shape == (30, 20, 30, 3)
    assert sounds[0].shape == (16000,)
    assert rates[0] == 16000


def test_a_video_without_sound_is_a_bad_sample(root):
    def make():
        return fn.readers.video(file_root=str(root), sequence_length=7, audio=True)

    with pytest.raises(DecodeError, match="has no audio stream") as error:
        run(make, size=1)
    assert "10.mp4" in "\n".join(error.value.__notes__)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    "form", ["h264.avi", "h264.mpg", "h264 open groups.mkv", "hevc open groups.ts"]
)
def test_shuffled_clips_have_the_frames_that_their_numbers_say(form, threads, tmp_path, user_cache):
    path = video_file(tmp_path / f"a.{form[-3:]}", form, count=60, group=12)
    with Pipeline(batch_size=4, num_threads=threads, seed=3) as pipe:
        clips, numbers = fn.readers.video(
            filenames=[path],
            sequence_length=5,
            random_shuffle=True,
            enable_frame_num="sequence",
            name="clips",
        )
        pipe.set_outputs(clips, numbers)
        assert pipe.epoch_size("clips") == 12
        for _ in range(3):
            found, expected = pipe.run()
            for clip, own in zip(found.rows(), expected.rows(), strict=True):
                assert numbers_of(np.array(clip)) == np.array(own).tolist()


def test_a_playlist_is_no_video_whatever_its_name(root, tmp_path):
    (tmp_path / "z.mp4").write_text("ffconcat version 1.0\nfile x/10.mp4\n")
    with pytest.raises(DecodeError, match="a playlist"):
        run(lambda: fn.readers.video(filenames=[str(tmp_path / "z.mp4")], sequence_length=2))


def test_a_mixture_of_videos(root):
    def make(folders=("x", "y"), lengths=(4, 4)):
        sources = {
            name: fn.readers.video(file_root=str(root / name / ".."), sequence_length=length)
            for name, length in zip(folders, lengths, strict=True)
        }
        return fn.readers.mix(sources, weights=[1] * len(sources))

    ((clips, _, source),) = run(make, size=4)
    assert [len(clip) for clip in clips] == [4] * 4
    assert [int(number) for number in source] == [0, 1, 0, 1]
    with pytest.raises(ArgumentError, match="must be of one reader, with equal arguments"):
        run(lambda: make(lengths=(4, 2)))

    def cropped():
        clip = fn.readers.video(file_root=str(root), sequence_length=4)[0]
        return fn.readers.mix({"a": fn.crop(clip, crop=(8, 8))})

    with pytest.raises(ArgumentError, match="must be what its reader has returned, unchanged"):
        run(cropped)
