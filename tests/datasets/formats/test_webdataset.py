"""WebDataset archives of other programs."""

from __future__ import annotations

import re
import tarfile

import pytest

from penstock.datasets import Encoded, Sample, convert, open_dataset, verify
from penstock.engine.errors import DecodeError
from penstock.testing import made
from penstock.testing.writers import WriterTests
from penstock.tests.readers import tars


def test_components_follow_from_the_extensions(tmp_path):
    files = {"a/x.jpg": b"..", "a/x.left.png": b"..", "a/x.cls": b"7", "a%2Ey.json": b"{}"}
    tars.write(tmp_path / "a.tar", tars.archive(files)[:-1024])
    samples = open_dataset(tmp_path / "a.tar").read([0, 1])
    assert [sample.key for sample in samples] == ["a/x", "a%2Ey"]
    assert list(samples[0].components) == ["image", "left", "label"]
    assert samples[0].components["label"] == 7


def test_damaged_components_are_named(tmp_path):
    entries = [tars.entry(b"%d.cls" % i, b"x" if i == 15 else b"1") for i in range(30)]
    path = tars.write(tmp_path / "a.tar", *entries)
    dataset = open_dataset(path)
    with pytest.raises(DecodeError, match=r"record 15.*\.cls: b'x' is no integer"):
        dataset.read([14, 15])


@pytest.mark.parametrize(
    ("files", "components"),
    [
        (("a.jpg", "a.png"), {"image": b"a.jpg", "png": b"a.png"}),
        (("a.png", "a.jpg"), {"image": b"a.jpg", "png": b"a.png"}),
        (("a.flac", "a.wav"), {"audio": b"a.wav", "flac": b"a.flac"}),
        (("a.JPG", "a.jpeg"), {"image": b"a.JPG", "jpeg": b"a.jpeg"}),
        (("a.jpg", "a.image.png"), {"image": b"a.image.png", "jpg": b"a.jpg"}),
        (("a.png", "a.mp4", "a.wav"), {"image": b"a.png", "video": b"a.mp4", "audio": b"a.wav"}),
    ],
)
def test_two_files_of_one_medium_keep_their_own_names(tmp_path, files, components):
    tars.write(tmp_path / "a.tar", tars.archive({name: name.encode() for name in files}))
    for root in (tmp_path / "a.tar", *(tmp_path / to for to in ("webdataset", "lmdb", "parquet"))):
        if root.suffix != ".tar":
            convert(tmp_path / "a.tar", root, to=root.name)
        with open_dataset(root) as dataset:
            (sample,) = dataset.read([0])
        assert {
            name: bytes(component.data) for name, component in sample.components.items()
        } == components
        assert verify(tmp_path / "a.tar", root).ok


def test_files_of_one_medium_keep_the_extensions_that_readers_ask_for(tmp_path):
    files = ("a.JPG", "a.jpeg", "a.json", "a.png", "a.x.png")
    tars.write(tmp_path / "a.tar", tars.archive(dict.fromkeys(files, b"..")))
    convert(tmp_path / "a.tar", tmp_path / "out", to="webdataset")
    with tarfile.open(tmp_path / "out" / "shard-00000.tar") as archive:
        assert sorted(archive.getnames()) == sorted(map(str.lower, files))


@pytest.mark.parametrize(
    "files",
    [
        ("a.cls", "a.label.cls"),
        ("a.txt", "a.text.txt"),
        ("a.json", "a.json.json"),
        ("a.jpg", "a.jpg"),
        ("a.jpg", "a.png", "a.png.webp"),
    ],
)
def test_two_files_of_one_name_are_both_named(tmp_path, files):
    tars.write(tmp_path / "a.tar", *(tars.entry(name.encode(), b"1") for name in files))
    first, second = (re.escape(name[1:]) for name in files[-2:])
    with pytest.raises(DecodeError, match=f"record 0.*the files {first} and {second} of one"):
        open_dataset(tmp_path / "a.tar")


def test_a_mask_that_was_lost_is_noticed(tmp_path):
    both, one = {"a.jpg": b"picture", "a.png": b"mask"}, {"a.jpg": b"picture"}
    for name, files in (("both", both), ("one", one)):
        tars.write(tmp_path / f"{name}.tar", tars.archive(files))
    assert verify(tmp_path / "both.tar", tmp_path / "one.tar").different == ["a"]


@pytest.mark.parametrize(
    ("content", "label"),
    [
        (b"5", 5),
        (b" -7\n", -7),
        (b"0" * 32 + b"5", 5),
        (b"1" + b"0" * 40, 10**40),
        (b"7" + b" " * 31 + b"8", None),
        (b"1_000", None),
        (b"9" * 5000, None),
        (b"", None),
        ("٣".encode(), None),
    ],
)
def test_a_label_is_the_whole_file_or_an_error(tmp_path, content, label):
    tars.write(tmp_path / "a.tar", tars.archive({"a.cls": content}))
    if label is None:
        with pytest.raises(DecodeError, match=r"\.cls: .* is no integer"):
            open_dataset(tmp_path / "a.tar")
    else:
        assert open_dataset(tmp_path / "a.tar").read([0])[0].components == {"label": label}


class TestWebDatasetWriter(WriterTests):
    format = "webdataset"
    contents = ("images", "detections", "annotated", "speech", "arrays")

    def bad_sample(self, sample):
        return Sample("a", {"x": Encoded(b"", "cls")})


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the package leaves files open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_webdataset_package_reads_the_files(tmp_path):
    webdataset = pytest.importorskip("webdataset")
    root = made.write(tmp_path / "a", made.detections())
    read = list(webdataset.WebDataset(str(root / "shard-00000.tar"), shardshuffle=False).decode())
    for stored, sample in zip(read, made.detections(), strict=True):
        assert stored["__key__"] == sample.key
        assert stored["boxes.npy"].tolist() == sample.components["boxes"].tolist()


def test_dali_reads_the_files(tmp_path):
    dali = pytest.importorskip("nvidia.dali")
    root = made.write(tmp_path / "a", made.images())
    pipeline = dali.Pipeline(batch_size=12, num_threads=1, device_id=None)
    with pipeline:
        read = dali.fn.readers.webdataset(paths=[str(root / "shard-00000.tar")], ext=["jpg", "cls"])
        pipeline.set_outputs(*read)
    images, labels = pipeline.run()
    assert [images.at(i).tobytes() for i in range(12)] == [made.jpeg(i) for i in range(12)]
    assert [labels.at(i).tobytes() for i in range(12)] == [b"%d" % (i % 2) for i in range(12)]


def test_long_names_and_names_beyond_ascii_are_read_by_tarfile(tmp_path):
    keys = ["a" * 300, "straße/ü"]
    root = made.write(tmp_path / "a", [Sample(key, {"text": key}) for key in keys])
    with tarfile.open(root / "shard-00000.tar") as archive:
        assert archive.getnames() == [f"{key}.txt" for key in keys]
        assert [archive.extractfile(each).read().decode() for each in archive] == keys
