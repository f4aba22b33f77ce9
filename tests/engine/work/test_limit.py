"""The limit that figures show, and what would lift it."""

from __future__ import annotations

import pytest

from penstock.engine.work.figures import OperatorStats, PipelineFigures
from penstock.engine.work.limit import limit_of

DECODE, READ, RESIZE, GPU, COPY = (
    OperatorStats(name, operator, stage, busy, 100.0)
    for name, operator, stage, busy in (
        ("decode", "decoders.image", "workers", 15.0),
        ("read", "readers.file", "feeder", 9.0),
        ("resize", "resize", "workers", 16.0),
        ("normalize", "crop_mirror_normalize", "device", 19.0),
        ("upload", "copy", "device", 19.0),
    )
)


USUAL = {
    "batches": 10,
    "samples": 1000,
    "wall_s": 10.0,
    "num_threads": 2,
    "consumer_wait_s": 9.0,
    "workers_wait_s": 0.0,
    "workers_cpu_s": 14.0,
    "feeder_wait_s": 0.0,
    "memory_wait_s": 0.0,
    "operators": (),
    "lent_bytes": 0,
    "idle_bytes": 0,
    "skipped": {},
    "feeder_cpu_s": 8.0,
    "cpu_s": 20.0,
    "cores": 4,
}
"""Figures of ten seconds on four cores, two workers, and a consumer that always waited."""

LAUNCHES = {"lanes": 2, "launch_s": 19.0, "launch_cpu_s": 6.0}
"""Figures of two threads that launch all the time."""


def figures(*operators, **changes):
    return PipelineFigures(**USUAL | {"operators": operators} | changes)


@pytest.mark.parametrize(
    ("operators", "changes", "name", "remedy"),
    [
        ([DECODE], {}, "decoding", "more workers: num_threads=4 (now 2)"),
        ([DECODE], {"cores": 2}, "decoding", "decode on the GPU"),
        ([RESIZE], {}, "operators", "more workers"),
        ([DECODE], {"workers_cpu_s": 5.0}, "GIL", "exec_processes=True"),
        ([DECODE], {"workers_cpu_s": 5.0, "workers": "processes"}, "cores", "an idle machine"),
        ([DECODE], {"workers_cpu_s": 5.0, "cpu_s": 39.0}, "cores", "more cores"),
        ([READ], {"feeder_cpu_s": 2.0}, "reading", "a faster disk"),
        ([READ], {}, "feeder", "num_shards"),
        ([GPU], {}, "device", "lighter operators"),
        ([GPU], LAUNCHES | {"gpu_wait_s": 17.0}, "device", "another GPU"),
        ([GPU], LAUNCHES | {"gpu_wait_s": 17.0, "engine_s": 9.0}, "engine", "hw_decoder_load"),
        ([GPU], LAUNCHES | {"gpu_wait_s": 3.0}, "GIL", "larger batches"),
        ([GPU], LAUNCHES | {"threads_wait_s": 15.0}, "decoding", "num_threads=4 (now 2)"),
        ([GPU], LAUNCHES | {"threads_wait_s": 15.0, "cores": 2}, "decoding", "penstock convert"),
        ([GPU], LAUNCHES | {"launch_s": 12.0}, "device", "another GPU"),
        ([COPY], LAUNCHES | {"gpu_wait_s": 17.0}, "bus", "smaller dtypes"),
        ([DECODE], {"consumer_wait_s": 0.5}, "consumer", "training step"),
        ([DECODE], {"memory_wait_s": 3.0}, "memory", "prefetch_bytes"),
    ],
)
def test_what_is_used_up_and_what_lifts_it(operators, changes, name, remedy):
    limit = limit_of(figures(*operators, **changes))
    assert limit.name == name
    assert any(remedy in each for each in limit.remedies)
    assert limit.cause


def test_without_work_there_is_no_limit():
    assert limit_of(figures(batches=0)).name == "unknown"
    assert limit_of(figures()).name == "unknown"


def test_a_slow_source_of_the_user_s():
    source = OperatorStats("mine", "external_source", "feeder", 9.0, 9000.0)
    limit = limit_of(figures(source))
    assert limit.name == "feeder"
    assert "faster source" in limit.remedies[0]


def test_a_python_function_of_whole_batches_is_no_storage():
    function = OperatorStats("mine", "python_function", "feeder", 9.0, 9000.0)
    assert limit_of(figures(function, feeder_cpu_s=1.0)).name == "feeder"


def test_one_worker_is_never_too_many():
    for changes in ({"workers": "threads"}, {"workers": "processes"}, {"cpu_s": 39.0}):
        waiting = {"workers_cpu_s": 5.0, "num_threads": 1} | changes
        judged = limit_of(figures(DECODE, **waiting))
        assert not any("fewer workers" in each for each in judged.remedies)
