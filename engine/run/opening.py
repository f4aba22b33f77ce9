"""From a plan to open inputs and memory: the steps before a pipeline's threads start."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..control.workers import may_be_processes
from ..errors import ArgumentError
from ..gpu.driver import load_driver
from ..graph.callers import warn_caller
from ..graph.inputs import Resources
from ..graph.nodes import Node
from ..order.checkpoint import Checkpoint
from ..tensors.memory import SlabPool
from ..tensors.rows import MetadataFunction
from ..work.plan import Plan
from .checkpointing import states_of
from .config import PipelineConfig
from .pickling import user_pickler
from .shutdown import Shutdown
from .workers.choice import Chooser

if TYPE_CHECKING:
    from ..control.readings import Decisions
    from ..gpu.device import DeviceAccess
    from ..processes.python_workers import PythonWorkers


def check_devices(plan: Plan) -> None:
    """Raise MissingDependencyError if the machine lacks what the plan's operators need.

    A plan that uses the GPU needs a driver.
    """
    if plan.uses_gpu:
        load_driver()
    for node in plan.nodes:
        try:
            node.operator.check_machine()
        except BaseException as error:
            error.add_note(f"in {node}, when the pipeline was built")
            raise


def open_inputs(
    plan: Plan, batch_size: int, restored: Checkpoint | None, shutdown: Shutdown
) -> None:
    """Open all inputs, and have `shutdown` close all operators of the plan.

    Raises:
        CheckpointError: the checkpoint belongs to other inputs.
        Exception: an input cannot be opened; those that were opened are closed.
    """
    states = states_of(plan, restored)
    try:
        for input_node in plan.inputs:
            try:
                input_node.operator.open(batch_size, states.get(input_node.node.name))
            except BaseException as error:
                error.add_note(f"in {input_node.node}, when the pipeline was built")
                raise
            shutdown.add(input_node.operator.close)
    except BaseException:
        shutdown()
        raise
    inputs = {input_node.operator for input_node in plan.inputs}
    for node in plan.nodes:
        if node.operator not in inputs:
            shutdown.add(node.operator.close)
    _compare_lengths(plan)


def _compare_lengths(plan: Plan) -> None:
    """Warn of readers that read in one order, as those of pairs do, but differ in length."""
    firsts: dict[str, tuple[tuple[int, bool], str]] = {}
    for reader in plan.readers:
        meta = reader.operator.meta()
        samples, is_padded = length = int(meta["epoch_size"]), bool(meta["pad_last_batch"])
        text = f"{reader.node} reads {samples} samples{' with padding' * is_padded}"
        order = repr([meta["shard_id"], meta["number_of_shards"], reader.operator.order_facts()])
        first, first_text = firsts.setdefault(order, (length, text))
        if length != first:
            warn_caller(
                f"{first_text}, and {text}, in the same order. If their samples are pairs, such as "
                "images and masks, they do not belong together behind the first gap, nor in later "
                "epochs: give both readers lists of the same length and the same pad_last_batch. "
                "If they are no pairs, nothing is wrong; another shuffle_seed for one of the "
                "readers, where they shuffle, says so",
                UserWarning,
            )


def open_python_workers(nodes: Iterable[Node], config: PipelineConfig) -> PythonWorkers | None:
    """Return the Python workers that nodes want, before their start; None if none wants any.

    Raises:
        ArgumentError: there must be no workers.
        MissingDependencyError, ValueError: the argument `py_callback_pickler` cannot be used.
    """
    callees = {node.ordinal: node.operator.python_callee() for node in nodes}
    wanted = {ordinal: callee for ordinal, callee in callees.items() if callee is not None}
    if not wanted:
        return None
    if config.py_num_workers < 1:
        what = next(iter(wanted.values())).what
        raise ArgumentError(
            f"{what} has parallel=True, but py_num_workers is {config.py_num_workers}. The "
            "external source cannot run in parallel mode without Python workers pool; set "
            "py_num_workers to a positive number, or parallel to False"
        )
    from ..processes.python_workers import PythonWorkers  # most pipelines need not spend the time

    fork = config.py_start_method == "fork"
    pickler = user_pickler(config.py_callback_pickler)
    return PythonWorkers(config.py_num_workers, wanted, fork=fork, pickler=pickler)


def open_pool(plan: Plan, config: PipelineConfig, *, python_workers: bool = False) -> SlabPool:
    """Return memory for the plan's batches, shared if other processes may work on the batches.

    Args:
        plan: the plan.
        config: the pipeline's arguments.
        python_workers: whether there are Python workers, which have to share the memory.
    """
    readers = [input_node.operator for input_node in plan.readers]
    shared = config.exec_processes is not False and any(
        reader.wants_shared_memory(uses_gpu=plan.uses_gpu) for reader in readers
    )
    shared |= plan.uses_workers and may_be_processes(
        config.threads(), config.exec_processes, Chooser.limits
    )
    must_share = python_workers or bool(config.exec_processes)
    return _pool(config, shared=shared or must_share, must_share=must_share)


def begin_inputs(
    plan: Plan, pool: SlabPool, device: DeviceAccess | None, decisions: Decisions
) -> None:
    """Give the inputs what the pipeline has, once it starts."""
    arena = pool.arena if pool.arena.descriptor >= 0 else None
    functions: dict[str, MetadataFunction] = {}
    for node in plan.nodes:
        functions |= node.operator.metadata_functions
    for member in plan.inputs:
        member.operator.begin(Resources(arena, functions, device, decisions))


def _pool(config: PipelineConfig, *, shared: bool, must_share: bool) -> SlabPool:
    if not shared:
        return SlabPool(budget=config.prefetch_bytes, shared=False)
    try:
        return SlabPool(budget=config.prefetch_bytes, shared=True)
    except OSError:
        if not must_share:
            return SlabPool(budget=config.prefetch_bytes, shared=False)
    return _tight_pool(config)


def _tight_pool(config: PipelineConfig) -> SlabPool:
    """Return a pool that shares little memory with worker processes, which the user demands."""
    try:
        pool = SlabPool(budget=config.prefetch_bytes, shared=True, tight=True)
    except OSError as error:
        error.add_note(
            "worker processes need memory that they share with the pipeline; pass "
            "exec_processes=False, and no parallel=True, to work in threads"
        )
        raise
    warnings.warn(
        f"limits of the process (`ulimit -f`, `ulimit -v`) leave {len(pool.arena.map) >> 10} KiB "
        "of memory that worker processes share with the pipeline; other samples are copied "
        "through sockets, which is slower: raise the limits, or work in threads "
        "(exec_processes=False, and no parallel=True)",
        RuntimeWarning,
        stacklevel=2,
    )
    return pool
