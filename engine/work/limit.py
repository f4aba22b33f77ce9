"""The limit that a pipeline has met, and the remedies that would lift the limit.

A stage whose threads are busy all the time limits the throughput. Busy threads do not always
compute: they also wait for storage, for a core, or for the GIL. CPU times tell these cases apart.
What would lift a limit is often known to the operators alone: see `Operator.remedies`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..graph.limits import LimitName
from .figures import STAGES, OperatorStats, PipelineFigures

CONSUMER_WAITS = 0.1
"""A consumer that waits for a smaller fraction of the time is the limit."""

MEMORY_WAITS = 0.2
"""The byte budget that stops the feeder for a larger fraction is the limit."""

MIN_COMPUTING = 0.6
"""Threads that compute for less than this fraction of their busy time wait for cores, for the GIL,
or for storage."""

CORES_BUSY = 0.85
"""Cores that compute for a larger fraction of their time have none for threads that wait."""

OTHERS_BUSY = 0.1
"""Other processes that compute for a larger fraction of the cores' time take them away."""

ENGINE_BUSY = 0.85
"""An engine of the GPU that works for a larger fraction of the time is the limit."""

LAUNCHING_BUSY = 0.75
"""Threads that launch for a smaller fraction of the time have time to spare."""


@dataclass(frozen=True)
class Limit:
    """The limit of a pipeline's throughput.

    Attributes:
        name: what is used up. "reading" stands for storage, "feeder" for the thread that starts
            batches, "Python workers" for the processes that call users' code, "decoding" and
            "operators" for CPU time of the workers, "cores" for all cores of the process, "engine"
            for a unit of the GPU with a clock of its own (see `LaneTimes.engines_ns`), "bus" for
            copies to and from the GPU, and "device" for the GPU's other units, such as the CUDA
            cores.
        cause: one line for people.
        remedies: what would raise the throughput, the most promising first.
        setting: the arguments of the pipeline that the first remedy changes; {} if that is none,
            or if other programs use the cores.
    """

    name: LimitName
    cause: str
    remedies: tuple[str, ...] = ()
    setting: Mapping[str, Any] = field(default_factory=dict)


def limit_of(figures: PipelineFigures) -> Limit:
    """Return the limit that the figures show."""
    if figures.batches == 0:
        return Limit("unknown", "no batch was delivered yet")
    if figures.waiting < CONSUMER_WAITS:
        return Limit(
            "consumer",
            f"the consumer: it waited only {figures.waiting:.0%} of "
            "the time for data, the pipeline is fast enough",
            ("make the training step faster; the pipeline has time to spare",),
        )
    if figures.memory_wait_s > MEMORY_WAITS * figures.wall_s:
        return Limit(
            "memory",
            "memory: batches wait for the byte budget (argument prefetch_bytes, or "
            "prefetch_device_bytes for the GPU's memory)",
            ("raise prefetch_bytes or prefetch_device_bytes", "lower the batch size"),
        )
    stage = max(STAGES, key=figures.load)
    worst = next((op for op in figures.operators if op.stage == stage), None)
    if worst is None:
        return Limit("unknown", "no operator did any work")
    judge = {"feeder": _of_feeder, "workers": _of_workers, "device": _of_device}[stage]
    name, advice, first, otherwise, setting = judge(figures, worst)
    if idle := _idle_machine(figures):
        first = (idle, *(() if setting else first))  # what changes an argument goes
        setting = {}
    share = _percent(worst.busy_s, figures.busy_s(stage))
    return Limit(
        name,
        f"{worst.operator} ({worst.name}): {share} of the time of the {stage} stage, "
        f"{worst.per_sample_us:.0f} us a sample ({advice})",
        (*first, *(_advice_of_operators(figures, worst, name) or otherwise)),
        setting,
    )


def _advice_of_operators(
    figures: PipelineFigures, worst: OperatorStats, name: LimitName
) -> tuple[str, ...]:
    """Return the operators' remedies for a limit, those of the worst operator first."""
    operators = (worst, *figures.operators)
    return tuple(dict.fromkeys(remedy for op in operators for remedy in op.remedies.get(name, ())))


class _Judgment(NamedTuple):
    """The resource that is used up in a stage.

    Attributes:
        name: of the limit.
        advice: what it means, for people.
        first: the remedies that stand first.
        otherwise: the remedies where no operator of the graph knows any.
        setting: as `Limit.setting`.
    """

    name: LimitName
    advice: str
    first: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    setting: Mapping[str, Any] = {}


def _of_feeder(figures: PipelineFigures, worst: OperatorStats) -> _Judgment:
    waits = figures.feeder_cpu_s < MIN_COMPUTING * figures.busy_s("feeder")
    if "reading" in worst.remedies and waits:
        return _Judgment("reading", "it waits for storage, or for processes that read")
    if "Python workers" in worst.remedies and waits:
        return _Judgment("Python workers", "it waits for the processes that call users' code")
    advice = "it runs in one thread, before or between the parallel operators"
    return _Judgment("feeder", advice, otherwise=_FEEDING)


_FEEDING = (
    "do less in this operator; replace Python functions of whole batches by operators",
    "one pipeline for each part of the data (num_shards)",
)


def _of_workers(figures: PipelineFigures, worst: OperatorStats) -> _Judgment:
    workers = f"{figures.num_threads} {figures.workers}"
    busy = figures.busy_s("workers")
    if figures.workers_cpu_s < MIN_COMPUTING * busy:
        awaited = "cores" if _cores_are_busy(figures) else "cores or for the GIL"
        advice = (
            f"{workers}, which computed in {_percent(figures.workers_cpu_s, busy)} of that time "
            f"and else waited for {awaited}: fewer may be faster"
        )
        scarce = _scarce(figures)
        setting = {"exec_processes": True} if scarce == "GIL" else {}
        return _Judgment(scarce, advice, _remedies_of_waiting(figures), (), setting)
    advice = f"{workers}; more of them help if cores are free"
    more, setting = _more_threads(figures, "workers")
    if "decoding" in worst.remedies:
        return _Judgment("decoding", advice, more, (), setting)
    return _Judgment("operators", advice, more, _LIGHTER, setting)


_LIGHTER = ("move this operator to the GPU, or make it lighter",)


def _more_threads(figures: PipelineFigures, name: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the remedy of more threads and its setting, if there are cores for them."""
    if figures.num_threads >= figures.cores:
        return (), {}
    remedy = f"more {name}: num_threads={figures.cores} (now {figures.num_threads})"
    return (remedy,), {"num_threads": figures.cores}


def _scarce(figures: PipelineFigures) -> LimitName:
    return "cores" if _cores_are_busy(figures) or figures.workers == "processes" else "GIL"


def _cores_are_busy(figures: PipelineFigures) -> bool:
    """Return whether threads that wait may wait for cores, because of this or other processes."""
    busy = figures.cpu_s > CORES_BUSY * figures.cores * figures.wall_s
    return busy or _other_cores(figures) > 0


def _other_cores(figures: PipelineFigures) -> float:
    """Return how many cores other processes use; 0 if these are too few to matter."""
    others = figures.machine_cpu_s - figures.cpu_s
    matter = others > OTHERS_BUSY * figures.cores * figures.wall_s > 0
    return others / figures.wall_s if matter else 0.0


def _idle_machine(figures: PipelineFigures) -> str:
    """Return the remedy that comes before all others while other processes use the cores."""
    others = _other_cores(figures)
    if not others:
        return ""
    return f"an idle machine: other processes use {others:.1f} of {figures.cores} cores"


_OTHERS = "an idle machine, if other programs use its cores now"


def _remedies_of_waiting(figures: PipelineFigures) -> tuple[str, ...]:
    some = figures.num_threads
    fewer = (f"fewer workers than {some}",) if some > 1 else ()
    if _other_cores(figures):
        return fewer
    if _cores_are_busy(figures):
        return f"more cores: this process may use {figures.cores}", *fewer
    if figures.workers == "threads":
        return "worker processes: exec_processes=True", *fewer, _OTHERS
    return _OTHERS, *fewer


def _of_device(figures: PipelineFigures, worst: OperatorStats) -> _Judgment:
    engine = max(figures.engines_s, key=lambda name: figures.engines_s[name], default="")
    if engine and figures.engines_s[engine] > ENGINE_BUSY * figures.wall_s:
        part = _percent(figures.engines_s[engine], figures.wall_s)
        return _Judgment("engine", f"the {engine} is at work {part} of the time", (), _COMPUTING)
    threads, gpu = figures.threads_wait_s, figures.gpu_wait_s
    launching = figures.launch_s - gpu - threads
    if figures.launch_s < LAUNCHING_BUSY * figures.lanes * figures.wall_s:
        launching = threads = 0.0  # they have time to spare
    if threads > max(launching, gpu):
        advice = (
            f"{figures.num_threads} threads do what the GPU does not do alone; the threads that "
            f"launch waited for them for {_percent(threads, figures.launch_s)} of their time"
        )
        decodes = any("decoding" in op.remedies for op in figures.operators)
        more, setting = _more_threads(figures, "threads")
        name: LimitName = "decoding" if decodes else "operators"
        return _Judgment(name, advice, more, ("more cores",), setting)
    if launching > gpu:
        advice = (
            f"{figures.lanes} threads launch work for the GPU; Python took "
            f"{_percent(launching, figures.launch_s)} of their time, with the wait for the GIL"
        )
        waits = figures.launch_cpu_s < MIN_COMPUTING * launching
        scarce = waits and _cores_are_busy(figures)
        first = _remedies_of_waiting(figures) if scarce else ()
        return _Judgment("cores" if scarce else "GIL", advice, first, _LAUNCHING)
    if "bus" in worst.remedies:
        return _Judgment("bus", "copies between host and GPU")
    return _Judgment("device", "the GPU computes", (), _COMPUTING)


_LAUNCHING = (
    "larger batches",
    "fewer operators on the GPU: one that does several steps at once",
    "a process for each part of the data (num_shards)",
)
_COMPUTING = ("fewer or lighter operators on the GPU", "smaller images", "another GPU")


def _percent(amount: float, whole: float) -> str:
    return f"{100 * amount / whole:.0f}%" if whole else "0%"
