"""Encoding anew: which components change, and what is refused."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock import datasets
from penstock.datasets import Encoded, Sample
from penstock.datasets.conversion.reencoding.reencoding import Reencoding
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.testing import made


def test_nothing_changes_by_default():
    sample = made.images(1)[0]
    assert Reencoding()(sample) == sample


def test_other_encoded_components_stay():
    sample = Sample("a", {"mask": Encoded(made.jpeg(5), "jpg")})
    assert Reencoding(jpeg_quality=10)(sample) == sample


@pytest.mark.parametrize("options", [{"jpeg_quality": 9}, {"audio": "flac"}, {"audio": "opus"}])
def test_damaged_files_are_decode_errors(options):
    pytest.importorskip("soundfile")
    pytest.importorskip("av")
    bad = Encoded(b"....", "x")
    with pytest.raises(DecodeError):
        Reencoding(**options)(Sample("a", {"image": bad, "audio": bad}))


@pytest.mark.parametrize("options", [{"audio": "mp3"}, {"video": "av1"}, {"longest_side": 0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ArgumentError):
        Reencoding(**options)


def test_annotations_are_made_smaller_with_their_image():
    image = np.zeros((40, 80, 3), np.uint8)
    ones = np.ones((1, 1, 3))
    sample = Sample(
        "a",
        {
            "image": Encoded(cv2.imencode(".png", image)[1].tobytes(), "png"),
            "boxes": np.array([[8, 4, 16, 12]], np.float32),
            "keypoints": ones * [10, 20, 2],
            "areas": np.array([100.0]),
            "segmentations": Encoded(b"[[[8,4,16,4,16,12]]]", "json"),
        },
    )
    made_smaller = Reencoding(longest_side=40)(sample).components
    np.testing.assert_array_equal(made_smaller["boxes"], [[4, 2, 8, 6]])
    np.testing.assert_array_equal(made_smaller["keypoints"], ones * [5, 10, 2])
    np.testing.assert_array_equal(made_smaller["areas"], [25])
    assert made_smaller["segmentations"].data == b"[[[4,2,8,2,8,6]]]"


@pytest.mark.parametrize("option", [{"jpeg_quality": 80}, {"longest_side": 8}])
def test_images_of_another_name_are_not_left_as_they_are(tmp_path, option):
    samples = [Sample("a", {"photo": Encoded(made.jpeg(5), "jpg")})]
    source = made.write(tmp_path / "source", samples, "tfrecord")
    with pytest.raises(ArgumentError, match="'image' anew, but the samples have no such files; th"):
        datasets.convert(source, tmp_path / "a", to="tfrecord", **option)


def test_the_schema_tells_the_new_extensions(tmp_path):
    samples = [
        Sample(f"{i}", {"image": Encoded(made.jpeg(5), "jpg"), "label": i}) for i in range(3)
    ]
    source = made.write(tmp_path / "source", samples)
    datasets.convert(source, tmp_path / "a", to="tfrecord", jpeg_quality=80)
    with datasets.open_dataset(tmp_path / "a") as dataset:
        assert dataset.schema["image"].extension == "jpg"
        assert dataset.read([0])[0].components["image"].extension == "jpg"
    assert datasets.verify(tmp_path / "a", decode=True).ok
