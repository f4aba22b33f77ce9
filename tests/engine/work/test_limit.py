"""The limit that figures show, and what would lift it."""

from __future__ import annotations

import pytest

from penstock import fn
from penstock.engine.work.figures import OperatorStats, PipelineFigures
from penstock.engine.work.limit import limit_of


def stats_of(node, stage, busy):
    """The figures of an operator that was busy for so many seconds."""
    name, remedies = node.operator.name, node.operator.remedies()
    return OperatorStats(node.name, name, stage, busy, 100.0, remedies=remedies)


def figures_of_operators():
    encoded, _ = fn.readers.file(files=["a.jpg"], name="read")
    array = fn.readers.numpy(files=["a.npy"], name="arrays")
    image = fn.decoders.image(encoded, name="decode")
    mixed = fn.decoders.image(encoded, device="mixed", name="decode_mixed")
    return (
        stats_of(image.node, "workers", 15.0),
        stats_of(mixed.node, "device", 1.0),
        stats_of(encoded.node, "feeder", 9.0),
        stats_of(array.node, "feeder", 1.0),
        stats_of(fn.resize(image, size=9, name="resize").node, "workers", 16.0),
        stats_of(fn.crop_mirror_normalize(mixed, name="normalize").node, "device", 19.0),
        stats_of(image.gpu().node, "device", 19.0),
        stats_of(fn.external_source(source=lambda: None, name="mine").node, "feeder", 9.0),
    )


DECODE, MIXED, READ, ARRAYS, RESIZE, GPU, COPY, SOURCE = figures_of_operators()


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

ENGINE = {"gpu_wait_s": 17.0, "engines_s": {"JPEG engine": 9.0}}
"""Figures of an engine of the GPU that works nearly all the time."""

BUSY = {"machine_cpu_s": 39.0}
"""Figures of a machine whose other programs use two cores."""

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
        ([DECODE], {"workers_cpu_s": 5.0} | BUSY, "cores", "other processes use 1.9 of 4 cores"),
        ([DECODE], BUSY, "decoding", "other processes use 1.9 of 4 cores"),
        ([GPU], LAUNCHES | {"gpu_wait_s": 3.0} | BUSY, "cores", "an idle machine"),
        ([READ], {"feeder_cpu_s": 2.0}, "reading", "a faster disk"),
        ([READ], {}, "feeder", "num_shards"),
        ([GPU], {}, "device", "lighter operators"),
        ([GPU], LAUNCHES | {"gpu_wait_s": 17.0}, "device", "another GPU"),
        ([GPU, MIXED], LAUNCHES | ENGINE, "engine", "hw_decoder_load"),
        ([GPU], LAUNCHES | ENGINE, "engine", "another GPU"),
        ([GPU], LAUNCHES | {"gpu_wait_s": 3.0}, "GIL", "larger batches"),
        ([GPU, MIXED], LAUNCHES | {"threads_wait_s": 15.0}, "decoding", "num_threads=4 (now 2)"),
        ([GPU, MIXED], LAUNCHES | {"threads_wait_s": 15.0}, "decoding", "penstock convert"),
        ([GPU], LAUNCHES | {"threads_wait_s": 15.0}, "operators", "num_threads=4 (now 2)"),
        ([GPU], LAUNCHES | {"threads_wait_s": 15.0, "cores": 2}, "operators", "more cores"),
        ([GPU], LAUNCHES | {"launch_s": 12.0}, "device", "another GPU"),
        ([COPY], LAUNCHES | {"gpu_wait_s": 17.0}, "bus", "smaller dtypes"),
        ([COPY, ARRAYS], LAUNCHES | {"gpu_wait_s": 17.0}, "bus", "roi_start"),
        ([COPY, DECODE], LAUNCHES | {"gpu_wait_s": 17.0}, "bus", "decoding on the GPU"),
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
    limit = limit_of(figures(SOURCE))
    assert limit.name == "feeder"
    assert "faster source" in limit.remedies[0]


def test_a_python_function_of_whole_batches_is_no_storage():
    function = OperatorStats("mine", "python_function", "feeder", 9.0, 9000.0)
    assert limit_of(figures(function, feeder_cpu_s=1.0)).name == "feeder"


def test_one_worker_is_never_too_many():
    for changes in ({"workers": "threads"}, {"workers": "processes"}, {"cpu_s": 39.0}):
        waiting = {"workers_cpu_s": 5.0, "num_threads": 1} | changes
        judged = limit_of(figures(DECODE, **waiting))
        assert not any("fewer workers" in remedy for remedy in judged.remedies)


def test_the_operators_of_others_advise_too():
    advice = {"operators": ("fewer rounds",), "GIL": ("a build without the GIL",)}
    mine = OperatorStats("mine", "mine", "workers", 16.0, 100.0, remedies=advice)
    assert limit_of(figures(mine, cores=2)).remedies == ("fewer rounds",)
    waiting = limit_of(figures(DECODE, mine, workers_cpu_s=5.0))
    assert waiting.remedies[-1] == "a build without the GIL"


def test_the_engine_that_is_busiest_is_named():
    engines = {"JPEG engine": 3.0, "JPEG 2000 engine": 9.0}
    limit = limit_of(figures(GPU, **LAUNCHES | {"gpu_wait_s": 17.0, "engines_s": engines}))
    assert "the JPEG 2000 engine is at work 90% of the time" in limit.cause


SETTINGS = [
    ({}, {"num_threads": 4}),
    ({"cores": 2, "cpu_s": 15.0}, {}),
    ({"workers_cpu_s": 5.0}, {"exec_processes": True}),
    ({"workers_cpu_s": 5.0, "workers": "processes"}, {}),
]


@pytest.mark.parametrize(("changes", "setting"), SETTINGS)
def test_the_setting_is_that_of_the_first_remedy(changes, setting):
    limit = limit_of(figures(DECODE, **changes))
    assert limit.setting == setting
    assert all(f"{name}={value}" in limit.remedies[0] for name, value in setting.items())


@pytest.mark.parametrize("cores", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("changes", "setting"), SETTINGS)
def test_beside_other_programs_no_argument_is_advised(cores, changes, setting):
    used = {"cores": 4, "cpu_s": 20.0} | changes
    limit = limit_of(figures(DECODE, **used, machine_cpu_s=used["cpu_s"] + 10 * cores))
    assert limit.setting == {}
    assert limit.remedies[0].startswith(f"an idle machine: other processes use {cores} of")
    assert not any("exec_processes" in each or "num_threads" in each for each in limit.remedies)
    assert limit.name != "GIL"
