"""`batch_cost=` of readers, in pipelines and iterators."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.plugin.base_iterator import BaseIterator

LENGTHS = np.random.default_rng(0).integers(1, 200, 200)
COST = {"by": "bytes", "budget": 2000, "buckets": 8}


class _Lists(BaseIterator[list]):
    def convert(self, name, output, count):
        return [output.at(i).tolist() for i in range(count)]


@pytest.fixture
def files(tmp_path):
    for i, length in enumerate(LENGTHS.tolist()):
        (tmp_path / f"{i:03}").write_bytes(bytes(length))
    return [str(tmp_path / f"{i:03}") for i in range(len(LENGTHS))]


def _pipe(files, cost=COST, batch_size=64, **options):
    checkpoint = options.pop("checkpoint", None)
    on_error = options.pop("on_error", "raise")
    pipe = Pipeline(batch_size, 2, checkpoint=checkpoint, on_error=on_error)
    with pipe:
        data, label = fn.readers.file(files=files, name="files", batch_cost=cost, **options)
        pipe.set_outputs(fn.pad(data), label)
    return pipe


def _loop(pipe):
    return _Lists(pipe, ["data", "label"], reader_name="files", with_valid=True)


def test_an_epoch_on_two_ranks(files):
    pipes = [_pipe(files, random_shuffle=True, shard_id=i, num_shards=2) for i in range(2)]
    loops = [_loop(pipe) for pipe in pipes]
    for _ in range(2):
        seen, sizes = [], set()
        assert len(loops[0]) == len(loops[1])
        for first, second in zip(*loops, strict=True):
            sizes.add(len(first[0]["label"]))
            assert len(first[0]["label"]) == len(second[0]["label"])
            for batch in (first[0], second[0]):
                rows = [
                    row[0]
                    for row, valid in zip(batch["label"], batch["valid"], strict=True)
                    if valid
                ]
                seen += rows
                assert len(batch["data"]) * len(batch["data"][0]) <= 2000
        assert sorted(seen) == [*range(len(files))]
        assert len(sizes) > 4
    for pipe in pipes:
        pipe.close()


@pytest.mark.parametrize("by", [LENGTHS, LENGTHS.astype(np.float32)])
def test_lengths_of_ones_own(files, by):
    with _pipe(files, {**COST, "by": by}) as pipe, _pipe(files) as other:
        assert pipe.reader_meta("files") == other.reader_meta("files")
        assert pipe.run()[1].as_array().tolist() == other.run()[1].as_array().tolist()


def test_a_subset_by_cost(files):
    with _pipe(files, indices=np.arange(50, 90)) as pipe:
        steps = pipe.shard_sizes("files")[0] // 64
        labels = [row for _ in range(steps) for row in _valid_labels(pipe)]
    assert sorted(labels) == [*range(50, 90)]


def _valid_labels(pipe):
    _, label = pipe.run()
    return label.as_array()[label.valid, 0].tolist()


def test_another_number_of_ranks_goes_on(files):
    pipes = [_pipe(files, random_shuffle=True, shard_id=i, num_shards=3) for i in range(3)]
    labels = [row for pipe in pipes for _ in range(2) for row in _valid_labels(pipe)]
    saved = pipes[0].checkpoint()
    assert saved == pipes[2].checkpoint()
    with _pipe(files, random_shuffle=True, checkpoint=saved) as pipe:
        steps = pipe.shard_sizes("files")[0] // 64
        for step in range(steps):
            if step == 3:
                pipe.reshard(0, 1)
            labels += _valid_labels(pipe)
    assert sorted(labels) == [*range(len(files))]
    for pipe in pipes:
        pipe.close()


def test_an_iterator_goes_on_where_another_stood(files):
    with _pipe(files, random_shuffle=True) as pipe, _pipe(files, random_shuffle=True) as other:
        loop, resumed = _loop(pipe), _loop(other)
        batches = iter(loop)
        for _ in range(3):
            next(batches)
        resumed.load_state_dict(json.loads(json.dumps(loop.state_dict())))
        assert (len(resumed), resumed.step) == (len(loop), 3)
        assert list(resumed) == list(batches)


def test_a_bad_sample_is_replaced_by_one_of_its_class(files):
    with _pipe(files, {**COST, "by": LENGTHS}, on_error="skip") as pipe:
        first = int(pipe.run()[1].as_array()[0, 0])
    import os

    os.unlink(files[first])
    with _pipe(files, {**COST, "by": LENGTHS}, on_error="skip") as pipe:
        data, label = pipe.run()
        bound = next(b for b in pipe.reader_meta("files")["bounds"] if LENGTHS[first] <= b)
        assert not label.valid[0]
        assert LENGTHS[int(label.as_array()[0, 0])] <= bound
        assert data.shape()[0][0] <= bound


def test_batches_of_a_class_have_one_shape_on_all_ranks(files):
    cost = {**COST, "pad_to": "bound"}
    pipes = []
    for rank in range(2):
        pipes.append(Pipeline(64, 2))
        with pipes[-1] as pipe:
            data, label, bound = fn.readers.file(
                files=files,
                name="files",
                batch_cost=cost,
                random_shuffle=True,
                shard_id=rank,
                num_shards=2,
            )
            pipe.set_outputs(fn.pad(data, shape=bound), label)
    shapes, labels = set(), []
    for _ in range(pipes[0].shard_sizes("files")[0] // 64):
        first, second = (pipe.run() for pipe in pipes)
        assert first[0].as_array().shape == second[0].as_array().shape
        shapes.add(first[0].as_array().shape)
        labels += [n for _, label in (first, second) for n in label.as_array()[label.valid, 0]]
    assert sorted(labels) == [*range(len(files))]
    bounds = pipes[0].reader_meta("files")["bounds"]
    sizes = pipes[0].reader_meta("files")["batch_sizes"]
    assert 4 < len(shapes) <= 8
    assert shapes <= {*zip(sizes, map(int, bounds), strict=True)}
    for pipe in pipes:
        pipe.close()


def test_a_replaced_sample_has_the_bound_of_its_class(files):
    cost = {**COST, "by": LENGTHS, "pad_to": "bound"}
    Path(files[7]).unlink()
    with Pipeline(64, 1, on_error="replace") as pipe:
        pipe.set_outputs(*fn.readers.file(files=files, name="files", batch_cost=cost))
        for _ in range(pipe.shard_sizes("files")[0] // 64):
            data, _, bound = pipe.run()
            assert len(set(bound.as_array().tolist())) == 1
            assert max(map(len, data.rows())) <= bound.as_array()[0]


def test_arrays_come_with_their_bound(tmp_path):
    paths = [str(tmp_path / f"{i}.npy") for i in range(20)]
    for i, path in enumerate(paths):
        np.save(path, np.zeros(i + 1, np.int16))
    cost = {"by": np.arange(1, 21), "budget": 20, "buckets": [10, 20], "pad_to": "bound"}
    with Pipeline(20, 1) as pipe:
        with pytest.raises(ArgumentError, match="for readers on the CPU"):
            fn.readers.numpy(files=paths, batch_cost=cost, device="gpu")
        arrays, bound = fn.readers.numpy(files=paths, batch_cost=cost)
        pipe.set_outputs(fn.pad(arrays, shape=bound))
        assert {pipe.run()[0].as_array().shape for _ in range(15)} == {(2, 10), (1, 20)}


def test_two_readers_differ_in_size(files):
    with Pipeline(64, 1) as pipe:
        data, _ = fn.readers.file(files=files, batch_cost=COST)
        other, _ = fn.readers.file(files=files, name="plain", random_shuffle=True)
        pipe.set_outputs(data, other)
        with pytest.raises(ArgumentError, match="differ in their number of samples"):
            pipe.run()


@pytest.mark.parametrize(
    ("cost", "options", "message"),
    [
        ({"budget": 5}, {}, "needs the key 'by'"),
        ({"by": "bytes"}, {}, "needs the key 'budget'"),
        ({**COST, "pad_to": "top"}, {}, "pad_to='top', expected 'bound'"),
        ({**COST, "bucket": 3}, {}, "did you mean 'buckets'"),
        ({**COST, "by": "color"}, {}, "knows no 'color' of its samples"),
        ({**COST, "by": [1, 2]}, {}, "a length for each of the 200 samples"),
        ({**COST, "budget": 20}, {}, "more than the budget of 20"),
        (COST, {"pad_last_batch": True}, "leave pad_last_batch out"),
        (COST, {"random_shuffle": True, "shuffle_block": 4}, "leave shuffle_block out"),
    ],
)
def test_wrong_arguments_are_refused(files, cost, options, message):
    with pytest.raises(ArgumentError, match=message), _pipe(files, cost, **options) as pipe:
        pipe.run()


def test_samples_of_unknown_length_are_named(files):
    lengths = LENGTHS.astype(float)
    lengths[7] = np.nan
    with (
        _pipe(files, {**COST, "by": lengths}) as pipe,
        pytest.raises(ArgumentError, match="007 lacks a length: leave out such samples by"),
    ):
        pipe.run()
    others = np.delete(np.arange(200), 7)
    with _pipe(files, {**COST, "by": lengths}, indices=others) as pipe:
        steps = pipe.shard_sizes("files")[0] // 64
        labels = [row for _ in range(steps) for row in _valid_labels(pipe)]
    assert sorted(labels) == others.tolist()


def test_a_source_of_a_mixture_has_no_costs(files):
    with Pipeline(8, 1):
        costed = fn.readers.file(files=files, batch_cost=COST)
        with pytest.raises(ArgumentError, match=r"'a' has .* batch_cost, .*: fn.readers.pack of"):
            fn.readers.mix({"a": costed})
        with pytest.raises(ArgumentError, match=r"mix: batch_cost cannot .*: fn.readers.pack of"):
            fn.readers.mix({"a": fn.readers.file(files=files)}, batch_cost=COST)
        with pytest.raises(ArgumentError, match=r"member' has .* batch_cost, .*; leave it out"):
            fn.readers.pack(costed[0], length=9)


def test_samples_that_change_have_no_classes(files):
    with (
        _pipe(files, COST, indices=lambda epoch: np.arange(9) + epoch) as pipe,
        pytest.raises(ArgumentError, match="batch_cost, mix, balance and pack plan once"),
    ):
        pipe.run()


def test_a_column_of_a_table_is_a_length(files, tmp_path):
    rows = [f"{i:03},{length}" for i, length in enumerate(LENGTHS.tolist())]
    (tmp_path / "t.csv").write_text("\n".join(["file,length", *rows]))
    table = {"table": str(tmp_path / "t.csv"), "columns": "length"}
    with _pipe(files, COST) as pipe:
        bounds = pipe.reader_meta("files")["bounds"]
    with _pipe(files, {**COST, "by": "length"}, **table) as pipe:
        assert pipe.reader_meta("files")["bounds"] == bounds
