"""Data sets of which shards and samples are damaged: inspected, verified, and rescued."""

import json
import os
import shutil
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, SourceError, datasets
from penstock.datasets.conversion.task import WORK

from ..foreign_sets import shards_of, write_set

pytestmark = [
    pytest.mark.usefixtures("user_cache"),
    pytest.mark.filterwarnings("ignore:.*ends without the blocks of zeros"),
]
SAMPLES, SHARDS, CUT, FLIPPED = 60, 5, 2, 4
FORMATS = {"webdataset": 7, "tfrecord": 7, "recordio": 7, "parquet": 0, "lmdb": 4, "caffe": 5}
"""How many samples of the cut shard, which had twelve, are sound at least."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Sound data sets by format, and what `convert` makes of them in the folder `own`."""
    root = tmp_path_factory.mktemp("whole")
    noise = np.random.default_rng(0)
    images = [
        cv2.imencode(".png", noise.integers(0, 255, (20, 20 + number % 7, 3), np.uint8))[1]
        for number in range(SAMPLES)
    ]
    contents = [image.tobytes() for image in images]
    labels = [number // 30 for number in range(SAMPLES)]
    for name in FORMATS:
        write_set(name, root / name, contents, labels, count=SAMPLES // SHARDS)
        datasets.convert(root / name, root / "own" / name, to=name, shard_count=SHARDS)
    return root


def with_damage(source, root):
    """Copy a data set; cut one shard at two thirds, and change a byte of another one."""
    shutil.copytree(source, root)
    files = shards_of(root)
    os.truncate(files[CUT], files[CUT].stat().st_size * 2 // 3 + 300)  # within a record
    content = bytearray(files[FLIPPED].read_bytes())
    in_page = files[FLIPPED].suffix == ".mdb"  # which is filled from its end
    place = content.rindex(b"IDAT") if in_page else content.index(b"IDAT")
    content[place + 20] ^= 0xFF  # in the pixels of an image
    files[FLIPPED].write_bytes(content)
    return root


@pytest.fixture(params=FORMATS)
def damaged(request, whole, tmp_path):
    return request.param, with_damage(whole / request.param, tmp_path / "data")


def keys_of(path):
    with datasets.open_dataset(path) as dataset:
        return {sample.key for sample in dataset.read(range(len(dataset)))}


def test_a_damaged_shard_is_an_error_unless_it_is_skipped(damaged):
    name, root = damaged
    with pytest.raises(SourceError, match="00002"):
        datasets.open_dataset(root)
    with datasets.open_dataset(root, skip_bad=True) as dataset:
        assert [damage.name for damage in dataset.damages.found] == [str(shards_of(root)[CUT])]
        sound = len(dataset) - SAMPLES * (SHARDS - 1) // SHARDS
        assert FORMATS[name] <= sound < SAMPLES // SHARDS
        indices = dataset.stored.sound(np.arange(len(dataset)), dataset.read)
        assert all(s.components.keys() == {"image", "label"} for s in dataset.read(indices))


@pytest.mark.parametrize("by_convert", [True, False])
@pytest.mark.parametrize("name", FORMATS)
def test_verify_lists_everything_and_convert_rescues_the_rest(whole, tmp_path, name, by_convert):
    root = with_damage(whole / "own" / name if by_convert else whole / name, tmp_path / "data")
    cut = str(shards_of(root)[CUT])
    listed = tmp_path / "bad.jsonl"
    report = datasets.verify(root, decode=True, quarantine=listed)
    assert report.counts["bad"] == len(report.bad) == len(listed.read_text().splitlines())
    assert report.bad[0].location == cut
    bad = [sample for sample in report.bad if sample.index >= 0]
    assert len(bad) == 1  # the image with the wrong byte
    assert not datasets.verify(root, decode=True, only=listed).ok
    assert datasets.verify(root, decode=True, without=listed).samples == report.samples - 1

    with pytest.raises((SourceError, DecodeError), match="00002"):
        datasets.convert(root, tmp_path / "strict", to="webdataset")
    done = datasets.convert(root, tmp_path / "rescued", to="webdataset", without=listed)
    assert (done.samples, done.left_out, done.skipped) == (report.samples - 1, 1, 1)
    both = {"skip_bad": True, "without": listed}
    done = datasets.convert(root, tmp_path / "both", to="webdataset", **both)
    assert (done.samples, done.left_out, done.skipped) == (report.samples - 1, 1, 1)
    assert done.bad[0].location == cut
    assert datasets.verify(tmp_path / "rescued", decode=True).ok
    assert datasets.verify(root, tmp_path / "rescued", without=listed).ok
    options = {"to": "folder", "only": listed, "skip_bad": True}
    if name == "tfrecord":  # which has checksums
        with pytest.raises(SourceError, match=r"none of the 1 samples .*00004"):
            datasets.convert(root, tmp_path / "alone", **options)
    else:
        assert datasets.convert(root, tmp_path / "alone", **options).samples == 1


def test_skip_bad_converts_what_is_sound_and_lists_the_rest(damaged, whole, tmp_path):
    name, root = damaged
    listed = tmp_path / "bad.jsonl"
    report = datasets.convert(
        root, tmp_path / "new", to="tfrecord", skip_bad=True, quarantine=listed, shard_count=3
    )
    assert [json.loads(line) for line in listed.read_text().splitlines()] == [
        {"index": bad.index, "location": bad.location, "reason": bad.reason} for bad in report.bad
    ]
    assert report.bad[0].location == str(shards_of(root)[CUT])
    assert report.skipped == len(report.bad) in (1, 2)  # some formats have checksums
    sound = keys_of(tmp_path / "new")
    assert len(sound) == report.samples
    lacking = keys_of(whole / name) - sound
    assert len(lacking) <= SAMPLES // SHARDS - FORMATS[name] + 1
    assert datasets.verify(root, tmp_path / "new", without=listed).counts == {
        "only_a": 0,
        "only_b": 0,
        "different": 0,
        "repeated": 0,
    }


@pytest.mark.parametrize(("name", "place"), [("tfrecord", 2), ("recordio", 1)])
def test_samples_behind_a_damaged_frame_are_rescued(whole, tmp_path, name, place):
    root = tmp_path / "data"
    shutil.copytree(whole / name, root)
    for index in root.glob("*.idx"):
        index.unlink()
    path = shards_of(root)[CUT]
    content = bytearray(path.read_bytes())
    starts = [at for at in range(len(content)) if content.startswith(b"\x89PNG", at)]
    if name == "recordio":  # MXNet's header lies before the image
        start = starts[4] - 24 - 8
    else:
        start = 0
        for _ in range(4):
            start += struct.unpack_from("<Q", content, start)[0] + 16
    content[start + place] ^= 0x40
    path.write_bytes(content)
    listed = tmp_path / "lost.jsonl"
    done = datasets.convert(
        root, tmp_path / "new", to="webdataset", skip_bad=True, quarantine=listed
    )
    assert done.samples == SAMPLES - 1
    (line,) = listed.read_text().splitlines()
    assert f"offset {start}" in line
    assert "7 records are found again" in line
    with datasets.open_dataset(tmp_path / "new") as dataset:
        labels = [int(s.components["label"]) for s in dataset.read(range(len(dataset)))]
    assert labels == [0] * 29 + [1] * 30
    assert datasets.verify(root, tmp_path / "new", without=listed).ok


def test_inspect_goes_on_and_says_so(damaged):
    _, root = damaged
    report = datasets.inspect(root)
    assert report.bad[0].location == str(shards_of(root)[CUT])
    assert SAMPLES - 12 <= report.samples < SAMPLES
    assert set(report.schema) == {"image", "label"}


def test_a_first_shard_of_which_nothing_is_left(damaged):
    _, root = damaged
    first = shards_of(root)[0]
    first.write_bytes(b"nothing of this format " * 99)
    report = datasets.verify(root)
    assert report.bad[0].location == str(first)
    assert report.samples < SAMPLES - 12


def test_a_wrong_byte_in_a_record_that_tells_the_schema(whole, tmp_path):
    root = tmp_path / "data"
    shutil.copytree(whole / "tfrecord", root)
    path = sorted(root.glob("*.tfrecord"))[0]
    content = bytearray(path.read_bytes())
    content[content.index(b"image")] ^= 1  # the name of a feature of the first record
    path.write_bytes(content)
    report = datasets.verify(root)
    assert [bad.index for bad in report.bad] == [0]
    assert set(datasets.inspect(root).schema) == {"image", "label"}
    done = datasets.convert(root, tmp_path / "new", to="webdataset", skip_bad=True)
    assert (done.samples, done.skipped) == (SAMPLES - 1, 1)


def test_a_conversion_that_was_cut_off_lists_what_both_runs_left_out(whole, tmp_path):
    root = tmp_path / "data"
    shutil.copytree(whole / "recordio", root)
    for path in shards_of(root):
        content = bytearray(path.read_bytes())
        content[0] ^= 1
        path.write_bytes(content)
    options = {"to": "webdataset", "skip_bad": True, "shard_count": 5, "workers": 1}
    options["format"] = "recordio"  # which no file tells any more

    def interrupted(progress):
        if progress.shards == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        datasets.convert(root, tmp_path / "new", progress=interrupted, **options)
    assert (tmp_path / "new" / WORK).is_dir()
    report = datasets.convert(root, tmp_path / "new", resume=True, **options)
    assert report.resumed_shards >= 3
    assert [bad.index for bad in report.bad] == [0, 12, 24, 36, 48]


def test_a_list_needs_something_to_list(whole, tmp_path):
    with pytest.raises(ArgumentError, match="give both"):
        datasets.convert(
            whole / "lmdb", tmp_path / "new", to="tfrecord", quarantine=Path("bad.jsonl")
        )


def test_data_of_which_nothing_is_left(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.tar").write_bytes(b"nothing " * 99)
    with pytest.raises(SourceError, match=r"a\.tar, offset 0"):
        datasets.open_dataset(tmp_path / "*.tar", format="webdataset", skip_bad=True)
