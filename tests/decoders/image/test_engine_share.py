"""How files are shared out between the JPEG engine and threads."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.decoders.image.engine_share import TUNING, EngineShare, RunningMean

FILES = 100
ENGINE = np.full(FILES, 1000.0)
THREAD = np.full(FILES, 10.0)


def learned(engine_seconds=1e-6, thread_seconds=1e-4, idle=0.0):
    """Return a share that has seen one call of the engine and the work of threads."""
    share = EngineShare(None)
    share.note_engine(1000.0, 1000.0 * engine_seconds, idle)
    for _ in range(TUNING.first):
        share.note_threads(10.0, 10.0 * thread_seconds)
    return share


@pytest.mark.parametrize(("load", "count"), [(1.0, 0), (0.75, 25), (0.5, 50)])
def test_a_fixed_part_goes_to_the_engine(load, count):
    by_engine, by_threads = EngineShare(load).split(ENGINE, THREAD, 4)
    assert len(by_threads) == count
    assert sorted([*by_engine, *by_threads]) == list(range(FILES))


def test_the_engine_decodes_all_until_its_rate_is_known():
    by_engine, by_threads = EngineShare(None).split(ENGINE, THREAD, 4)
    assert by_engine.tolist() == list(range(FILES))
    assert not len(by_threads)


def test_the_rate_of_threads_is_learned_from_one_file_each():
    share = EngineShare(None)
    share.note_engine(1000.0, 0.001, 0.0)
    for _ in range(TUNING.first):
        assert len(share.split(ENGINE, THREAD, 4)[1]) == 4
        assert len(share.split(ENGINE[:3], THREAD[:3], 4)[1]) == 1
        share.note_threads(10.0, 1e-3)
    assert len(share.split(ENGINE, THREAD, 4)[1]) > 4


def test_engine_and_threads_end_together():
    # A file takes the engine 1 ms, and one of four threads 1 ms.
    share = learned()
    by_engine, by_threads = share.split(ENGINE, THREAD, 4)
    assert len(by_threads) / 4 == pytest.approx(0.95 * len(by_engine), abs=1)


def test_threads_take_what_is_cheap_for_them_and_dear_for_the_engine():
    engine, thread = ENGINE.copy(), THREAD.copy()
    thread[7], engine[8] = 1.0, 9000.0
    by_engine, by_threads = learned(thread_seconds=2e-3).split(engine, thread, 4)
    assert set(by_threads[:2].tolist()) == {7, 8}
    assert 7 not in by_engine


def test_a_file_that_takes_a_thread_longer_than_the_batch_stays_with_the_engine():
    by_engine, by_threads = learned(thread_seconds=1e-2).split(ENGINE[:8], THREAD[:8], 64)
    assert len(by_engine) == 8
    assert not len(by_threads)


def test_an_engine_that_waits_for_others_needs_no_help():
    assert not len(learned(idle=1.0).split(ENGINE, THREAD, 4)[1])
    some = len(learned(idle=0.0004).split(ENGINE, THREAD, 4)[1])
    assert 0 < some < len(learned().split(ENGINE, THREAD, 4)[1])


def test_little_help_is_no_help():
    share = learned(thread_seconds=4e-3)  # a tenth of the files
    helped = [len(share.split(ENGINE, THREAD, 4)[1]) for _ in range(TUNING.relearn + 1)]
    assert helped == [0] * TUNING.relearn + [4]  # now and then, to learn whether that changes
    share.note_threads(10.0, 1e-3)
    assert not len(share.split(ENGINE, THREAD, 4)[1])


def test_newer_values_count_more():
    mean = RunningMean()
    assert mean.value is None
    for value in (1.0, 2.0, 2.0, 2.0):
        mean.add(value)
    assert 1.4 < mean.value < 2
