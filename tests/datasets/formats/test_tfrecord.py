"""TFRecord files of other programs."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample, open_dataset
from penstock.engine.errors import DecodeError
from penstock.tests.datasets import made
from penstock.tests.datasets.conformance import WriterTests
from penstock.tests.readers import tfrecord_files


def write(path, *records):
    tfrecord_files.write_records(path, [tfrecord_files.example(each) for each in records])
    return open_dataset(path)


def test_components_follow_from_the_features(tmp_path):
    record = {
        "image/encoded": b"\xff\xd8\xff..",
        "label": 3,
        "score": 0.5,
        "name": "hällo",
        "boxes": [1.0, 2.0, 3.0],
    }
    dataset = write(tmp_path / "a.tfrecord", *[record] * 20)
    sample = dataset.read([13])[0]
    assert sample.key == "a/00000013"
    components = sample.components
    assert components["image/encoded"].extension == "jpg"
    assert (components["label"], components["score"], components["name"]) == (3, 0.5, "hällo")
    np.testing.assert_array_equal(components["boxes"], [1, 2, 3])


def test_missing_features_are_left_out(tmp_path):
    dataset = write(tmp_path / "a", {"x": 1, "y": "t"}, {"x": 2}, {"y": "u"})
    assert [dict(sample.components) for sample in dataset.read([0, 1, 2])] == [
        {"x": 1, "y": "t"},
        {"x": 2},
        {"y": "u"},
    ]


def test_lists_of_one_number_stay_lists(tmp_path):
    records = [{"x": list(range(i % 3)), "y": [0.5] * (1 + i % 2), "z": i} for i in range(9)]
    dataset = write(tmp_path / "a", *records)
    assert {name: str(each) for name, each in dataset.schema.items()} == {
        "x": "array int64 (n,)",
        "y": "array float32 (n,)",
        "z": "int",
    }
    for record, sample in zip(records, dataset.read(range(9)), strict=True):
        components = dict(sample.components)
        x = components.pop("x", np.zeros(0))
        assert (x.tolist(), components.pop("y").tolist()) == (record["x"], record["y"])
        assert components == {"z": record["z"]}


def test_several_strings_are_left_out(tmp_path):
    dataset = write(tmp_path / "a", {"x": [b"1"], "y": 3}, {"x": [b"1", b"2"], "y": 4})
    assert dataset.stored.unread_fields == ("x",)
    assert [dict(each.components) for each in dataset.read([0, 1])] == [{"y": 3}, {"y": 4}]


def test_several_strings_in_a_record_that_was_not_looked_at(tmp_path):
    records = [{"x": [b"1"]} for _ in range(99)]
    records[50]["x"] = [b"1", b"2"]
    dataset = write(tmp_path / "a", *records)
    with pytest.raises(DecodeError, match=r"record 50.*'x' holds several strings"):
        dataset.read([50])


def test_records_that_are_no_examples_are_named(tmp_path):
    tfrecord_files.write_records(tmp_path / "a", [b"\x0a\xff"])
    with pytest.raises(DecodeError, match=r"record 0.*no valid tf.train.Example"):
        open_dataset(tmp_path / "a")


def test_names_that_look_like_ours_are_no_loss(tmp_path):
    record = {
        "key": 7,
        "image": b"\xff\xd8\xff..",
        "image.shape": [4, 5, 3],
        "sound.extension": "flac",
        "n": 1,
        "n.extension": "x",
    }
    (sample,) = write(tmp_path / "a.tfrecord", record).read([0])
    assert sample.key == "a/00000000"
    assert sample.components["key"] == 7
    assert sample.components["image.shape"].tolist() == [4, 5, 3]
    assert sample.components["sound.extension"] == "flac"
    assert set(sample.components) == set(record)


class TestTFRecordWriter(WriterTests):
    format = "tfrecord"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a", {"label": 1 << 64})


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the package leaves files open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_tfrecord_package_reads_the_files(tmp_path):
    loader = pytest.importorskip("tfrecord.reader").tfrecord_loader
    root = made.write(tmp_path / "a", made.images(), "tfrecord")
    file, index = (str(root / f"shard-00000.{suffix}") for suffix in ("tfrecord", "idx"))
    read = list(loader(file, index, {"image": "byte", "label": "int", "key": "byte"}))
    stored = {bytes(e["key"]).decode(): (bytes(e["image"]), e["label"].tolist()) for e in read}
    expected = {f"{'ab'[i % 2]}/{i:03d}": (made.jpeg(i), [i % 2]) for i in range(12)}
    assert stored == expected


def test_dali_reads_the_files(tmp_path):
    dali = pytest.importorskip("nvidia.dali")
    import nvidia.dali.tfrecord as declare

    root = made.write(tmp_path / "a", made.detections(), "tfrecord")
    pipeline = dali.Pipeline(batch_size=9, num_threads=1, device_id=None)
    with pipeline:
        read = dali.fn.readers.tfrecord(
            path=str(root / "shard-00000.tfrecord"),
            index_path=str(root / "shard-00000.idx"),
            features={
                "image": declare.FixedLenFeature([], declare.string, ""),
                "boxes": declare.VarLenFeature([4], declare.float32, 0.0),
            },
        )
        pipeline.set_outputs(read["image"], read["boxes"])
    images, boxes = pipeline.run()
    for i, sample in enumerate(made.detections()):
        assert images.at(i).tobytes() == sample.components["image"].data
        np.testing.assert_array_equal(boxes.at(i).reshape(-1, 4), sample.components["boxes"])


def test_numbers_that_float32_cannot_hold_come_back(tmp_path):
    from penstock.datasets import open_dataset

    samples = [Sample("a", {"x": 0.1}), Sample("b", {"x": 0.5})]
    read = open_dataset(made.write(tmp_path / "a", samples, "tfrecord")).read([0, 1])
    assert [sample.components["x"] for sample in read] == [0.1, 0.5]


def test_extensions_come_back(tmp_path):
    from penstock.datasets import open_dataset

    samples = [Sample(f"{i}", {"image": Encoded(b"..", e)}) for i, e in enumerate(("JPEG", "png"))]
    read = open_dataset(made.write(tmp_path / "a", samples, "tfrecord")).read([1, 0])
    assert [sample.components["image"].extension for sample in read] == ["png", "JPEG"]
