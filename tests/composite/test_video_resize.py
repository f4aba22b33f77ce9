import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError

from ..videos import video_file


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return video_file(tmp_path / "a.mp4", count=8)


def test_clips_are_those_of_the_reader_resized(path):
    options = {"filenames": [path], "labels": [7], "sequence_length": 3, "stride": 2}
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        clips, label = fn.readers.video_resize(resize_shorter=48, max_size=70, **options)
        plain, _ = fn.readers.video(**options)
        pipe.set_outputs(clips, fn.resize(plain, resize_shorter=48, max_size=70), label)
        resized, expected, labels = pipe.run()
    assert resized.layout() == "FHWC"
    assert resized.as_array().shape == (1, 3, 42, 70, 3)
    np.testing.assert_array_equal(resized.as_array(), expected.as_array())
    assert labels.as_array().tolist() == [[7]]


def test_arguments_of_resize_are_checked(path):
    with Pipeline(batch_size=1, num_threads=1), pytest.raises(ArgumentError, match="mode"):
        fn.readers.video_resize(filenames=[path], sequence_length=1, size=9, mode="fill")
