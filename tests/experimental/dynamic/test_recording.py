"""Captured loops: the results of the loops as they are, computed by a pipeline."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.experimental import dynamic as ndd
from penstock.experimental.dynamic import calls, invocations


@pytest.fixture
def files(tmp_path):
    paths = []
    for number in range(12):
        paths.append(str(tmp_path / f"{number}.npy"))
        np.save(paths[-1], np.arange(number, number + 6, dtype=np.float32).reshape(2, 3))
    return paths


@pytest.fixture
def at_once(monkeypatch):
    """The operators that ran at once after the first round of a captured loop."""
    found = []
    run = invocations.Call.run

    def noted_run(self, context):
        recorder = calls._state.recorder
        if recorder is not None and recorder.is_noted:
            found.append(self.operator.name)
        return run(self, context)

    monkeypatch.setattr(invocations.Call, "run", noted_run)
    return found


def loops(files, body, *, epochs=2, **options):
    """Return what the body returns in each round, without and with a pipeline."""
    results = []
    for capture in (False, True):
        reader = ndd.readers.Numpy(files=files)
        rounds = []
        for _ in range(epochs):
            for (data,) in reader.next_epoch(batch_size=3, capture=capture, **options):
                result = body(len(rounds), data)
                rounds.append([np.asarray(output).tolist() for output in result])
        results.append(rounds)
    return results


def test_a_chain_of_operators(files, at_once):
    def body(_, data):
        wide = ndd.transpose(data * 2 + 1, perm=[1, 0])
        return ndd.reductions.sum(wide, axes=[0])

    plain, captured = loops(files, body)
    assert captured == plain
    assert len(plain) == 8
    assert at_once == []


def test_several_outputs_and_arguments_by_sample(files, at_once):
    def body(_, data):
        start, _ = ndd.nonsilent_region(ndd.reshape(data, shape=[-1]), cutoff_db=-3.0)
        shift = ndd.cast(start, dtype=ndd.float32)
        return ndd.transforms.translation(offset=ndd.stack(shift, shift)) + ndd.Batch.broadcast(
            0, 3
        )

    plain, captured = loops(files, body)
    assert captured == plain
    assert set(at_once) == {"_arithmetic"}  # its other operand is no datum of the loop


def test_bodies_that_change(files):
    def body(number, data):
        if number % 2:
            data = ndd.transpose(data, perm=[1, 0])
        return (data + number) * 2

    plain, captured = loops(files, body)
    assert captured == plain


def test_values_that_are_read_later_only(files):
    def body(number, data):
        doubled = data * 2
        return doubled + 1 if number == 0 else [*(doubled + 1), *doubled]

    plain, captured = loops(files, body)
    assert captured == plain


def test_data_of_earlier_rounds(files):
    kept = []

    def body(number, data):
        kept.append(data)
        return data + kept[number - 1 if number % 8 else number]

    plain, captured = loops(files, body)
    kept.clear()
    assert [len(rounds) for rounds in (plain, captured)] == [8, 8]
    assert captured[1:8] == plain[1:8]


def test_invariant_tensors(files, at_once):
    scale = ndd.capture.invariant(ndd.tensor(np.float32([1, 2, 3])))
    other = ndd.tensor(np.float32([1, 2, 3]))

    def body(_, data):
        return [*(data * scale), *(data * other)]

    plain, captured = loops(files, body, epochs=1)
    assert captured == plain
    assert at_once == ["_arithmetic"] * 3
    assert ndd.capture.invariant(3) == 3


def test_random_numbers_differ_from_round_to_round_and_follow_the_seed(files, at_once):
    def run(seed):
        ndd.random.set_seed(seed)
        reader = ndd.readers.Numpy(files=files)
        found = []
        for _ in reader.next_epoch(batch_size=3, capture=True):
            found += [
                [tensor.item() for tensor in ndd.random.uniform(range=[0, 1], batch_size=3)]
                for _ in range(2)
            ]
        return found

    first = run(1)
    assert run(1) == first != run(2)
    assert len({str(value) for value in first}) == len(first) == 8
    assert at_once == []


def test_a_generator_of_the_program_stays_its_own(files, at_once):
    rng = ndd.random.RNG(3)
    reader = ndd.readers.Numpy(files=files)
    found = [
        [tensor.item() for tensor in ndd.random.uniform(range=[0, 1], batch_size=3, rng=rng)]
        for _ in reader.next_epoch(batch_size=3, capture=True)
    ]
    rng = ndd.random.RNG(3)
    assert found == [
        [tensor.item() for tensor in ndd.random.uniform(range=[0, 1], batch_size=3, rng=rng)]
        for _ in range(4)
    ]
    assert at_once == ["random.uniform"] * 3


def test_a_loop_that_was_broken_off_and_other_loops(files):
    reader = ndd.readers.Numpy(files=files)
    for _ in range(2):
        for (data,) in reader.next_epoch(batch_size=3, capture=True):
            assert (data + 1).tensors[0][0, 0].item() == 1
            break
    for (data,) in reader.next_epoch(batch_size=3, capture=True):
        assert (data + 2).shape == [(2, 3)] * 3
    firsts = [data.tensors[0][0, 0].item() for (data,) in reader.next_epoch(batch_size=6)]
    assert firsts == [0, 6]


def test_states_of_captured_loops(files):
    def rounds(reader, count):
        found = []
        for (data,) in reader.next_epoch(batch_size=3, capture=True):
            found.append([tensor.item() for tensor in (data * 2).slice[0, 0]])
            if len(found) == count:
                break
        return found

    reader = ndd.readers.Numpy(files=files)
    assert rounds(reader, 2) == [[0, 2, 4], [6, 8, 10]]
    state = reader.get_state()
    other = ndd.readers.Numpy(files=files)
    other.set_state(state)
    assert rounds(other, 9) == [[12, 14, 16], [18, 20, 22]]


def test_errors_name_the_line_of_the_call(files):
    np.save(files[7], np.full((2, 2), 9, np.float32))
    rounds = []

    def run():
        for (data,) in ndd.readers.Numpy(files=files).next_epoch(batch_size=3, capture=True):
            rounds.append(ndd.reshape(data, shape=[6]).shape)

    with pytest.raises(ArgumentError, match="shape") as raised:
        run()
    notes = "\n".join(raised.value.__notes__)
    assert f"made at {__file__}:{run.__code__.co_firstlineno + 2}" in notes
    assert "7.npy" in notes
    assert rounds == [[(6,)] * 3] * 2


def test_sources(at_once):
    batches = [ndd.batch([[i, 1], [i, 2]], layout="X") for i in range(5)]
    source = ndd.ExternalSource(batches, cycle="raise")
    for _ in range(2):
        found = [np.asarray(ndd.as_tensor(one * 2)).tolist() for one in source.captured(2)]
        assert found == [[[2 * i, 2], [2 * i, 4]] for i in range(5)]
    assert at_once == []
    pairs = ndd.ExternalSource([(np.full(2, i), np.ones(3)) for i in range(4)], num_outputs=2)
    sums = [(ndd.reductions.sum(one), other.shape) for one, other in pairs.captured(3)]
    assert [[tensor.item() for tensor in one] for one, _ in sums] == [[2 * i] * 3 for i in range(4)]
    assert sums[0][1] == [(3,)] * 3


def test_a_batch_size_is_needed(files):
    with pytest.raises(ArgumentError, match="needs a batch_size"):
        ndd.readers.Numpy(files=files).next_epoch(capture=True)


def test_calls_outside_of_the_loop_are_not_seen(files):
    reader = ndd.readers.Numpy(files=files)
    for _ in reader.next_epoch(batch_size=3, capture=True):
        pass
    first = ndd.random.uniform(range=[0, 1], batch_size=3, rng=ndd.random.RNG(1))
    assert first.origin is None


def test_on_the_gpu(files, device_stage):
    def body(_, data):
        return (ndd.transpose(data.gpu() * 2, perm=[1, 0]) + 1).cpu()

    plain, captured = loops(files, body)
    assert captured == plain
