"""Decoders with a cache: the same pixels, errors and states as without, in less time."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def, types
from penstock.decoders.cache.disk import FILE_NAME
from penstock.decoders.image import image_cache, table
from penstock.decoders.image.formats.base import ImageFormat, ImageHeader, StoredImage

from ..cache.programs import running

HITS, STORES = "images from the cache", "images stored in the cache"
BLEMISHED = "damaged files with intact pixels"
HEADER = ImageHeader("own", 4, 5, 3, 8)


@pytest.fixture
def cached():
    """Arguments of a decoder with a cache of its own."""
    size = 1008 + os.getpid() % 1000  # in memory all caches of a size are one
    return {"cache": "ram", "cache_size": size}


@pytest.fixture
def on_disk(tmp_path):
    """The same, on a disk."""
    return {"cache": "disk", "cache_size": 64, "cache_folder": tmp_path / "cache"}


def made(files, graph, **options):
    options = {"batch_size": len(files), "num_threads": 2, "seed": 11, **options}

    @pipeline_def(**options)
    def pipeline():
        encoded, _ = fn.readers.file(files=files, random_shuffle=True, name="photos")
        return graph(encoded)

    return pipeline()


def rows(outputs):
    return [[np.array(output.at(i)) for i in range(len(output))] for output in outputs]


def assert_same(one, other):
    for images, others in zip(one, other, strict=True):
        for image, same in zip(images, others, strict=True):
            assert image.dtype == same.dtype
            np.testing.assert_array_equal(image, same)


def events(pipe, operator="decoders.image"):
    return next(each.events for each in pipe.stats().operators if each.operator == operator)


def views(arguments):
    """A graph of all decoders, with windows that differ from epoch to epoch."""
    options = {"start": (3, 2), "shape": (9, 7), **arguments}
    return lambda encoded: (
        fn.decoders.image(encoded, **arguments),
        fn.decoders.image_random_crop(encoded, **arguments),
        fn.decoders.image_crop(
            encoded, crop=(10, 12), crop_pos_x=fn.random.uniform(range=(0, 1)), **arguments
        ),
        fn.decoders.image_slice(encoded, **options),
        fn.resize(fn.decoders.image(encoded, fit=(20, 20), **arguments), size=(20, 20)),
        fn.decoders.image(encoded, output_type=types.GRAY, dtype=types.FLOAT, **arguments),
        fn.decoders.image(encoded, adjust_orientation=False, **arguments),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "processes"), [("ram", False), ("ram", True), ("disk", False)])
def test_all_decoders_give_the_same_images_in_every_epoch(files, cached, on_disk, kind, processes):
    arguments = cached if kind == "ram" else on_disk
    with (
        made(files, views({})) as plain,
        made(files, views(arguments), exec_processes=processes) as pipe,
    ):
        for _ in range(3):
            assert_same(rows(plain.run()), rows(pipe.run()))
        found = {
            operator.name: operator.events for operator in pipe.stats().operators if operator.events
        }
    assert len(found) == 7
    assert sum(counts.get(STORES, 0) for counts in found.values()) == 4 * len(files)
    assert sum(counts[HITS] for counts in found.values()) >= 2 * 7 * len(files)


@pytest.mark.slow
def test_every_form_of_image_comes_back_as_it_was(image_zoo, on_disk):
    files = [str(each.path) for each in image_zoo.values()]

    def graph(arguments):
        return lambda encoded: (
            fn.decoders.image(encoded, output_type=types.ANY_DATA, **arguments),
            fn.decoders.image(encoded, dtype=types.UINT16, **arguments),
        )

    with made(files, graph({})) as plain, made(files, graph(on_disk)) as pipe:
        for _ in range(2):
            assert_same(rows(plain.run()), rows(pipe.run()))
        assert events(pipe)[HITS] >= len(files)


def test_a_run_resumes_with_and_without_a_cache(files, cached):
    def part(arguments, checkpoint=None, batches=3):
        graph = views(arguments)
        with made(files, graph, batch_size=4, checkpoint=checkpoint) as pipe:
            images = [rows(pipe.run()) for _ in range(batches)]
            return images, pipe.checkpoint()

    plain, plain_state = part({})
    images, state = part(cached)
    assert state == plain_state
    expected, expected_state = part({}, plain_state)
    for resumed, resumed_state in (part(cached, plain_state), part({}, state), part(cached, state)):
        assert resumed_state == expected_state
        for one, other in zip(resumed, expected, strict=True):
            assert_same(one, other)
    for one, other in zip(images, plain, strict=True):
        assert_same(one, other)


@pytest.mark.slow
def test_a_file_that_changed_is_another_image(files, on_disk, tmp_path):
    path = shutil.copy(files[0], tmp_path / "photo.jpg")
    status = os.stat(path)
    kept = made([path], lambda encoded: fn.decoders.image(encoded, **on_disk))
    ((before,),) = rows(kept.run())
    shutil.copy(files[1], path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    graphs = [lambda encoded: fn.decoders.image(encoded, **on_disk), fn.decoders.image]
    pixels = []
    for graph in graphs:
        with made([path], graph) as pipe:
            ((image,),) = rows(pipe.run())
            pixels.append(image)
    kept.close()
    np.testing.assert_array_equal(*pixels)
    assert not np.array_equal(pixels[0], before)


def test_a_later_run_finds_the_images_on_the_disk(files, tmp_path):
    options = {"cache": "disk", "cache_size": 64, "cache_folder": str(tmp_path / "a" / "cache")}
    counts = []
    for _ in range(2):
        with made(files, lambda encoded: fn.decoders.image(encoded, **options)) as pipe:
            pipe.run()
        counts.append(dict(events(pipe)))  # also after the end
        remark = next(
            operator.remark for operator in pipe.stats().operators if "image" in operator.operator
        )
    assert counts[0][STORES] == len(files) <= counts[1][HITS]
    assert STORES not in counts[1]
    assert remark.startswith("cache: ")
    assert remark.endswith(" of 67.1 MB are taken")
    assert os.listdir(tmp_path / "a" / "cache") == [FILE_NAME]


def test_another_revision_of_the_pixels_finds_no_older_images(files, on_disk, tuned):
    for revision in ("one", "two"):
        tuned(image_cache, _PIXELS=revision)
        image_cache.libraries.cache_clear()
        with made(files, lambda encoded: fn.decoders.image(encoded, **on_disk)) as pipe:
            pipe.run()
        assert events(pipe)[STORES] == len(files)
    image_cache.libraries.cache_clear()


@pytest.mark.slow
def test_a_full_cache_changes_nothing(files, tmp_path):
    images = [cv2.imread(path) for path in files]
    large = [str(tmp_path / f"{i}.png") for i in range(len(files))]
    for path, image in zip(large, images, strict=True):
        cv2.imwrite(path, cv2.resize(image, (400, 300)))
    options = {"cache": "disk", "cache_size": 1, "cache_folder": tmp_path / "cache"}
    with made(large, views({})) as plain, made(large, views(options)) as pipe:
        for _ in range(2):
            assert_same(rows(plain.run()), rows(pipe.run()))
        stores = sum(operator.events.get(STORES, 0) for operator in pipe.stats().operators)
    assert 1 <= stores <= 4  # of 360,000 bytes, or a third or 4 of these


def test_small_images_stay_out(files, cached):
    largest = max(cv2.imread(path).nbytes for path in files)
    arguments = {**cached, "cache_threshold": largest}
    with made(files, lambda encoded: fn.decoders.image(encoded, **arguments)) as pipe:
        pipe.run()
        pipe.run()
        assert 1 <= events(pipe)[STORES] < len(files)


def test_what_consumers_write_stays_theirs(files, cached):
    with made(files, lambda encoded: fn.decoders.image(encoded, **cached)) as pipe:
        (first,) = pipe.run()
        copies = [np.array(first.at(i)) for i in range(len(files))]
        for _ in range(2):
            (images,) = pipe.run()
            for i in range(len(files)):
                np.asarray(images.at(i))[:] = 0
        by_bytes = {image.tobytes() for image in copies}
        (last,) = pipe.run()
        assert {np.array(last.at(i)).tobytes() for i in range(len(files))} == by_bytes


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_bad_files_fail_in_every_epoch_as_without_a_cache(files, bad_files, cached, policy):
    bad = [str(bad_file.path) for bad_file in bad_files.values() if bad_file.outcome != "fine"]
    names = [*files, *bad[:6]]

    def graph(arguments):
        return lambda encoded: (
            fn.decoders.image(encoded, **arguments),
            fn.decoders.image_random_crop(encoded, **arguments),
        )

    options = {"on_error": policy, "batch_size": 4}
    with made(names, graph({}), **options) as plain, made(names, graph(cached), **options) as pipe:
        for _ in range(6):
            expected, outputs = plain.run(), pipe.run()
            assert_same(rows(expected), rows(outputs))
            for one, other in zip(expected, outputs, strict=True):
                np.testing.assert_array_equal(one.valid, other.valid)


def test_errors_are_those_of_the_decoder(files, cached):
    images = made(files, lambda encoded: fn.decoders.image(encoded, **cached))
    crops = made(files, lambda encoded: fn.decoders.image_crop(encoded, crop=(50000, 10), **cached))
    with images, crops:
        images.run()
        with pytest.raises(ArgumentError, match="reaches out"):
            crops.run()


def test_conditions_and_debug_mode_use_the_cache(files, cached):
    @pipeline_def(batch_size=len(files), num_threads=2, seed=5, enable_conditionals=True)
    def chosen(arguments):
        encoded, _ = fn.readers.file(files=files)
        if fn.random.coin_flip(dtype=types.BOOL):
            images = fn.decoders.image(encoded, **arguments)
        else:
            images = fn.decoders.image_random_crop(encoded, **arguments)
        return images

    with chosen({}) as plain, chosen(cached) as pipe:
        expected = [rows(plain.run()) for _ in range(4)]
        for batch in expected:
            assert_same(rows(pipe.run()), batch)
    options = {"batch_size": len(files), "num_threads": 2, "seed": 5}

    @pipeline_def(**options, debug=True)
    def debugged(arguments):
        encoded, _ = fn.readers.file(files=files)
        return fn.decoders.image_random_crop(encoded, **arguments)

    with debugged({}) as plain, debugged(cached) as pipe:
        for _ in range(3):
            assert_same(rows(pipe.run()), rows(plain.run()))


def test_files_with_blemishes_are_counted_each_time(files, cached, tmp_path):
    sound = Path(files[0]).read_bytes()
    path = tmp_path / "blemished.jpg"
    path.write_bytes(sound[:-2])  # the mark of the end is lost
    counts = []
    for arguments in ({}, cached):
        graph = lambda encoded: fn.decoders.image(encoded, **arguments)  # noqa: E731, B023
        with made([str(path)], graph, prefetch_queue_depth=1) as pipe:
            for _ in range(3):
                pipe.run()
            counts.append(events(pipe).get(BLEMISHED, 0) // 3)
    assert counts[0] == counts[1] == 1


def test_formats_of_the_program_are_decoded_each_time(cached, tmp_path, monkeypatch):
    shade = iter(range(100))  # the program's format may change from run to run

    def decode(data, header, request):
        return StoredImage(np.full((4, 5, 3), next(shade), np.uint8), "RGB")

    own = ImageFormat("own", lambda head: head[:3] == b"own", lambda _: HEADER, decode)
    monkeypatch.setitem(table.FORMATS, "own", own)
    path = tmp_path / "image.own"
    path.write_bytes(b"own")
    with made([str(path)], lambda encoded: fn.decoders.image(encoded, **cached)) as pipe:
        assert len({int(pipe.run()[0].at(0).max()) for _ in range(3)}) == 3


@pytest.mark.parametrize(
    ("decoder", "arguments", "message"),
    [
        (fn.decoders.image, {"cache": "gpu", "cache_size": 1}, "device is 'cpu'; decode with"),
        (fn.decoders.image, {"cache": "ram"}, "needs cache_size: the most MiB"),
        (fn.decoders.image, {"cache": "ram", "cache_size": -1}, "cache_size.*at least 0"),
        (fn.decoders.image, {"cache": "disk", "cache_size": 1}, "'disk' needs cache_folder"),
        (
            fn.decoders.image,
            {"cache": "ram", "cache_size": 1, "cache_folder": "/tmp"},
            "'ram' has none.*'/tmp'",
        ),
        (
            fn.decoders.image_random_crop,
            {"cache": "ram", "cache_size": 1, "fit": 20},
            "leave out fit or cache",
        ),
        (fn.decoders.image, {"cache": "ram", "cache_size": 1 << 40}, "MiB of memory"),
        (
            fn.decoders.image,
            {"cache": "disk", "cache_size": 1, "cache_folder": __file__},
            "cannot hold a cache of 1 MiB.*a folder of a local disk",
        ),
    ],
)
def test_arguments_are_checked(files, decoder, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        made(files, lambda encoded: decoder(encoded, **arguments)).build()


def test_arguments_of_dali_alone_change_nothing(files):
    dali = {"cache_size": 100, "cache_type": "threshold", "cache_threshold": 10, "cache_debug": 1}
    with made(files, lambda encoded: fn.decoders.image(encoded, **dali)) as pipe:
        pipe.run()
        pipe.run()
        assert not events(pipe)


def test_nothing_stays_in_memory_after_the_pipelines(files, cached):
    before = set(os.listdir("/dev/shm"))
    pipes = [made(files, views(cached)) for _ in range(2)]
    for pipe in pipes:
        pipe.run()
        pipe.close()
    assert set(os.listdir("/dev/shm")) <= before
    names = [os.readlink(f"/proc/self/fd/{descriptor}") for descriptor in open_descriptors()]
    assert not [name for name in names if "penstock-cache" in name or FILE_NAME in name]


def test_a_program_that_closes_nothing_leaves_nothing(files, cached):
    program = f"""
from penstock import fn, pipeline_def
from penstock.experimental import dynamic
import numpy as np

@pipeline_def(batch_size=2, num_threads=2)
def kept():
    encoded, _ = fn.readers.file(files={files!r})
    return fn.decoders.image(encoded, **{cached!r})

pipeline = kept()
pipeline.run()
file = dynamic.as_tensor(np.fromfile({files[0]!r}, np.uint8))
image = dynamic.decoders.image(file, **{cached!r})
print(image.shape[2])
"""
    with running(program) as process:
        process.wait_for("3")
        assert process.process.wait() == 0
    size = cached["cache_size"]
    assert not [name for name in os.listdir("/dev/shm") if name.endswith(f"-{size}")]


def open_descriptors():
    return [each for each in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{each}")]
