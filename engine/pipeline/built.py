"""A pipeline that is built: its plan, with inputs that are open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..closing import finish_closing
from ..errors import ArgumentError
from ..ranks.group import process_group
from ..run.opening import check_devices, open_inputs, open_pool, open_python_workers
from ..work.quarantine import QuarantineLog
from .outputs import OutputChecks, output_checks

if TYPE_CHECKING:
    from ..graph.inputs import SeekableInput
    from ..processes.python_workers import PythonWorkers
    from ..run.config import PipelineConfig
    from ..run.shutdown import Shutdown
    from ..tensors.memory import SlabPool
    from ..work.plan import Plan
    from .graph_definition import Definition
    from .progress import Progress


@dataclass(eq=False)
class Built:
    """What a definition became: its plan, and what the plan needs before a batch starts.

    Attributes:
        definition: the definition.
        plan: its plan, whose inputs are open.
        checks: of the outputs; None if nothing is declared of them.
        ahead: batches that start before the consumer requests them.
        python_workers: the processes that call users' code, or None.
    """

    definition: Definition
    plan: Plan
    checks: OutputChecks | None
    ahead: int = 1
    python_workers: PythonWorkers | None = None
    _pool: SlabPool | None = None

    def readers(self) -> dict[str, SeekableInput]:
        """Return the readers by name."""
        return {reader.node.name: reader.operator for reader in self.plan.readers}

    def reader(self, name: str) -> SeekableInput:
        """Return the reader with this name."""
        readers = self.readers()
        if name not in readers:
            raise ArgumentError(f"there is no reader named {name!r}; there are {sorted(readers)}")
        return readers[name]

    def memory(self, shutdown: Shutdown) -> SlabPool:
        """Return the memory of the batches, which is made by the first call."""
        if self._pool is None:
            finish_closing()  # dropped pipelines hold memory, threads and descriptors until then
            config, has_workers = self.definition.config, self.python_workers is not None
            self._pool = open_pool(self.plan, config, python_workers=has_workers)
            self._pool.most_output_bytes = self.definition.most_output_bytes
            shutdown.add(self._pool.close, repeatable=True)
        return self._pool

    def start_python_workers(self, shutdown: Shutdown) -> None:
        """Start the processes that call users' code, if there are to be any."""
        if (workers := self.python_workers) is not None:
            with shutdown.after_errors():  # an interrupt, too, must leave no process behind
                pool = self.memory(shutdown)
                shutdown.bind()
                shutdown.add(workers.close, repeatable=True)
                workers.start(pool)


def build(definition: Definition, progress: Progress, shutdown: Shutdown) -> Built:
    """Compile the graph of a definition, and open its inputs where the run stands."""
    config = definition.config
    plan = definition.plan()
    check_devices(plan)
    checks = output_checks(config, plan)
    log_path = config.log_path()
    if log_path is not None:
        QuarantineLog(log_path)  # refuses a path that cannot be written
    definition.place(plan)
    workers = _python_workers(plan, config)
    open_inputs(plan, config.batch_size, progress.restored, shutdown)
    if progress.restored is None and config.seed in (None, -1):
        _agree_on_seed(plan, definition)
    progress.begin(plan)
    return Built(definition, plan, checks, config.ahead(plan.uses_gpu), workers)


def _python_workers(plan: Plan, config: PipelineConfig) -> PythonWorkers | None:
    """Let the operators have the pipeline's Python workers that want any."""
    workers = open_python_workers(plan.nodes, config)
    for node in plan.nodes if workers is not None else ():
        operator = node.operator
        if operator.python_callee() is not None:
            operator.placement = replace(operator.placement, python_workers=workers)
    return workers


def _agree_on_seed(plan: Plan, definition: Definition) -> None:
    """Take the seed that all ranks have, if each has drawn one for its shard of the data."""
    group = process_group()
    metas = {reader.node.name: reader.operator.meta() for reader in plan.readers}
    divided = [name for name, meta in metas.items() if meta["number_of_shards"] > 1]
    if group is not None and divided:
        from ..ranks.agreement import agreed_seed

        definition.place(plan, agreed_seed(group, definition.seed, divided))
