"""`batch_cost=` of readers, in pipelines and iterators."""

from __future__ import annotations

import json

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
        pytest.raises(ArgumentError, match="007 and 0 others have no length"),
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
        with pytest.raises(ArgumentError, match="batch_cost, which the mixture decides"):
            fn.readers.mix({"a": costed})
