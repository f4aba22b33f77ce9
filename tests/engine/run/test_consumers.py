"""Batches on the CPU stay right while consumers hold them, copy them, and write into their own."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest

from penstock import fn, pipeline_def, tfrecord, types
from penstock.engine.processes import helper_processes
from penstock.engine.tensors import arena, memory
from penstock.tests.engine.run.consumers import HostConsumer, alone, assert_same, views
from penstock.tests.readers import lmdb_samples, record_io, tars, tfrecord_files
from penstock.tests.sounds import encoded, noise
from penstock.tests.videos import video_file

pytestmark = pytest.mark.usefixtures("importable_tests")

BATCH, BATCHES, COUNT = 6, 48, 50
"""`COUNT` samples are no whole number of batches."""


@pytest.fixture(autouse=True)
def tight_memory(tuned):
    """Let each request take the memory that came back last, and processes begin at once."""
    tuned(memory, SMALL=0, MAX_SIZE_FACTOR=float("inf"))
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)


@cache
def records():
    random = np.random.default_rng(1)
    return [random.bytes(int(random.integers(35_000, 50_000))) for _ in range(COUNT)]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder with the records in each format, arrays, sounds and a video."""
    root = tmp_path_factory.mktemp("stored")
    data, index = record_io.record_file(
        record_io.image_record(content, i) for i, content in enumerate(records())
    )
    (root / "a.rec").write_bytes(data)
    (root / "a.idx").write_bytes(index)
    entries = [tars.entry(b"%04d.jpg" % i, content) for i, content in enumerate(records())]
    (root / "a.tar").write_bytes(b"".join(entries) + tars.CLOSING)
    examples = (tfrecord_files.example({"image": content}) for content in records())
    tfrecord_files.write_records(root / "a.tfrecord", examples)
    lmdb_samples.write_lmdb(root / "lmdb", records())
    random = np.random.default_rng(2)
    for kind, shape in (
        ("same", lambda: (64, 200)),
        ("other", lambda: (random.integers(50, 90), 200)),
    ):
        (root / kind).mkdir()
        for i in range(COUNT):
            np.save(root / kind / f"{i:03}.npy", random.random(shape(), np.float32))
    (root / "sounds").mkdir()
    for i in range(12):
        signal = noise(1 + i / 20, seed=i)
        (root / "sounds" / f"{i:02}.flac").write_bytes(encoded(signal, 16000, "FLAC"))
    video_file(root / "a.mp4")
    return root


def images(tree, **options):
    encoded_files, labels = fn.readers.file(file_root=tree.root, random_shuffle=True)
    decoded = fn.decoders.image_random_crop(encoded_files, **options)
    return fn.resize(decoded, size=(120, 160)), labels


def of_numpy(root, kind="other", **options):
    return fn.readers.numpy(
        file_root=str(root / kind), file_filter="*.npy", random_shuffle=True, **options
    )


def of_tfrecord(root):
    features = {"image": tfrecord.FixedLenFeature([], tfrecord.string, "")}
    read = fn.readers.tfrecord(
        path=str(root / "a.tfrecord"), features=features, random_shuffle=True
    )
    return read["image"]


def of_sounds(root):
    files, _ = fn.readers.file(
        file_root=str(root), files=sorted(map(str, (root / "sounds").glob("*")))
    )
    audio, rate = fn.decoders.audio(files, downmix=True, dtype=types.FLOAT)
    return audio, fn.spectrogram(audio, nfft=512), rate


def given(info):
    """One sample: arrays that nobody else has."""
    return np.random.default_rng(info.idx_in_epoch).random((64, 200), np.float32)


def given_batch(number):
    return [np.random.default_rng((number, i)).random((64, 200), np.float32) for i in range(BATCH)]


def given_dense(number):
    return np.random.default_rng(number).random((BATCH, 64, 200), np.float32)


def inverted(array):
    return 1 - array


def by_python(function, **options):
    data = fn.external_source(given, batch=False, layout="HW")
    return fn.python_function(data, function=function, **options)


def shared(root):
    """Several outputs in one block of memory."""
    data = of_numpy(root, "same")
    return data, fn.reshape(data, shape=[200, 64]), fn.reinterpret(data, dtype=types.UINT8)


def of_branches(root):
    data = of_numpy(root, "same")
    if fn.random.coin_flip(dtype=types.BOOL):
        data = 1 - data
    return data


def constants():
    """Outputs that do not depend on the data."""
    numbers = types.Constant(np.arange(20_000, dtype=np.float32))
    labels = fn.external_source(lambda k: [np.full(1, k % 8, np.int32)] * BATCH)
    return numbers, fn.ones(shape=[20_000]), fn.transforms.rotation(angle=30.0), fn.one_hot(labels)


def parts():
    """Parts and rearrangements of the same data."""
    data = fn.external_source(given, batch=False, layout="HW")
    upper = fn.crop(data, crop=(32, 200), crop_pos_y=0.0)
    turned = fn.permute_batch(data, indices=[5, 4, 3, 2, 1, 0])
    return data, upper, fn.expand_dims(data, axes=[0], new_axis_names="C"), turned


CASES = {
    "files": lambda tree, root: fn.readers.file(file_root=tree.root, random_shuffle=True),
    "images": lambda tree, root: images(tree),
    "whole images": lambda tree, root: fn.decoders.image(
        fn.readers.file(file_root=tree.root, random_shuffle=True)[0]
    ),
    "images of a cache": lambda tree, root: fn.decoders.image(
        fn.readers.file(file_root=tree.root)[0], cache="ram", cache_size=64
    ),
    "windows of a cache": lambda tree, root: images(tree, cache="ram", cache_size=64),
    "arrays": lambda tree, root: of_numpy(root),
    "arrays of one shape": lambda tree, root: of_numpy(root, "same"),
    "mapped arrays": lambda tree, root: of_numpy(root, dont_use_mmap=False),
    "arrays without maps": lambda tree, root: of_numpy(root, dont_use_mmap=True),
    "regions": lambda tree, root: of_numpy(root, roi_start=[5, 0], roi_shape=[40, 200]),
    "TFRecord": lambda tree, root: of_tfrecord(root),
    "RecordIO": lambda tree, root: fn.readers.mxnet(
        path=str(root / "a.rec"), index_path=str(root / "a.idx"), random_shuffle=True
    ),
    "WebDataset": lambda tree, root: fn.readers.webdataset(
        paths=str(root / "a.tar"), ext=["jpg"], random_shuffle=True
    ),
    "LMDB": lambda tree, root: fn.readers.lmdb(path=str(root / "lmdb"), random_shuffle=True),
    "sounds": lambda tree, root: of_sounds(root),
    "clips": lambda tree, root: fn.readers.video(
        filenames=[str(root / "a.mp4")], sequence_length=2, random_shuffle=True
    ),
    "samples of a source": lambda tree, root: fn.external_source(given, batch=False),
    "batches of a source": lambda tree, root: fn.external_source(given_batch),
    "a source's own samples": lambda tree, root: fn.external_source(given_batch, no_copy=True),
    "a source's own batches": lambda tree, root: fn.external_source(given_dense, no_copy=True),
    "own samples, cut": lambda tree, root: fn.crop(
        fn.external_source(given_dense, no_copy=True, layout="HW"), crop=(60, 190)
    ),
    "a parallel source": lambda tree, root: fn.external_source(given, batch=False, parallel=True),
    "a Python function": lambda tree, root: by_python(inverted),
    "a parallel function": lambda tree, root: by_python(inverted, parallel=True),
    "shared outputs": lambda tree, root: shared(root),
    "branches": lambda tree, root: of_branches(root),
    "constants": lambda tree, root: constants(),
    "parts": lambda tree, root: parts(),
}


def opened(name, tree, root, **options):
    if name == "branches":
        options["enable_conditionals"] = True
    define = pipeline_def(batch_size=BATCH, num_threads=2, seed=3, **options)(CASES[name])
    return define(tree, root)


@contextmanager
def closing_of(close):
    try:
        yield
    finally:
        close()


def compared(name, tree, root, **options):
    with opened(name, tree, root) as pipe:
        expected = alone(pipe.run, BATCHES)
    pipe = opened(name, tree, root, **options)
    assert_same(HostConsumer(pipe.run, pipe.close, views()).sums(BATCHES), expected)


@pytest.mark.parametrize("name", CASES)
def test_a_consumer_sees_what_a_pipeline_delivers_alone(name, photo_tree, stored):
    compared(name, photo_tree, stored)


@pytest.mark.parametrize("name", ["images", "whole images", "sounds", "windows of a cache"])
def test_results_of_worker_processes(name, photo_tree, stored):
    compared(name, photo_tree, stored, exec_processes=True)


@pytest.mark.parametrize("name", ["images", "arrays", "TFRecord", "a parallel function"])
def test_batches_beyond_the_arena_and_the_budget(name, photo_tree, stored, tuned):
    tuned(arena, MAX_ARENA_BYTES=1 << 21, MIN_ARENA_BYTES=1 << 18)
    compared(name, photo_tree, stored, prefetch_bytes=1)


@pytest.mark.parametrize("no_copy", [False, True])
def test_batches_that_are_fed(no_copy):
    @pipeline_def(batch_size=BATCH, num_threads=2)
    def define():
        data = fn.external_source(name="data", no_copy=no_copy)
        return data, fn.flip(data, vertical=1)

    def fed():
        pipe, numbers = define(), iter(range(BATCHES + 9))
        pipe.build()
        for _ in range(pipe.input_feed_count("data")):
            pipe.feed_input("data", given_batch(next(numbers)))
        pipe.schedule_run()

        def take():
            pipe.feed_input("data", given_batch(next(numbers)))
            pipe.schedule_run()
            return pipe.outputs()

        return take, pipe.close

    take, close = fed()
    with closing_of(close):
        expected = alone(take, BATCHES)
    assert_same(HostConsumer(*fed(), views()).sums(BATCHES), expected)


@pytest.mark.parametrize("name", ["images", "arrays of one shape", "a parallel source", "clips"])
def test_tensors_of_the_iterator(name, photo_tree, stored):
    pytest.importorskip("torch")
    from penstock.plugin.pytorch import DALIGenericIterator

    def iterated():
        pipe = opened(name, photo_tree, stored)
        pipe.build()
        names = [f"output {i}" for i in range(2 if name == "images" else 1)]
        iterator = DALIGenericIterator(pipe, names, dynamic_shape=True)
        return lambda: list(next(iterator)[0].values()), pipe.close

    take, close = iterated()
    with closing_of(close):
        expected = alone(take, BATCHES, list)
    assert_same(HostConsumer(*iterated(), [list]).sums(BATCHES), expected)


def test_batches_of_dynamic_mode(photo_tree):
    from penstock.experimental import dynamic as ndd

    def batches():
        reader = ndd.readers.File(file_root=photo_tree.root, random_shuffle=True, seed=1)
        while True:
            for encoded_files, labels in reader.next_epoch(batch_size=BATCH):
                yield ndd.resize(ndd.decoders.image(encoded_files), size=[120, 160]), labels

    shared_by = [
        lambda batch: [np.asarray(tensor) for tensor in batch.tensors],
        lambda batch: [np.from_dlpack(tensor) for tensor in batch.tensors],
    ]
    expected = alone(batches().__next__, BATCHES, shared_by[0])
    taken = batches()
    assert_same(HostConsumer(taken.__next__, taken.close, shared_by).sums(BATCHES), expected)


def test_a_source_that_writes_into_what_it_gave_away_is_noticed():
    arrays = list(np.zeros((BATCH, 64, 200), np.float32))

    def reused(number):
        for array in arrays:
            array.fill(number)
        return arrays

    @pipeline_def(batch_size=BATCH, num_threads=1)
    def define(no_copy):
        return fn.external_source(reused, no_copy=no_copy)

    with define(False) as pipe:
        expected = alone(pipe.run, BATCHES)
    pipe = define(True)
    seen = HostConsumer(pipe.run, pipe.close, views()).sums(BATCHES)
    with pytest.raises(AssertionError, match="samples differ: batch"):
        assert_same(seen, expected)
