"""The summary of a data set, on a terminal and as plain data."""

from __future__ import annotations

import numpy as np

from penstock import datasets
from penstock.cli.inspection.text import (
    as_content,
    described,
    label_rows,
    print_summary,
    shard_count,
)
from penstock.tests.readers import tfrecord_files


def test_values_in_a_few_words():
    assert described(datasets.Encoded(b"x" * 2048, "jpg")) == "jpg, 2 KiB"
    assert described(datasets.Encoded(b"", "")) == "file, 0 B"
    assert described("a\n dog") == "a dog"
    assert described("x" * 200) == "x" * 97 + "..."
    assert described(np.zeros((2, 4), np.float32)) == "float32 (2, 4)"
    assert described(7) == "7"


def report_of(path):
    return datasets.inspect(path)


def test_labels_have_names_and_the_most_frequent_come_first(class_folders, tmp_path):
    datasets.convert(class_folders, tmp_path / "out", to="tfrecord", where="label == 1")
    report = report_of(tmp_path / "out")
    assert label_rows(report) == [("1 dogs", 3)]
    assert shard_count(report) == 1
    assert as_content(report)["shards"] == 1


def test_data_that_samples_do_not_carry_are_named(tmp_path, capsys):
    records = [{"x": [b"1", b"2"], "y": 3}]
    encoded = [tfrecord_files.example(record) for record in records]
    tfrecord_files.write_records(tmp_path / "a.tfrecord", encoded)
    report = report_of(tmp_path / "a.tfrecord")
    print_summary(report)
    assert "not in the samples  x\n" in capsys.readouterr().out
    assert as_content(report)["lost"] == ["x"]


def test_many_labels_are_cut(tmp_path, capsys):
    for number in range(20):
        (tmp_path / f"{number:02}").mkdir()
        (tmp_path / f"{number:02}" / "x.jpg").write_bytes(b"..")
    print_summary(report_of(tmp_path))
    output = capsys.readouterr().out
    assert "... 20 labels in all" in output
    assert output.count("█" * 24) == 12
