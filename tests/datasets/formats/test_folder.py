"""Class folders that Penstock did not write."""

from __future__ import annotations

import pickle

import pytest

from penstock.datasets import Encoded, Sample, convert, open_dataset
from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.readers.listing.listing import list_files
from penstock.testing import made
from penstock.testing.writers import WriterTests


def put(path, content=b".."):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_files_that_share_a_stem_are_one_sample(tmp_path):
    for name in ("1.jpg", "1.txt", "2.b.jpg", "2.b.txt", ".hidden"):
        put(tmp_path / "cat" / name, b"text")
    dataset = open_dataset(tmp_path)
    assert [s.key for s in dataset.read(range(len(dataset)))] == ["cat/1", "cat/2.b"]
    assert dataset.read([0])[0].components.keys() == {"image", "text", "label"}


def test_two_images_of_one_stem_are_two_samples(tmp_path):
    for name in ("1.jpg", "1.png"):
        put(tmp_path / "cat" / name)
    assert len(open_dataset(tmp_path)) == 2


def test_two_images_of_one_stem_are_both_named_by_a_conversion(tmp_path):
    for name in ("1.jpg", "1.png"):
        put(tmp_path / "in" / "cat" / name)
    with pytest.raises(ArgumentError, match=r"'cat/1' occurs twice: .*1\.jpg and .*1\.png"):
        convert(tmp_path / "in", tmp_path / "out", to="webdataset")


@pytest.mark.parametrize("name", ["1.cls", "1.label.cls"])
def test_a_label_beside_a_class_folder_is_an_error(tmp_path, name):
    put(tmp_path / "cat" / "1.jpg")
    put(tmp_path / "cat" / name, b"7")
    put(tmp_path / "cat" / "2.jpg")
    with pytest.raises(DecodeError, match=r"cat/1.*gives the sample a label, but so does"):
        open_dataset(tmp_path, format="folder")


def test_hidden_names_are_no_classes_and_no_samples(tmp_path):
    for name in (".ipynb_checkpoints/x.jpg", "cat/x.jpg", "cat/._x.jpg", "cat/Thumbs.db"):
        put(tmp_path / name)
    put(tmp_path / "cat" / "desktop.ini")
    dataset = open_dataset(tmp_path)
    assert dataset.classes == ("cat",)
    assert [s.key for s in dataset.read(range(len(dataset)))] == ["cat/x"]
    assert dataset.stored.skipped_files == {
        "hidden folders with data": [".ipynb_checkpoints"],
        "hidden files of data": ["cat/._x.jpg"],
    }


@pytest.mark.filterwarnings("ignore:.*left out are")
def test_the_reader_has_the_same_classes_and_files(tmp_path):
    for name in ("a/1.heic", "a/2.JPE", "b/", "c/3.gif", "c/3.txt", "c/notes.txt", ".d/4.jpg"):
        put(tmp_path / name) if name[-1] != "/" else (tmp_path / name).mkdir()
    listed = list_files(file_root=tmp_path)
    dataset = open_dataset(tmp_path)
    samples = dataset.read(range(len(dataset)))
    assert [s.components["label"] for s in samples] == listed.labels.tolist() == [0, 0, 2]
    assert [s.key for s in samples] == ["a/1", "a/2", "c/3"]
    assert listed.class_names == ("a", "", "c")
    assert dataset.classes == ("a", "b", "c")
    assert dataset.stored.skipped_files == {
        "hidden folders with data": [".d"],
        "files that are no image, sound or video": ["c/notes.txt"],
    }


def test_folders_without_media_are_classes_only_if_named_so(tmp_path):
    for name in ("pos/1.txt", "pos/2.txt", "neg/3.npy"):
        put(tmp_path / name, b"text")
    message = r"none of their 3 files is an image, .*: \.txt \(2\), \.npy \(1\)\. .*format='folder'"
    with pytest.raises(SourceError, match=message):
        open_dataset(tmp_path)
    (tmp_path / "neg" / "3.npy").unlink()
    dataset = open_dataset(tmp_path, format="folder")
    for copy in (dataset, pickle.loads(pickle.dumps(dataset))):
        assert [s.key for s in copy.read(range(len(copy)))] == ["pos/1", "pos/2"]


@pytest.mark.parametrize("ending", ["txt", "wav", "geojson"])
def test_folders_of_one_set_of_names_are_parts(tmp_path, ending):
    for number in range(3):
        put(tmp_path / "photographs" / f"{number}.jpg")
        put(tmp_path / "things" / f"{number}.{ending}")
    with pytest.raises(SourceError, match=r"files in '\w+' have names of files in other folders"):
        open_dataset(tmp_path)
    assert len(open_dataset(tmp_path, format="folder")) == 6


def test_indexes_of_readers_are_no_components(tmp_path):
    put(tmp_path / "run" / "1.mp4")
    put(tmp_path / "run" / "1.mp4.penstock-index")
    put(tmp_path / "walk" / "2.mp4")
    dataset = open_dataset(tmp_path)
    samples = dataset.read(range(len(dataset)))
    assert [(s.key, s.components.keys()) for s in samples] == [
        ("run/1", {"video", "label"}),
        ("walk/2", {"video", "label"}),
    ]
    assert [s.components["label"] for s in samples] == [0, 1]


def test_damaged_components_are_named(tmp_path):
    put(tmp_path / "cat" / "1.jpg")
    for i in range(20):
        put(tmp_path / "dog" / f"{i:02d}.txt", b"ok")
    dataset = open_dataset(tmp_path, format="folder")
    put(tmp_path / "dog" / "07.txt", b"\xff")
    with pytest.raises(DecodeError, match=r"dog/07\.txt"):
        dataset.read(range(len(dataset)))


class TestFolderWriter(WriterTests):
    format = "folder"
    opens_files = False
    contents = ("images", "arrays")

    def target(self, samples):
        target = super().target(samples)
        return (
            target if "image" in target.schema else type(target)(target.schema, (), target.layout)
        )

    def bad_sample(self, sample):
        return Sample("a/1", {**sample.components, "label": 7})

    def test_samples_come_back_as_they_were(self, tmp_path):
        for number, classes in enumerate((("a", "b"), ())):
            samples = made.images() if classes else made.arrays()
            root = made.write(tmp_path / str(number), samples, "folder", classes)
            read = open_dataset(root).read(range(len(samples)))
            expected = {s.key: s.components["label"] for s in samples}
            assert {s.key: s.components["label"] for s in read} == expected


def test_classes_without_samples_keep_the_numbers_of_the_others(tmp_path):
    samples = [Sample("x", {"image": Encoded(b"..", "jpg"), "label": 2})]
    root = made.write(tmp_path / "a", samples, "folder")
    assert list_files(file_root=str(root), dir_filters="[!.]*").labels.tolist() == [2]
    assert (root / "000002" / "x.jpg").read_bytes() == b".."


def test_names_of_classes_need_not_be_sorted(tmp_path):
    samples = [Sample(f"{i}", {"image": Encoded(b"..", "jpg"), "label": i}) for i in range(2)]
    root = made.write(tmp_path / "a", samples, "folder", classes=("dog", "cat"))
    assert (root / "cat" / "1.jpg").exists()
    assert {s.key: s.components["label"] for s in open_dataset(root).read([0, 1])} == {
        "0": 0,
        "1": 1,
    }


def test_slashes_in_names_are_quoted(tmp_path):
    samples = [Sample("x/y.z", {"image": Encoded(b"..", "jpg"), "label": 0})]
    root = made.write(tmp_path / "a", samples, "folder", classes=("dog",))
    assert (root / "dog" / "x%2Fy%2Ez.jpg").exists()
    assert open_dataset(root).read([0])[0].key == "x/y.z"


def test_a_key_that_is_not_below_its_class_is_refused(tmp_path):
    samples = [Sample(f"dog/{i}", {"image": Encoded(b"..", "jpg"), "label": i}) for i in range(2)]
    with pytest.raises(ArgumentError, match="belongs to the class 'cat'"):
        made.write(tmp_path / "a", samples, "folder", classes=("dog", "cat"))
