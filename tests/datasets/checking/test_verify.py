"""Verifying: what two data sets differ in, and what is not sound."""

from __future__ import annotations

import json

import numpy as np

from penstock import datasets
from penstock.datasets import Encoded, Sample
from penstock.datasets.checking import digests
from penstock.testing import made

verify = datasets.verify


def text(key, content):
    return Sample(key, {"text": content})


def test_differences_are_listed_by_key(tmp_path):
    a = made.write(tmp_path / "a", [text("same", "1"), text("gone", "2"), text("other", "3")])
    b = made.write(tmp_path / "b", [text("other", "4"), text("new", "5"), text("same", "1")])
    report = verify(a, b)
    assert not report.ok
    assert (report.only_a, report.only_b, report.different) == (["gone"], ["new"], ["other"])
    assert (report.samples, report.other_samples) == (3, 3)


def test_what_no_sample_holds_is_listed(tmp_path):
    samples = [text("a", "1"), Sample("b", {"text": "2", "caption": "x"})]
    a = made.write(tmp_path / "a", samples, "parquet")
    datasets.convert(a, tmp_path / "b", to="parquet", where="key == 'a'")
    report = verify(a, tmp_path / "b")
    assert report.only_a == ["b"]
    assert report.left_out[0] == {}
    unheld = {"components of the schema that no sample holds": ["caption"]}
    assert report.left_out[1] == unheld
    assert verify(tmp_path / "b").left_out == (unheld,)


def test_repeated_keys_are_listed(tmp_path):
    a = made.write(tmp_path / "a", [text("x", "1"), text("y", "1"), text("x", "1")])
    b = made.write(tmp_path / "b", [text("x", "1"), text("y", "1")])
    report = verify(a, b)
    assert report.repeated == ["x"]
    assert (report.counts["only_a"], report.counts["different"]) == (0, 0)


def test_a_data_set_with_a_repeated_key_is_not_sound(tmp_path):
    a = made.write(tmp_path / "a", [text("x", "1"), text("y", "1"), text("x", "2")])
    report = verify(a)
    assert not report.ok
    assert (report.counts, report.repeated) == ({"repeated": 1}, ["x"])


def test_many_samples_are_compared_in_portions(tmp_path, tuned):
    samples = [text(str(i), str(i)) for i in range(100)]
    a, b = made.write(tmp_path / "a", samples), made.write(tmp_path / "b", samples[::-1][:99])
    tuned(digests, PORTION_BYTES=1000)
    report = verify(a, b)
    assert report.only_a == ["0"]
    assert report.counts == {"repeated": 0, "only_a": 1, "only_b": 0, "different": 0}


def test_a_sound_data_set_is_sound(tmp_path):
    report = verify(made.write(tmp_path / "a", made.images()), decode=True)
    assert report.ok
    assert report.bad == []


def test_samples_that_cannot_be_decoded_are_listed(tmp_path):
    samples = made.images(3)
    samples[1] = Sample("b/001", {"image": Encoded(made.jpeg(1)[:-20], "jpg"), "label": 1})
    root = made.write(tmp_path / "a", samples)
    assert verify(root).ok
    (bad,) = verify(root, decode=True).bad
    assert bad.index == 1
    assert "shard-00000.tar, record 2" in bad.location


def test_changed_files_and_damaged_records_are_listed(tmp_path):
    root = made.write(tmp_path / "a", made.images(3), "tfrecord")
    file = root / "shard-00000.tfrecord"
    content = bytearray(file.read_bytes())
    content[-8] ^= 1
    file.write_bytes(content)
    first, second = verify(root).bad
    assert "SHA-256" in first.reason
    assert second.location.startswith(str(file))
    assert second.reason == "the data do not agree with their checksum"  # without the location


def test_files_of_a_folder_are_compared_with_their_list(tmp_path):
    root = made.write(tmp_path / "a", made.images(3), "folder", ("a", "b"))
    (root / "a" / "000.jpg").write_bytes(b"other")
    (bad,) = verify(root).bad
    assert bad.location.endswith("a/000.jpg")


def test_progress_counts_both_data_sets(tmp_path):
    a, b = (made.write(tmp_path / name, made.images()) for name in "ab")
    seen = []
    verify(a, b, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (24, 24)


def test_arrays_are_compared_by_type_and_shape(tmp_path):
    forms = [np.zeros((2, 3)), np.zeros((3, 2)), np.zeros((2, 3), np.float32)]
    a, *others = (
        made.write(tmp_path / str(i), [Sample("x", {"array": array})])
        for i, array in enumerate(forms)
    )
    assert [verify(a, other).different for other in others] == [["x"], ["x"]]


def test_names_of_classes_are_compared(tmp_path):
    a = made.write(tmp_path / "a", made.images(), "folder", ("cat", "dog"))
    for name, classes, differ in (
        ("b", ("dog", "cat"), ["0: cat, dog", "1: dog, cat"]),
        ("c", ("cat", "cow", "pig"), ["1: dog, cow"]),
        ("d", (), []),
    ):
        samples = datasets.open_dataset(a).read(range(12))
        report = verify(a, made.write(tmp_path / name, samples, classes=classes))
        assert report.classes == differ
        assert report.ok == (not differ)


def test_what_could_not_be_checked_is_said(tmp_path):
    root = made.write(tmp_path / "a", made.images())
    assert verify(root).remarks == []
    manifest = json.loads((root / "dataset.json").read_text())
    del manifest["checksum"]
    (root / "dataset.json").write_text(json.dumps(manifest))
    report = verify(root, root)
    assert report.ok
    assert len(report.remarks) == 2
    assert "has no checksum of its own" in report.remarks[0]
    (root / "dataset.json").write_text("{}")
    assert "written by another program" in verify(root).remarks[0]
