"""Checkpoints of readers and generators of random numbers: `ndd.checkpoint`."""

from __future__ import annotations

from .checkpoints import Checkpoint
from .contexts import EvalContext

__all__ = ["Checkpoint", "current"]


def current() -> Checkpoint:
    """Return the checkpoint of the current context."""
    return EvalContext.current().checkpoint
