"""Class folders that Penstock did not write."""

from __future__ import annotations

import pytest

from penstock.datasets import Encoded, Sample, convert, open_dataset
from penstock.engine.errors import ArgumentError, DecodeError
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
        open_dataset(tmp_path)


def test_hidden_folders_are_no_classes(tmp_path):
    put(tmp_path / ".git" / "x.jpg")
    put(tmp_path / "cat" / "x.jpg")
    assert open_dataset(tmp_path).classes == ("cat",)


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
    dataset = open_dataset(tmp_path)
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
