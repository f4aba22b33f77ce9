"""Converting: every pair of formats, bad input, and the options."""

from __future__ import annotations

import os

import pytest

from penstock import datasets
from penstock.datasets import Encoded, Sample
from penstock.datasets.conversion.engines import processes
from penstock.engine.errors import ArgumentError, SourceError
from penstock.testing import made

_ENCODED = ("tfrecord", "lmdb", "webdataset", "parquet")
_LABELED = ("folder", "filelist")
HOLDS = {
    "images": (*_ENCODED, *_LABELED, "recordio", "caffe", "caffe2"),
    "detections": (*_ENCODED, "recordio", "coco"),
    "speech": (*_ENCODED, "nemo", "nemo-tar"),
    "arrays": ("tfrecord", "lmdb", "webdataset", "parquet", *_LABELED, "npy", "npz"),
}


@pytest.fixture
def source(tmp_path):
    return made.write(tmp_path / "source", made.images(), classes=("a", "b"))


@pytest.mark.parametrize(
    ("content", "first"), [(content, first) for content, held in HOLDS.items() for first in held]
)
def test_every_pair_of_formats(tmp_path, content, first):
    classes = ("a", "b") if content == "images" else ()
    source = made.write(tmp_path / "source", made.CONTENTS[content](), first, classes)
    for second in HOLDS[content]:
        root = tmp_path / second
        datasets.convert(source, root, to=second, shard_count=2, shuffle_seed=1, workers=1)
        assert datasets.verify(source, root).ok, second


def test_refusals_name_the_component_and_write_nothing(source, tmp_path):
    with pytest.raises(ArgumentError, match=r"npz archives hold .* 'image' is encoded jpg"):
        datasets.convert(source, tmp_path / "out", to="npz")
    assert not (tmp_path / "out").exists()


def test_a_shuffle_is_global_and_the_same_for_any_number_of_workers(source, tmp_path):
    for name, workers in (("a", 1), ("b", 3)):
        datasets.convert(
            source, tmp_path / name, to="tfrecord", shard_count=3, shuffle_seed=5, workers=workers
        )
    assert made.files_of(tmp_path / "a") == made.files_of(tmp_path / "b")
    read = datasets.open_dataset(tmp_path / "a").read(range(12))
    keys = [sample.key for sample in read]
    assert sorted(keys) == sorted(sample.key for sample in made.images())
    assert keys != [sample.key for sample in made.images()]


def test_shards_have_about_the_size(source, tmp_path):
    size = sum(len(sample.components["image"].data) for sample in made.images()) // 4
    report = datasets.convert(source, tmp_path / "out", to="webdataset", shard_size=size)
    assert 3 <= report.shards <= 5


def test_a_fraction_keeps_the_order(source, tmp_path):
    report = datasets.convert(source, tmp_path / "a", to="tfrecord", sample_fraction=0.5)
    assert report.samples == 6
    keys = [s.key[2:] for s in datasets.open_dataset(tmp_path / "a").read(range(6))]
    assert keys == sorted(keys)
    datasets.convert(source, tmp_path / "b", to="tfrecord", sample_fraction=0.5, sample_seed=1)
    assert [s.key[2:] for s in datasets.open_dataset(tmp_path / "b").read(range(6))] != keys


@pytest.mark.parametrize("where", ["label == 1", lambda sample: sample.components["label"] == 1])
def test_a_filter_leaves_samples_out(source, tmp_path, where):
    report = datasets.convert(source, tmp_path / "a", to="tfrecord", where=where, shard_count=12)
    assert (report.samples, report.left_out, report.shards) == (6, 6, 6)
    read = datasets.open_dataset(tmp_path / "a").read(range(6))
    assert {sample.components["label"] for sample in read} == {1}


def test_components_are_left_out(source, tmp_path):
    datasets.convert(source, tmp_path / "a", to="tfrecord", components=["image"])
    with datasets.open_dataset(tmp_path / "a") as dataset:
        assert list(dataset.schema) == ["image"]
        assert all(list(each.components) == ["image"] for each in dataset.read(range(12)))
    with pytest.raises(ArgumentError, match="components: the samples have no component 'lable'"):
        datasets.convert(source, tmp_path / "b", to="tfrecord", components=["image", "lable"])


def test_a_refusal_tells_how_to_leave_components_out(tmp_path):
    source = made.write(tmp_path / "source", made.annotated())
    with pytest.raises(ArgumentError, match=r"`components` image, boxes, labels would fit; all"):
        datasets.convert(source, tmp_path / "a", to="recordio")
    with pytest.raises(ArgumentError, match=r"'label', which the samples do not have; all comp"):
        datasets.convert(source, tmp_path / "a", to="folder")
    chosen = ["image", "boxes", "labels"]
    assert datasets.convert(source, tmp_path / "a", to="recordio", components=chosen).samples == 5


def test_a_refusal_tells_what_would_fit(tmp_path):
    source = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    with pytest.raises(ArgumentError, match=r"; all components fit .*webdataset, .*parquet"):
        datasets.convert(source, tmp_path / "a", to="coco")


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("label == 'b'", 6),
        ("label in ('b', 0)", 12),
        ("'a' != label", 6),
        ("not (label == 'a' or label == 1)", 0),
    ],
)
def test_a_filter_knows_the_names_of_classes(source, tmp_path, where, kept):
    if not kept:
        with pytest.raises(ArgumentError, match="selects none of 12 samples"):
            datasets.convert(source, tmp_path / "a", to="tfrecord", where=where)
        assert not (tmp_path / "a").exists()
        return
    assert datasets.convert(source, tmp_path / "a", to="tfrecord", where=where).samples == kept


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("label == 'cat'", "label is a number, .* text 'cat'; the classes are a, b$"),
        ("label in (1, 'cat')", "never equal to the text 'cat'"),
        ("key == 1", "key is a text, which is never equal to the number 1"),
        ("image.size > '10'", "image.size is a number"),
        ("image.extension != 3", "image.extension is a text"),
        ("0 < label < 'x'", "label is a number"),
        ("key == b'x'", "the value b'x'"),
        ("label in 'a'", r"label is a number; write label == 'a', or label in \('a', "),
        ("image == 'jpg'", "image is an encoded file; .* image.size and image.extension"),
        ("'jpg' in image", "image is an encoded file"),
        ("label == a", "no component 'a'; .*written in quotation marks: label == 'a'"),
        ("label = 1", "is no condition: .*; equality is written =="),
    ],
)
def test_numbers_and_texts_are_not_compared(source, tmp_path, where, message):
    with pytest.raises(ArgumentError, match=f"where: .*{message}"):
        datasets.convert(source, tmp_path / "a", to="tfrecord", where=where)


def test_nothing_selected_lists_what_there_is(source, tmp_path):
    there = (
        r"selects none of 12 samples, so nothing was written\. The samples have key \(such as "
        r"'a/000'\), .*image \(encoded jpg\).*; the classes are 'a' \(0\), 'b' \(1\)$"
    )
    with pytest.raises(ArgumentError, match=there):
        datasets.convert(source, tmp_path / "a", to="tfrecord", where="key == 'b'")


def test_a_filter_knows_the_names_of_the_classes_of_boxes(tmp_path):
    samples = made.detections()
    names = [f"c{number}" for number in range(90)]
    source = made.write(tmp_path / "source", samples, "recordio", classes=names)
    wanted = int(samples[1].components["labels"][0])
    kept = sum(wanted in sample.components["labels"] for sample in samples)
    where = f"'c{wanted}' in labels"
    assert datasets.convert(source, tmp_path / "a", to="tfrecord", where=where).samples == kept
    for wrong, message in (
        ("labels == 'c1'", "labels is an array; a condition may have 1 in labels"),
        ("'cow' in labels", "the text 'cow'; the classes are c0, c1, "),
    ):
        with pytest.raises(ArgumentError, match=message):
            datasets.convert(source, tmp_path / "b", to="tfrecord", where=wrong)


def test_nothing_selected_leaves_the_old_data_set(source, tmp_path):
    datasets.convert(source, tmp_path / "a", to="webdataset")
    with pytest.raises(ArgumentError, match="selects none"):
        datasets.convert(
            source, tmp_path / "a", to="tfrecord", where=lambda sample: False, overwrite=True
        )
    assert datasets.verify(source, tmp_path / "a").ok
    assert {path.name for path in tmp_path.iterdir()} <= {".cache", "a", "source"}


def test_a_filter_of_unknown_components_is_refused(source, tmp_path):
    with pytest.raises(ArgumentError, match="no component 'lable'; they have key, image, label"):
        datasets.convert(source, tmp_path / "a", to="tfrecord", where="lable == 1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "avro"}, "the format is one of folder, .* not 'avro'$"),
        ({"to": "webdatset"}, "not 'webdatset'; did you mean 'webdataset'"),
        ({"engine": "spark"}, "engine is one of local, ray, dask"),
        ({"sample_fraction": 0.0}, "more than 0"),
        ({"shard_count": 2, "shard_size": 3}, "not both"),
        ({"shard_count": 0}, "shard_count must be positive"),
        ({"classes": ["a"]}, "a name for 'b' is missing"),
        ({"classes": {1: "x"}}, "names no class 0"),
        ({"classes": ["a", "a/b"]}, "without slash"),
        ({"jpeg_quality": 0}, "jpeg_quality is 1 to 100"),
        ({"audio": "flac"}, "audio encodes the component 'audio' anew, but the .* have image, lab"),
        (
            {"to": "webdataset", "classes": ["a", "b"], "components": ["image"]},
            "`classes` names the values of the component 'label' or 'labels', but the samples have",
        ),
    ],
)
def test_wrong_options_are_refused(source, tmp_path, options, message):
    with pytest.raises(ArgumentError, match=message):
        datasets.convert(source, tmp_path / "out", **{"to": "folder"} | options)
    assert not (tmp_path / "out").exists()


def test_a_label_without_a_name_is_named(tmp_path):
    samples = [Sample(f"{i}", {"image": Encoded(b"..", "jpg"), "label": i}) for i in range(3)]
    source = made.write(tmp_path / "source", samples)
    with pytest.raises(ArgumentError, match=r"record .*: the label is 2, but there are names for"):
        datasets.convert(source, tmp_path / "out", to="folder", classes=["a", "b"])
    assert datasets.verify(source).ok


@pytest.mark.parametrize("name", ["../../escaped", ".", ".a", "a/b", "b", "", "a\0"])
def test_classes_of_a_source_lead_nowhere_else(tmp_path, name):
    source = made.write(tmp_path / "source", made.images(), "tfrecord", classes=(name, "b"))
    with pytest.raises(ArgumentError, match="because they become folders"):
        datasets.convert(source, tmp_path / "below" / "out", to="folder")
    assert {path.name for path in tmp_path.iterdir()} <= {".cache", "source"}


@pytest.mark.parametrize("to", ["coco", "filelist", "parquet", "recordio"])
def test_extensions_of_a_source_lead_nowhere_else(tmp_path, to):
    (sample,) = made.detections(1)
    components = {**sample.components, "image": Encoded(made.jpeg(1), "jpg/../../../../escaped")}
    if to == "filelist":
        components = {"image": components["image"], "label": 1}
    source = made.write(tmp_path / "source", [Sample("a", components)], "tfrecord")
    with pytest.raises(ArgumentError, match=r"record 0, .*: the component 'image' has"):
        datasets.convert(source, tmp_path / "out", to=to)
    assert not list(tmp_path.glob("escaped*"))


@pytest.mark.parametrize(
    ("key", "component"),
    [
        ("dataset", "json"),
        ("files", "lst"),
        (".penstock-convert/a", "jpg"),
        ("a", "penstock-index"),
    ],
)
def test_a_sample_does_not_take_the_name_of_another_file(tmp_path, key, component):
    components = {component: Encoded(b"..", component), "label": 0}
    source = made.write(tmp_path / "source", [Sample(key, components)])
    with pytest.raises(ArgumentError, match="keep such names for files of their own"):
        datasets.convert(source, tmp_path / "out", to="filelist")


def test_repeated_keys_are_named(tmp_path):
    samples = [Sample(f"{i % 5}", {"text": str(i)}) for i in range(6)]
    source = made.write(tmp_path / "source", samples)
    with pytest.raises(ArgumentError, match=r"'0' occurs twice: .*record 0.* and .*record 5"):
        datasets.convert(source, tmp_path / "out", to="tfrecord", shard_count=3)
    assert not (tmp_path / "out" / "dataset.json").exists()


def test_keys_that_lead_out_of_the_folder_are_refused(tmp_path):
    samples = [Sample("../../x", {"image": Encoded(b"..", "jpg"), "label": 1})]
    source = made.write(tmp_path / "source", samples, "tfrecord")
    with pytest.raises(ArgumentError, match="no relative path"):
        datasets.convert(source, tmp_path / "out", to="filelist")


def test_an_unreadable_file_is_named(tmp_path):
    source = made.write(tmp_path / "source", made.images(), "folder", ("a", "b"))
    (source / "a" / "004.jpg").unlink()
    (source / "a" / "004.jpg").symlink_to("nowhere")
    with pytest.raises(OSError, match=r"004\.jpg"):
        datasets.convert(source, tmp_path / "out", to="tfrecord")


def test_a_source_that_changes_is_noticed(tmp_path):
    source = made.write(tmp_path / "source", made.images(), "folder", ("a", "b"))

    def change(progress):
        (source / "a" / "new.jpg").write_bytes(b"..")

    with pytest.raises(SourceError, match="was changed while it was converted"):
        datasets.convert(source, tmp_path / "out", to="tfrecord", progress=change)


def test_a_new_class_is_noticed(tmp_path):
    source = made.write(tmp_path / "source", made.images(), "folder", ("a", "b"))

    def change(progress):
        (source / "new").mkdir(exist_ok=True)

    with pytest.raises(SourceError, match="was changed while it was converted"):
        datasets.convert(source, tmp_path / "out", to="tfrecord", progress=change)


@pytest.mark.parametrize("ahead", [False, True])
def test_a_file_that_changes_is_noticed(tmp_path, ahead):
    source = made.write(tmp_path / "source", made.images(), "folder", ("a", "b"))
    file = source / "b" / "011.jpg"
    if ahead:
        os.utime(file, (2e9, 2e9))

    def change(progress):
        os.utime(file, (2e9 + 1, 2e9 + 1))

    options = {"shard_count": 2, "workers": 1, "progress": change}
    with pytest.raises(SourceError, match=r"011\.jpg was changed"):
        datasets.convert(source, tmp_path / "out", to="tfrecord", **options)
    with pytest.raises(SourceError, match=r"011\.jpg was changed"):
        datasets.convert(source, tmp_path / "out", to="tfrecord", resume=True, shard_count=2)


@pytest.mark.parametrize("engine", ["local", "processes"])
def test_files_whose_times_lie_ahead_of_the_clock_are_converted(tmp_path, engine, monkeypatch):
    if engine == "processes":
        monkeypatch.setattr(processes, "MAX_THREADS", 1)
        monkeypatch.setattr(processes, "MIN_SAMPLES", 0)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3))
    source = made.write(tmp_path / "source", made.images(), "folder", ("a", "b"))
    for number, file in enumerate(sorted(source.rglob("*.jpg"))):
        os.utime(file, (2e9 + number, 2e9 + number))
    options = {"shard_count": 3, "workers": 3}
    datasets.convert(source, tmp_path / "out", to="tfrecord", **options)
    assert datasets.verify(source, tmp_path / "out").ok


def test_progress_ends_with_all_samples(source, tmp_path):
    seen = []
    datasets.convert(source, tmp_path / "out", to="tfrecord", shard_count=3, progress=seen.append)
    assert (seen[-1].samples, seen[-1].total) == (12, 12)
    assert (seen[-1].shards, seen[-1].shard_total) == (3, 3)
    assert [each.samples for each in seen] == sorted(each.samples for each in seen)
