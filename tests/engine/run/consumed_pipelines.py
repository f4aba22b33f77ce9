"""Pipelines on the CPU, one for each way in which a result gets its memory."""

from __future__ import annotations

from functools import cache

import numpy as np

from penstock import fn, pipeline_def, tfrecord, types
from penstock.tests.readers import lmdb_samples, record_io, tars, tfrecord_files
from penstock.tests.sounds import encoded, noise
from penstock.tests.videos import video_file

BATCH, BATCHES, COUNT = 6, 48, 50
"""`COUNT` samples are no whole number of batches."""


@cache
def records():
    random = np.random.default_rng(1)
    return [random.bytes(int(random.integers(35_000, 50_000))) for _ in range(COUNT)]


def stored_in(root):
    """Write the records in each format, arrays, sounds and a video to a folder; return it."""
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
    (root / "large").mkdir()
    for i in range(8):  # large enough to be mapped
        np.save(root / "large" / f"{i}.npy", random.random((300, 1000)))
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
    "large regions": lambda tree, root: of_numpy(
        root, "large", roi_start=[5, 0], roi_shape=[100, 900]
    ),
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
