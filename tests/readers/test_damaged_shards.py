"""Shards that are cut off, or no data at all: an error that names the shard, or fewer samples."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from penstock import SourceError, datasets, fn, pipeline_def, tfrecord, types
from penstock.engine.processes import helper_processes
from penstock.readers import record_reader
from penstock.readers.recordio.reader import write_mxnet_index
from penstock.readers.source import UnavailableError
from penstock.readers.tfrecord.index import write_tfrecord_index
from penstock.readers.webdataset.dali_index import write_dali_index

from ..foreign_sets import shards_of, write_set

pytestmark = pytest.mark.usefixtures("user_cache")

SAMPLES, SHARDS, BAD = 100, 5, 2
FEATURES = {
    "text": tfrecord.FixedLenFeature((), tfrecord.string, ""),
    "label": tfrecord.FixedLenFeature([1], tfrecord.int64, 0),
}
TYPES = [types.UINT8, types.INT32]


def webdataset(paths, **options):
    return fn.readers.webdataset(paths=paths, ext=["txt", "cls"], dtypes=TYPES, **options)


def tfrecords(paths, **options):
    return list(fn.readers.tfrecord(path=paths, features=FEATURES, **options).values())


def recordio(paths, **options):
    return fn.readers.mxnet(path=paths, **options)


def parquet(paths, **options):
    return fn.readers.parquet(path=paths, columns=["text", "label"], **options)


def lmdb(paths, **options):
    return fn.readers.lmdb(path=paths, ext=["txt", "cls"], dtypes=TYPES, **options)


READERS = {
    "webdataset": (webdataset, 13),
    "tfrecord": (tfrecords, 13),
    "recordio": (recordio, 13),
    "parquet": (parquet, 0),  # whose footer is lost
    "lmdb": (lmdb, 8),
}
"""What reads a format, and how many samples of the cut shard are at least sound."""

INDEXES = {
    "webdataset": ("index_paths", write_dali_index),
    "tfrecord": ("index_path", write_tfrecord_index),
    "recordio": ("index_path", write_mxnet_index),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Sound data sets of a hundred samples in five shards, by who wrote them, and by format."""
    root = tmp_path_factory.mktemp("whole")
    contents = [(f"{number:03d}" * 400).encode() for number in range(SAMPLES)]
    labels = [number // 50 for number in range(SAMPLES)]
    options = {"count": SAMPLES // SHARDS, "extension": "txt", "component": "text"}
    for name in READERS:
        write_set(name, root / "others" / name, contents, labels, **options)
        source = root / "others" / ("recordio" if name == "recordio" else "webdataset")
        datasets.convert(source, root / "convert" / name, to=name, shard_count=SHARDS)
    return root


@pytest.fixture(params=["others", "convert"])
def by(request):
    """Return who wrote a data set: the software that people use, or `convert`."""
    return request.param


@pytest.fixture(params=READERS)
def cut(request, whole, tmp_path, by):
    """Return a format and its shards, of which one is cut at two thirds."""
    folder = tmp_path / "data"
    shutil.copytree(whole / by / request.param, folder)
    files = shards_of(folder)
    for path in folder.glob("*.idx"):
        path.unlink()
    os.truncate(files[BAD], files[BAD].stat().st_size * 2 // 3)
    return request.param, [str(file) for file in files]


def run(name, paths, on_error, steps=None, log=None, **options):
    """Return the number of samples, and the text and label of each that was valid."""

    @pipeline_def(batch_size=4, num_threads=2, on_error=on_error, quarantine_log=log)
    def pipeline():
        return tuple(READERS[name][0](paths, name="reader", **options))

    found = []
    with pipeline() as pipe:
        pipe.build()
        size = pipe.epoch_size("reader")
        for _ in range(-(-size // 4) if steps is None else steps):
            texts, labels = pipe.run()
            pairs = zip(texts.rows(), labels.rows(), texts.valid, strict=True)
            found += [(bytes(text), float(label.item())) for text, label, ok in pairs if ok]
    return size, found


def test_with_raise_the_error_names_the_shard(cut):
    name, paths = cut
    with pytest.raises(
        SourceError, match=r"00002.*" if name == "parquet" else r"00002.*offset \d+"
    ):
        run(name, paths, "raise")


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_the_sound_samples_are_read_and_the_shard_is_named(cut, on_error, tmp_path, by):
    name, paths = cut
    log = tmp_path / "log.jsonl"
    for _ in range(2):  # the second time by what was kept of the damage
        unknown = name == "lmdb" or by == "others"  # who have no dataset.json
        lost = "Nothing tells" if unknown else r"(20|[67]) samples are left out"
        with pytest.warns(RuntimeWarning, match=rf"1 file is damaged: .*00002.*{lost}") as caught:
            size, found = run(name, paths, on_error, log=log)
        assert len(caught) == 1
    sound = size - SAMPLES * (SHARDS - 1) // SHARDS
    assert READERS[name][1] <= sound < SAMPLES // SHARDS
    assert len(found) >= size
    expected = {((f"{n:03d}" * 400).encode(), float(n // 50)) for n in range(SAMPLES)}
    assert set(found) <= expected
    assert len(set(found)) == size
    records = [json.loads(line) for line in log.read_text().splitlines()]
    action = "file read in part" if sound else "file left out"
    assert [record["action"] for record in records] == [action] * 2
    assert [record.get("samples", 0) for record in records] == [0 if name == "lmdb" else sound] * 2
    if sound:
        assert 0 < records[0]["offset"] <= os.path.getsize(paths[BAD])
    assert records[0]["source"] == paths[BAD]
    assert paths[BAD] in records[0]["message"]


@pytest.mark.parametrize("cut", ["tfrecord"], indirect=True)
def test_debug_mode_names_the_shard_once(cut, tmp_path):
    _, paths = cut
    log = tmp_path / "log.jsonl"

    @pipeline_def(batch_size=4, num_threads=1, on_error="skip", quarantine_log=log, debug=True)
    def pipeline():
        return tuple(tfrecords(paths, name="reader"))

    with pipeline() as pipe:
        with pytest.warns(RuntimeWarning, match="is damaged"):
            pipe.run()
        pipe.run()
    (line,) = log.read_text().splitlines()
    assert json.loads(line)["source"] == paths[BAD]


def test_ranks_take_equal_numbers_of_steps(cut):
    name, paths = cut
    reader, _ = READERS[name]

    @pipeline_def(batch_size=4, num_threads=1, on_error="skip")
    def pipeline(rank):
        return tuple(reader(paths, name="r", shard_id=rank, num_shards=2, pad_last_batch=True))

    sizes = []
    for rank in range(2):
        pipe = pipeline(rank)
        with pytest.warns(RuntimeWarning, match="is damaged"):
            pipe.build()
        with pipe:
            sizes.append(pipe.reader_meta("r")["epoch_size_padded"])
    assert sizes[0] == sizes[1]


@pytest.mark.filterwarnings("ignore:.*behind the last one that its index file lists")
@pytest.mark.parametrize("cut", INDEXES, indirect=True)
def test_with_index_files_of_the_whole_shard(cut, whole, tmp_path, by):
    name, paths = cut
    argument, write = INDEXES[name]
    indexes = [str(tmp_path / f"{number}.idx") for number in range(SHARDS)]
    for path, index in zip(paths, indexes, strict=True):
        write(str(whole / by / name / os.path.basename(path)), index)
    options = {argument: indexes}
    with pytest.raises(SourceError, match=r"cut off|was changed"):
        run(name, paths, "raise", **options)
    with pytest.warns(RuntimeWarning, match=r"1 file is damaged: .* [67] samples are left out"):
        size, found = run(name, paths, "skip", **options)
    assert size in (93, 94)
    assert len(set(found)) in (93, size)


def test_files_that_are_missing_or_none_of_the_format(cut):
    name, paths = cut
    with open(paths[0], "wb") as file:
        file.write(b"no data of this format " * 99)
    os.unlink(paths[1])
    with pytest.warns(RuntimeWarning, match=r"3 files are damaged"):
        size, found = run(name, paths, "skip")
    assert len(set(found)) == size >= 40 + READERS[name][1]
    for path in paths:
        with open(path, "wb") as file:
            file.write(b"nothing")
    with pytest.raises(SourceError, match="00000"):
        run(name, paths, "skip")


def test_a_shard_that_is_whole_again_is_read_to_its_end(cut, whole, tmp_path, by):
    name, paths = cut
    with pytest.warns(RuntimeWarning, match="is damaged"):
        run(name, paths, "skip", steps=0)
    relative = os.path.relpath(paths[BAD], tmp_path / "data")
    shutil.copy(whole / by / name / relative, paths[BAD])
    size, found = run(name, paths, "skip")
    assert size == SAMPLES
    assert np.unique([text for text, _ in found]).size == SAMPLES


@pytest.mark.parametrize("cut", ["webdataset", "tfrecord", "parquet"], indirect=True)
def test_shards_behind_urls(cut, web):
    name, paths = cut
    for number, path in enumerate(paths):
        if number != 1:  # of which there is none
            web.objects[os.path.basename(path)] = Path(path).read_bytes()
    urls = [f"{web.url}/{os.path.basename(path)}" for path in paths]
    with pytest.warns(RuntimeWarning, match=r"2 files are damaged: .*00001.*00002.*Nothing tells"):
        size, found = run(name, urls, "skip")
    assert len(set(found)) == size >= 60 + READERS[name][1]
    with pytest.raises(FileNotFoundError, match="00001"):
        run(name, urls, "raise")


def test_a_service_that_is_down_is_no_damage(cut, web):
    name, paths = cut
    web.always = "503"
    urls = [f"{web.url}/{os.path.basename(path)}" for path in paths]
    with pytest.raises(UnavailableError):
        run(name, urls, "skip", storage_options={"limits": {"attempts": 1}})


def test_reading_processes_read_what_is_sound(cut, tuned):
    name, paths = cut
    tuned(record_reader, MIN_CORES=0)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0)
    with pytest.warns(RuntimeWarning, match=r"1 file is damaged"):
        size, found = run(name, paths, "skip", steps=200)
    assert len(set(found)) == size
