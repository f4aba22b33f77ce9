"""Bad samples: what takes their place, in which order, and what is written about it."""

from __future__ import annotations

import errno
import json

import numpy as np
import pytest

from penstock import MissingDependencyError, PipelineStopped, SourceError
from penstock.engine.work.faults import POLICIES, is_machine_error

from ..toys import (
    Add,
    Affine,
    BatchAffine,
    BatchCall,
    Call,
    Feed,
    Noise,
    Numbers,
    assert_same,
    call,
    make,
    rows_of,
    run,
)


class BadError(Exception):
    """What the tests' operators raise for a bad sample."""


def refuse(*bad):
    """Return the function of an operator that fails for some numbers."""

    def function(row, x, *others):
        if int(x[0]) in bad:
            raise BadError(f"cannot process {int(x[0])}")
        return x * 10

    return function


def graph(bad_reads=(), bad_work=(), **arguments):
    def define():
        data, labels = call(Numbers, bad=list(bad_reads), **arguments)
        return call(Call, data, function=refuse(*bad_work)), labels, call(Noise, data)

    return define


def labels_of(batch):
    return [int(label) for label in batch[1]]


@pytest.mark.parametrize("policy", ["skip", "replace"])
@pytest.mark.parametrize("bad", [{"bad_reads": [5, 6, 17]}, {"bad_work": [5, 6, 17]}])
@pytest.mark.parametrize("ragged", [False, True])
def test_batches_keep_their_size_and_images_their_labels(policy, bad, ragged):
    define = graph(**bad, ragged=ragged)
    expected = run(define, 10, on_error=policy, num_threads=1, exec_pipelined=False)
    for threads, depth in [(2, 1), (8, 5)]:
        options = {"on_error": policy, "num_threads": threads, "prefetch_queue_depth": depth}
        assert_same(run(define, 10, **options), expected)
    for number, batch in enumerate(expected):
        assert [len(output) for output in batch] == [4, 4, 4]
        for i, (image, label) in enumerate(zip(batch[0], labels_of(batch), strict=True)):
            assert set(image.tolist()) == {10 * label}
            position = (4 * number + i) % 20
            assert (label == position) == (position not in (5, 6, 17))
            assert label not in (5, 6, 17)


def test_replaced_rows_are_marked():
    with make(graph([5], [6]), on_error="skip") as pipe:
        assert pipe.run()[0].valid.all()
        batch = pipe.run()
        for output in batch:
            assert output.valid.tolist() == [True, False, False, True]
        for i in range(4):  # what source_info names is what the row holds
            assert batch[0].source_info()[i] == f"numbers/{int(batch[1].at(i))}"
        assert pipe.stats().skipped == {"refilled": 2}
        assert "bad samples" in str(pipe.stats())


def test_a_copy_is_of_the_nearest_good_sample_before():
    with make(graph(bad_work=[4, 6, 7]), on_error="replace") as pipe:
        pipe.run()
        batch = rows_of(pipe.run())
    assert labels_of(batch) == [5, 5, 5, 5]
    with make(graph(bad_work=[2, 3, 9]), on_error="replace") as pipe:
        assert [labels_of(rows_of(pipe.run())) for _ in range(3)] == [
            [0, 1, 1, 1],
            [4, 5, 6, 7],
            [8, 8, 10, 11],
        ]


def test_random_numbers_stay_those_of_the_position():
    def noise(batch):
        return [x[0] - label for x, label in zip(batch[2], labels_of(batch), strict=True)]

    good = run(graph(), 5)
    skipped = run(graph([5, 6, 17]), 5, on_error="skip")
    for one, other in zip(good, skipped, strict=True):
        np.testing.assert_allclose(noise(one), noise(other), atol=1e-12)


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_the_quarantine_log_names_what_was_bad_and_why(policy, tmp_path):
    log = tmp_path / "bad.jsonl"
    with make(graph([5], [6]), on_error=policy, quarantine_log=log) as pipe:
        for _ in range(5):
            pipe.run()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    first, second = [line for line in lines if line["action"] != "replacement failed"]
    action = "refilled" if policy == "skip" else "copied"
    assert first == {
        "source": "numbers/5",
        "epoch": 0,
        "position": 5,
        "batch": 1,
        "row": 1,
        "error": "SourceError",
        "message": "sample 5 is broken",
        "notes": first["notes"],
        "action": action,
    }
    assert "toy_numbers_0" in first["notes"][0]
    assert (second["source"], second["error"]) == ("numbers/6", "BadError")
    assert "toy_call_1" in second["notes"][0]


def test_bad_replacement_samples_are_retried_and_logged(tmp_path):
    log = tmp_path / "bad.jsonl"
    bad = [i for i in range(20) if i not in (0, 1, 2, 9, 13)]
    define = graph(bad)
    with make(define, on_error="skip", quarantine_log=log, batch_size=5) as pipe:
        batches = [rows_of(pipe.run()) for _ in range(4)]
    assert {label for batch in batches for label in labels_of(batch)} == {0, 1, 2, 9, 13}
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    failed = [line["source"] for line in lines if line["action"] == "replacement failed"]
    assert failed
    assert set(failed) <= {f"numbers/{i}" for i in bad}
    assert_same(run(define, 4, on_error="skip", batch_size=5, num_threads=1), batches)


@pytest.mark.parametrize("policy", ["skip", "replace"])
@pytest.mark.parametrize("bad", ["bad_reads", "bad_work"])
def test_if_all_samples_are_bad_the_run_ends(policy, bad):
    pipe = make(graph(**{bad: range(20)}), on_error=policy)
    with pytest.raises(SourceError if bad == "bad_reads" else BadError) as caught:
        pipe.run()
    notes = "\n".join(caught.value.__notes__)
    assert "sample 0 of batch 0" in notes
    assert "no sample could replace it" in notes
    with pytest.raises(PipelineStopped):
        pipe.run()


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_a_batch_of_bad_samples_alone_does_not_end_the_run(policy):
    define = graph([4, 5], [6, 7])
    batches = run(define, 5, on_error=policy)
    assert all(label not in (4, 5, 6, 7) for batch in batches for label in labels_of(batch))
    single = run(define, 8, on_error=policy, batch_size=1)
    assert [labels_of(batch)[0] for batch in single][:4] == [0, 1, 2, 3]
    assert all(label not in (4, 5, 6, 7) for batch in single for label in labels_of(batch))


def test_after_a_whole_batch_operator_the_neighbor_is_copied():
    def define():
        data, labels = call(Numbers)
        scaled = call(BatchAffine, data, a=2.0)
        return call(Call, scaled, function=refuse(12)), labels, scaled

    with make(define, on_error="skip") as pipe:
        pipe.run()
        batch = pipe.run()
        assert pipe.stats().skipped == {"copied": 1}
    assert labels_of(rows_of(batch)) == [4, 5, 5, 7]
    assert batch[0].source_info() == [f"numbers/{i}" for i in (4, 5, 5, 7)]
    assert batch[0].as_array()[:, 0].tolist() == [80, 100, 100, 140]
    assert batch[2].as_array()[:, 0].tolist() == [8, 10, 10, 14]


def test_a_later_whole_batch_operator_sees_the_replacement_sample():
    def define():
        data, labels = call(Numbers)
        first = call(Call, data, function=refuse(6))
        second = call(BatchCall, first, function=lambda batch, x: x.as_array() + 1)
        third = call(Call, call(Affine, second), function=refuse(91))
        return third, labels, first

    for policy in ("skip", "replace"):
        for batch in run(define, 5, on_error=policy):
            for third, label, first in zip(*batch, strict=True):
                assert (third == (10 * label + 1) * 10).all()
                assert (first == 10 * label).all()
                assert label not in (6, 9)


def test_readers_side_by_side_skip_together():
    def define():
        one, labels = call(Numbers, bad=[5])
        other, _ = call(Numbers)
        return call(Add, one, other), labels

    for batch in run(define, 5, on_error="skip"):
        for total, label in zip(*batch, strict=True):
            assert label != 5
            # each reader finds its own stand-in: both are of the same length and order
            assert (total == 2 * label).all()


def test_a_source_without_replacement_samples_copies():
    def define():
        fed = call(Feed, source=lambda n: np.arange(4)[:, None] + 4 * n)
        return call(Call, fed, function=refuse(2, 4)), fed

    batches = run(define, 2, on_error="skip")
    numbers = [[int(x[0]) for x in fed] for _, fed in batches]
    assert numbers == [[0, 1, 1, 3], [7, 5, 6, 7]]


def test_what_is_no_exception_ends_the_run_under_any_policy():
    def leave(row, x):
        if x[0] in (5, 6):
            raise SystemExit(3) if x[0] == 6 else BadError("five")
        return x

    for policy in POLICIES:
        pipe = make(lambda: call(Call, call(Numbers)[0], function=leave), on_error=policy)
        pipe.run()
        with pytest.raises(BadError if policy == "raise" else SystemExit):
            pipe.run()


def test_replacement_samples_do_not_take_a_slab_each():
    def define():
        data, _ = call(Numbers, side=64 * 1024, prefetch_queue_depth=0)
        return call(Call, data, function=refuse(*range(1, 16)))

    with make(define, on_error="skip", batch_size=8) as pipe:
        pipe.run()
        (batch,) = pipe.run()
        assert not batch.valid[:8].all()
    assert pipe._run.pool.lent_bytes <= 2 * 8 * 64 * 1024 * 8


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, "too many"),
        OSError(errno.ENOMEM, "none left"),
        MemoryError("none"),
        MissingDependencyError("no library"),
    ],
)
@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_an_error_of_the_machine_is_no_bad_sample(error, policy):
    def fail(row, x):
        if x[0] == 2:
            raise error
        return x

    pipe = make(lambda: call(Call, call(Numbers)[0], function=fail), on_error=policy)
    with pytest.raises(type(error)) as caught:
        pipe.run()
    assert any("error of the machine" in note for note in caught.value.__notes__)
    assert pipe.stats().skipped == {}


def test_the_cause_of_an_error_may_be_the_machine_s():
    wrapped = ValueError("cannot read")
    wrapped.__cause__ = OSError(errno.ENFILE, "table is full")
    assert is_machine_error(wrapped)
    assert not is_machine_error(OSError(errno.ENOENT, "gone"))
    assert not is_machine_error(None)


@pytest.mark.parametrize("ragged", [False, True])
def test_work_in_place_on_a_copied_row_leaves_its_neighbor_alone(ragged):
    with make(graph(bad_work=[1], ragged=ragged), on_error="replace") as pipe:
        batch = pipe.run()[0]
    rows = [batch.at(i) for i in range(4)]
    before = [row.copy() for row in rows]
    rows[1][...] += 1
    assert (rows[0] == before[0]).all()
    assert (rows[1] == before[0] + 1).all()
