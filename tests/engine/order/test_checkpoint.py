"""A restored pipeline goes on exactly where it stood, also with another topology."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from penstock import CheckpointError, PenstockError
from penstock.engine.order.checkpoint import Checkpoint, load

from ..toys import BatchNoise, Feed, Noise, Numbers, assert_same, call, make, rows_of

SIZE = 37


def graph(shard_id=0, num_shards=1, shuffle=True, pad=False):
    def define():
        data, labels = call(
            Numbers,
            name="numbers",
            size=SIZE,
            shard_id=shard_id,
            num_shards=num_shards,
            random_shuffle=shuffle,
            pad_last_batch=pad,
        )
        return labels, call(Noise, data), call(BatchNoise)

    return define


def read(pipe, batches):
    return [rows_of(pipe.run()) for _ in range(batches)]


@pytest.mark.parametrize("delivered", [0, 1, 9, 20])
@pytest.mark.parametrize("pad", [False, True])
def test_the_same_topology_goes_on_identically(delivered, pad):
    for shard in range(2):
        define = graph(shard, 2, pad=pad)
        with make(define, prefetch_queue_depth=5) as pipe:
            read(pipe, delivered)
            text = pipe.checkpoint()
            expected = read(pipe, 15)
        with make(define, seed=99, num_threads=1, checkpoint=text) as pipe:
            assert pipe.is_restored_from_checkpoint
            assert pipe.seed == 11
            assert_same(read(pipe, 7), expected[:7])
            text = pipe.checkpoint()
        with make(define, checkpoint=text) as pipe:
            assert_same(read(pipe, 8), expected[7:])


def draws_of(pipe, batches):
    """Return {(label, n-th time): random numbers} of the samples of some batches."""
    seen = Counter()
    result = {}
    for labels, noise, chance in read(pipe, batches):
        for label, x, c in zip(labels, noise, chance, strict=True):
            key = int(label), seen[int(label)]
            seen[int(label)] += 1
            result[key] = x[0] - int(label), c[0]
    return result


@pytest.mark.parametrize(("shards", "batch_size", "threads"), [(1, 1, 4), (3, 1, 2), (5, 2, 1)])
def test_another_topology_reads_the_rest_once_with_the_same_draws(shards, batch_size, threads):
    with make(graph(), batch_size=1) as pipe:
        whole = draws_of(pipe, SIZE)
    texts, before = [], set()
    for shard in range(2):
        with make(graph(shard, 2), batch_size=3) as pipe:
            for batch in read(pipe, 4):
                before |= {int(label) for label in batch[0]}
            texts.append(pipe.checkpoint())
    assert texts[0] == texts[1]
    assert len(before) == 24
    found = {}
    for shard in range(shards):
        left = SIZE - 24
        own = left * (shard + 1) // shards - left * shard // shards
        with make(
            graph(shard, shards), batch_size=batch_size, num_threads=threads, checkpoint=texts[0]
        ) as pipe:
            steps = -(-own // batch_size)
            samples = [
                (int(label), (x[0] - int(label), c[0]))
                for batch in read(pipe, steps)
                for label, x, c in zip(*batch, strict=True)
            ][:own]  # what follows belongs to the next epoch
        assert not {label for label, _ in samples} & set(found)
        found |= dict(samples)
    assert set(found) == set(range(SIZE)) - before
    for label, numbers in found.items():
        np.testing.assert_allclose(numbers, whole[label, 0], atol=1e-12)


def test_the_file_form(tmp_path):
    path = tmp_path / "run.json"
    with make(graph()) as pipe:
        read(pipe, 3)
        data = pipe.checkpoint(path)
        expected = read(pipe, 2)
    assert isinstance(data, bytes)
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]
    for form in (path, str(path), bytes(path), data, data.decode(), bytearray(data)):
        with make(graph(), checkpoint=form) as pipe:
            assert_same(read(pipe, 2), expected)


def test_graphs_without_a_reader_go_on_too():
    def define():
        return call(Feed, source=lambda n: np.full((4, 1), n), name="feed"), call(BatchNoise)

    with make(define, prefetch_queue_depth=4) as pipe:
        read(pipe, 3)
        text = pipe.checkpoint()
        expected = read(pipe, 6)
    with make(define, checkpoint=text) as pipe:
        assert_same(read(pipe, 2), expected[:2])
        text = pipe.checkpoint()
    with make(define, checkpoint=text) as pipe:
        assert_same(read(pipe, 4), expected[2:])


def some_text():
    with make(graph()) as pipe:
        pipe.run()
        return pipe.checkpoint()


def test_damaged_texts_are_refused(tmp_path):
    text = some_text()
    data = json.loads(text)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    damaged = [
        "",
        "{",
        "{}",
        "[1]",
        "null",
        "no such file",
        "\0",
        "x" * 100_000,
        '{"a":' * 100_000,
        b"\xff\xfe",
        tmp_path,
        tmp_path / "missing",
        tmp_path / "binary",
        *(text[:cut] for cut in range(0, len(text), 7)),
        *(text[cut:] for cut in range(1, len(text), 7)),
        *(
            json.dumps(data | change)
            for change in (
                {"penstock_checkpoint": 99},
                {"seed": "1"},
                {"seed": True},
                {"samples": -1},
                {"samples": 1.5},
                {"samples": 1 << 62},
                {"inputs": []},
                {"more": 1},
            )
        ),
    ]
    for source in damaged:
        with pytest.raises(CheckpointError):
            load(source)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"penstock_checkpoint": 2.0}, "its version is 2.0, and not a number from 1 on"),
        ({"penstock_checkpoint": True}, "its version is True"),
        ({"penstock_checkpoint": "2"}, "its version is '2', and not a number"),
        ({"penstock_checkpoint": 0}, "its version is 0"),
        ({"penstock_checkpoint": 3}, "has version 3, but this release reads versions 1 to 2"),
        ({"more": 1}, "it has the field 'more', which no checkpoint has"),
    ],
)
def test_the_message_names_what_no_checkpoint_has(change, message):
    data = {"penstock_checkpoint": 2, "seed": 1, "samples": 0, "inputs": {}}
    assert load(json.dumps(data)).samples == 0
    with pytest.raises(CheckpointError, match=message):
        load(json.dumps(data | change))
    del data["samples"]
    with pytest.raises(CheckpointError, match="it has no field 'samples'"):
        load(json.dumps(data))


def test_every_change_to_a_reader_s_state_is_refused_or_harmless():
    data = json.loads(some_text())
    state = data["inputs"]["numbers"]
    for key, value in [
        ("size", SIZE + 1),
        ("size", "37"),
        ("shuffle", False),
        ("seed", None),
        ("epoch", -1),
        ("remaining", {"0": [[5, 2]]}),
        ("remaining", {"0": [[0, 1000]]}),
        ("remaining", 3),
        ("cuts", {"7": [0, 1]}),
        ("other", 1),
    ]:
        changed = data | {"inputs": {"numbers": state | {key: value}}}
        pipe = make(graph(), checkpoint=json.dumps(changed))
        with pytest.raises(CheckpointError):
            pipe.run()
        pipe.close()


@pytest.mark.parametrize("names", [["other"], ["numbers", "other"], []])
def test_inputs_must_bear_the_names_they_had(names):
    def define():
        return [call(BatchNoise), *(call(Numbers, name=name)[0] for name in names)]

    pipe = make(define, checkpoint=some_text())
    with pytest.raises(CheckpointError, match=r"holds the state of \['numbers'\]"):
        pipe.run()
    pipe.close()


def test_dump_and_load_are_inverse():
    checkpoint = Checkpoint(seed=2**63 - 1, samples=10**15, inputs={"a": None, "b": [1]})
    assert load(checkpoint.dump()) == checkpoint
    assert issubclass(CheckpointError, PenstockError)
