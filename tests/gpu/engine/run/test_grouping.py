"""Batches that are computed together are those that are computed one by one."""

import json

import numpy as np
import pytest
from PIL import Image

from penstock import DecodeError, fn, pipeline_def, types
from penstock.engine.control.groups import GroupLimits, GroupSize
from penstock.engine.run.grouping import Grouping

SIZES = [(40, 30), (64, 48), (31, 57), (50, 50), (20, 90)]
IMAGES = 45


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(2)
    for i in range(IMAGES):
        path = tmp_path / "images" / f"class{i % 3}" / f"{i:02}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = rng.integers(0, 255, (*SIZES[i % 5], 3), np.uint8)
        Image.fromarray(pixels).save(path, quality=90)
    return tmp_path / "images"


@pytest.fixture
def eager(monkeypatch):
    """Let groups grow whether or not the consumer waits."""
    size = GroupSize(16, -1.0, 1e9)
    limits = GroupLimits(usual=size, large=size, calm=-2.0)
    monkeypatch.setattr(Grouping, "limits", limits)


def pipe_of(folder, batch_size=2, hw_decoder_load=None, **options):
    @pipeline_def(batch_size=batch_size, num_threads=2, seed=7, **options)
    def training():
        encoded, labels = fn.readers.file(file_root=str(folder), random_shuffle=True)
        images = fn.decoders.image(encoded, device="mixed", hw_decoder_load=hw_decoder_load)
        small = fn.resize(images, size=fn.random.uniform(range=[8, 20], shape=2))
        square = fn.crop_mirror_normalize(
            fn.resize(images, size=(16, 16)), mirror=fn.random.coin_flip(), dtype=types.FLOAT
        )
        return encoded, labels.gpu(), images, small, square, fn.random.normal(shape=3)

    return training()


def on_host(outputs):
    return [
        [np.array(output.row(i)) for i in range(len(output))] for output in map(to_cpu, outputs)
    ]


def to_cpu(output):
    return output.as_cpu()


def taken(pipe, batches):
    """Return the samples of batches with what is said about them, and the largest group."""
    found, largest = [], 1
    for _ in range(batches):
        outputs = pipe.run()
        about = [(o.source_info(), o.valid.tolist(), o.layout(), o.shape()) for o in outputs]
        found.append((on_host(outputs), about))
        largest = max(largest, pipe._run.executor._schedule.grouping.groups.together)
    return found, largest


def assert_same(found, expected):
    for (a, about), (b, others) in zip(found, expected, strict=True):
        assert about == others
        for x, y in zip(a, b, strict=True):
            for row, other in zip(x, y, strict=True):
                np.testing.assert_allclose(row, other, rtol=0, atol=1)  # see `Operator.varies`


def one_by_one(folder, batches, monkeypatch, **options):
    with monkeypatch.context() as patch:
        patch.setattr(Grouping, "limits", GroupLimits(large=GroupSize(0, 1.0, 0.0)))
        with pipe_of(folder, **options) as pipe:
            found, largest = taken(pipe, batches)
    assert largest == 1
    return found


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_results_are_the_same(device_stage, folder, eager, monkeypatch, batch_size):
    expected = one_by_one(folder, 40, monkeypatch, batch_size=batch_size)
    with pipe_of(folder, batch_size=batch_size) as pipe:
        found, largest = taken(pipe, 40)
        stats = pipe.stats()
    assert_same(found, expected)
    assert largest >= 2  # batches are computed together
    together = int(stats.decisions["groups"].setting.split()[0])
    assert together >= largest  # groups may have grown since the last batch
    assert f"groups: {together} batches are computed together (the consumer waited" in str(stats)


def test_branches(device_stage, folder, eager, monkeypatch):
    def define():
        encoded, labels = fn.readers.file(file_root=str(folder), random_shuffle=True)
        images = fn.decoders.image(encoded, device="mixed")
        if labels[0] > 0:
            images = fn.resize(images, size=(16, 16))
            number = fn.random.uniform()
        else:
            images = fn.flip(fn.decoders.image(encoded, device="mixed"))
            number = 2.0
        return images, number, labels, fn.resize(images, size=(8, 8))

    make = pipeline_def(batch_size=2, num_threads=2, seed=7, enable_conditionals=True)(define)
    with monkeypatch.context() as patch:
        patch.setattr(Grouping, "limits", GroupLimits(large=GroupSize(0, 1.0, 0.0)))
        with make() as pipe:
            expected, _ = taken(pipe, 25)
    with make() as pipe:
        found, largest = taken(pipe, 25)
    assert_same(found, expected)
    assert largest >= 2  # batches are computed together


def test_batches_are_dense_where_their_samples_agree(device_stage, folder, eager):
    with pipe_of(folder) as pipe:
        for _ in range(30):
            *_, images, _, square, _ = pipe.run()
            assert square.as_tensor().shape() == [2, 3, 16, 16]
            assert images.is_dense_tensor() == (len(set(images.shape())) == 1)
            if images.is_dense_tensor():
                dense = images.as_cpu().as_array()
                np.testing.assert_array_equal(dense[1], images.as_cpu().at(1))


def test_a_bad_sample_ends_its_batch_alone(device_stage, folder, eager):
    bad = folder / "class1" / "31.jpg"
    bad.write_bytes(bad.read_bytes()[:200])
    names, order = [], pipe_order(folder)

    def run_until_the_error(pipe):
        for _ in range(IMAGES):
            names.extend(pipe.run()[0].source_info())

    with pipe_of(folder) as pipe, pytest.raises(DecodeError, match=r"31\.jpg") as caught:
        run_until_the_error(pipe)
    assert names == order[: len(names)]
    position = next(i for i, name in enumerate(order) if name == str(bad.relative_to(folder)))
    assert len(names) == position - position % 2
    (note,) = (n for n in caught.value.__notes__ if n.startswith("sample "))
    assert note.startswith(f"sample {position % 2} of batch {position // 2} ")


def pipe_order(folder):
    """Return the locations of the samples of an epoch in their order."""

    @pipeline_def(batch_size=IMAGES, num_threads=1, seed=7)
    def reading():
        return fn.readers.file(file_root=str(folder), random_shuffle=True)

    with reading() as pipe:
        return pipe.run()[0].source_info()


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_bad_samples_are_treated_as_in_single_batches(
    device_stage, folder, eager, monkeypatch, tmp_path, policy
):
    for number in (4, 17):
        bad = folder / f"class{number % 3}" / f"{number:02}.jpg"
        bad.write_bytes(bad.read_bytes()[:200])
    logs = [tmp_path / "single.json", tmp_path / "grouped.json"]
    options = [{"on_error": policy, "quarantine_log": log} for log in logs]
    expected = one_by_one(folder, 60, monkeypatch, **options[0])
    with pipe_of(folder, **options[1]) as pipe:
        found, largest = taken(pipe, 60)
    assert_same(found, expected)
    assert largest > 1
    first, second = (list(map(json.loads, log.read_text().splitlines())) for log in logs)
    known = {
        (record["batch"], record["row"], record["action"])
        for record in first
        if record["batch"] < 60
    }
    assert known == {(e["batch"], e["row"], e["action"]) for e in second if e["batch"] < 60}


def test_a_checkpoint_knows_single_batches(device_stage, folder, eager):
    with pipe_of(folder) as pipe:
        taken(pipe, 33)
        state = pipe.checkpoint()
        expected, _ = taken(pipe, 20)
    with pipe_of(folder, checkpoint=state) as pipe:
        found, _ = taken(pipe, 20)
    assert_same(found, expected)


def test_closing_in_the_middle_of_a_group(device_stage, folder, eager):
    for batches in range(1, 12, 2):
        with pipe_of(folder) as pipe:
            kept, _ = taken(pipe, batches)
        assert len(kept) == batches


def mixed_up(folder):
    @pipeline_def(batch_size=2, num_threads=2, seed=7)
    def padded():
        encoded, _ = fn.readers.file(file_root=str(folder))
        images = fn.decoders.image(encoded, device="mixed")
        return fn.pad(images)

    return padded()


def test_a_fixed_share_of_the_engine_pins_the_pixels(device_stage, folder, eager):
    with pipe_of(folder, hw_decoder_load=1) as pipe:
        assert taken(pipe, 30)[1] == 1


def test_operators_of_whole_batches_get_single_ones(device_stage, folder, eager):
    with mixed_up(folder) as pipe:
        shapes = []
        for _ in range(20):
            (images,) = pipe.run()
            shapes.append(images.shape()[0])
            assert pipe._run.executor._schedule.grouping.groups.together == 1
    extents = np.array([SIZES[i % 5] for i in sorted(range(IMAGES), key=lambda i: (i % 3, i))])
    expected = extents[:40].reshape(20, 2, 2).max(axis=1)
    np.testing.assert_array_equal(np.array(shapes)[:, :2], expected)
