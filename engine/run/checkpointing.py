"""The state of a running pipeline, as a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..work.plan import Plan


def input_states(plan: Plan, delivered: int, source_states: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of each input after so many delivered batches.

    Args:
        plan: the plan of the pipeline.
        delivered: number of batches that the user was given.
        source_states: states of the sources after the last of these batches.
    """
    states = {each.node.name: each.operator.state_after(delivered) for each in plan.readers}
    return states | {each.node.name: source_states.get(each.node.name) for each in plan.sources}


def snapshots(plan: Plan) -> dict[str, Any]:
    """Return the present state of each source that has a state."""
    states = {source.node.name: source.operator.snapshot() for source in plan.sources}
    return {name: state for name, state in states.items() if state is not None}


def write_file(filename: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that is never seen half written."""
    partial = Path(f"{os.fspath(filename)}.partial")
    partial.write_bytes(data)
    partial.replace(filename)
