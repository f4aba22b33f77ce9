"""Clips of videos that PyAV made, in a random order, with the labels of their folders."""

import pytest

from penstock import fn, pipeline_def

pytest.importorskip("av")


def test_random_clips_with_labels(tmp_path):
    from ..videos import number_of, video_file

    for label, name in enumerate(("jump", "run")):
        (tmp_path / name).mkdir()
        video_file(tmp_path / name / "a.mp4", count=20 + 10 * label)

    @pipeline_def(batch_size=5, num_threads=2)
    def pipeline():
        clips, labels = fn.readers.video(
            file_root=str(tmp_path), sequence_length=10, random_shuffle=True, name="reader"
        )
        return clips, labels

    with pipeline() as pipe:
        clips, labels = pipe.run()
        assert pipe.epoch_size("reader") == 5
    starts = [number_of(clip[0]) for clip in clips.as_array()]
    found = sorted(zip(labels.as_array().ravel().tolist(), starts, strict=True))
    assert found == [(0, 0), (0, 10), (1, 0), (1, 10), (1, 20)]
