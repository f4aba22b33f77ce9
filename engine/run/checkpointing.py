"""The state of a running pipeline, as a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..errors import CheckpointError
from ..order.checkpoint import Checkpoint
from ..work.plan import Plan


def input_states(
    plan: Plan, delivered: int, source_states: Mapping[str, object]
) -> dict[str, object]:
    """Return the state of each input after so many delivered batches.

    Args:
        plan: the plan of the pipeline.
        delivered: number of batches that the user was given.
        source_states: states of the sources after the last of these batches.
    """
    states = {
        input_node.node.name: input_node.operator.state_after(delivered)
        for input_node in plan.readers
    }
    return states | {
        input_node.node.name: source_states.get(input_node.node.name) for input_node in plan.sources
    }


def states_of(plan: Plan, restored: Checkpoint | None) -> dict[str, object]:
    """Return the state of each input in a checkpoint; nothing without a checkpoint.

    Raises:
        CheckpointError: the checkpoint belongs to other inputs.
    """
    if restored is None:
        return {}
    names = {input_node.node.name for input_node in plan.inputs}
    if set(restored.inputs) != names:
        raise CheckpointError(
            f"the checkpoint holds the state of {sorted(restored.inputs)}, but the pipeline's "
            f"inputs are {sorted(names)}; give the readers the same names"
        )
    if lost := [
        input_node.node.name
        for input_node in plan.readers
        if restored.inputs[input_node.node.name] is None
    ]:
        raise CheckpointError(f"the checkpoint holds no state of the reader {lost[0]!r}")
    return dict(restored.inputs)


def next_epoch_states(plan: Plan, delivered: int) -> dict[str, object]:
    """Return the state of each reader at the start of the first epoch that no rank has begun.

    Readers of data sets of one size, such as images and their masks, begin the same epoch.
    """
    return {
        input_node.node.name: input_node.operator.next_epoch_after(delivered)
        for input_node in plan.readers
    }


def snapshots(plan: Plan) -> dict[str, object]:
    """Return the present state of each source that has a state."""
    states = {source.node.name: source.operator.snapshot() for source in plan.sources}
    return {name: state for name, state in states.items() if state is not None}


def write_file(filename: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that is never seen half written."""
    partial = Path(f"{os.fspath(filename)}.partial")
    partial.write_bytes(data)
    partial.replace(filename)
