"""Decoders with `device="mixed"` and a cache: the same pixels, errors and states as without."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def, types
from penstock.decoders.cache import keys, places
from penstock.engine.gpu.device import Device
from penstock.engine.processes import helper_processes

pytest.importorskip("nvidia.nvimgcodec")

HITS, STORES = "images from the cache", "images stored in the cache"
LOAD = {"device": "mixed", "hw_decoder_load": 0.0}
"""CUDA cores decode, so that pixels are the same in every run."""


@pytest.fixture(params=["gpu", "ram", "disk"])
def cached(request, tmp_path) -> dict[str, Any]:
    """Arguments of a decoder with a cache of its own."""
    size = 1008 + os.getpid() % 1000  # in memory all caches of a size are one
    return {
        "gpu": {"cache": "gpu", "cache_size": 64},
        "ram": {"cache": "ram", "cache_size": size},
        "disk": {"cache": "disk", "cache_size": 64, "cache_folder": tmp_path / "cache"},
    }[request.param]


@pytest.fixture(scope="module")
def photographs(photo_tree) -> list[str]:
    return [str(path) for path in sorted(photo_tree.root.rglob("*.jpg"))[:8]]


@pytest.fixture(scope="module")
def zoo(image_zoo) -> list[str]:
    return [str(each.path) for each in image_zoo.values()]


@pytest.fixture(scope="module")
def once():
    """Computes what all caches are compared with a single time: `once(key, compute)`."""
    kept: dict[Any, Any] = {}

    def result(key, compute):
        if key not in kept:
            kept[key] = compute()
        return kept[key]

    return result


def made(files, graph, **options):
    options = {"batch_size": len(files), "num_threads": 2, "seed": 11, "device_id": 0, **options}

    @pipeline_def(**options)
    def pipeline():
        encoded, _ = fn.readers.file(files=files, random_shuffle=True, name="photos")
        return graph(encoded)

    return pipeline()


def rows(outputs):
    batches = [output.as_cpu() for output in outputs]
    return [[np.array(batch.at(i)) for i in range(len(batch))] for batch in batches]


def assert_same(one, other):
    for images, others in zip(one, other, strict=True):
        for image, same in zip(images, others, strict=True):
            assert image.dtype == same.dtype
            np.testing.assert_array_equal(image, same)


def events(pipe):
    counts: dict[str, int] = {}
    for each in pipe.stats().operators:
        for event, number in each.events.items():
            counts[event] = counts.get(event, 0) + number
    return counts


def views(arguments):
    """A graph of all decoders, with windows that differ from epoch to epoch."""
    options = {"start": (3, 2), "shape": (9, 7), **LOAD, **arguments}
    arguments = {**LOAD, **arguments}
    return lambda encoded: (
        fn.decoders.image(encoded, **arguments),
        fn.decoders.image_random_crop(encoded, **arguments),
        fn.decoders.image_crop(
            encoded, crop=(10, 12), crop_pos_x=fn.random.uniform(range=(0, 1)), **arguments
        ),
        fn.decoders.image_slice(encoded, **options),
        fn.decoders.image_random_crop(
            encoded, output_type=types.GRAY, dtype=types.FLOAT, **arguments
        ),
        fn.decoders.image(encoded, adjust_orientation=False, **arguments),
        fn.decoders.image_random_crop(encoded, output_type=types.YCbCr, **arguments),
        fn.decoders.image_random_crop(encoded, shrink_shorter=40, **arguments),
    )


def epochs_of(files, graph, count, **options):
    """Return the images of so many batches."""
    with made(files, graph, **options) as pipe:
        return [rows(pipe.run()) for _ in range(count)]


@pytest.mark.slow
def test_all_decoders_give_the_same_images_in_every_epoch(device_stage, photographs, cached, once):
    expected = once("all decoders", lambda: epochs_of(photographs, views({}), 5))
    with made(photographs, views(cached)) as pipe:
        for images in expected:
            assert_same(images, rows(pipe.run()))
        counts = events(pipe)
    assert counts[STORES] == 5 * len(photographs)  # four of the decoders share their images
    assert counts[HITS] >= 8 * len(photographs)


@pytest.mark.slow
@pytest.mark.parametrize(("output", "dtype"), [("ANY_DATA", types.UINT16), ("RGB", types.UINT8)])
def test_every_form_of_image_comes_back_as_it_was(device_stage, zoo, cached, once, output, dtype):
    def graph(arguments):
        options = {"output_type": getattr(types, output), "dtype": dtype, **LOAD, **arguments}
        return lambda encoded: (
            fn.decoders.image(encoded, **options),
            fn.decoders.image_random_crop(encoded, **options),
        )

    options = {"prefetch_queue_depth": 1}
    mean = (255 if dtype == types.UINT8 else 65535) / 170 if device_stage else 0
    expected = once((output, dtype), lambda: epochs_of(zoo, graph({}), 4, **options))
    with made(zoo, graph(cached), **options) as pipe:
        for images in expected:
            for one, other in zip(images, rows(pipe.run()), strict=True):
                for image, same in zip(one, other, strict=True):
                    assert image.shape == same.shape
                    # nvImageCodec's regions differ from its whole images at their edges.
                    assert np.abs(image.astype(float) - same).mean() <= mean
        assert events(pipe)[HITS] >= len(zoo)


def test_the_process_that_reads_hashes_the_files(
    device_stage, photographs, cached, tuned, monkeypatch
):
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    hashed: list[int] = []

    def memory(addresses, lengths, original=keys.memory_of):
        hashed.append(len(lengths))
        return original(addresses, lengths)

    monkeypatch.setattr(keys, "memory_of", memory)
    decode = lambda encoded: fn.decoders.image(encoded, **LOAD)  # noqa: E731
    kept = lambda encoded: fn.decoders.image(encoded, **LOAD, **cached)  # noqa: E731
    with made(photographs, decode) as plain, made(photographs, kept) as pipe:
        deadline = time.monotonic() + 60
        for _ in range(3):
            assert_same(rows(plain.run()), rows(pipe.run()))
        while hashed:
            assert time.monotonic() < deadline
            hashed.clear()
            assert_same(rows(plain.run()), rows(pipe.run()))
        assert events(pipe)[HITS] >= len(photographs)


def test_a_small_cache_keeps_what_fits(device_stage, tmp_path):
    files = []
    for i in range(6):
        noise = np.random.default_rng(i).integers(0, 256, (30, 40, 3), np.uint8)
        files.append(str(tmp_path / f"{i}.jpg"))
        cv2.imwrite(files[-1], cv2.resize(noise, (400, 300)))
    options = {"cache": "gpu", "cache_size": 1, **LOAD}
    crop = lambda encoded: fn.decoders.image_random_crop(encoded, **LOAD)  # noqa: E731
    kept = lambda encoded: fn.decoders.image_random_crop(encoded, **options)  # noqa: E731
    with made(files, crop) as plain, made(files, kept) as pipe:
        for _ in range(5):
            assert_same(rows(plain.run()), rows(pipe.run()))
        counts = events(pipe)
        remarks = [each.remark for each in pipe.stats().operators if each.remark]
    assert counts[STORES] == 2  # of 360,000 bytes
    assert counts[HITS] >= 2
    assert any(remark.startswith("cache: ") for remark in remarks)
    assert any(" of 1.0 MB of the GPU are taken" in remark for remark in remarks)


def test_a_batch_of_hits_takes_one_launch(device_stage, photographs, cached, monkeypatch):
    launched: list[str] = []

    def launch(self, kernel, *arguments, original=Device.launch, **options):
        launched.append(kernel.function)
        return original(self, kernel, *arguments, **options)

    monkeypatch.setattr(Device, "launch", launch)
    arguments = {**LOAD, **cached}
    graph = lambda encoded: fn.decoders.image_random_crop(encoded, **arguments)  # noqa: E731
    with made(photographs, graph, prefetch_queue_depth=1) as pipe:
        for _ in range(4):
            pipe.run()
        launched.clear()
        for _ in range(3):
            pipe.run()
    assert set(launched) == {"cut"}
    assert len(launched) <= 5


def test_small_images_stay_out(device_stage, photographs, cached):
    arguments = {**LOAD, **cached, "cache_threshold": 1 << 30}
    with made(photographs, lambda encoded: fn.decoders.image(encoded, **arguments)) as pipe:
        for _ in range(4):
            pipe.run()
        counts = events(pipe)
        assert STORES not in counts
        assert HITS not in counts


def test_the_size_alone_asks_for_a_cache_on_the_gpu(device_stage, photographs):
    dali = {"cache_size": 32, "cache_type": "threshold", "cache_threshold": 10, **LOAD}
    with made(photographs, lambda encoded: fn.decoders.image(encoded, **dali)) as pipe:
        for _ in range(6):
            pipe.run()
        assert events(pipe)[STORES] == len(photographs)
        assert events(pipe)[HITS] >= len(photographs)


@pytest.mark.slow
def test_a_run_resumes_with_and_without_a_cache(device_stage, photographs, cached, once):
    def part(arguments, checkpoint=None, batches=3):
        graph = views(arguments)
        with made(photographs, graph, batch_size=4, checkpoint=checkpoint) as pipe:
            images = [rows(pipe.run()) for _ in range(batches)]
            return images, pipe.checkpoint()

    plain, plain_state = once("begun", lambda: part({}))
    images, state = part(cached)
    assert state == plain_state
    expected, expected_state = once("resumed", lambda: part({}, plain_state))
    for resumed, resumed_state in (part(cached, plain_state), part({}, state)):
        assert resumed_state == expected_state
        for one, other in zip(resumed, expected, strict=True):
            assert_same(one, other)
    for one, other in zip(images, plain, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_bad_files_fail_in_every_epoch(device_stage, photographs, bad_files, cached, policy):
    bad = [str(each.path) for each in bad_files.values() if each.outcome != "fine"]
    names = [*photographs, *bad[:6]]

    def graph(arguments):
        arguments = {**LOAD, **arguments}
        return lambda encoded: (
            fn.decoders.image(encoded, **arguments),
            fn.decoders.image_random_crop(encoded, **arguments),
        )

    options = {"on_error": policy, "batch_size": 7}
    with made(names, graph({}), **options) as plain, made(names, graph(cached), **options) as pipe:
        for _ in range(8):
            expected, outputs = plain.run(), pipe.run()
            assert_same(rows(expected), rows(outputs))
            for one, other in zip(expected, outputs, strict=True):
                np.testing.assert_array_equal(one.valid, other.valid)


@pytest.mark.slow
def test_files_with_blemishes_are_counted_each_time(device_stage, photographs, cached, tmp_path):
    path = tmp_path / "blemished.jpg"
    path.write_bytes(Path(photographs[0]).read_bytes()[:-2])  # the mark of the end is lost
    counts = []
    for arguments in ({}, cached):
        graph = lambda encoded: fn.decoders.image(encoded, **LOAD, **arguments)  # noqa: E731, B023
        with made([str(path)], graph, prefetch_queue_depth=1) as pipe:
            for _ in range(4):
                pipe.run()
            counts.append(events(pipe).get("damaged files with intact pixels", 0) // 4)
    assert counts == [1, 1]


def test_conditions_and_debug_mode_use_the_cache(device_stage, photographs, cached):
    options = {"batch_size": len(photographs), "num_threads": 2, "seed": 5, "device_id": 0}

    @pipeline_def(**options, enable_conditionals=True)
    def chosen(arguments):
        encoded, _ = fn.readers.file(files=photographs)
        if fn.random.coin_flip(dtype=types.BOOL):
            images = fn.decoders.image(encoded, **LOAD, **arguments)
        else:
            images = fn.decoders.image_random_crop(encoded, **LOAD, **arguments)
        return images

    @pipeline_def(**options, debug=True)
    def debugged(arguments):
        encoded, _ = fn.readers.file(files=photographs)
        return fn.decoders.image_random_crop(encoded, **LOAD, **arguments)

    for definition in (chosen, debugged):
        with definition({}) as plain, definition(cached) as pipe:
            for _ in range(4):
                assert_same(rows(pipe.run()), rows(plain.run()))


def test_the_cpu_s_images_are_others(device_stage, photographs, tmp_path):
    """GPU and CPU may differ by rounding, so neither finds what the other has stored."""
    options = {"cache": "disk", "cache_size": 64, "cache_folder": tmp_path / "cache"}
    for device in ({}, LOAD):
        arguments = {**options, **device}
        with made(photographs, lambda encoded: fn.decoders.image(encoded, **arguments)) as pipe:  # noqa: B023
            pipe.run()
            pipe.run()
            assert events(pipe)[STORES] == len(photographs)


def test_a_later_run_finds_the_images_on_the_disk(device_stage, photographs, tmp_path):
    options = {"cache": "disk", "cache_size": 64, "cache_folder": tmp_path / "cache", **LOAD}
    counts = []
    for _ in range(2):
        with made(photographs, lambda encoded: fn.decoders.image(encoded, **options)) as pipe:
            pipe.run()
        counts.append(events(pipe))  # also after the end
    assert counts[0][STORES] == len(photographs) <= counts[1][HITS]
    assert STORES not in counts[1]


def test_a_damaged_image_on_the_disk_is_decoded_again(device_stage, photographs, tmp_path):
    options = {"cache": "disk", "cache_size": 64, "cache_folder": tmp_path / "cache", **LOAD}
    graph = lambda encoded: fn.decoders.image(encoded, **options)  # noqa: E731
    with made(photographs, graph, seed=1) as pipe:
        expected = rows(pipe.run())
    (path,) = (tmp_path / "cache").iterdir()
    content = bytearray(path.read_bytes())
    image = expected[0][2].tobytes()
    content[content.index(image) + 100] ^= 0xFF
    path.write_bytes(content)
    with made(photographs, graph, seed=1) as pipe:
        assert_same(rows(pipe.run()), expected)
    counts = events(pipe)
    assert counts["damaged images dropped from the cache"] == 1
    assert counts[HITS] >= len(photographs) - 1


def test_pipelines_share_the_memory_of_the_gpu(device_stage, photographs):
    options = {"cache": "gpu", "cache_size": 32, **LOAD}
    graph = lambda encoded: fn.decoders.image(encoded, **options)  # noqa: E731
    with made(photographs, graph) as first, made(photographs, graph) as second:
        for _ in range(4):
            assert_same(rows(first.run()), rows(second.run()))
        assert len(places._opened) == 1
        assert events(first).get(STORES, 0) + events(second).get(STORES, 0) == len(photographs)
    assert not places._opened


def test_what_consumers_hold_stays_theirs(device_stage, photographs, cached):
    arguments = {**LOAD, **cached}
    with made(photographs, lambda encoded: fn.decoders.image(encoded, **arguments)) as pipe:
        held = [pipe.run() for _ in range(5)]
        expected = rows(held[0])
        by_bytes = {image.tobytes() for image in expected[0]}
        for outputs in held:
            assert {image.tobytes() for image in rows(outputs)[0]} == by_bytes


def test_images_are_scaled_down_as_on_the_cpu(device_stage, zoo, cached):
    def graph(arguments):
        arguments = {"shrink_shorter": 20, **arguments}
        return lambda encoded: (
            fn.decoders.image(encoded, **arguments),
            fn.decoders.image_crop(encoded, crop=(1, 1), **arguments),
        )

    files = zoo[::2]
    with made(files, graph({"jpeg_fancy_upsampling": True})) as on_cpu:
        expected = rows(on_cpu.run())
    for arguments in ({}, cached):
        with made(files, graph({**LOAD, **arguments})) as pipe:
            images = rows(pipe.run())
        for one, other in zip(images, expected, strict=True):
            for image, wanted in zip(one, other, strict=True):
                assert image.shape == wanted.shape
                assert np.abs(image.astype(int) - wanted).mean() <= 1.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cache": "gpu"}, "cache='gpu' needs cache_size: the most MiB"),
        ({"cache": "gpu", "cache_size": 1, "device": "cpu"}, "pass cache='ram'"),
        ({"cache": "gpu", "cache_size": 1, "cache_folder": "/tmp"}, "is for cache='disk'"),
        ({"cache": "disk", "cache_size": 1}, "'disk' needs cache_folder"),
    ],
)
def test_arguments_are_checked(device_stage, photographs, arguments, message):
    arguments = {"device": "mixed", **arguments}
    with pytest.raises(ArgumentError, match=message):
        made(photographs, lambda encoded: fn.decoders.image(encoded, **arguments)).build()


@pytest.mark.gpu
def test_a_cache_larger_than_the_gpu_is_refused(cupy, photographs):
    options = {"device": "mixed", "cache": "gpu", "cache_size": 1 << 24}
    with (
        pytest.raises(ArgumentError, match="the GPU does not have"),
        made(photographs, lambda encoded: fn.decoders.image(encoded, **options)) as pipe,
    ):
        pipe.run()


@pytest.mark.gpu
def test_lanes_share_images_on_a_device(cupy, photographs):
    """Many small batches on three streams: an image is read only once it is written."""
    with (
        made(photographs, views({}), batch_size=2, prefetch_queue_depth=6) as plain,
        made(
            photographs,
            views({"cache": "gpu", "cache_size": 64}),
            batch_size=2,
            prefetch_queue_depth=6,
        ) as pipe,
    ):
        for _ in range(60):
            assert_same(rows(plain.run()), rows(pipe.run()))
