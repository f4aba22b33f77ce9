"""The use of time: busy times by operator, wait times by stage, and the bottleneck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Protocol

from ..control.readings import Decisions, Readings
from ..graph.nodes import Node
from ..machine import busy_core_seconds, own_core_seconds, usable_cores
from .figures import OperatorStats, PipelineFigures
from .limit import Limit, limit_of
from .plan import Plan

if TYPE_CHECKING:
    from ..tensors.device_memory import DevicePool
    from ..tensors.memory import SlabPool

__all__ = ["Clocks", "OperatorStats", "PipelineStats", "operator_stats", "pipeline_stats"]


class WorkerClocks(Protocol):
    """The clocks of a worker, which is a thread or a process.

    Attributes:
        busy_ns: nanoseconds by operator, by the number of its node.
        wait_ns: nanoseconds without anything to do.
        cpu_ns: nanoseconds of CPU time.
        events: `Operator.event_counts` of a process's operators, by the number of the node.
    """

    busy_ns: dict[int, int]
    wait_ns: int
    cpu_ns: int
    events: dict[int, dict[str, int]]


@dataclass
class LaneClocks:
    """Raw counters of the thread that launches the work of one lane, in nanoseconds.

    Attributes:
        launch_ns: time spent on launching, waiting included.
        gpu_wait_ns, threads_wait_ns: the parts of `launch_ns` in which the thread waited for the
            GPU, and for threads that work for it.
        cpu_ns: CPU time.
        engines_ns: time that engines of the GPU worked for the lane, by their names.
    """

    launch_ns: int = 0
    gpu_wait_ns: int = 0
    threads_wait_ns: int = 0
    cpu_ns: int = 0
    engines_ns: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Clocks:
    """Raw counters. Each is written by one thread only, so none needs a lock."""

    started_ns: int = field(default_factory=perf_counter_ns)
    started_cpu_s: float = field(default_factory=own_core_seconds)
    started_machine_s: float = field(default_factory=busy_core_seconds)
    batches: int = 0
    samples: int = 0
    consumer_wait_ns: int = 0
    feeder_wait_ns: int = 0
    feeder_cpu_ns: int = 0
    memory_wait_ns: int = 0
    readings: Readings = field(default_factory=Readings)
    decisions: Decisions = field(default_factory=dict)
    feeder_busy_ns: Counter[int] = field(default_factory=Counter)
    device_busy_ns: Counter[int] = field(default_factory=Counter)
    workers: list[WorkerClocks] = field(default_factory=list)
    lanes: list[LaneClocks] = field(default_factory=list)

    def take(self, samples: int) -> None:
        """Count a batch that the consumer takes; take the readings of all rules."""
        self.batches += 1
        self.samples += samples
        self.readings = Readings(perf_counter_ns(), self.batches, self.consumer_wait_ns)


@dataclass(frozen=True)
class PipelineStats(PipelineFigures):
    """The result of `Pipeline.stats`; `print` shows it as a table."""

    @property
    def limit(self) -> Limit:
        """The limit of the throughput, with its cause and its remedies."""
        return limit_of(self)

    @property
    def bottleneck(self) -> str:
        """One line that names the limit of the throughput."""
        return self.limit.cause

    def _waits(self) -> str:
        return (
            f"waits in s: consumer {self.consumer_wait_s:.2f}, feeder {self.feeder_wait_s:.2f}, "
            f"{self.num_threads} worker {self.workers} {self.workers_wait_s:.2f}, "
            f"memory {self.memory_wait_s:.2f}"
        )

    def _launching(self) -> str:
        return (
            f"launches in s, {self.lanes} threads: {self.launch_s:.2f}, of that waiting for the "
            f"GPU {self.gpu_wait_s:.2f}, for threads {self.threads_wait_s:.2f}, "
            f"CPU time {self.launch_cpu_s:.2f}"
            + "".join(f"; {name} at work {busy:.2f}" for name, busy in self.engines_s.items())
        )

    def __str__(self) -> str:
        rate = self.samples / self.wall_s if self.wall_s else 0.0
        lines = [
            f"{self.samples} samples in {self.batches} batches, {self.wall_s:.2f} s, {rate:.0f}/s",
        ]
        lines += _table(
            [
                ("operator", "name", "stage", "busy s", "us/sample"),
                *(
                    (op.operator, op.name, op.stage, f"{op.busy_s:.2f}", f"{op.per_sample_us:.1f}")
                    for op in self.operators
                ),
            ]
        )
        lines += [f"{op.operator} ({op.name}): {op.remark}" for op in self.operators if op.remark]
        lines += [
            f"{op.operator} ({op.name}): {count} {event}"
            for op in self.operators
            for event, count in op.events.items()
        ]
        lines += [
            self._waits(),
            _memory("memory", self.lent_bytes, self.idle_bytes),
        ]
        if self.lanes:
            lines.append(self._launching())
        if self.device_lent_bytes or self.device_idle_bytes:
            lines.append(_memory("GPU memory", self.device_lent_bytes, self.device_idle_bytes))
        lines += [
            f"{rule}: {made.setting} ({made.reading})" for rule, made in self.decisions.items()
        ]
        if self.why_threads:
            lines.append(f"no worker processes: {self.why_threads}")
        if self.skipped:
            lines.append(f"bad samples: {self.skipped}")
        return "\n".join([*lines, f"bottleneck: {self.bottleneck}"])


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Align the columns: words to the left, numbers (the last two) to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = len(widths) - 2
    return [
        "  ".join(
            cell.ljust(width) if i < words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _memory(name: str, lent: int, idle: int) -> str:
    return f"{name}: {lent / 1e6:.1f} MB in use, {idle / 1e6:.1f} MB idle"


def operator_stats(clocks: Clocks, plan: Plan) -> tuple[OperatorStats, ...]:
    """Sum the busy times of all threads by operator."""
    stages = {"feeder": clocks.feeder_busy_ns, "device": clocks.device_busy_ns}
    workers: dict[int, int] = {}
    for worker in clocks.workers:
        for ordinal, elapsed in list(worker.busy_ns.items()):
            workers[ordinal] = workers.get(ordinal, 0) + elapsed
    rows = []
    for stage, busy in (*stages.items(), ("workers", workers)):
        for node in plan.nodes:
            seconds = busy.get(node.ordinal, 0) / 1e9
            if node.ordinal in busy:
                per_sample = 1e6 * seconds / max(1, clocks.samples)
                operator = node.operator
                rows.append(
                    OperatorStats(
                        node.name,
                        operator.name,
                        stage,
                        seconds,
                        per_sample,
                        operator.remark(),
                        _events(clocks, node),
                        operator.remedies(),
                    )
                )
    return tuple(sorted(rows, key=lambda row: -row.busy_s))


def _events(clocks: Clocks, node: Node) -> dict[str, int]:
    """Sum the events of one operator over this process and the worker processes."""
    total = dict(node.operator.event_counts())
    for worker in clocks.workers:
        for event, count in worker.events.get(node.ordinal, {}).items():
            total[event] = total.get(event, 0) + count
    return total


def pipeline_stats(
    clocks: Clocks,
    plan: Plan,
    *,
    num_threads: int,
    workers: str,
    why_threads: str,
    pool: SlabPool,
    device_pool: DevicePool | None,
    skipped: Mapping[str, int],
) -> PipelineStats:
    """Return the figures that the clocks show now."""
    workers_cpu_ns = sum(worker.cpu_ns for worker in clocks.workers)
    return PipelineStats(
        batches=clocks.batches,
        samples=clocks.samples,
        wall_s=(perf_counter_ns() - clocks.started_ns) / 1e9,
        num_threads=num_threads,
        consumer_wait_s=clocks.consumer_wait_ns / 1e9,
        workers_wait_s=sum(worker.wait_ns for worker in clocks.workers) / 1e9,
        workers_cpu_s=workers_cpu_ns / 1e9,
        feeder_wait_s=clocks.feeder_wait_ns / 1e9,
        memory_wait_s=clocks.memory_wait_ns / 1e9,
        operators=operator_stats(clocks, plan),
        lent_bytes=pool.lent_bytes,
        idle_bytes=pool.idle_bytes,
        skipped=dict(skipped),
        device_lent_bytes=device_pool.lent_bytes if device_pool else 0,
        device_idle_bytes=device_pool.idle_bytes if device_pool else 0,
        workers=workers,
        why_threads=why_threads,
        feeder_cpu_s=clocks.feeder_cpu_ns / 1e9,
        cpu_s=own_core_seconds() - clocks.started_cpu_s,
        machine_cpu_s=busy_core_seconds() - clocks.started_machine_s,
        cores=usable_cores(),
        decisions=dict(clocks.decisions),
        lanes=len(clocks.lanes),
        launch_s=sum(lane.launch_ns for lane in clocks.lanes) / 1e9,
        gpu_wait_s=sum(lane.gpu_wait_ns for lane in clocks.lanes) / 1e9,
        threads_wait_s=sum(lane.threads_wait_ns for lane in clocks.lanes) / 1e9,
        launch_cpu_s=sum(lane.cpu_ns for lane in clocks.lanes) / 1e9,
        engines_s=_engines_s(clocks),
    )


def _engines_s(clocks: Clocks) -> dict[str, float]:
    """Sum the seconds of the GPU's engines over the lanes, by their names."""
    total = sum((Counter(lane.engines_ns) for lane in clocks.lanes), Counter[str]())
    return {name: busy / 1e9 for name, busy in total.items()}
