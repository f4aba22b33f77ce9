"""Where the time goes: busy times by operator, wait times by stage, and the bottleneck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .chain import Worker
    from .plan import Plan
    from .process import WorkerProcess


_TOO_MUCH_WAITING = 0.6


@dataclass
class Clocks:
    """Raw counters. Each is written by one thread only, so none needs a lock."""

    started_ns: int = field(default_factory=perf_counter_ns)
    batches: int = 0
    samples: int = 0
    consumer_wait_ns: int = 0
    feeder_wait_ns: int = 0
    memory_wait_ns: int = 0
    feeder_busy_ns: dict[int, int] = field(default_factory=dict)
    device_busy_ns: dict[int, int] = field(default_factory=dict)
    workers: list[Worker | WorkerProcess] = field(default_factory=list)

    def add_feeder(self, ordinal: int, elapsed_ns: int) -> None:
        """Count time that the feeder thread spent in an operator."""
        self.feeder_busy_ns[ordinal] = self.feeder_busy_ns.get(ordinal, 0) + elapsed_ns

    def add_device(self, ordinal: int, elapsed_ns: int) -> None:
        """Count time that the device thread spent in an operator."""
        self.device_busy_ns[ordinal] = self.device_busy_ns.get(ordinal, 0) + elapsed_ns


@dataclass(frozen=True)
class OperatorStats:
    """Time spent in one operator.

    Attributes:
        name: name of the operator in the graph.
        operator: its kind, as in "decoders.image".
        stage: "feeder", "workers" or "device": which threads run it.
        busy_s: seconds, summed over threads.
        per_sample_us: microseconds of one thread for one sample.
        note: of the way it works, where there are several; or "".
    """

    name: str
    operator: str
    stage: str
    busy_s: float
    per_sample_us: float
    note: str = ""


@dataclass(frozen=True)
class PipelineStats:
    """What `Pipeline.stats` returns; `print` shows it as a table.

    Attributes:
        batches, samples: delivered so far.
        wall_s: seconds since the pipeline was built.
        consumer_wait_s: the consumer waited for a batch: the pipeline was too slow.
        workers_wait_s: workers had nothing to do, summed over `num_threads`.
        workers_cpu_s: processor time of the workers. Where it is much less than their
            operators' busy time, they waited for a core, a disk or the interpreter's lock.
        feeder_wait_s: the reading thread had nothing to do: queues were full.
        memory_wait_s: of that, because the byte budget was used up.
        operators: busy time of each operator, the longest first.
        lent_bytes: memory in batches under way or held by the consumer.
        idle_bytes: memory kept to be used again.
        skipped: counts by what `on_error` did.
        device_lent_bytes, device_idle_bytes: the same of the GPU's memory.
        workers: what they are: "threads" or "processes".
        why_threads: why they are not processes, though these would be faster, or "".
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

    @property
    def bottleneck(self) -> str:
        """One line that names what limits the throughput."""
        if self.batches == 0:
            return "no batch was delivered yet"
        if self.consumer_wait_s < 0.1 * self.wall_s:
            return (
                f"the consumer: it waited only {_percent(self.consumer_wait_s, self.wall_s)} of "
                "the time for data, the pipeline is fast enough"
            )
        if self.memory_wait_s > 0.2 * self.wall_s:
            return (
                "memory: batches wait for the byte budget (argument prefetch_bytes, or "
                "prefetch_device_bytes for the GPU's memory)"
            )
        busy = {stage: self._busy(stage) for stage in ("feeder", "workers", "device")}
        threads = {"feeder": 1, "workers": self.num_threads, "device": 1}
        load = {stage: seconds / threads[stage] for stage, seconds in busy.items()}
        stage = max(load, key=lambda s: load[s])
        worst = next(op for op in self.operators if op.stage == stage)
        computing = self.workers_cpu_s / busy["workers"] if busy["workers"] else 1.0
        advice = {
            "feeder": "it runs in one thread, before or between the parallel operators",
            "workers": f"{self.num_threads} {self.workers}; more of them help if cores are free",
            "device": "the GPU stage",
        }
        if computing < _TOO_MUCH_WAITING:
            advice["workers"] = (
                f"{self.num_threads} {self.workers}, which computed in {100 * computing:.0f}% of "
                "that time and else waited for cores or for Python's lock: fewer may be faster"
            )
        return (
            f"{worst.operator} ({worst.name}): {_percent(worst.busy_s, busy[stage])} of the time "
            f"of the {stage} stage, {worst.per_sample_us:.0f} us a sample ({advice[stage]})"
        )

    def _busy(self, stage: str) -> float:
        return sum(op.busy_s for op in self.operators if op.stage == stage)

    def _waits(self) -> str:
        return (
            f"waits in s: consumer {self.consumer_wait_s:.2f}, feeder {self.feeder_wait_s:.2f}, "
            f"{self.num_threads} worker {self.workers} {self.workers_wait_s:.2f}, "
            f"memory {self.memory_wait_s:.2f}"
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
        lines += [f"{op.operator} ({op.name}): {op.note}" for op in self.operators if op.note]
        lines += [
            self._waits(),
            _memory("memory", self.lent_bytes, self.idle_bytes),
        ]
        if self.device_lent_bytes or self.device_idle_bytes:
            lines.append(_memory("GPU memory", self.device_lent_bytes, self.device_idle_bytes))
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


def _memory(kind: str, lent: int, idle: int) -> str:
    return f"{kind}: {lent / 1e6:.1f} MB in use, {idle / 1e6:.1f} MB idle"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "0%"


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
                kind, note = node.operator.name, node.operator.note
                rows.append(OperatorStats(node.name, kind, stage, seconds, per_sample, note))
    return tuple(sorted(rows, key=lambda row: -row.busy_s))
