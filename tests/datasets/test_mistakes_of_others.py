"""Mistakes in data sets of other software, which have no `dataset.json`: all are told."""

from __future__ import annotations

import os
import re
import shutil

import cv2
import numpy as np
import pytest

from penstock import datasets

from ..foreign_sets import FORMATS, shards_of, write_set
from .small_sets import told
from .test_mistakes import findings

pytestmark = pytest.mark.usefixtures("user_cache")

SAMPLES, IN_A_SHARD = 12, 4


def images(seed=0):
    noise = np.random.default_rng(seed)
    return [
        cv2.imencode(".png", noise.integers(0, 255, (8, 8 + number % 3, 3), np.uint8))[1].tobytes()
        for number in range(SAMPLES)
    ]


def labels():
    return [number % 2 for number in range(SAMPLES)]


def lose_a_row(write):
    write(images()[:3] + images()[4:], labels()[:3] + labels()[4:])


def shift_a_label(write):
    write(images(), [*labels()[:3], 0, *labels()[4:]])


def replace_the_files(write):
    write(images(1), labels())


def cut_a_shard(write):
    path = shards_of(write(images(), labels()))[1]
    os.truncate(path, path.stat().st_size * 6 // 10)


def repeat_a_shard(write):
    folder = write(images(), labels())
    first = shards_of(folder)[0]
    if first.parent != folder:
        shutil.copytree(first.parent, folder / "shard-x")
    else:
        shutil.copy(first, first.with_stem("shard-x"))


def take_another_format(write):
    for path in shards_of(write(images(), labels())):
        path.write_bytes(images()[0] * 40)


def pad_a_shard(write):
    path = shards_of(write(images(), labels()))[1]
    with path.open("ab") as file:
        file.write(b"\x07garbage" * 300)


MISTAKES = {
    lose_a_row: r"'(only_a|different)': \d",
    shift_a_label: r"'different': 1\b",
    replace_the_files: r"'different': 12\b",
    cut_a_shard: r"shard-00001",
    repeat_a_shard: r"'(repeated|only_b)': 4\b",
    take_another_format: r"shard-0000\d|no data set of a known format",
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
@pytest.mark.parametrize("name", FORMATS)
def test_mistakes(tmp_path, name, mistake):
    whole = write_set(name, tmp_path / "whole", images(), labels(), count=IN_A_SHARD)

    def write(contents, classes):
        return write_set(name, tmp_path / "copy", contents, classes, count=IN_A_SHARD)

    assert told(lambda: findings(datasets.verify(whole, decode=True))) == "{} [[], [], []] []"
    mistake(write)
    compared = told(lambda: findings(datasets.verify(whole, tmp_path / "copy")))
    checked = told(lambda: findings(datasets.verify(tmp_path / "copy", decode=True)))
    assert re.search(MISTAKES[mistake], f"{compared} {checked}"), (compared, checked)


@pytest.mark.parametrize("name", ["tfrecord", "recordio", "parquet"])
def test_bytes_behind_the_last_record_are_told(tmp_path, name):
    def write(contents, classes):
        return write_set(name, tmp_path / "set", contents, classes, count=IN_A_SHARD)

    pad_a_shard(write)
    for index in (tmp_path / "set").glob("*.idx"):
        index.unlink()
    assert "shard-00001" in told(lambda: findings(datasets.verify(tmp_path / "set")))
