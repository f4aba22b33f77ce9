"""No mistake of data is silent: what each mistake gives, in each format.

A mistake is told when a pipeline is built and read ("build"), by `verify` and `inspect` of the copy
("check"), or, where nothing in the copy can tell, by `verify` of the original and the copy
("against"). Each case names the first of them that must tell, and what the text says.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from penstock import datasets

from ..two_ranks import run_on_two_ranks
from . import mistakes
from .small_sets import FORMATS, INDEX, SHARDED, make, read_an_epoch, told

BUILD, CHECK, AGAINST = "build", "check", "against"
PHOTOS = ("filelist", *SHARDED)

COUNTED = (CHECK, r"dataset\.json: it counts 12 samples, but the files hold 11")
ONE_DIFFERS = (AGAINST, r"'different': 1\b.*'?0*3'?")
ALL_DIFFER = (AGAINST, r"'different': 12\b")
NO_SHA = (CHECK, r"the SHA-256 is \w+, but should be")
NO_FILE = (BUILD, r"No such file or directory: '.*other-")

EXPECTED = {
    "lose_a_row": dict.fromkeys(PHOTOS, COUNTED)
    | {
        "coco": (BUILD, r"annotations\.json: 1 of 12 annotations are dropped"),
        "nemo": (AGAINST, r"'only_a': 1\b.*'3'"),
    },
    "shift_a_label": dict.fromkeys(FORMATS, ONE_DIFFERS),
    "replace_a_file": dict.fromkeys(PHOTOS, NO_SHA) | dict.fromkeys(("coco", "nemo"), ALL_DIFFER),
    "cut_a_shard": {
        "filelist": (BUILD, r"files\.lst, line 12: expected a path, white space and a label"),
        "webdataset": (BUILD, r"shard-00001\.tar, offset \d+: .*cut off"),
        "tfrecord": (BUILD, r"shard-00001\.tfrecord: record \d at offset \d+ needs"),
        "recordio": (BUILD, r"shard-00001\.rec, record \d, offset \d+: .* the file ends at"),
        "lmdb": (BUILD, r"shard-00001/data\.mdb: damaged or cut short: page"),
        "parquet": (BUILD, r"shard-00001\.parquet is no sound Parquet file"),
        "coco": (BUILD, r"annotations\.json: the file ends within"),
        "nemo": (BUILD, r"manifest\.json, line \d: no JSON"),
    },
    "null_a_column": {  # records of RecordIO always have a label
        "filelist": (BUILD, r"files\.lst, line 1: expected a path, white space and a label"),
        "webdataset": (BUILD, r"shard-00000\.tar, sample 0 .*: the text '' is no decimal number"),
        "tfrecord": (BUILD, r"shard-00000\.tfrecord.*label"),
        "lmdb": (BUILD, r"data\.mdb, sample 0 .*: the text '' is no decimal number"),
        "parquet": (BUILD, r"shard-00000\.parquet row 0: the column 'label' is missing \(null\)"),
        "coco": (BUILD, r"annotations\.json: none of the 12 images has a box; .*a box and a mask"),
        "nemo": (BUILD, r"manifest\.json: 'text' is null in 12 of 12 entries"),
    },
    "repeat_a_key": {
        "filelist": (CHECK, r"'repeated': 1\b"),
        **dict.fromkeys(SHARDED, (CHECK, r"'repeated': 4\b")),
        "coco": (BUILD, r"annotations\.json: two images have the id 0"),
        "nemo": (AGAINST, r"'only_b': 2\b"),  # several lines may name one recording
    },
    "take_another_list": {  # LMDB and Parquet have none
        **dict.fromkeys(INDEX, NO_FILE),
        "webdataset": (BUILD, r"shard-0000\d\.tar.*the index file belongs to another archive"),
        "tfrecord": (BUILD, r"shard-0000\d\.(tfrecord|idx).*index"),
        "recordio": (BUILD, r"shard-0000\d\.rec.*the index belongs to another file"),
    },
    "take_another_format": {
        "filelist": (BUILD, r"files\.lst, line 1: expected a path, white space and a label"),
        "webdataset": (BUILD, r"shard-00000\.tar, offset 0: .* no tar"),
        "tfrecord": (BUILD, r"shard-00000\.tfrecord: .* it is no TFRecord file"),
        "recordio": (BUILD, r"shard-00000\.rec, .* is no RecordIO file"),
        "lmdb": (BUILD, r"data\.mdb is no LMDB file"),
        "parquet": (BUILD, r"shard-00000\.parquet is no sound Parquet file"),
        "coco": (BUILD, r"annotations\.json: "),
        "nemo": (BUILD, r"manifest\.json, line 1: "),
    },
}
"""By mistake and format: who tells, and what."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    root = tmp_path_factory.mktemp("whole")
    make(root)
    return root


def at(root, name):
    has_manifest = (root / "dataset.json").exists()
    return root if has_manifest or name not in INDEX else root / INDEX[name]


def answers(name, original, copy, **options):
    """Yield who may tell, in order, with what each of them says."""
    yield BUILD, told(lambda: read_an_epoch((name, copy), **options))
    for check in (datasets.inspect, datasets.verify):
        yield CHECK, told(lambda check=check: findings(check(at(copy, name))))
    compared = told(lambda: findings(datasets.verify(at(original, name), at(copy, name))))
    yield AGAINST, compared


def findings(report):
    """Return what a report counts and lists."""
    counts = {name: count for name, count in getattr(report, "counts", {}).items() if count}
    lists = [getattr(report, key, ()) for key in ("only_a", "different", "repeated")]
    return f"{counts} {lists} {[*map(str, report.bad)]}"


@pytest.mark.parametrize("name", FORMATS)
def test_without_a_mistake_nobody_tells_anything(whole, name):
    nothing = re.compile(r"nothing|\{\} \[.*\] \[\]")
    for _, answer in answers(name, whole / name, whole / name):
        assert nothing.fullmatch(answer), answer


@pytest.mark.parametrize(
    ("mistake", "name"), [(mistake, name) for mistake in EXPECTED for name in EXPECTED[mistake]]
)
def test_mistakes(whole, tmp_path, mistake, name):
    copy = tmp_path / name
    shutil.copytree(whole / name, copy)
    getattr(mistakes, mistake)(name, copy)
    who, text = EXPECTED[mistake][name]
    has_indexes = mistake == "take_another_list" and name in SHARDED
    asked = answers(name, whole / name, copy, **({"index": copy} if has_indexes else {}))
    said = [answer for one, answer in asked if one == who]
    assert any(re.search(text, answer) for answer in said), said


@pytest.mark.parametrize("name", FORMATS)
def test_pairs_of_unequal_length(whole, tmp_path, name):
    copy = tmp_path / name
    shutil.copytree(whole / name, copy)
    mistakes.lose_a_row(name, copy)
    text = told(lambda: read_an_epoch((name, whole / name), (name, copy)))
    assert re.search(r"reads 12 samples, and .* reads 11 samples, in the same order", text)


@pytest.mark.parametrize("other", ["coco", "recordio", "webdataset"])
@pytest.mark.parametrize("name", SHARDED)
def test_a_folder_of_another_format(whole, name, other):
    if name != other:
        text = told(lambda: read_an_epoch((name, whole / other)))
        assert re.search(rf"(no file|No such).*{whole / other}|{whole / other}.*no TFRecord", text)
        text = told(lambda: datasets.inspect(whole / other, format=name))
        assert str(whole / other) in text


@pytest.fixture(scope="module")
def on_two_ranks(whole, tmp_path_factory):
    pytest.importorskip("torch.distributed")
    program = Path(__file__).with_name("mistakes_on_ranks.py")
    folder = tmp_path_factory.mktemp("ranks")
    result = run_on_two_ranks(folder, str(program), str(whole), imports="torch.distributed")
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", FORMATS)
def test_ranks_that_repeat_one_another(on_two_ranks, name):
    text = on_two_ranks[name]
    assert re.search(
        r"ranks read the same shard in .*shard_id of reader '.*' is 0 on ranks 0 and 1", text
    )
