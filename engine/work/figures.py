"""The figures of a pipeline: plain data, and the differences between two moments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from ..control.readings import Decision
from ..graph.limits import Remedies

_Number = TypeVar("_Number", int, float)

STAGES = ("feeder", "workers", "device")

_SUMS = (
    "batches",
    "samples",
    "wall_s",
    "consumer_wait_s",
    "workers_wait_s",
    "workers_cpu_s",
    "feeder_wait_s",
    "feeder_cpu_s",
    "memory_wait_s",
    "cpu_s",
    "machine_cpu_s",
    "launch_s",
    "gpu_wait_s",
    "threads_wait_s",
    "launch_cpu_s",
)
"""Fields that grow while the pipeline runs."""


@dataclass(frozen=True)
class OperatorStats:
    """Time spent in one operator.

    Attributes:
        name: name of the operator in the graph.
        operator: name of the operator in `fn`, as in "decoders.image".
        stage: "feeder", "workers" or "device": which threads run it.
        busy_s: seconds, summed over threads.
        per_sample_us: microseconds of one thread for one sample.
        remark: the operator's words on the way it works, such as the path of the data; or "".
        events: numbers of rare events, such as damage that left all pixels intact, by description.
        remedies: what the operator knows to lift limits: see `Operator.remedies`.
    """

    name: str
    operator: str
    stage: str
    busy_s: float
    per_sample_us: float
    remark: str = ""
    events: dict[str, int] = field(default_factory=dict)
    remedies: Remedies = field(default_factory=dict)


@dataclass(frozen=True)
class StageFigures:
    """The load of the threads of one stage.

    Attributes:
        name: "feeder", "workers" or "device".
        threads: their number.
        load: fraction of the time during which they were busy.
        computing: fraction of the busy time during which they used a core; None for "device".
    """

    name: str
    threads: int
    load: float
    computing: float | None


@dataclass(frozen=True)
class PipelineFigures:
    """The figures of a pipeline, from its start or between two moments.

    Attributes:
        batches, samples: delivered so far.
        wall_s: seconds since the pipeline was built, or between the two moments.
        consumer_wait_s: the consumer waited for a batch: the pipeline was too slow.
        workers_wait_s: workers had nothing to do, summed over `num_threads`.
        workers_cpu_s: CPU time of the workers. If it is much less than their operators' busy
            time, the workers waited for a core, a disk or the GIL.
        feeder_wait_s: the feeder thread had nothing to do: queues were full.
        feeder_cpu_s: CPU time of the feeder thread. If it is much less than its operators' busy
            time, the feeder waited for storage, for threads that read, or for the GIL.
        cpu_s: CPU time of this process and of those that it has started.
        machine_cpu_s: CPU time of all programs on the cores that this process may use; 0 where the
            system does not say.
        cores: number of cores that this process may use.
        decisions: the last decision of each rule that steers the pipeline, by the rule's name, with
            what the rule has read.
        lanes: number of threads that launch work of the GPU.
        launch_s: seconds that these threads spent on launching, summed over `lanes`.
        gpu_wait_s, threads_wait_s: the parts of `launch_s` in which they waited for the GPU, and
            for threads that work for them.
        launch_cpu_s: their CPU time. If it is much less than the rest of `launch_s`, they waited
            for the GIL.
        engines_s: seconds that engines of the GPU were at work, by their names.
        memory_wait_s: the fraction of `feeder_wait_s` during which the byte budget was used up.
        operators: busy time of each operator, the longest first.
        lent_bytes: memory in batches that are under way or held by the consumer.
        idle_bytes: memory that is kept for later batches.
        skipped: number of bad samples by the action of `on_error`.
        device_lent_bytes, device_idle_bytes: the same of the GPU's memory.
        workers: "threads" or "processes".
        why_threads: why threads work though processes would be faster, or "".
    """

    batches: int
    samples: int
    wall_s: float
    num_threads: int
    consumer_wait_s: float
    workers_wait_s: float
    workers_cpu_s: float
    feeder_wait_s: float
    memory_wait_s: float
    operators: tuple[OperatorStats, ...]
    lent_bytes: int
    idle_bytes: int
    skipped: dict[str, int]
    device_lent_bytes: int = 0
    device_idle_bytes: int = 0
    workers: str = "threads"
    why_threads: str = ""
    feeder_cpu_s: float = 0.0
    cpu_s: float = 0.0
    machine_cpu_s: float = 0.0
    cores: int = 1
    decisions: dict[str, Decision] = field(default_factory=dict)
    lanes: int = 0
    launch_s: float = 0.0
    gpu_wait_s: float = 0.0
    threads_wait_s: float = 0.0
    launch_cpu_s: float = 0.0
    engines_s: dict[str, float] = field(default_factory=dict)

    @property
    def waiting(self) -> float:
        """The part of the time that the consumer waited: see `control.readings.Readings`."""
        return self.consumer_wait_s / self.wall_s if self.wall_s else 0.0

    def busy_s(self, stage: str) -> float:
        """Return the seconds of all operators of a stage, summed over threads."""
        return sum(op.busy_s for op in self.operators if op.stage == stage)

    def load(self, stage: str) -> float:
        """Return the fraction of the time during which the threads of a stage were busy."""
        return self.busy_s(stage) / self._threads(stage) / self.wall_s if self.wall_s else 0.0

    def _threads(self, stage: str) -> int:
        return {"workers": self.num_threads, "device": max(1, self.lanes)}.get(stage, 1)

    def stages(self) -> list[StageFigures]:
        """Return the figures of the stages that did any work."""
        cpu = {"feeder": self.feeder_cpu_s, "workers": self.workers_cpu_s}
        return [
            StageFigures(
                stage,
                self._threads(stage),
                self.load(stage),
                min(1.0, cpu[stage] / self.busy_s(stage)) if stage in cpu else None,
            )
            for stage in STAGES
            if self.busy_s(stage)
        ]

    def since(self, earlier: PipelineFigures) -> Self:
        """Return the figures of the time between an earlier moment and this one."""
        sums = {name: getattr(self, name) - getattr(earlier, name) for name in _SUMS}
        before = {(op.name, op.stage): op.busy_s for op in earlier.operators}
        operators = [
            _operator_since(op, before.get((op.name, op.stage), 0.0), sums["samples"])
            for op in self.operators
        ]
        return replace(
            self,
            **sums,
            operators=tuple(sorted(operators, key=lambda op: -op.busy_s)),
            skipped=_grown(self.skipped, earlier.skipped),
            engines_s=_grown(self.engines_s, earlier.engines_s),
        )


def _operator_since(operator: OperatorStats, busy_s: float, samples: int) -> OperatorStats:
    seconds = operator.busy_s - busy_s
    return replace(operator, busy_s=seconds, per_sample_us=1e6 * seconds / max(1, samples))


def _grown(amounts: Mapping[str, _Number], earlier: Mapping[str, _Number]) -> dict[str, _Number]:
    """Return by how much each amount has grown, of those that have."""
    grown = {name: amount - earlier.get(name, 0) for name, amount in amounts.items()}
    return {name: amount for name, amount in grown.items() if amount}
