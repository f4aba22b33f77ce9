"""The state of an external source in a checkpoint."""

from __future__ import annotations

from typing import Any

from ...engine.errors import CheckpointError
from .user_source import UserSource

_COUNTS = {"epoch": 32, "iteration": 62, "sample": 62, "position": 62}
"""Bits of each number; a source that is fed has no position."""


def restore(source: UserSource, user: object, state: dict[str, Any]) -> None:
    """Let a source go on from the state of a checkpoint.

    Args:
        source: the source.
        user: the user's object behind it.
        state: what `ExternalSource.snapshot` returned.
    """
    if "source" in state and hasattr(user, "load_state_dict"):
        user.load_state_dict(state["source"])
        source.forget()
    else:
        source.skip(state["position"])


def check_state(state: object) -> None:
    """Raise CheckpointError unless this is what `ExternalSource.snapshot` returned.

    >>> check_state({"epoch": 0, "iteration": -4, "sample": 12})
    Traceback (most recent call last):
    ...
    penstock.engine.errors.CheckpointError: state of an external source: iteration is -4...
    """
    if not isinstance(state, dict):
        raise CheckpointError(f"state of an external source: it is {state!r:.80}, and no object")
    for name, bits in _COUNTS.items():
        number = state.get(name, 0 if name == "position" else None)
        if type(number) is not int or not 0 <= number < 1 << bits:
            raise CheckpointError(
                f"state of an external source: {name} is {number!r:.80}. The checkpoint is damaged "
                "or was edited; restore an earlier one."
            )
