"""Readers of records whose processes read, in whole pipelines."""

import os
import signal

import numpy as np
import pytest

from penstock import fn, pipeline_def, tfrecord
from penstock.engine.errors import DecodeError
from penstock.engine.processes import helper_processes
from penstock.readers import record_reader
from penstock.readers.reading import processes as reading_processes

from . import tars
from . import tfrecord_files as tf
from .lmdb_samples import write_lmdb
from .processes import assert_soon, children, settled_children
from .record_io import image_record, record_file

COUNT, BATCH = 300, 8


def content_of(number):
    return bytes([number % 256]) * (4000 + 13 * number)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same records in four formats."""
    folder = tmp_path_factory.mktemp("records")
    contents = [content_of(number) for number in range(COUNT)]
    tf.write_records(
        folder / "a.tfrecord",
        (tf.example({"image": content, "label": i}) for i, content in enumerate(contents)),
    )
    records, index = record_file(
        image_record(content, float(i)) for i, content in enumerate(contents)
    )
    (folder / "a.rec").write_bytes(records)
    (folder / "a.idx").write_bytes(index)
    members = {}
    for i, content in enumerate(contents):
        members |= {f"{i:04}.jpg": content, f"{i:04}.cls": str(i).encode()}
    tars.write(folder / "a.tar", tars.archive(members))
    write_lmdb(
        folder / "a.mdb", {f"{i:04}".encode(): content for i, content in enumerate(contents)}
    )
    return folder


def read_tfrecord(folder, **options):
    features = {
        "image": tfrecord.FixedLenFeature([], tfrecord.string, ""),
        "label": tfrecord.FixedLenFeature([], tfrecord.int64, -1),
    }
    found = fn.readers.tfrecord(path=str(folder / "a.tfrecord"), features=features, **options)
    return found["image"], found["label"]


READERS = {
    "tfrecord": read_tfrecord,
    "recordio": lambda folder, **options: fn.readers.mxnet(
        path=[str(folder / "a.rec")], index_path=[str(folder / "a.idx")], **options
    ),
    "webdataset": lambda folder, **options: fn.readers.webdataset(
        paths=[str(folder / "a.tar")], ext=["jpg", "cls"], dtypes=["uint8", "uint8"], **options
    ),
    "lmdb": lambda folder, **options: (fn.readers.lmdb(path=[str(folder / "a.mdb")], **options),),
    "mix": lambda folder, **options: fn.readers.mix(
        {
            "first": read_tfrecord(folder, indices=np.arange(COUNT // 2))[:1],
            "second": fn.readers.webdataset(
                paths=[str(folder / "a.tar")], ext=["jpg"], indices=np.arange(COUNT // 2, COUNT)
            ),
        },
        **options,
    ),
}


def make(folder, form="tfrecord", pipeline=None, **options):
    @pipeline_def(batch_size=BATCH, num_threads=1, **(pipeline or {}))
    def define():
        return tuple(READERS[form](folder, random_shuffle=True, **options))

    return define()


def run(pipe, batches):
    """Return the samples of so many batches: tuples of bytes."""
    found = []
    for _ in range(batches):
        outputs = [[np.array(row).tobytes() for row in output.rows()] for output in pipe.run()]
        found += zip(*outputs, strict=True)
    return found


def until_processes_read(pipe):
    """Run until processes read; return how many batches that took, and the processes."""
    before = set(settled_children())
    taken = 0
    while "of its own read" not in str(pipe.stats()):
        run(pipe, 1)
        taken += 1
        assert taken < 20_000
    return taken, sorted(set(children()) - before)


@pytest.fixture(params=[1, 2])
def processes(tuned, monkeypatch, request):
    """Processes read, at once, on any machine."""
    tuned(record_reader, MIN_CORES=1)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    monkeypatch.setattr(reading_processes, "processes_of_cores", lambda: request.param)
    yield request.param
    settled_children()  # or later tests would see them


def test_records_of_two_formats_are_mixed(folder):
    with make(folder, "mix") as pipe:
        found = run(pipe, COUNT // BATCH + 1)
    assert {content for (content, _) in found} == {content_of(i) for i in range(COUNT)}


@pytest.mark.slow
@pytest.mark.parametrize("form", READERS)
@pytest.mark.usefixtures("processes")
def test_they_read_the_same(folder, form):
    with make(folder, form) as pipe:
        taken, _ = until_processes_read(pipe)
        found = run(pipe, 90)
    with make(folder, form, prefetch_queue_depth=0) as alone:
        expected = run(alone, taken + 90)[taken * BATCH :]
        assert "of its own" not in str(alone.stats())
    assert found == expected
    assert {content[0] for content in found} == {content_of(number) for number in range(COUNT)}


@pytest.mark.slow
def test_the_process_that_dies_leaves_the_pipeline_alone(folder, processes):
    with make(folder) as pipe, make(folder, prefetch_queue_depth=0) as alone:
        taken, pids = until_processes_read(pipe)
        assert len(pids) == processes
        run(alone, taken)
        for number in range(60):
            if number == 20:
                os.kill(pids[-1], signal.SIGKILL)
            assert run(pipe, 1) == run(alone, 1)


@pytest.mark.slow
@pytest.mark.usefixtures("processes")
def test_a_damaged_record_is_the_error_of_its_sample(tmp_path):
    contents = [tf.example({"image": content_of(i), "label": i}) for i in range(COUNT)]
    places = tf.write_records(tmp_path / "a.tfrecord", contents)
    whole = bytearray((tmp_path / "a.tfrecord").read_bytes())
    whole[places[123][0] + 2000] ^= 1
    (tmp_path / "a.tfrecord").write_bytes(whole)
    with make(tmp_path, pipeline={"on_error": "skip"}) as pipe:
        until_processes_read(pipe)
        found = {image for image, _ in run(pipe, 2 * COUNT // BATCH)}
        assert found == {content_of(i) for i in range(COUNT)} - {content_of(123)}
    with make(tmp_path) as pipe, pytest.raises(DecodeError, match=r"a\.tfrecord, record 123"):
        run(pipe, 20_000)


@pytest.mark.slow
@pytest.mark.usefixtures("processes")
def test_a_checkpoint_goes_on_without_them(folder):
    with make(folder, pipeline={"enable_checkpointing": True}) as pipe:
        until_processes_read(pipe)
        state = pipe.checkpoint()
        expected = run(pipe, 50)
    again = make(folder, pipeline={"enable_checkpointing": True, "checkpoint": state})
    with again as pipe:
        assert run(pipe, 50) == expected


@pytest.mark.slow
@pytest.mark.usefixtures("processes")
def test_closing_ends_them(folder):
    pipe = make(folder)
    _, pids = until_processes_read(pipe)
    pipe.close()
    assert_soon(lambda: not set(pids) & set(children()))


@pytest.mark.slow
@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("depth", [1, 2, 9])
def test_they_read_as_many_batches_ahead_as_asked_for(folder, depth):
    with make(folder, prefetch_queue_depth=depth) as pipe:
        taken, _ = until_processes_read(pipe)
        found = run(pipe, 60)
    with make(folder, prefetch_queue_depth=0) as alone:
        assert run(alone, taken + 60)[taken * BATCH :] == found


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("pipeline", "options"),
    [
        ({"exec_processes": False}, {}),
        ({}, {"prefetch_queue_depth": 0}),
        ({}, {"shuffle_block": 10}),
    ],
)
def test_where_there_are_none(folder, pipeline, options):
    before = set(settled_children())
    with make(folder, pipeline=pipeline, **options) as pipe:
        run(pipe, 80)
        assert set(children()) <= before


def test_none_on_a_machine_with_few_cores(folder, tuned):
    tuned(record_reader, MIN_CORES=1 << 20)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    with make(folder) as pipe:
        before = set(settled_children())
        run(pipe, 80)
        assert set(children()) == before
